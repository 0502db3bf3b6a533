//===- RunWriter.h - Writes rows of results ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_RUNWRITER_H
#define DMC_LIB_CODEGEN_KERNEL_RUNWRITER_H

#include "CPU/GatheredRows.h"

namespace dmc::codegen {

/// Writes neighbouring elements of some roots of one shape, which lie along the last dimension: in
/// a loop for each piece of it (`findCuts`).
///
/// A store to a line that is not in the cache fetches the line first, and one of a result that is
/// larger than the caches pushes out what others read. Such results are marked to be written past
/// the caches (StreamStores.h), unless they take the place of an input, which is in the cache
/// already, or rows do not begin at lines.
class RunWriter {
public:
  RunWriter(Scalarizer &s, const Task &task, llvm::ArrayRef<const Root *> roots);

  /// Writes the run behind the given leading indices. `beside` is called for each element, before
  /// what is in the place of an input is written.
  void write(llvm::ArrayRef<Index> outer, const Run &run,
             llvm::function_ref<void(llvm::ArrayRef<Index>)> beside = {});

private:
  Scalarizer &s;
  GatheredRows gathered;
  llvm::SmallVector<const Root *> roots;
  llvm::SmallVector<int64_t> bounds; // of the pieces of a row, with 0 and its size
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_RUNWRITER_H
