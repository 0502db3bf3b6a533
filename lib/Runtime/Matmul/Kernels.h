//===- Kernels.h - Matrix multiplication in registers -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The innermost loops of a matrix multiplication, compiled once for each instruction set:
// packing of operands into panels, the product of two packed blocks, and the way back of a
// block of results. Blocking follows Goto and van de Geijn, "Anatomy of High-Performance
// Matrix Multiplication" (2008).
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_MATMUL_KERNELS_H
#define DMC_LIB_RUNTIME_MATMUL_KERNELS_H

#include <cstdint>

namespace dmc::runtime::matmul {

/// Elements of an operand, by rows and steps of the sum: element (i, p) is at
/// rowOffsets[i] + stepOffsets[p] from its base, in elements.
struct Elements {
  const void *base;
  uint32_t type; // dmc_element_type
  const int64_t *rowOffsets;
  const int64_t *stepOffsets;
  int64_t rows, steps;
};

/// A block of sums and where they belong: element (i, j) goes to offset rowOffsets[i] +
/// columnOffsets[j] from the base, in elements.
struct Results {
  void *base;
  uint32_t type; // dmc_element_type
  const int64_t *rowOffsets;
  const int64_t *columnOffsets;
  int64_t rows, columns;
  bool add;
};

/// The functions for one instruction set and one type T that sums are computed in.
struct Kernels {
  /// Rows of a panel of the left operand, columns of a panel of the right one; a last panel of
  /// fewer columns is filled up with zeros to a multiple of `lanes`.
  int64_t rows, columns, lanes;
  /// Packs panels of `width` rows, one after the other, each by steps; a last panel of fewer
  /// rows is filled up with zeros to a multiple of `multiple`.
  void (*pack)(const Elements &from, int64_t width, int64_t multiple, void *to);
  /// c[rowOffsets[i] + j] = (add ? c[...] : 0) + the sum over p of a(i, p) b(j, p), in the order
  /// of p, on packed operands.
  void (*multiply)(int64_t steps, const void *a, int64_t rows, const void *b, int64_t columns,
                   void *c, const int64_t *rowOffsets, bool add);
  /// The same for few rows and a right operand of type T that is read where it is: its rows are the
  /// columns of c, and these, or else its steps, lie next to each other. The left operand has the
  /// steps of a row one after the other, row by row.
  void (*multiplyInPlace)(const void *a, int64_t rows, const Elements &b, bool hasAdjacentColumns,
                          void *c, const int64_t *rowOffsets, bool add);
  /// Adds, to the first of `slices` arrays that are `distance` elements apart, the others in order.
  void (*sum)(void *first, int64_t slices, int64_t distance, int64_t count);
  /// Writes sums[i * stride + j].
  void (*store)(const void *sums, int64_t stride, const Results &to);
};

const Kernels *baseKernels(uint32_t type);
const Kernels *avx2Kernels(uint32_t type);
const Kernels *avx512Kernels(uint32_t type);

/// Those for the best instruction set of this processor, for sums of type f32, f64, ui32 or ui64.
const Kernels &kernelsFor(uint32_t type);

} // namespace dmc::runtime::matmul

#endif // DMC_LIB_RUNTIME_MATMUL_KERNELS_H
