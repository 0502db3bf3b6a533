//===- LoopCost.cpp - Moves that leave a loop -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dmc-hoist-moves makes of the moves of values that a loop carries: it does once
// what every iteration would do.
//
//===----------------------------------------------------------------------===//
#include "ProgramCost.h"

using namespace mlir;
using namespace dmc;

/// What the price of a value's moves changes by where the loop does some of them once.
template <typename Sum>
Sum ProgramCost::getHoisted(unsigned number) const {
  Sum total;
  auto found = graph.carriedBy.find(number);
  if (found == graph.carriedBy.end())
    return total;
  for (unsigned index : found->second) {
    const CarriedValue &carried = graph.carriedValues[index];
    if (carried.addend == number)
      total += getDeferred<Sum>(carried);
    if (carried.value == number || carried.yielded == number)
      total += getKeptMoved<Sum>(carried, carried.yielded == number);
  }
  return total;
}

/// A sum that is reduced only to be added to what the loop carries: the loop carries partial
/// values, which are reduced behind it.
template <typename Sum>
Sum ProgramCost::getDeferred(const CarriedValue &carried) const {
  const TensorInfo &value = graph.getValue(carried.value),
                   &addend = graph.getValue(*carried.addend);
  if (addend.produced.partial.empty() || !value.base.partial.empty())
    return {};
  Layouts wanted;
  addWanted(*carried.addend, Place::Own, wanted);
  if (wanted.size() != 1 || *wanted.front() != value.base ||
      graph.getValue(carried.yielded).produced != value.base)
    return {};
  ArrayRef<Move> moves =
      graph.plans.get(addend.produced, value.base, addend.shape, addend.elementBytes).moves;
  if (moves.empty() || moves.back().kind != MoveKind::Reduce)
    return {};
  const Move &last = moves.back();
  CombinerKind combiner = toCombinerKind(*addend.produced.combiner);
  llvm::BitVector operands(carried.join->getNumOperands());
  operands.set(0, 2);
  std::optional<PartialResults> results = getPartialResults(carried.join, operands, combiner);
  if (!results || results->front() != combiner)
    return {};
  return sum<Sum>(last) * (*value.resultRepeats - addend.repeats);
}

/// A value that each iteration moves to another layout and moves back for the next one: the loop
/// carries it moved. The part of what is carried, or of what is yielded for it.
template <typename Sum>
Sum ProgramCost::getKeptMoved(const CarriedValue &carried, bool isYielded) const {
  const TensorInfo &value = graph.getValue(carried.value),
                   &yielded = graph.getValue(carried.yielded);
  const Layout &outside = value.base;
  ArrayRef<Move> back =
      graph.plans.get(yielded.produced, outside, yielded.shape, yielded.elementBytes).moves;
  if (back.empty())
    return {};
  const Layout kept = back.size() == 1 ? yielded.produced : back[back.size() - 2].layout;
  // A copy: when more plans are asked for, this one may be forgotten.
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const Move backMove = back.back();
  // Whoever else wants it so keeps the move in the loop.
  unsigned numBack = 0;
  for (unsigned user : yielded.nodes) {
    const Node &node = graph.getNodes()[user];
    for (auto [i, operand] : llvm::enumerate(node.operands))
      numBack += operand == carried.yielded && node.operandLayouts[i] == outside;
  }
  if (numBack != 1)
    return {};

  Layouts wanted;
  addWanted(carried.value, Place::Own, wanted);
  Move there;
  bool any = false, isMovedOnly = true;
  for (const Layout *layout : wanted) {
    if (*layout == outside) {
      isMovedOnly = false;
      continue;
    }
    const Move &first =
        graph.plans.get(outside, *layout, value.shape, value.elementBytes).moves.front();
    if (first.layout != kept) {
      isMovedOnly = false;
      continue;
    }
    any = true;
    there = first;
  }
  bool saves = there.traffic.bytes > 0, backSends = backMove.traffic.bytes > 0;
  if (!any || (isMovedOnly ? !saves && !backSends : !saves || backSends))
    return {};
  // Once in front of the loop, and once behind it if its result is used.
  if (!isYielded)
    return sum<Sum>(there) * (*value.resultRepeats - value.repeats);
  Layouts behind;
  addWanted(carried.value, Place::BehindLoop, behind);
  double times = behind.empty() ? 0 : *value.resultRepeats;
  return sum<Sum>(backMove) * (times - yielded.repeats);
}

template Cost ProgramCost::getHoisted(unsigned number) const;
template TrafficByCollective ProgramCost::getHoisted(unsigned number) const;
