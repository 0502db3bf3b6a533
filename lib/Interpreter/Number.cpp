//===- Number.cpp - Elements as machine words -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of 16-bit floats, poison, neutral elements, folds.
//
//===----------------------------------------------------------------------===//
#include "Number.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

std::optional<Kind> interpreter::getKind(Type type) {
  if (isa<IndexType>(type))
    return Kind::Index;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return Kind::I1;
    case 8:
      return Kind::I8;
    case 16:
      return Kind::I16;
    case 32:
      return Kind::I32;
    case 64:
      return Kind::I64;
    default:
      return std::nullopt;
    }
  }
  if (type.isF16())
    return Kind::F16;
  if (type.isBF16())
    return Kind::BF16;
  if (type.isF32())
    return Kind::F32;
  if (type.isF64())
    return Kind::F64;
  return std::nullopt;
}

unsigned interpreter::getWidth(Kind kind) {
  switch (kind) {
  case Kind::I1:
    return 1;
  case Kind::I8:
    return 8;
  case Kind::I16:
  case Kind::F16:
  case Kind::BF16:
    return 16;
  case Kind::I32:
  case Kind::F32:
    return 32;
  case Kind::I64:
  case Kind::Index:
  case Kind::F64:
    return 64;
  }
  return 64;
}

Word interpreter::getWord(Attribute attr) {
  if (auto value = dyn_cast<FloatAttr>(attr))
    return value.getValue().bitcastToAPInt().getZExtValue();
  return cast<IntegerAttr>(attr).getValue().getZExtValue();
}

float interpreter::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = (bits >> 10) & 31,
           mantissa = bits & 0x3ff;
  if (exponent == 0) {
    float value = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -value : value;
  }
  uint32_t wide = sign | (exponent == 31 ? 0xffu : exponent + 112) << 23 | mantissa << 13;
  return F32Number::get(wide);
}

/// Rounds to a 16-bit format of the given precision (with the implicit bit) and
/// least normal exponent, in double: exact, since a double has more than twice
/// the precision.
static double roundTo(double value, int precision, int minExponent) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent;
  std::frexp(value, &exponent); // value = m * 2^exponent, m in [0.5, 1)
  int quantum = std::max(exponent - precision, minExponent - precision + 1);
  return std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
}

uint16_t interpreter::doubleToHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7e00;
  double rounded = std::fabs(roundTo(value, 11, -14));
  if (rounded > 65504)
    return sign | 0x7c00;
  if (rounded < std::ldexp(1.0, -14))
    return sign | static_cast<uint16_t>(std::ldexp(rounded, 24));
  int exponent;
  double mantissa = std::frexp(rounded, &exponent);
  auto digits = static_cast<uint16_t>(std::ldexp(mantissa, 11)) & 0x3ff;
  return sign | static_cast<uint16_t>((exponent - 1 + 15) << 10) | digits;
}

uint16_t interpreter::floatToHalf(float value) { return doubleToHalf(value); }

uint16_t interpreter::doubleToBFloat(double value) {
  // Representable in float after this rounding, so that the rest is exact.
  return floatToBFloat(static_cast<float>(roundTo(value, 8, -126)));
}

double interpreter::getDouble(Kind kind, Word word) {
  switch (kind) {
  case Kind::F16:
    return F16Number::get(word);
  case Kind::BF16:
    return BF16Number::get(word);
  case Kind::F32:
    return F32Number::get(word);
  default:
    return F64Number::get(word);
  }
}

Word interpreter::putDouble(Kind kind, double value) {
  switch (kind) {
  case Kind::F16:
    return doubleToHalf(value);
  case Kind::BF16:
    return doubleToBFloat(value);
  case Kind::F32:
    return F32Number::put(static_cast<float>(value));
  default:
    return F64Number::put(value);
  }
}

Word interpreter::getPoison(Kind kind) {
  switch (kind) {
  case Kind::I1:
    return 1;
  case Kind::F16:
    return 0x7e5a;
  case Kind::BF16:
    return 0x7fda;
  case Kind::F32:
    return 0x7fda5a5a;
  case Kind::F64:
    return 0x7ffa5a5a5a5a5a5a;
  default:
    return truncate(0xa5a5a5a5a5a5a5a5, getWidth(kind));
  }
}

Word interpreter::getNeutral(CombinerKind combiner, Kind kind) {
  unsigned width = getWidth(kind);
  const double infinity = std::numeric_limits<double>::infinity();
  switch (combiner) {
  case CombinerKind::sum:
    return isFloat(kind) ? putDouble(kind, -0.0) : 0;
  case CombinerKind::prod:
    return isFloat(kind) ? putDouble(kind, 1.0) : 1;
  case CombinerKind::max:
    if (isFloat(kind))
      return putDouble(kind, -infinity);
    return kind == Kind::I1 ? 0 : Word(1) << (width - 1);
  case CombinerKind::min:
    if (isFloat(kind))
      return putDouble(kind, infinity);
    return kind == Kind::I1 ? 1 : truncate(~Word(0), width - 1);
  }
  return 0;
}

template <class C>
static C combineFloats(CombinerKind combiner, C a, C b) {
  switch (combiner) {
  case CombinerKind::sum:
    return a + b;
  case CombinerKind::prod:
    return a * b;
  case CombinerKind::max:
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  case CombinerKind::min:
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  }
  return a;
}

template <class N>
static Word foldFloats(CombinerKind combiner, ArrayRef<Word> partials) {
  typename N::C value = N::get(partials.front());
  for (Word partial : partials.drop_front())
    value = combineFloats(combiner, value, N::get(partial));
  return N::put(value);
}

Word interpreter::foldPartials(CombinerKind combiner, Kind kind, ArrayRef<Word> partials) {
  switch (kind) {
  case Kind::F16:
    return foldFloats<F16Number>(combiner, partials);
  case Kind::BF16:
    return foldFloats<BF16Number>(combiner, partials);
  case Kind::F32:
    return foldFloats<F32Number>(combiner, partials);
  case Kind::F64:
    return foldFloats<F64Number>(combiner, partials);
  default:
    break;
  }
  unsigned width = getWidth(kind);
  Word value = partials.front();
  for (Word partial : partials.drop_front()) {
    bool less =
        kind == Kind::I1 ? value < partial : signExtend(value, width) < signExtend(partial, width);
    switch (combiner) {
    case CombinerKind::sum:
      value = truncate(value + partial, width);
      break;
    case CombinerKind::prod:
      value = truncate(value * partial, width);
      break;
    case CombinerKind::max:
      value = less ? partial : value;
      break;
    case CombinerKind::min:
      value = less ? value : partial;
      break;
    }
  }
  return value;
}
