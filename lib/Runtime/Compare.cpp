//===- Compare.cpp - Comparing arrays within tolerances -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Compare.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace dmc;
using namespace dmc::runtime;

static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

static std::string position(int64_t linear, const std::vector<int64_t> &shape) {
  std::string text;
  for (size_t i = shape.size(); i-- > 0;) {
    text = std::to_string(linear % shape[i]) + (text.empty() ? "" : ", ") + text;
    linear /= shape[i];
  }
  return "[" + text + "]";
}

/// 64-bit integers do not fit into a double: their difference is taken exactly.
static double difference(uint32_t type, const uint8_t *got, const uint8_t *want) {
  if (type == DMC_I64 || type == DMC_UI64) {
    uint64_t a, b;
    std::memcpy(&a, got, 8);
    std::memcpy(&b, want, 8);
    bool less = type == DMC_I64 ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
    return static_cast<double>(less ? b - a : a - b);
  }
  double a = elementToDouble(type, got), b = elementToDouble(type, want);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<double>::infinity();
  return a == b ? 0 : std::fabs(a - b); // equal infinities have no difference
}

/// Floats as integers such that neighbours differ by one and both zeros are 0.
static int64_t ordered(uint32_t type, const uint8_t *element) {
  uint64_t bits = 0;
  size_t bytes = elementBytes(type);
  std::memcpy(&bits, element, bytes); // little endian
  uint64_t sign = uint64_t(1) << (8 * bytes - 1);
  auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

/// By how much two elements whose bytes differ are out of tolerance; 0: they agree.
static double excess(uint32_t type, const uint8_t *got, const uint8_t *want, double error,
                     const Tolerance &tolerance) {
  double wanted = elementToDouble(type, want);
  if (tolerance.kind == Tolerance::Kind::Bits)
    return std::isnan(wanted) || error > 0 ? error : 1; // else zeros of both signs
  if (tolerance.kind == Tolerance::Kind::Ulps && isFloat(type)) {
    if (!std::isfinite(error) || error == 0)
      return error;
    int64_t low = ordered(type, got), high = ordered(type, want);
    if (low > high)
      std::swap(low, high);
    uint64_t distance = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    auto ulps = static_cast<uint64_t>(tolerance.ulps);
    return distance > ulps ? static_cast<double>(distance - ulps) : 0;
  }
  double allowed = std::isfinite(wanted) ? tolerance.atol + tolerance.rtol * std::fabs(wanted) : 0;
  return std::max(error - allowed, 0.0);
}

Comparison runtime::compare(const Array &got, const Array &want, Tolerance tolerance) {
  Comparison result;
  if (got.type != want.type || got.shape != want.shape) {
    result.passed = false;
    result.maxAbsError = std::numeric_limits<double>::infinity();
    result.message =
        "expected " + toString(want.type, want.shape) + ", got " + toString(got.type, got.shape);
    return result;
  }
  size_t bytes = elementBytes(got.type);
  int64_t count = got.numElements(), worst = -1;
  double worstExcess = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t *a = got.data() + i * bytes, *b = want.data() + i * bytes;
    if (std::memcmp(a, b, bytes) == 0)
      continue;
    double error = difference(got.type, a, b);
    if (error > result.maxAbsError)
      result.maxAbsError = error;
    double over = excess(got.type, a, b, error, tolerance);
    if (over == 0)
      continue;
    ++result.differing;
    if (worst < 0 || over > worstExcess) {
      worst = i;
      worstExcess = over;
    }
  }
  if (worst >= 0) {
    result.passed = false;
    result.message = std::to_string(result.differing) + " of " + std::to_string(count) +
                     " elements differ, most at " + position(worst, got.shape) + ": expected " +
                     number(elementToDouble(got.type, want.data() + worst * bytes)) + ", got " +
                     number(elementToDouble(got.type, got.data() + worst * bytes));
  }
  return result;
}
