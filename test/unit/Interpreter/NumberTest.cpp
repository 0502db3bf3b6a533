//===- NumberTest.cpp - 16-bit floats, folds, poison ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Number.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace dmc;
using namespace dmc::interpreter;
using llvm::APFloat;

namespace {

uint16_t round(double value, const llvm::fltSemantics &semantics) {
  APFloat number(value);
  bool lost;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

TEST(NumberTest, EverySixteenBitFloatComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float half = halfToFloat(static_cast<uint16_t>(bits));
    APFloat expected(APFloat::IEEEhalf(), llvm::APInt(16, bits));
    bool lost;
    expected.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
    if (std::isnan(half)) {
      EXPECT_TRUE(expected.isNaN());
      continue;
    }
    ASSERT_EQ(half, expected.convertToFloat());
    ASSERT_EQ(floatToHalf(half), bits);
    float bfloat = bfloatToFloat(static_cast<uint16_t>(bits));
    if (!std::isnan(bfloat)) {
      ASSERT_EQ(floatToBFloat(bfloat), bits);
    }
  }
}

TEST(NumberTest, RoundsAsAPFloat) {
  std::mt19937_64 generator(7);
  for (int i = 0; i < 200000; ++i) {
    // All magnitudes around both formats' ranges, halfway cases among them.
    double value = std::ldexp(static_cast<double>(generator() >> (i % 60)),
                              static_cast<int>(generator() % 320) - 220);
    if (i % 2)
      value = -value;
    ASSERT_EQ(doubleToHalf(value), round(value, APFloat::IEEEhalf())) << value;
    ASSERT_EQ(doubleToBFloat(value), round(value, APFloat::BFloat())) << value;
    auto single = static_cast<float>(value);
    ASSERT_EQ(floatToBFloat(single), round(single, APFloat::BFloat())) << single;
  }
}

TEST(NumberTest, NeutralElements) {
  const CombinerKind sum = CombinerKind::sum, prod = CombinerKind::prod;
  const CombinerKind max = CombinerKind::max, min = CombinerKind::min;
  for (Kind kind : {Kind::I1, Kind::I8, Kind::I64, Kind::F16, Kind::BF16, Kind::F32, Kind::F64})
    for (CombinerKind combiner : {sum, prod, max, min})
      for (Word word : {Word(0), Word(1), isFloat(kind) ? putDouble(kind, -0.0) : Word(1)}) {
        Word neutral = getNeutral(combiner, kind);
        EXPECT_EQ(foldPartials(combiner, kind, {word, neutral}), word);
        EXPECT_EQ(foldPartials(combiner, kind, {neutral, word}), word);
      }
}

TEST(NumberTest, FoldsSixteenBitPartialsInFloat) {
  // Rounding after every addition would stay at 256.
  Word big = floatToBFloat(256), one = floatToBFloat(1);
  EXPECT_EQ(foldPartials(CombinerKind::sum, Kind::BF16, {big, one, one}), floatToBFloat(258));
  EXPECT_EQ(foldPartials(CombinerKind::sum, Kind::I8, {127, 1}), 128u);
  EXPECT_EQ(foldPartials(CombinerKind::max, Kind::I8, {255, 1}), 1u);
}

TEST(NumberTest, PoisonShows) {
  for (Kind kind : {Kind::F16, Kind::BF16, Kind::F32, Kind::F64})
    EXPECT_TRUE(std::isnan(getDouble(kind, getPoison(kind))));
}

} // namespace
