//===- LaneOps.h - Instructions of each lane by itself ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PTX_LANEOPS_H
#define DMC_LIB_PTX_LANEOPS_H

#include "Program.h"

namespace dmc::ptx {

/// `lane` of up to three sources; `from` is the signed type that a wider target, of `option` bytes,
/// is extended from; `jump` and `offset` are the error of an approximation.
void runLanes(Warp &warp, const Instruction &instruction, uint32_t mask);
/// A copy, also of what was never written; and the negation of a predicate.
void move(Warp &warp, const Instruction &instruction, uint32_t mask);
/// The sources become parts, of `option` bits, of the target; and the other way.
void joinParts(Warp &warp, const Instruction &instruction, uint32_t mask);
void splitParts(Warp &warp, const Instruction &instruction, uint32_t mask);
/// sources: two values, and a predicate or, by `option`, a number that is compared with 0.
void select(Warp &warp, const Instruction &instruction, uint32_t mask);
/// A comparison by `lane`, combined with a predicate; targets: what it gives, and its opposite.
enum class Combination : uint32_t { None, And, Or, Xor };
void compare(Warp &warp, const Instruction &instruction, uint32_t mask);
/// The same of two halves each: targets are predicates of the lower and the upper half or, by
/// `type`, one register with both.
void comparePairs(Warp &warp, const Instruction &instruction, uint32_t mask);
/// Any function of three bits: the fourth source is its table.
void logic3(Warp &warp, const Instruction &instruction, uint32_t mask);
/// The low bits of the first source in place of a field of the second: the third says where, the
/// fourth how many.
void insertField(Warp &warp, const Instruction &instruction, uint32_t mask);
/// Sums and products with a carry, which the last row of each list is.
enum Carry : uint32_t {
  ReadsCarry = 1,
  WritesCarry = 2,
  IsDifference = 4,
  IsProduct = 8,
  IsHigh = 16
};
void carry(Warp &warp, const Instruction &instruction, uint32_t mask);
void branch(Warp &warp, const Instruction &instruction, uint32_t mask);
void branchByTable(Warp &warp, const Instruction &instruction, uint32_t mask);
void endThread(Warp &warp, const Instruction &instruction, uint32_t mask);
void trap(Warp &warp, const Instruction &instruction, uint32_t mask);
void doNothing(Warp &warp, const Instruction &instruction, uint32_t mask);

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_LANEOPS_H
