//===- CacheContents.h - What of a rank's buffers is in caches --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the buffers that a step touches one after the other.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_HOST_CACHECONTENTS_H
#define DMC_LIB_CODEGEN_HOST_CACHECONTENTS_H

#include "Kernel/Buffers.h"

#include "dmc/Machine/StepModel.h"

#include <list>

namespace dmc::codegen {

/// Caches that hold what was touched last (least recently used goes first), of any line.
class CacheContents {
public:
  explicit CacheContents(llvm::ArrayRef<MemoryLevel> levels) : levels(levels) {}

  /// Touches `bytes` of a buffer, anywhere in it. Returns how many of them were in each level: in
  /// the innermost one that has room for the buffer and for all that was touched since.
  llvm::SmallVector<double> touch(const Buffer &buffer, int64_t bytes);

private:
  struct Range {
    const void *base;
    int64_t begin, end;
  };
  llvm::ArrayRef<MemoryLevel> levels;
  /// The last touched first, of which none overlap.
  std::list<Range> ranges;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_HOST_CACHECONTENTS_H
