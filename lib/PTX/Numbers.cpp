//===- Numbers.cpp - The values of lanes ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Numbers.h"

using namespace dmc::ptx;

double dmc::ptx::roundTo(double value, int digits, int low, int high, Rounding rounding) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent;
  std::frexp(value, &exponent);
  // Of the last digit: that of a subnormal number does not fall any more.
  int last = std::max(exponent - digits, low - digits + 1);
  double scaled = std::ldexp(value, -last), whole;
  switch (rounding) {
  case Rounding::Nearest: {
    whole = std::floor(scaled);
    double rest = scaled - whole;
    if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0))
      whole += 1;
    break;
  }
  case Rounding::Zero:
    whole = std::trunc(scaled);
    break;
  case Rounding::Down:
    whole = std::floor(scaled);
    break;
  case Rounding::Up:
    whole = std::ceil(scaled);
    break;
  case Rounding::NearestAway:
    whole = std::round(scaled);
    break;
  }
  double result = std::ldexp(whole, last);
  double largest = std::ldexp(std::ldexp(1.0, digits) - 1, high - digits + 1);
  if (std::fabs(result) > largest) {
    bool staysFinite = rounding == Rounding::Zero || (rounding == Rounding::Down && value > 0) ||
                       (rounding == Rounding::Up && value < 0);
    result = std::copysign(staysFinite ? largest : std::numeric_limits<double>::infinity(), value);
  }
  return result == 0 ? std::copysign(0.0, value) : result;
}
