//===- ReadAhead.h - Fetching what is computed next -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over rows that compute while memory gives the next row.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_CPU_READAHEAD_H
#define DMC_LIB_CODEGEN_CPU_READAHEAD_H

#include "Kernel/Scalarizer.h"

namespace dmc::codegen {

/// As many lines as a processor has on their way from memory at once, ten to twenty, and long
/// enough that ending a vector loop, which may add up its vectors, is little beside its elements.
inline constexpr int64_t linesAhead = 16;

class ReadAhead {
public:
  ReadAhead(Scalarizer &s, llvm::ArrayRef<int64_t> shape) : s(s), shape(shape) {}

  /// Adds the buffers that an expression of the shape reads, an element at the same position each,
  /// and that are larger than the last cache.
  void add(mlir::Value root);
  bool isEmpty() const { return buffers.empty(); }
  /// Bytes of a row of what is fetched.
  int64_t getRowBytes() const;

  /// A loop over the row at the given leading indices, of which each part first fetches the same
  /// part of the next row.
  llvm::SmallVector<mlir::Value> loop(llvm::ArrayRef<Index> row, mlir::ValueRange carried,
                                      LoopBuilder::Body body);

private:
  void fetch(mlir::Value buffer, const Index &begin, int64_t length);

  Scalarizer &s;
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<mlir::Value> buffers; // of the kernel as it was
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_READAHEAD_H
