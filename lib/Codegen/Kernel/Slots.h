//===- Slots.h - Elements that the threads of a team have -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row is cut into chunks of neighbouring elements, which an access of a thread holds. Chunk
// lane + slot * team is that thread's: neighbouring threads access neighbouring chunks, and the
// code of the slots has no loop, so that what they hold stays in registers. Where the order of
// elements counts, each warp of a team has chunks that lie together, in all groups of slots.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_SLOTS_H
#define DMC_LIB_CODEGEN_KERNEL_SLOTS_H

#include "Kernel/KernelTasks.h"
#include "Kernel/Team.h"

#include "dmc/Dialect/DMC/ThreadRegisters.h"

namespace dmc::codegen {

/// Neighbouring elements along rows of some size that a thread of a device accesses at once, in a
/// nest that passes over so many elements. As many as an access has bytes for of the widest type
/// among the buffers that have one for each element, and no more than divide a row, and at
/// multiples of which rows begin: accesses of neighbouring threads then fill the sectors that
/// memory is read by. Smaller buffers, results of rows or a row that all share, are accessed
/// several times, and found in a cache.
int64_t countTeamLanes(const Scalarizer &s, const Task &task, int64_t row, int64_t elements);

/// Registers that an element of a value takes.
int64_t countWords(mlir::Value value);

/// A chunk of the running thread.
struct Chunk {
  Indices first;        // of its elements
  mlir::Value isInside; // null: always. Outside of the row it is a copy of the last chunk
};

/// The elements behind some indices, a row of one or more dimensions, as a team shares them.
class Slots {
public:
  /// `lanes` divides the last size. Of rows that are too long for `most` elements a thread there
  /// are several groups of slots, one after the other.
  Slots(llvm::ArrayRef<int64_t> sizes, int64_t lanes, int64_t team, int64_t most,
        bool isOrdered = false);

  /// The threads that rows of so many elements need, if each may have `most` of them: a power of
  /// two. There are no more than have an element, and a warp before a thread has several.
  static int64_t chooseTeam(int64_t elements, int64_t lanes, int64_t most, TargetAttr target);

  /// From now on the first slot begins some chunks before the row, fewer than `most`: there a
  /// sector of memory does. What is before the row is outside of it. `chunks` is known to be few,
  /// and `distance` the same as a form in which the place of the row in memory cancels.
  void beginBefore(const Index &chunks, const Index &distance, int64_t most);

  int64_t getLanes() const { return lanes; }
  int64_t getCount() const { return count; }

  int64_t getGroups() const { return groups; }
  /// The running thread's chunks of a group; behind the last group they are outside.
  llvm::SmallVector<Chunk> getChunks(Scalarizer &s, const Team &team, const Index &group) const;
  /// One of them.
  Chunk getChunk(Scalarizer &s, const Team &team, const Index &group, int64_t slot) const;

  using Body =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<Chunk>, mlir::ValueRange)>;
  /// Runs the body for the slots of each group, with values that it carries.
  llvm::SmallVector<mlir::Value> forGroups(Scalarizer &s, const Team &team,
                                           mlir::ValueRange carried, Body body) const;

private:
  llvm::SmallVector<int64_t> sizes;
  void divide();

  int64_t lanes, team, chunks, held, before = 0, count = 1, groups = 1;
  Index shift, distance;
  bool isOrdered;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_SLOTS_H
