//===- MinPlus.h - Minima of sums over tables -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_MINPLUS_H
#define DMC_LIB_PLANNER_MINPLUS_H

#include <cstddef>
#include <cstdint>

namespace dmc::planner {

/// out[c] = min over r of input[r] + table[r * stride + c], for c below the stride, which is a
/// multiple of 8. Rows of which the input is at least `dead` are left out.
void multiplyMinPlus(const double *input, uint32_t rows, const double *table, uint32_t stride,
                     double dead, double *out);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_MINPLUS_H
