//===- ReduceTest.cpp - Combining and moving buffers ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Communicator/Reduce.h"
#include "TestSupport.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

static const uint32_t allTypes[] = {DMC_I1,   DMC_I8,   DMC_I16,  DMC_I32,  DMC_I64,
                                    DMC_UI8,  DMC_UI16, DMC_UI32, DMC_UI64, DMC_F16,
                                    DMC_BF16, DMC_F32,  DMC_F64};

static double combine(uint32_t type, uint32_t combiner, double a, double b) {
  switch (combiner) {
  case DMC_SUM:
    return type == DMC_I1 ? std::fmod(a + b, 2) : a + b;
  case DMC_PROD:
    return a * b;
  case DMC_MAX:
    return std::max(a, b);
  default:
    return std::min(a, b);
  }
}

// A slice that starts and ends within cache lines, to other places of the targets, one of which
// may be a source.
TEST(Reduce, EveryTypeCombinerAndNumberOfBuffers) {
  constexpr size_t size = 2600, begin = 3, end = 2597; // more than two blocks
  for (uint32_t type : allTypes)
    for (uint32_t combiner : {DMC_SUM, DMC_PROD, DMC_MAX, DMC_MIN})
      for (size_t numSources : {1, 2, 3, 5})
        for (bool streams : {false, true}) {
          SCOPED_TRACE(std::string(elementName(type)) + " " + std::to_string(combiner) + " " +
                       std::to_string(numSources) + (streams ? " streams" : ""));
          std::vector<Array> sources;
          std::vector<double> want;
          for (size_t s = 0; s < numSources; ++s) {
            std::vector<double> values(size);
            for (size_t i = 0; i < size; ++i) // small, so that products are exact
              values[i] = static_cast<double>((s * 7 + i * 3 + s * i) % (type == DMC_I1 ? 2 : 3));
            for (size_t i = 0; i < size; ++i)
              if (s == 0)
                want.push_back(values[i]);
              else
                want[i] = combine(type, combiner, want[i], values[i]);
            sources.push_back(makeArray(type, {size}, values));
          }
          std::vector<double> none(size, 1);
          Array apart = makeArray(type, {size}, none);
          std::vector<double> before = valuesOf(sources.back());
          std::vector<const uint8_t *> from;
          from.reserve(numSources);
          for (Array &source : sources)
            from.push_back(source.data());
          uint8_t *targets[] = {sources.back().data(), apart.data()};
          reduce({type, combiner, from.data(), numSources, targets, 2, streams}, {begin, end});
          std::vector<double> inPlace = valuesOf(sources.back()), got = valuesOf(apart);
          for (size_t i = 0; i < size; ++i) {
            bool isIn = i >= begin && i < end;
            ASSERT_EQ(got[i], isIn ? want[i] : 1) << i;
            ASSERT_EQ(inPlace[i], isIn ? want[i] : before[i]) << i;
          }
          // Elsewhere in the target; of the changed last source, max and min are the same.
          if (combiner == DMC_SUM || combiner == DMC_PROD)
            continue;
          uint8_t *target = apart.data();
          reduce({type, combiner, from.data(), numSources, &target, 1, streams}, {begin, end}, 1);
          got = valuesOf(apart);
          for (size_t i = 0; i < end - begin; ++i)
            ASSERT_EQ(got[i + 1], want[i + begin]) << i;
        }
}

// The instructions of a processor that converts f16 round as the runtime's conversions do.
TEST(Reduce, EveryHalf) {
  std::vector<uint16_t> all(1 << 16), others(1 << 16), got(1 << 16);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<uint16_t>(i);
  for (uint16_t other : {0x0000, 0x8001, 0x3c00, 0x4248, 0x7bff, 0xfc00}) {
    std::fill(others.begin(), others.end(), other);
    const uint8_t *from[] = {reinterpret_cast<uint8_t *>(all.data()),
                             reinterpret_cast<uint8_t *>(others.data())};
    auto *target = reinterpret_cast<uint8_t *>(got.data());
    for (uint32_t type : {DMC_F16, DMC_BF16}) {
      reduce({type, DMC_SUM, from, 2, &target, 1}, {0, all.size()});
      for (size_t i = 0; i < all.size(); ++i) {
        bool isHalf = type == DMC_F16;
        float sum = isHalf ? f16ToFloat(all[i]) + f16ToFloat(other)
                           : bf16ToFloat(all[i]) + bf16ToFloat(other);
        uint16_t want = isHalf ? floatToF16(sum) : floatToBf16(sum);
        if (std::isnan(sum)) // any NaN
          ASSERT_TRUE(std::isnan(isHalf ? f16ToFloat(got[i]) : bf16ToFloat(got[i]))) << i;
        else
          ASSERT_EQ(got[i], want) << i << " + " << other;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static Array filled(size_t bytes, size_t seed) {
  Array array = Array::make(DMC_UI8, {static_cast<int64_t>(bytes)});
  for (size_t i = 0; i < bytes; ++i)
    array.data()[i] = static_cast<uint8_t>((i * 31 + seed * 17) % 251);
  return array;
}

// What several threads do together is what one does.
TEST(CollectivePlan, PartsMakeTheWhole) {
  static const int64_t shapes[][3] = {{3, 6, 5}, {1, 9, 70}, {12, 3, 2}, {300, 3, 1}};
  static const int64_t pairs[] = {2, 0, 0, 1};
  constexpr size_t groupSize = 3;
  for (const auto &shape : shapes)
    for (uint32_t kind : {DMC_ALL_REDUCE, DMC_ALL_GATHER, DMC_REDUCE_SCATTER, DMC_ALL_TO_ALL,
                          DMC_PERMUTE, DMC_BROADCAST}) {
      dmc_collective collective = {};
      collective.kind = kind;
      collective.element_type = DMC_I32;
      collective.rank = 3;
      collective.shape = shape;
      collective.dim = 1;
      collective.concat_dim = 2;
      collective.num_pairs = 2;
      collective.pairs = pairs;
      collective.root = 1;
      size_t bytes = operandElements(collective) * 4;
      size_t resultBytes = kind == DMC_ALL_GATHER       ? bytes * groupSize
                           : kind == DMC_REDUCE_SCATTER ? bytes / groupSize
                                                        : bytes;
      collective.operand_bytes = static_cast<int64_t>(bytes);
      collective.result_bytes = static_cast<int64_t>(resultBytes);
      CollectivePlan plan(collective, groupSize);
      std::vector<Array> operands;
      std::vector<const uint8_t *> from;
      for (size_t s = 0; s < groupSize; ++s) {
        operands.push_back(filled(bytes, s + 1));
        from.push_back(operands.back().data());
      }
      for (size_t position = 0; position < groupSize; ++position)
        for (size_t parts : {2, 3, 7}) {
          SCOPED_TRACE(std::string(collectiveName(kind)) + " " + std::to_string(shape[0]) + " " +
                       std::to_string(position) + " " + std::to_string(parts));
          Array one = filled(resultBytes, 0), all = filled(resultBytes, 0);
          plan.move(position, from.data(), one.data());
          for (size_t part = parts; part-- > 0;)
            plan.move(position, from.data(), all.data(), {part, parts});
          EXPECT_EQ(std::memcmp(one.data(), all.data(), resultBytes), 0);
        }
    }
}

TEST(CollectivePlan, SaysWhichOverlapIsInPlace) {
  static const int64_t row[] = {12}, rows[] = {2, 6};
  auto canOverlap = [](uint32_t kind, bool isRow, size_t position, ptrdiff_t resultAt) {
    dmc_collective collective = {};
    collective.kind = kind;
    collective.element_type = DMC_I8;
    collective.rank = isRow ? 1 : 2;
    collective.shape = isRow ? row : rows;
    collective.dim = isRow ? 0 : 1;
    collective.operand_bytes = 12;
    collective.result_bytes = kind == DMC_ALL_GATHER ? 24 : kind == DMC_REDUCE_SCATTER ? 6 : 12;
    static uint8_t memory[64];
    return CollectivePlan(collective, 2).canOverlap(position, memory + 24, memory + 24 + resultAt);
  };
  for (uint32_t kind : {DMC_ALL_REDUCE, DMC_ALL_GATHER, DMC_REDUCE_SCATTER, DMC_ALL_TO_ALL,
                        DMC_PERMUTE, DMC_BROADCAST}) {
    SCOPED_TRACE(collectiveName(kind));
    EXPECT_TRUE(canOverlap(kind, true, 0, 12));
    EXPECT_TRUE(canOverlap(kind, true, 1, -24));
    EXPECT_FALSE(canOverlap(kind, true, 0, 1));
    bool isSame = kind == DMC_ALL_REDUCE || kind == DMC_BROADCAST;
    EXPECT_EQ(canOverlap(kind, true, 1, 0), isSame);
    EXPECT_EQ(canOverlap(kind, true, 0, 0),
              isSame || kind == DMC_ALL_GATHER || kind == DMC_REDUCE_SCATTER);
  }
  EXPECT_TRUE(canOverlap(DMC_ALL_GATHER, true, 1, -12));
  EXPECT_TRUE(canOverlap(DMC_REDUCE_SCATTER, true, 1, 6));
  EXPECT_FALSE(canOverlap(DMC_ALL_GATHER, false, 1, -12));
  EXPECT_FALSE(canOverlap(DMC_REDUCE_SCATTER, false, 1, 6));
}
