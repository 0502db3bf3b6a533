//===- MathFunctions.cpp - The math operations on words -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libm in the type's precision; 16-bit floats in float, then rounded.
//
//===----------------------------------------------------------------------===//
#include "Functions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

#define UNARY(Name, expression)                                                                    \
  namespace {                                                                                      \
  struct Name {                                                                                    \
    template <class C>                                                                             \
    static auto apply(C x) {                                                                       \
      return expression;                                                                           \
    }                                                                                              \
  };                                                                                               \
  }
#define BINARY(Name, expression)                                                                   \
  namespace {                                                                                      \
  struct Name {                                                                                    \
    template <class C>                                                                             \
    static C apply(C x, C y) {                                                                     \
      return expression;                                                                           \
    }                                                                                              \
  };                                                                                               \
  }
#define TERNARY(Name, expression)                                                                  \
  namespace {                                                                                      \
  struct Name {                                                                                    \
    template <class C>                                                                             \
    static C apply(C x, C y, C z) {                                                                \
      return expression;                                                                           \
    }                                                                                              \
  };                                                                                               \
  }

UNARY(Acos, std::acos(x))
UNARY(Acosh, std::acosh(x))
UNARY(Asin, std::asin(x))
UNARY(Asinh, std::asinh(x))
UNARY(Atan, std::atan(x))
UNARY(Atanh, std::atanh(x))
UNARY(Cbrt, std::cbrt(x))
UNARY(Ceil, std::ceil(x))
UNARY(Cos, std::cos(x))
UNARY(Cosh, std::cosh(x))
UNARY(Erf, std::erf(x))
UNARY(Erfc, std::erfc(x))
UNARY(Exp, std::exp(x))
UNARY(Exp2, std::exp2(x))
UNARY(ExpM1, std::expm1(x))
UNARY(Floor, std::floor(x))
UNARY(Log, std::log(x))
UNARY(Log10, std::log10(x))
UNARY(Log1p, std::log1p(x))
UNARY(Log2, std::log2(x))
UNARY(Round, std::round(x))
UNARY(RoundEven, std::nearbyint(x))
UNARY(Rsqrt, C(1) / std::sqrt(x))
UNARY(Sin, std::sin(x))
UNARY(Sinh, std::sinh(x))
UNARY(Sqrt, std::sqrt(x))
UNARY(Tan, std::tan(x))
UNARY(Tanh, std::tanh(x))
UNARY(Trunc, std::trunc(x))
UNARY(IsFinite, std::isfinite(x))
UNARY(IsInf, std::isinf(x))
UNARY(IsNaN, std::isnan(x))
BINARY(Atan2, std::atan2(x, y))
BINARY(Pow, std::pow(x, y))
TERNARY(Fma, std::fma(x, y, z))
TERNARY(Clamp, std::isnan(x) ? x : std::fmin(std::fmax(x, y), z))

static void absf(Frame &f, const Instruction &i) {
  f.slots[i.result] = truncate(f.slots[i.a], i.width - 1);
}
static void copysign(Frame &f, const Instruction &i) {
  Word sign = Word(1) << (i.width - 1);
  f.slots[i.result] = (f.slots[i.a] & ~sign) | (f.slots[i.b] & sign);
}
static void absi(Frame &f, const Instruction &i) {
  int64_t value = signExtend(f.slots[i.a], i.width);
  f.slots[i.result] = truncate(value < 0 ? -static_cast<Word>(value) : value, i.width);
}
static void ctlz(Frame &f, const Instruction &i) {
  f.slots[i.result] = llvm::countl_zero(f.slots[i.a]) - (64 - i.width);
}
static void cttz(Frame &f, const Instruction &i) {
  f.slots[i.result] = std::min<int>(llvm::countr_zero(f.slots[i.a]), i.width);
}
static void ctpop(Frame &f, const Instruction &i) {
  f.slots[i.result] = llvm::popcount(f.slots[i.a]);
}

/// A power of an integer, wrapped; a negative exponent leaves 1/x towards zero.
static void ipowi(Frame &f, const Instruction &i) {
  Word base = f.slots[i.a], value = 1;
  int64_t exponent = signExtend(f.slots[i.b], i.width);
  int64_t signedBase = signExtend(base, i.width);
  if (exponent < 0) {
    if (signedBase == 0)
      f.error = "raises zero to a negative power";
    bool odd = exponent & 1;
    f.slots[i.result] = truncate(signedBase == 1    ? 1
                                 : signedBase == -1 ? (odd ? -1 : 1)
                                                    : 0,
                                 i.width);
    return;
  }
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      value *= base;
  f.slots[i.result] = truncate(value, i.width);
}

/// A float to the power of an i32.
static void fpowi(Frame &f, const Instruction &i) {
  auto exponent = static_cast<int32_t>(f.slots[i.b]);
  f.slots[i.result] =
      putDouble(i.resultKind, std::pow(getDouble(i.resultKind, f.slots[i.a]), exponent));
}

Function interpreter::getMathFunction(Operation *op, Kind kind) {
  return llvm::StringSwitch<Function>(op->getName().stripDialect())
      .Case("absf", absf)
      .Case("absi", absi)
      .Case("acos", forFloats<Unary, Acos>(kind))
      .Case("acosh", forFloats<Unary, Acosh>(kind))
      .Case("asin", forFloats<Unary, Asin>(kind))
      .Case("asinh", forFloats<Unary, Asinh>(kind))
      .Case("atan", forFloats<Unary, Atan>(kind))
      .Case("atan2", forFloats<Binary, Atan2>(kind))
      .Case("atanh", forFloats<Unary, Atanh>(kind))
      .Case("cbrt", forFloats<Unary, Cbrt>(kind))
      .Case("ceil", forFloats<Unary, Ceil>(kind))
      .Case("clampf", forFloats<Ternary, Clamp>(kind))
      .Case("copysign", copysign)
      .Case("cos", forFloats<Unary, Cos>(kind))
      .Case("cosh", forFloats<Unary, Cosh>(kind))
      .Case("ctlz", ctlz)
      .Case("ctpop", ctpop)
      .Case("cttz", cttz)
      .Case("erf", forFloats<Unary, Erf>(kind))
      .Case("erfc", forFloats<Unary, Erfc>(kind))
      .Case("exp", forFloats<Unary, Exp>(kind))
      .Case("exp2", forFloats<Unary, Exp2>(kind))
      .Case("expm1", forFloats<Unary, ExpM1>(kind))
      .Case("floor", forFloats<Unary, Floor>(kind))
      .Case("fma", forFloats<Ternary, Fma>(kind))
      .Case("fpowi", fpowi)
      .Case("ipowi", ipowi)
      .Case("isfinite", forFloats<Classify, IsFinite>(kind))
      .Case("isinf", forFloats<Classify, IsInf>(kind))
      .Case("isnan", forFloats<Classify, IsNaN>(kind))
      .Case("log", forFloats<Unary, Log>(kind))
      .Case("log10", forFloats<Unary, Log10>(kind))
      .Case("log1p", forFloats<Unary, Log1p>(kind))
      .Case("log2", forFloats<Unary, Log2>(kind))
      .Case("powf", forFloats<Binary, Pow>(kind))
      .Case("round", forFloats<Unary, Round>(kind))
      .Case("roundeven", forFloats<Unary, RoundEven>(kind))
      .Case("rsqrt", forFloats<Unary, Rsqrt>(kind))
      .Case("sin", forFloats<Unary, Sin>(kind))
      .Case("sinh", forFloats<Unary, Sinh>(kind))
      .Case("sqrt", forFloats<Unary, Sqrt>(kind))
      .Case("tan", forFloats<Unary, Tan>(kind))
      .Case("tanh", forFloats<Unary, Tanh>(kind))
      .Case("trunc", forFloats<Unary, Trunc>(kind))
      .Default(nullptr);
}

Function interpreter::getFunction(Operation *op, Kind operandKind, Kind resultKind) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "arith")
    return getArithFunction(op, operandKind);
  if (dialect == "math")
    return getMathFunction(op, operandKind);
  return nullptr;
}
