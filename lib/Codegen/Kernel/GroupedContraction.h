//===- GroupedContraction.h - Many narrow products side by side -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grouped and depthwise convolutions are products of matrices of a few columns, one for each group,
// whose results lie next to each other. Blocks of operands that are packed for so few columns
// cost as much as the product; vectors that reach over the groups need no packing.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_GROUPEDCONTRACTION_H
#define DMC_LIB_CODEGEN_KERNEL_GROUPEDCONTRACTION_H

#include "Kernel/KernelTasks.h"

namespace dmc::codegen {

/// How loops over vectors of neighbouring results compute a contraction. Offsets and strides are in
/// elements of the buffers of A, B and C. A lane is a result's index of the group and the column,
/// which lie next to each other in C; A is the operand without columns, B that without rows.
struct GroupedContraction {
  struct Loop {
    int64_t size = 1, a = 0, b = 0, c = 0;
  };

  /// Decides from a description of a contraction (`describe`) of operands of one float type;
  /// nothing where groups and columns are not next to each other, or columns are so many that
  /// a product of matrices is faster.
  static std::optional<GroupedContraction> plan(mlir::DictionaryAttr description,
                                                mlir::Type element, TargetAttr target);

  bool isSwapped = false; // A is the contraction's second operand
  int64_t offsetA = 0, offsetB = 0, offsetC = 0;
  Loop groups, columns;
  /// Lanes of a vector, and vectors along all of them.
  int64_t lanes = 0, vectors = 0;
  /// A loop along which A has the elements of a group next to each other, and so those of a vector
  /// of several groups: one load serves all iterations.
  Loop mixed;
  /// The rows whose results are computed together, and steps of the sum, where in A they overlap:
  /// what is read of A serves several of them.
  llvm::SmallVector<Loop> tile;
  Loop window;
  /// Loops over results, of which `inner` are run for one vector of lanes, and loops of the sum, of
  /// which `slices` go around all others: what a vector of lanes reads within these is copied into
  /// the first cache.
  llvm::SmallVector<Loop> outer, inner, slices, sums;
  /// The copy of A: elements at multiples of a stride, from the outermost dimension to the
  /// innermost one. Loops within move in the copy.
  struct Axis {
    int64_t stride, extent;
  };
  llvm::SmallVector<Axis> axes;

  /// Iterations of all loops.
  static int64_t count(llvm::ArrayRef<Loop> loops);
  bool isMixedOfSum() const { return mixed.c == 0; }
  int64_t groupsOfVector() const { return std::max<int64_t>(1, lanes / columns.size); }
  int64_t vectorsOfGroup() const { return std::max<int64_t>(1, columns.size / lanes); }
  /// Elements of the copies.
  int64_t copiedOfA() const;
  int64_t copiedOfB() const;

private:
  bool setLanes(llvm::ArrayRef<Loop> batch, llvm::ArrayRef<Loop> columnLoops,
                llvm::SmallVectorImpl<Loop> &rows, int64_t vectorLanes);
  bool setMixed(llvm::SmallVectorImpl<Loop> &rows);
  void setTile(llvm::SmallVectorImpl<Loop> &rows, int64_t registers);
  bool setOrder(int64_t mostCopied);
  bool moveInside(llvm::SmallVectorImpl<Loop> &from, llvm::SmallVectorImpl<Loop> &to,
                  int64_t mostCopied);
  bool fits(int64_t mostCopied);
  bool setAxes();
  void moveInCopy(Loop &loop) const;
};

/// Emits the loops; the results start from zero.
void emitGroupedContraction(Scalarizer &s, const GroupedContraction &plan, mlir::Value a,
                            mlir::Value b, mlir::Value c);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_GROUPEDCONTRACTION_H
