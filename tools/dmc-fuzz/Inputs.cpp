//===- Inputs.cpp - Values for and of random programs ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Inputs.h"

#include "Random.h"

#include "dmc/Pipelines/VerifyNumeric.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace dmc;
using namespace dmc::fuzz;
using interpreter::Tensor;

static APInt makeInteger(Random &random, IntegerType type, Fill fill) {
  unsigned width = type.getWidth();
  if (width == 1)
    return APInt(1, random.below(2));
  if (fill == Fill::Special && random.chance(40)) {
    switch (random.below(5)) {
    case 0:
      return APInt::getSignedMaxValue(width);
    case 1:
      return APInt::getSignedMinValue(width);
    case 2:
      return APInt::getAllOnes(width);
    case 3:
      return APInt::getZero(width);
    default:
      return APInt(64, random.below(int64_t(1) << 52)).trunc(width);
    }
  }
  bool isIndex = fill == Fill::Index && !type.isUnsigned();
  int64_t number = fill == Fill::Index ? random.between(isIndex ? -2 : 0, 9) : random.below(8);
  return APInt(64, number).trunc(width);
}

static APFloat makeFloat(Random &random, FloatType type, Fill fill) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (fill == Fill::Special && random.chance(30)) {
    bool isNegative = random.chance(50);
    switch (random.below(6)) {
    case 0:
      return APFloat::getNaN(semantics);
    case 1:
      return APFloat::getInf(semantics, isNegative);
    case 2:
      return APFloat::getZero(semantics, isNegative);
    case 3:
      return APFloat::getLargest(semantics, isNegative);
    case 4:
      return APFloat::getSmallest(semantics, isNegative); // subnormal
    default:
      return APFloat::getSmallestNormalized(semantics, isNegative);
    }
  }
  double number = fill == Fill::Index      ? random.between(-2, 9)
                  : fill == Fill::Integral ? random.between(-4, 4)
                                           : random.between(-2048, 2048) / 1024.0;
  APFloat value(number);
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

static unsigned getNumBytes(Type type) { return (type.getIntOrFloatBitWidth() + 7) / 8; }

Tensor fuzz::makeInput(RankedTensorType type, Fill fill, uint64_t seed, size_t index) {
  Random random(seed * 1000003 + index);
  Tensor tensor = Tensor::get(type);
  Type element = type.getElementType();
  unsigned bytes = getNumBytes(element);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    APInt bits = isa<FloatType>(element)
                     ? makeFloat(random, cast<FloatType>(element), fill).bitcastToAPInt()
                     : makeInteger(random, cast<IntegerType>(element), fill);
    uint64_t word = bits.getZExtValue();
    std::memcpy(&tensor.bytes[i * bytes], &word, bytes);
  }
  return tensor;
}

static double load(const Tensor &tensor, int64_t index) {
  auto type = cast<FloatType>(tensor.elementType);
  uint64_t word = 0;
  unsigned bytes = getNumBytes(type);
  std::memcpy(&word, &tensor.bytes[index * bytes], bytes);
  APFloat value(type.getFloatSemantics(), APInt(64, word).trunc(type.getWidth()));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

std::optional<std::string> fuzz::findDifference(const Tensor &want, const Tensor &got,
                                                double tolerance) {
  unsigned bytes = getNumBytes(want.elementType);
  for (int64_t i = 0, e = want.getNumElements(); i < e; ++i) {
    if (!std::memcmp(&want.bytes[i * bytes], &got.bytes[i * bytes], bytes))
      continue;
    if (isa<FloatType>(want.elementType)) {
      double x = load(want, i), y = load(got, i);
      if ((std::isnan(x) && std::isnan(y)) || x == y || std::abs(x - y) <= tolerance)
        continue;
    }
    return "element " + std::to_string(i) + ": expected " + formatElement(want, i) + ", got " +
           formatElement(got, i);
  }
  return std::nullopt;
}
