//===- RowMemory.h - Rows in the memory of a block --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are too long for the registers of a team are read once where the shared memory of its
// block has room for them. Each thread keeps its own chunks there, so that nobody waits.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_ROWMEMORY_H
#define DMC_LIB_CODEGEN_KERNEL_ROWMEMORY_H

#include "Kernel/RowTask.h"
#include "Kernel/Slots.h"

namespace dmc::codegen {

/// The elements of tensors in the first slots of each thread. A slot has the same elements in all
/// passes over a row.
class RowMemory {
public:
  /// Keeps as many groups of slots of what several passes read as there is memory for beside
  /// `reserved` bytes; nothing if that is none. Rows are behind the first `rank` dimensions of the
  /// tensors. A team with several rows, `hasRows`, keeps what all
  /// rows read from the first one on.
  static std::optional<RowMemory> choose(Scalarizer &s, mlir::Block *block,
                                         llvm::ArrayRef<int64_t> shape, size_t rank,
                                         const RowPasses &passes, const Slots &slots, int64_t team,
                                         int64_t reserved, bool hasRows);

  /// The groups whose elements are kept, and of these, those of which also what all rows read is.
  int64_t getGroups() const { return groups; }
  int64_t getSharedGroups() const { return shared; }
  /// Before the first row: keeps what all rows read of chunks, the first of which is the thread's
  /// slot `first`.
  void fill(llvm::ArrayRef<Chunk> chunks, const Index &first, const Team &team);
  /// Begins a row: nothing of it is kept yet.
  void begin();
  /// Before a pass computes with chunks, the first of which is the thread's slot `first`: reads or
  /// keeps what the pass needs of them, with what all rows read if `hasShared`. All kept groups are
  /// visited in each pass.
  void visit(const RowPass &pass, llvm::ArrayRef<Index> row, llvm::ArrayRef<Chunk> chunks,
             const Index &first, const Team &team, bool hasShared = true);
  /// A pass has visited all groups.
  void end(const RowPass &pass);

private:
  RowMemory(Scalarizer &s, int64_t lanes, int64_t groups, int64_t shared, bool hasRows)
      : s(s), lanes(lanes), groups(groups), shared(shared), hasRows(hasRows) {}

  Indices locate(const Index &slot, int64_t lane, const Team &team) {
    return {slot, LoopBuilder::constant(lane), team.getLane()};
  }

  Scalarizer &s;
  int64_t lanes, groups, shared;
  /// A tensor, or what all rows read, which has no dimensions before theirs.
  struct Kept {
    mlir::Value tensor, buffer;
    bool isOfAllRows, isFilled = false;
  };
  llvm::SmallVector<Kept> all;
  bool hasRows;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_ROWMEMORY_H
