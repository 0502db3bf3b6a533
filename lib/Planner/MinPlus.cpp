//===- MinPlus.cpp - Minima of sums over tables ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where nearly all of the solver's time is spent: blocks of columns stay in registers while all
// rows go by.
//
//===----------------------------------------------------------------------===//
#include "MinPlus.h"

#include <limits>

namespace {
template <int Columns>
[[gnu::always_inline]] inline void multiplyBlock(const double *input, uint32_t rows,
                                                 const double *table, uint32_t stride, double dead,
                                                 double *out) {
  double best[Columns];
  for (int i = 0; i < Columns; ++i)
    best[i] = std::numeric_limits<double>::infinity();
  for (uint32_t r = 0; r < rows; ++r) {
    double in = input[r];
    if (in >= dead)
      continue;
    const double *row = table + static_cast<size_t>(r) * stride;
#pragma clang loop vectorize(enable) unroll(full)
    for (int i = 0; i < Columns; ++i) {
      double sum = in + row[i];
      best[i] = sum < best[i] ? sum : best[i];
    }
  }
  for (int i = 0; i < Columns; ++i)
    out[i] = best[i];
}

[[gnu::always_inline]] inline void multiply(const double *input, uint32_t rows, const double *table,
                                            uint32_t stride, double dead, double *out) {
  uint32_t at = 0;
  for (; at + 32 <= stride; at += 32)
    multiplyBlock<32>(input, rows, table + at, stride, dead, out + at);
  if (at + 16 <= stride) {
    multiplyBlock<16>(input, rows, table + at, stride, dead, out + at);
    at += 16;
  }
  if (at < stride)
    multiplyBlock<8>(input, rows, table + at, stride, dead, out + at);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void multiplyAvx2(const double *input, uint32_t rows, const double *table,
                                          uint32_t stride, double dead, double *out) {
  multiply(input, rows, table, stride, dead, out);
}
#endif
} // namespace

void dmc::planner::multiplyMinPlus(const double *input, uint32_t rows, const double *table,
                                   uint32_t stride, double dead, double *out) {
#if defined(__x86_64__)
  static const bool hasAvx2 = __builtin_cpu_supports("avx2");
  if (hasAvx2)
    return multiplyAvx2(input, rows, table, stride, dead, out);
#endif
  multiply(input, rows, table, stride, dead, out);
}
