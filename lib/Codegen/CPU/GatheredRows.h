//===- GatheredRows.h - Fetching the rows that a gather reads ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A processor does not foresee where the next row of a gather lies. The program does.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_CPU_GATHEREDROWS_H
#define DMC_LIB_CODEGEN_CPU_GATHEREDROWS_H

#include "Kernel/KernelTasks.h"

namespace dmc::codegen {

class GatheredRows {
public:
  /// The gathers that roots of one shape are computed from, element by element, if they read rows
  /// of tables that are larger than the last cache.
  GatheredRows(Scalarizer &s, llvm::ArrayRef<const Root *> roots);
  bool isEmpty() const { return gathers.empty(); }

  /// Runs the body for parts of a row at these leading indices. Each part first fetches the same
  /// part of a later row: the next one, or where rows are short, one as many lines of memory
  /// ahead as are on their way at once.
  void overParts(llvm::ArrayRef<Index> outer, llvm::function_ref<void(const Run &)> body);

private:
  bool isFetched(GatherOp gather) const;
  void fetch(GatherOp gather, llvm::ArrayRef<Index> row, const Index &begin, int64_t length);
  Indices findLaterRow(llvm::ArrayRef<Index> outer);

  Scalarizer &s;
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<GatherOp> gathers;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_GATHEREDROWS_H
