//===- TilePlan.h - Tiles that teams of threads transpose -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the elements of results, and of the operands that these read transposed, are given to the
// threads of a device: so that neighbouring threads access neighbouring memory on both sides.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_TILEPLAN_H
#define DMC_LIB_CODEGEN_KERNEL_TILEPLAN_H

#include "Kernel/KernelTasks.h"
#include "Kernel/Locality.h"

namespace dmc::codegen {

/// Dimensions [begin, end) of the results that are walked as one, which has `size` indices.
struct TiledDims {
  unsigned begin = 0, end = 0;
  int64_t size = 1;
  int64_t side = 1; // indices in a tile

  bool contains(unsigned dim) const { return begin <= dim && dim < end; }
  int64_t countTiles() const { return llvm::divideCeil(size, side); }
};

/// How a warp covers a rectangle of a tile. `along` of its threads have an access of `vector`
/// elements beside each other, and the others the same in the lines after it. Neighbouring threads
/// have `near` of these, then as many in each of the next lines.
struct WarpShape {
  int64_t vector = 1, along = 1, near = 1;
};

/// An operand that tiles are read of.
struct TiledRead {
  LocalRead read;
  StridedView view;
  WarpShape warp; // along the rows
};

/// A tile has `rows.side` by `columns.side` elements of the results. These are contiguous along the
/// columns, and the operands that are kept in shared memory along the rows: there, a line is a
/// column.
struct TilePlan {
  TiledDims rows, columns;
  std::vector<TiledRead> reads;
  WarpShape warp; // along the columns, when results are written
  int64_t team = 1;

  /// The memory in which a tile of an operand is kept: a line for each column.
  llvm::SmallVector<int64_t> getSharedShape(const TiledRead &read) const;
  int64_t countSharedBytes() const;
  /// The elements of all tiles for each of the results.
  double getPadding() const;
};

/// Whether an operand can be kept as it is in memory: each of its dimensions is one of the
/// results', nothing is written there, and elements are numbers of 1 to 8 bytes.
bool canKeep(const LocalRead &read, Scalarizer &s, const Task &task);

/// Nothing where tiles would gain nothing: no operand is read transposed, or tiles would have so
/// many more elements than the results that single elements, each of which a thread reads where it
/// is, touch memory less.
std::optional<TilePlan> chooseTiles(Scalarizer &s, const Task &task);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_TILEPLAN_H
