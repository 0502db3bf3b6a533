//===- ContractionPlan.h - What computes a contraction ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of the kernel, of which there are several kinds, or a library.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_CONTRACTIONPLAN_H
#define DMC_LIB_CODEGEN_KERNEL_CONTRACTIONPLAN_H

#include "Kernel/GroupedContraction.h"

namespace dmc::codegen {

class ContractionPlan {
public:
  /// Of a task whose operation `matchContraction` finds.
  static ContractionPlan of(const Task &task, TargetAttr target);

  bool callsLibrary() const { return kind == Library; }
  /// The nest of a contraction that calls no library.
  void emit(Scalarizer &s, const Task &task) const;

  //===--- With a library ---===//
  /// Whether the result must be filled before the call, which then adds to it. `buffers` has what
  /// the kernel's arguments are.
  bool fillsResult(const Task &task, const mlir::IRMapping &buffers) const;
  /// The nest that fills it.
  void emitInitial(Scalarizer &s, const Task &task) const;
  /// The function that stands for the call, and the numbers of the kernel's arguments that it gets.
  std::pair<mlir::func::FuncOp, llvm::SmallVector<unsigned>>
  getCall(LibraryCalls &calls, const mlir::IRMapping &buffers) const;

private:
  bool isForDeviceLibrary() const;
  enum Kind { Tiny, Reduction, Elements, Grouped, Library } kind = Library;
  mlir::linalg::LinalgOp op;
  ContractionLoops loops;
  std::optional<StridedView> a, b, c;
  bool startsFromZero = false;
  std::optional<GroupedContraction> grouped;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_CONTRACTIONPLAN_H
