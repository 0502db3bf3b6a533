//===- ElementaryTest.cpp - Errors of elementary functions -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of all inputs of f32 against the C library's f64 functions; scripts/check-math.py goes
// through all of them, on the code that the compiler makes. Samples of f64 against long double.
//
//===----------------------------------------------------------------------===//
#include "HostMath.h"

#include "Math/ErrorFunction.h"
#include "Math/Exponential.h"
#include "Math/Logarithm.h"
#include "Math/Power.h"
#include "Math/Trigonometric.h"

#include "gtest/gtest.h"

#include <array>
#include <limits>
#include <string>

using namespace dmc;
using namespace dmc::codegen;
using F = hostmath::Float<float>;

namespace {

/// The distance of a result from the exact value, in units of the last place that f32 has there.
double errorOf(float got, double want) {
  if (std::isnan(want))
    return std::isnan(got) ? 0 : HUGE_VAL;
  double unit = std::ldexp(1.0, std::max(std::ilogb(want), -126) - 23);
  if (want == 0)
    return got == 0 && std::signbit(got) == std::signbit(want) ? 0 : HUGE_VAL;
  if (std::abs(want) >= 0x1p128) // rounds to infinity, or did so in f64
    return got == std::copysign(HUGE_VAL, want) ? 0 : HUGE_VAL;
  double value = std::isinf(got) ? std::copysign(0x1p128, got) : got;
  return std::isnan(got) ? HUGE_VAL : std::abs(value - want) / unit;
}

constexpr std::array<float, 24> specialValues = {0.0f,
                                                 -0.0f,
                                                 1.0f,
                                                 -1.0f,
                                                 HUGE_VALF,
                                                 -HUGE_VALF,
                                                 __builtin_nanf(""),
                                                 __builtin_nanf("4097"),
                                                 0x1p-149f,
                                                 -0x1p-149f,
                                                 0x1p-126f,
                                                 -0x1p-126f,
                                                 0x1.fffffep127f,
                                                 -0x1.fffffep127f,
                                                 2.0f,
                                                 -2.0f,
                                                 3.0f,
                                                 -3.0f,
                                                 0.5f,
                                                 -0.5f,
                                                 16777216.0f,
                                                 16777217.0f,
                                                 -8388607.0f,
                                                 1e-30f};

struct Unary {
  const char *name;
  F (*function)(F);
  double (*exact)(double);
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double logisticOfTwice(double x) { return logistic(2 * x); }
F sigmoid(F x) { return elementary::sigmoid(x); }
F sigmoidOfTwice(F x) { return elementary::sigmoid(x, 2); }

const Unary unaryFunctions[] = {
    {"acos", elementary::acos<F>, std::acos},
    {"acosh", elementary::acosh<F>, std::acosh},
    {"asin", elementary::asin<F>, std::asin},
    {"asinh", elementary::asinh<F>, std::asinh},
    {"atan", elementary::atan<F>, std::atan},
    {"atanh", elementary::atanh<F>, std::atanh},
    {"cbrt", elementary::cbrt<F>, std::cbrt},
    {"cos", elementary::cos<F>, std::cos},
    {"cosh", elementary::cosh<F>, std::cosh},
    {"erf", elementary::erf<F>, std::erf},
    {"erfc", elementary::erfc<F>, std::erfc},
    {"exp", elementary::exp<F>, std::exp},
    {"exp2", elementary::exp2<F>, std::exp2},
    {"expm1", elementary::expm1<F>, std::expm1},
    {"log", elementary::log<F>, std::log},
    {"log10", elementary::log10<F>, std::log10},
    {"log1p", elementary::log1p<F>, std::log1p},
    {"log2", elementary::log2<F>, std::log2},
    {"sigmoid", sigmoid, logistic},
    {"sigmoidOfTwice", sigmoidOfTwice, logisticOfTwice},
    {"sin", elementary::sin<F>, std::sin},
    {"sinh", elementary::sinh<F>, std::sinh},
    {"tan", elementary::tan<F>, std::tan},
    {"tanh", elementary::tanh<F>, std::tanh},
};

class ElementaryTest : public testing::TestWithParam<std::tuple<Unary, bool>> {
protected:
  ElementaryTest() { hostmath::fuses = std::get<bool>(GetParam()); }
  ~ElementaryTest() override { hostmath::fuses = true; }
};

TEST_P(ElementaryTest, IsWithinTwoUnitsInTheLastPlace) {
  const Unary &function = std::get<Unary>(GetParam());
  auto check = [&](float x) {
    float got = function.function({x}).v;
    EXPECT_LE(errorOf(got, function.exact(x)), 2.0)
        << std::hexfloat << function.name << "(" << x << ") = " << got << ", expected "
        << function.exact(x);
  };
  for (float x : specialValues)
    check(x);
  // A prime stride: all exponents, and all low bits.
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32) && !HasFailure(); bits += 40009)
    check(hostmath::bitCast<float>(static_cast<uint32_t>(bits)));
}

std::string nameOf(const testing::TestParamInfo<std::tuple<Unary, bool>> &info) {
  return std::string(std::get<Unary>(info.param).name) +
         (std::get<bool>(info.param) ? "" : "Unfused");
}
INSTANTIATE_TEST_SUITE_P(All, ElementaryTest,
                         testing::Combine(testing::ValuesIn(unaryFunctions), testing::Bool()),
                         nameOf);

//===--- Functions of f64 -------------------------------------------------===//

using W = hostmath::Float<double>;

struct WideUnary {
  const char *name;
  W (*function)(W);
  long double (*exact)(long double);
};

const WideUnary wideFunctions[] = {
    {"exp", elementary::exp<W>, std::exp},       {"exp2", elementary::exp2<W>, std::exp2},
    {"expm1", elementary::expm1<W>, std::expm1}, {"log", elementary::log<W>, std::log},
    {"log10", elementary::log10<W>, std::log10}, {"log1p", elementary::log1p<W>, std::log1p},
    {"log2", elementary::log2<W>, std::log2},    {"tanh", elementary::tanh<W>, std::tanh},
};

double wideErrorOf(double got, long double want) {
  if (std::isnan(want))
    return std::isnan(got) ? 0 : HUGE_VAL;
  if (want == 0)
    return got == 0 && std::signbit(got) == std::signbit(want) ? 0 : HUGE_VAL;
  if (std::isinf(static_cast<double>(want)))
    return got == static_cast<double>(want) ? 0 : HUGE_VAL;
  if (!std::isfinite(got))
    return HUGE_VAL;
  long double unit = std::ldexp(1.0L, std::max(std::ilogb(want), -1022) - 52);
  return static_cast<double>(std::abs(got - want) / unit);
}

class WideElementaryTest : public testing::TestWithParam<WideUnary> {};

/// On devices, where a multiplication and an addition are always fused.
TEST_P(WideElementaryTest, IsWithinTwoUnitsInTheLastPlace) {
  if (std::numeric_limits<long double>::digits < 64)
    GTEST_SKIP() << "no wider type to compare with";
  double worst = 0, worstAt = 0;
  auto check = [&](double x) {
    double error = wideErrorOf(GetParam().function({x}).v, GetParam().exact(x));
    if (error > worst) {
      worst = error;
      worstAt = x;
    }
  };
  for (float x : specialValues)
    check(x);
  for (double x : {0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, 709.782712893384,
                   709.7827128933841, -745.1332191019411, -745.1332191019412, -1074.0, -1075.0,
                   1023.9999999999999, 1024.0, 0.28, -38.0, 20.0})
    check(x);
  // All exponents, and arguments of magnitudes where results are finite (xorshift).
  uint64_t state = 88172645463325252;
  for (int i = 0; i < 1000000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    double x = hostmath::bitCast<double>(state);
    double unit = static_cast<double>(static_cast<int64_t>(state)) * 0x1p-63;
    check(x);
    check(unit);
    check(unit * 40);
    check(unit * 1100);
    check(1 + unit * 0.5);
  }
  EXPECT_LE(worst, 2.0) << std::hexfloat << GetParam().name << "(" << worstAt << ")";
  RecordProperty("error", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(All, WideElementaryTest, testing::ValuesIn(wideFunctions),
                         [](const auto &info) { return std::string(info.param.name); });

struct Binary {
  const char *name;
  F (*function)(F, F);
  double (*exact)(double, double);
};
const Binary binaryFunctions[] = {{"atan2", elementary::atan2<F>, std::atan2},
                                  {"pow", elementary::pow<F>, std::pow}};

class ElementaryPairTest : public testing::TestWithParam<Binary> {};

TEST_P(ElementaryPairTest, IsWithinTwoUnitsInTheLastPlace) {
  auto check = [&](float x, float y) {
    float got = GetParam().function({x}, {y}).v;
    double want = GetParam().exact(x, y);
    EXPECT_LE(errorOf(got, want), 2.0) << std::hexfloat << GetParam().name << "(" << x << ", " << y
                                       << ") = " << got << ", expected " << want;
  };
  for (float x : specialValues)
    for (float y : specialValues)
      check(x, y);
  // Bits from a generator (xorshift); of every other pair y is small, so that powers stay finite.
  uint64_t state = 88172645463325252;
  for (int i = 0; i < 200000 && !HasFailure(); ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    float x = hostmath::bitCast<float>(static_cast<uint32_t>(state));
    float y = hostmath::bitCast<float>(static_cast<uint32_t>(state >> 32));
    if (i % 2) {
      x = std::abs(x);
      y = static_cast<float>(static_cast<int32_t>(state >> 32)) * 0x1p-28f;
    }
    check(x, y);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElementaryPairTest, testing::ValuesIn(binaryFunctions),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
