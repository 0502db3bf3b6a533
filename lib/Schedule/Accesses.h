//===- Accesses.h - Which bytes an operation accesses -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a scheduled entry: where its buffers lie, and what operations do to them.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_SCHEDULE_ACCESSES_H
#define DMC_LIB_SCHEDULE_ACCESSES_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>

namespace dmc {

/// A range of bytes. `memory` is the argument that owns them; a result that an
/// argument is donated to is the argument's memory. `buffer` is the view or the
/// argument through which they are accessed.
struct Access {
  unsigned memory = 0;
  int64_t offset = 0, bytes = 0;
  mlir::Value buffer;

  bool overlaps(const Access &other) const {
    return memory == other.memory && bytes > 0 && other.bytes > 0 &&
           offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
  bool isSameRange(const Access &other) const {
    return memory == other.memory && offset == other.offset && bytes == other.bytes;
  }
};

/// The memories of an entry: its arguments and results, then the arena.
class EntryMemory {
public:
  EntryMemory(mlir::func::FuncOp entry, ProgramAttr program);

  unsigned getNumMemories() const { return arena + 1; }
  unsigned getArena() const { return arena; }
  Access getArgument(unsigned index) const;
  /// Nothing for what is neither an argument, nor a view of the arena at a constant offset, nor a
  /// reshape of such.
  std::optional<Access> find(mlir::Value value) const;

private:
  mlir::Block &block;
  unsigned numArguments, arena;
  /// For each result the argument donated to it, or -1.
  std::vector<int> donors;
};

/// Bytes of a buffer; i1 takes a byte.
int64_t getBytes(mlir::MemRefType type);

/// The buffers that an operation reads, then those that it writes. `inPlace[i]` is the read that
/// write i may overlap, or -1.
struct AccessedBuffers {
  llvm::SmallVector<mlir::Value> reads, writes;
  llvm::SmallVector<int64_t> inPlace;
};

/// Nothing for an operation that accesses no memory itself.
std::optional<AccessedBuffers> getAccessedBuffers(mlir::Operation *op);

} // namespace dmc

#endif // DMC_LIB_SCHEDULE_ACCESSES_H
