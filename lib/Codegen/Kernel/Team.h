//===- Team.h - Threads that run an iteration together ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads of a device do that share an iteration of a nest: they have numbers, exchange values
// through the registers of a warp or the memory of a block, and wait for each other.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_TEAM_H
#define DMC_LIB_CODEGEN_KERNEL_TEAM_H

#include "Kernel/Scalarizer.h"

namespace dmc::codegen {

/// The value of the thread of the warp whose number differs in this bit, 1 of neighbours. All
/// threads of the warp run this together.
mlir::Value exchangeLanes(Scalarizer &s, mlir::Value value, int64_t bit);

/// The team of the running thread. All of its threads emit the same code: what they do differs by
/// their number alone. `combine` and `wait` are for code that all of them reach together: not
/// within conditions that follow from the number, nor in loops of which some run more iterations.
class Team {
public:
  /// Begins a nest of `iterations`, each of them run by `size` threads (`Launch`).
  Team(Scalarizer &s, int64_t iterations, int64_t size);

  /// The iteration to run.
  const Index &getIteration() const { return iteration; }
  int64_t getSize() const { return size; }
  /// The number of the running thread: in [0, size).
  const Index &getLane() const { return lane; }

  /// Whether the condition, if any, holds, and the team has an iteration of its own; null: always.
  mlir::Value isActive(mlir::Value condition);
  /// Emits stores of values that are computed already. Threads without an iteration of their own
  /// skip them, and those for which the condition, if any, does not hold.
  void store(mlir::Value condition, llvm::function_ref<void()> body);
  /// The same for one thread of the team.
  void storeOnce(llvm::function_ref<void()> body);

  /// All threads have come here: what they wrote to memory before is there for the others.
  void wait();
  /// Memory of the team, which is a block.
  mlir::Value allocate(llvm::ArrayRef<int64_t> shape, mlir::Type type);

  /// Of a number that each thread has: the sum of those of the threads before, and of all.
  struct Sums {
    mlir::Value before, all;
  };
  /// Among the threads of each warp, of numbers of 32 bits.
  Sums scanWarp(mlir::Value number);
  /// Among the warps of a team that is a block: the threads of a warp have the same number.
  Sums scanWarps(mlir::Value number);
  /// Among all threads of a team that is a block.
  Sums scan(mlir::Value number);

  /// Combines two lists of values into one; the same whichever list is the first.
  using Combine =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange, mlir::ValueRange)>;
  /// The values of all threads combined, in an order that depends on the size of the team alone.
  /// Each thread gets them, the same bits. Of `apart` neighbours, a power of two, each has
  /// something else, and is combined with those that have the same.
  llvm::SmallVector<mlir::Value> combine(mlir::ValueRange values, Combine combine,
                                         int64_t apart = 1);

  /// What neighbouring elements give together, if there are any.
  struct Part {
    llvm::SmallVector<mlir::Value> values;
    mlir::Value isThere; // null: always
  };
  /// Two neighbouring parts as one.
  Part join(const Part &first, const Part &second, Combine combine);
  /// As `combine`, but of values whose order counts: `parts` of each thread, all first parts before
  /// all second ones, among the threads of a warp.
  Part joinWarp(llvm::ArrayRef<Part> parts, Combine combine);
  /// The same of one part among the warps of a team.
  Part joinWarps(const Part &part, Combine combine);

private:
  llvm::SmallVector<mlir::Value> combineWithin(llvm::SmallVector<mlir::Value> values, int64_t count,
                                               int64_t apart, Combine combine);
  Part joinFew(llvm::SmallVector<Part> parts, int64_t threads, Combine combine);
  Part exchange(const Part &part, int64_t bit);
  Part choose(mlir::Value condition, const Part &then, const Part &otherwise);
  mlir::Value isUpper(int64_t bit);
  mlir::Value add(mlir::Value a, mlir::Value b);
  /// The number where the condition holds, else 0.
  mlir::Value keepIf(mlir::Value condition, mlir::Value number);
  mlir::Value compareLane(mlir::arith::CmpIPredicate predicate, int64_t bound);

  Scalarizer &s;
  int64_t size, warp;
  Index iteration, lane;
  mlir::Value hasIteration; // null: always
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_TEAM_H
