//===- MovePrices.cpp - What moves between layouts cost -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. The order of a tensor's dimensions does not matter to the price of a move of
// which none is cheaper, and moves of one table do not depend on each other.
//
//===----------------------------------------------------------------------===//
#include "MovePrices.h"
#include "NumberKey.h"

#include "mlir/IR/Threading.h"

#include <atomic>

using namespace mlir;
using namespace dmc;

int64_t dmc::toCost(double seconds, int unit) {
  return std::min(toPicoseconds(std::ldexp(seconds, -unit)), mostCost);
}

/// Equal for moves that differ, at most, in the order of the dimensions; with `inOrder` for equal
/// ones alone.
static std::string getKey(const MovePrices::Move &move, bool inOrder) {
  NumberKey key(move.elementBytes);
  for (const Layout *layout : {&move.from, &move.to}) {
    key.add(layout->combiner ? static_cast<int64_t>(*layout->combiner) : -1);
    key.add(layout->partial);
    for (const auto &[axis, coordinate] : layout->placed)
      key.add(NumberKey(axis.axis, axis.preSize, axis.size, coordinate));
    key.add(static_cast<int64_t>(layout->placed.size()));
  }
  std::vector<std::string> dims;
  for (auto [size, from, to] : llvm::zip_equal(move.shape, move.from.dims, move.to.dims)) {
    NumberKey dim(size);
    dim.add(from);
    dim.add(to);
    dims.push_back(dim.str());
  }
  if (!inOrder)
    llvm::sort(dims);
  std::string text = key.str();
  for (const std::string &dim : dims)
    text += dim;
  return text;
}

/// Effort: fewer searches for a thread take less time than it takes to begin.
static constexpr size_t leastOfThread = 64;

void MovePrices::search(ArrayRef<Move *> moves) {
  size_t numWorkers = std::clamp<size_t>(moves.size() / leastOfThread, 1, context->getNumThreads());
  while (workers.size() < numWorkers)
    workers.push_back(std::make_unique<ReshardPlans>(plans.getMesh(), plans.getRates()));
  std::atomic<size_t> next = 0;
  parallelFor(context, 0, numWorkers, [&](size_t worker) {
    for (size_t i = next++; i < moves.size(); i = next++) {
      Move &move = *moves[i];
      const ReshardPlan &plan =
          workers[worker]->get(move.from, move.to, move.shape, move.elementBytes);
      move.seconds = plans.getRates().getSeconds(plan.moves);
      move.isCheapest = plan.isCheapest;
    }
  });
}

void MovePrices::price(std::vector<Move> &moves) {
  // Where no moves are cheaper, the first one in any order of the dimensions prices the others.
  std::vector<Move *> first, others, second;
  std::vector<std::optional<double> *> found;
  for (Move &move : moves) {
    auto [known, isNew] = inAllOrders.try_emplace(getKey(move, /*inOrder=*/false), std::nullopt);
    if (isNew) {
      first.push_back(&move);
      found.push_back(&known->second);
    } else {
      others.push_back(&move);
    }
  }
  search(first);
  for (auto [move, seconds] : llvm::zip_equal(first, found)) {
    if (move->isCheapest)
      *seconds = move->seconds;
    else
      inOneOrder[getKey(*move, /*inOrder=*/true)] = move->seconds;
  }
  for (Move *move : others) {
    if (std::optional<double> seconds = inAllOrders.lookup(getKey(*move, /*inOrder=*/false)))
      move->seconds = *seconds;
    else if (auto known = inOneOrder.find(getKey(*move, /*inOrder=*/true));
             known != inOneOrder.end())
      move->seconds = known->second;
    else
      second.push_back(move);
  }
  search(second);
  for (Move *move : second)
    inOneOrder[getKey(*move, /*inOrder=*/true)] = move->seconds;
}

std::vector<int64_t> MoveTables::get(const LayoutList &from, const LayoutList &to,
                                     const TensorInfo &value, int unit) {
  NumberKey shape(value.elementBytes);
  for (int64_t size : value.shape)
    shape.add(size);
  auto &known = ofShapes[shape.str()];
  std::vector<MovePrices::Move> moves;
  std::vector<std::pair<unsigned, unsigned>> numbers;
  for (unsigned row : from)
    for (unsigned column : to) {
      if (row == column || !known.try_emplace({row, column}, 0).second)
        continue;
      numbers.push_back({row, column});
      moves.push_back(
          {layouts.get(row), layouts.get(column), value.shape.vec(), value.elementBytes});
    }
  prices.price(moves);
  for (auto [move, number] : llvm::zip_equal(moves, numbers))
    known[number] = move.seconds;
  std::vector<int64_t> table;
  table.reserve(from.size() * to.size());
  for (unsigned row : from)
    for (unsigned column : to)
      table.push_back(row == column ? 0 : toCost(known.lookup({row, column}), unit));
  return table;
}
