//===- RowTask.h - What the rows of a nest compute --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row is passed over a few times: once for each wave of reductions that do not need each other,
// and once to write it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_ROWTASK_H
#define DMC_LIB_CODEGEN_KERNEL_ROWTASK_H

#include "Kernel/KernelTasks.h"

namespace dmc::codegen {

/// Reductions of one row that are computed in one loop nest.
struct Wave {
  unsigned depth; // the longest chain of reductions of the row before it
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<mlir::linalg::LinalgOp> ops;
};

/// What is computed in one pass over a row.
using RowPass = llvm::SmallDenseSet<mlir::Value>;

/// The waves of a row, and the passes over it: one for each wave, and the last, which writes.
struct RowPasses {
  llvm::SmallVector<Wave> waves;
  std::vector<RowPass> passes;
};

/// A task whose nest runs over rows. A row is what lies behind the first indices of the largest
/// result, as many as the smallest result has (its rank); within there may be rows of rows.
class RowTask {
public:
  explicit RowTask(const Task &task);

  mlir::Block *block() const;
  /// All reductions that are computed, those by blocks among them: a kernel of rows is one task,
  /// and of others what the roots follow from.
  llvm::SmallVector<mlir::linalg::LinalgOp> findReductions() const;
  /// The dimensions of the rows that are shared: those of the smallest result of a reduction or
  /// root.
  size_t countOuterDims() const;
  /// Of what is written or, where a row has one result, of what is reduced in each row.
  int64_t countElements(size_t outer) const;
  /// Of the reductions by blocks.
  int64_t countBlocks() const;
  /// Whether a reduction has one result for each row of this rank.
  bool isOfRow(mlir::linalg::LinalgOp op, size_t rank) const;
  RowPasses findPasses(size_t rank) const;
  /// The position of a reduction's loops in a row: those along it are left.
  static Indices locate(mlir::linalg::LinalgOp op, llvm::ArrayRef<Index> row);

  const Task &task;
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<const Root *> elements; // roots of the largest shape

private:
  unsigned findDepth(mlir::Value value, size_t rank, llvm::DenseMap<mlir::Value, unsigned> &depths,
                     llvm::SmallVectorImpl<Wave> &waves) const;
  void collect(mlir::Value value, size_t rank, RowPass &pass) const;
  void collectOperands(mlir::Operation *op, size_t rank, RowPass &pass) const;

  llvm::SmallVector<int64_t> loops;                 // of the reductions by blocks
  llvm::SmallPtrSet<mlir::Operation *, 16> reached; // from the roots
};

/// The elements along a reduction's loops, in the order of its loops.
llvm::SmallVector<int64_t> getReductionSizes(mlir::linalg::LinalgOp op);
/// Whether a reduction is computed by blocks.
bool isSplit(mlir::linalg::LinalgOp op);
/// What a reduction by blocks, or by several threads, begins with.
mlir::Value neutralOf(Scalarizer &s, mlir::linalg::LinalgOp op);

/// For devices: rows that teams of threads share. False, and nothing is emitted, where a thread for
/// each row is all that there is.
bool emitTeamRows(Scalarizer &s, const Task &task);
/// The same for results that are no rows but are reduced from such: each is a team's.
bool emitTeamResults(Scalarizer &s, const Task &task);
/// For devices: combines the blocks of reductions whose results have one shape.
void emitTeamCombination(Scalarizer &s, const Task &task);
/// For devices: a reduction whose last loop is one of its results, which teams share. False, and
/// nothing is emitted, for others.
bool emitTeamColumns(Scalarizer &s, const Task &task);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_ROWTASK_H
