//===- MatmulKernelsTest.cpp - The innermost loops of every instruction set -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device/Cpu.h"
#include "Matmul/Kernels.h"
#include "dmc-c/Program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

using namespace dmc::runtime;
using namespace dmc::runtime::matmul;

/// Small integers: exact in every order.
template <typename T>
static std::vector<T> randomValues(int64_t count, std::mt19937 &random) {
  std::vector<T> values(static_cast<size_t>(count));
  for (T &value : values)
    value = static_cast<T>(static_cast<int>(random() % 7) - 3);
  return values;
}

static std::vector<int64_t> offsets(int64_t count, int64_t stride) {
  std::vector<int64_t> list;
  list.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    list.push_back(i * stride);
  return list;
}

/// Of rows x columns results, from operands whose rows (or steps) are contiguous.
template <typename T>
static void check(const Kernels &kernels, uint32_t type, int64_t rows, int64_t columns,
                  int64_t steps, bool byRows) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " x " +
               std::to_string(steps) + (byRows ? " by rows" : " by steps"));
  std::mt19937 random(static_cast<unsigned>(rows * 1000 + columns));
  std::vector<T> a = randomValues<T>(rows * steps, random);
  std::vector<T> b = randomValues<T>(columns * steps, random);
  std::vector<int64_t> rowsA = offsets(rows, byRows ? 1 : steps);
  std::vector<int64_t> stepsA = offsets(steps, byRows ? rows : 1);
  std::vector<int64_t> rowsB = offsets(columns, byRows ? 1 : steps);
  std::vector<int64_t> stepsB = offsets(steps, byRows ? columns : 1);
  int64_t filled = (columns + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  std::vector<T> packedA(rows * steps), packedB(filled * steps);
  kernels.pack({a.data(), type, rowsA.data(), stepsA.data(), rows, steps}, kernels.rows, 1,
               packedA.data());
  kernels.pack({b.data(), type, rowsB.data(), stepsB.data(), columns, steps}, kernels.columns,
               kernels.lanes, packedB.data());
  std::vector<T> sums(rows * columns, 5), want = sums, transposed(rows * columns, 2);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t p = 0; p < steps; ++p)
        want[i * columns + j] += a[rowsA[i] + stepsA[p]] * b[rowsB[j] + stepsB[p]];
  std::vector<int64_t> rowsC = offsets(rows, columns);
  kernels.multiply(steps, packedA.data(), rows, packedB.data(), columns, sums.data(), rowsC.data(),
                   true);
  EXPECT_EQ(sums, want);
  // The same from operands as they lie, row by row on the left.
  std::vector<T> rowsOfA(rows * steps), inPlace(rows * columns, 5);
  kernels.pack({a.data(), type, stepsA.data(), rowsA.data(), steps, rows}, steps, 1,
               rowsOfA.data());
  kernels.multiplyInPlace(rowsOfA.data(), rows,
                          {b.data(), type, rowsB.data(), stepsB.data(), columns, steps}, byRows,
                          inPlace.data(), rowsC.data(), true);
  EXPECT_EQ(inPlace, want);
  // To the transposed place, added to what is there.
  std::vector<int64_t> rowsT = offsets(rows, 1), columnsT = offsets(columns, rows);
  kernels.store(sums.data(), columns,
                {transposed.data(), type, rowsT.data(), columnsT.data(), rows, columns, true});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      EXPECT_EQ(transposed[j * rows + i], want[i * columns + j] + 2);
}

/// Panels of `width` rows, each by steps, of an operand with elements of another type than the
/// sums. The bits of the values are those of `encode`.
template <typename T, typename S, typename Encode>
static void checkPacking(const Kernels &kernels, uint32_t type, int64_t width, int64_t multiple,
                         bool byRows, Encode encode) {
  std::mt19937 random(static_cast<unsigned>(width));
  // Several panels together, one alone, and a last one of fewer rows; whole vectors of steps, and
  // fewer.
  for (int64_t rows : {width * 8 + 3, width * 9, width + 12, width, width - 1})
    for (int64_t steps : {3, 16, 37}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(steps) + ", type " +
                   std::to_string(type) + (byRows ? " by rows" : " by steps"));
      std::vector<T> values = randomValues<T>(rows * steps, random);
      std::vector<S> source(values.size());
      std::transform(values.begin(), values.end(), source.begin(), encode);
      std::vector<int64_t> at = offsets(rows, byRows ? 1 : steps);
      std::vector<int64_t> stepsAt = offsets(steps, byRows ? rows : 1);
      int64_t panels = (rows + width - 1) / width;
      std::vector<T> packed(panels * width * steps + 1, 99), want = packed;
      kernels.pack({source.data(), type, at.data(), stepsAt.data(), rows, steps}, width, multiple,
                   packed.data());
      T *to = want.data();
      for (int64_t first = 0; first < rows; first += width) {
        int64_t count = std::min(width, rows - first);
        int64_t filled = (count + multiple - 1) / multiple * multiple;
        for (int64_t p = 0; p < steps; ++p)
          for (int64_t i = 0; i < filled; ++i)
            *to++ = i < count ? values[at[first + i] + stepsAt[p]] : 0;
      }
      EXPECT_EQ(packed, want);
    }
}

static void checkPacking(const Kernels *(*kernelsOf)(uint32_t)) {
  auto bf16 = [](float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<uint16_t>(bits >> 16);
  };
  auto same = [](auto value) { return value; };
  auto narrow = [](uint32_t value) { return static_cast<int8_t>(value); };
  for (bool byRows : {false, true}) {
    const Kernels &floats = *kernelsOf(DMC_F32), &doubles = *kernelsOf(DMC_F64),
                  &integers = *kernelsOf(DMC_UI32);
    for (bool left : {false, true}) {
      auto check = [&](const Kernels &kernels, auto packing) {
        packing(kernels, left ? kernels.rows : kernels.columns, left ? 1 : kernels.lanes);
      };
      check(floats, [&](const Kernels &kernels, int64_t width, int64_t multiple) {
        checkPacking<float, float>(kernels, DMC_F32, width, multiple, byRows, same);
        checkPacking<float, uint16_t>(kernels, DMC_BF16, width, multiple, byRows, bf16);
      });
      check(doubles, [&](const Kernels &kernels, int64_t width, int64_t multiple) {
        checkPacking<double, double>(kernels, DMC_F64, width, multiple, byRows, same);
        checkPacking<double, float>(kernels, DMC_F32, width, multiple, byRows, same);
      });
      check(integers, [&](const Kernels &kernels, int64_t width, int64_t multiple) {
        checkPacking<uint32_t, int8_t>(kernels, DMC_I8, width, multiple, byRows, narrow);
      });
    }
  }
}

static void checkAll(const Kernels *(*kernelsOf)(uint32_t)) {
  checkPacking(kernelsOf);
  for (bool byRows : {false, true})
    for (int64_t rows : {1, 2, 5, 6, 7, 12, 13, 29})
      for (int64_t columns : {1, 4, 7, 8, 16, 23, 32, 45})
        for (int64_t steps : {1, 4, 11, 35}) {
          check<float>(*kernelsOf(DMC_F32), DMC_F32, rows, columns, steps, byRows);
          check<double>(*kernelsOf(DMC_F64), DMC_F64, rows, columns, steps, byRows);
          check<uint32_t>(*kernelsOf(DMC_UI32), DMC_UI32, rows, columns, steps, byRows);
          check<uint64_t>(*kernelsOf(DMC_UI64), DMC_UI64, rows, columns, steps, byRows);
        }
}

static bool has(std::initializer_list<const char *> features) {
  std::vector<std::string> present = cpuFeatures();
  return std::all_of(features.begin(), features.end(), [&](const char *name) {
    return std::find(present.begin(), present.end(), name) != present.end();
  });
}

TEST(MatmulKernels, Base) { checkAll(baseKernels); }

TEST(MatmulKernels, Avx2) {
  if (!has({"avx2", "fma", "f16c"}))
    GTEST_SKIP() << "this processor has no AVX2";
  checkAll(avx2Kernels);
}

TEST(MatmulKernels, Avx512) {
  if (!has({"avx512f", "avx512vl", "avx512bw", "avx512dq"}))
    GTEST_SKIP() << "this processor has no AVX-512";
  checkAll(avx512Kernels);
}
