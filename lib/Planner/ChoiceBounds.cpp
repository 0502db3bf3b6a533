//===- ChoiceBounds.cpp - What choices of states cost ahead ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ChoiceBounds.h.
//
//===----------------------------------------------------------------------===//
#include "ChoiceBounds.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace dmc::planner;

namespace {
class BoundPasses {
public:
  BoundPasses(const ChoiceElimination &choices, llvm::ArrayRef<std::vector<int64_t>> ofNodes,
              llvm::ArrayRef<PairTable> ofPairs, int64_t budget, const ChoiceBounds *known)
      : choices_(choices), ofNodes_(ofNodes), ofPairs_(ofPairs), budget_(budget), known_(known) {}
  ChoiceBounds run();

private:
  void passForward(const EliminatedNode &node);
  std::vector<int64_t> joinForward(const ChoiceJoin &join, llvm::ArrayRef<int64_t> before) const;
  void passBack(size_t number);
  std::vector<int64_t> joinBack(const ChoiceJoin &join, llvm::ArrayRef<int64_t> whole,
                                size_t numBefore);
  std::vector<int64_t> getAhead(llvm::ArrayRef<int64_t> whole, llvm::ArrayRef<int64_t> least) const;

  const ChoiceElimination &choices_;
  llvm::ArrayRef<std::vector<int64_t>> ofNodes_;
  llvm::ArrayRef<PairTable> ofPairs_;
  int64_t budget_;
  const ChoiceBounds *known_;
  ChoiceBounds result_;
  /// By eliminated node and join, the node's states first: what the choices cost.
  std::vector<std::vector<std::vector<int64_t>>> least_;
  /// By eliminated node and what it leaves: what that costs, and what the rest costs at least.
  std::vector<std::vector<int64_t>> left_, beyond_;
};
} // namespace

/// Where they are infeasible in `known`, so are they.
static void removeInfeasible(std::vector<int64_t> &costs, llvm::ArrayRef<int64_t> known) {
  for (auto [cost, other] : llvm::zip_equal(costs, known))
    if (other == infeasible)
      cost = infeasible;
}

void dmc::planner::removeInfeasible(ChoiceBounds &bounds, const ChoiceBounds &others) {
  for (auto [node, known] : llvm::zip_equal(bounds.nodes, others.nodes)) {
    ::removeInfeasible(node.states, known.states);
    for (auto [join, ofKnown] : llvm::zip_equal(node.joins, known.joins))
      ::removeInfeasible(join, ofKnown);
  }
}

/// Of a feasible choice those that it comes from are feasible, too.
ChoiceElimination dmc::planner::keepFeasible(const ChoiceElimination &choices,
                                             const ChoiceBounds &bounds) {
  ChoiceElimination result;
  // By eliminated node: the new numbers of what it leaves.
  std::vector<std::vector<uint32_t>> left;
  for (auto [node, ofNode] : llvm::zip_equal(choices.nodes, bounds.nodes)) {
    EliminatedNode &kept = result.nodes.emplace_back();
    kept.node = node.node;
    kept.isLast = node.isLast;
    // The new numbers of the choices of a join, of which states keep theirs, and the old ones.
    std::vector<uint32_t> numbers(ofNode.states.size()), old(ofNode.states.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    std::iota(old.begin(), old.end(), 0);
    for (auto [join, ahead] : llvm::zip_equal(node.joins, ofNode.joins)) {
      ChoiceJoin &ofKept = kept.joins.emplace_back();
      ofKept.isPair = join.isPair;
      ofKept.number = join.number;
      std::vector<uint32_t> ofJoin(ahead.size(), 0);
      old.clear();
      for (uint32_t choice = 0; choice < ahead.size(); ++choice) {
        if (ahead[choice] == infeasible)
          continue;
        ofJoin[choice] = static_cast<uint32_t>(old.size());
        old.push_back(choice);
        ofKept.from.push_back(numbers[join.from[choice]]);
        const uint32_t with = join.with[choice];
        ofKept.with.push_back(join.isPair ? with : left[join.number][with]);
      }
      numbers = std::move(ofJoin);
    }
    std::vector<uint32_t> &ofLeft = left.emplace_back(node.numLeft, 0);
    std::vector<bool> isLeft(node.numLeft, false);
    for (uint32_t choice : old) {
      const uint32_t to = node.left[choice];
      if (!isLeft[to])
        ofLeft[to] = static_cast<uint32_t>(kept.numLeft++);
      isLeft[to] = true;
      kept.left.push_back(ofLeft[to]);
    }
  }
  return result;
}

std::vector<int64_t> BoundPasses::joinForward(const ChoiceJoin &join,
                                              llvm::ArrayRef<int64_t> before) const {
  llvm::ArrayRef<int64_t> costs = join.isPair ? ofPairs_[join.number].costs : left_[join.number];
  std::vector<int64_t> least;
  least.reserve(join.from.size());
  for (auto [from, with] : llvm::zip_equal(join.from, join.with))
    least.push_back(addExcess(before[from], costs[with]));
  return least;
}

void BoundPasses::passForward(const EliminatedNode &node) {
  const ChoiceBounds::OfNode *known = known_ ? &known_->nodes[least_.size()] : nullptr;
  auto &least = least_.emplace_back();
  least.push_back(ofNodes_[node.node]);
  if (known)
    ::removeInfeasible(least.front(), known->states);
  for (auto [number, join] : llvm::enumerate(node.joins)) {
    std::vector<int64_t> ofJoin = joinForward(join, least.back());
    if (known)
      ::removeInfeasible(ofJoin, known->joins[number]);
    least.push_back(std::move(ofJoin));
  }
  std::vector<int64_t> &left = left_.emplace_back(node.numLeft, infeasible);
  for (auto [cost, to] : llvm::zip_equal(least.back(), node.left))
    left[to] = std::min(left[to], cost);
  if (node.isLast)
    result_.least = addExcess(result_.least, left.front());
}

/// Of what plans with the choices cost at least.
std::vector<int64_t> BoundPasses::getAhead(llvm::ArrayRef<int64_t> whole,
                                           llvm::ArrayRef<int64_t> least) const {
  std::vector<int64_t> ahead;
  ahead.reserve(whole.size());
  for (auto [cost, known] : llvm::zip_equal(whole, least))
    ahead.push_back(cost >= budget_ ? infeasible : cost - known);
  return ahead;
}

/// What plans with the choices before cost at least.
std::vector<int64_t> BoundPasses::joinBack(const ChoiceJoin &join, llvm::ArrayRef<int64_t> whole,
                                           size_t numBefore) {
  std::vector<int64_t> before(numBefore, infeasible);
  for (size_t choice = 0; choice < whole.size(); ++choice) {
    if (whole[choice] >= budget_)
      continue;
    int64_t &ofFrom = before[join.from[choice]];
    ofFrom = std::min(ofFrom, whole[choice]);
    if (join.isPair)
      continue;
    const uint32_t with = join.with[choice];
    int64_t &beyond = beyond_[join.number][with];
    beyond = std::min(beyond, whole[choice] - left_[join.number][with]);
  }
  return before;
}

void BoundPasses::passBack(size_t number) {
  const EliminatedNode &node = choices_.nodes[number];
  auto &least = least_[number];
  if (node.isLast)
    beyond_[number].front() = result_.least - left_[number].front();
  std::vector<int64_t> whole;
  whole.reserve(node.left.size());
  for (auto [choice, to] : llvm::enumerate(node.left))
    whole.push_back(addExcess(least.back()[choice], beyond_[number][to]));
  ChoiceBounds::OfNode &bounds = result_.nodes[number];
  bounds.joins.resize(node.joins.size());
  for (size_t j = node.joins.size(); j-- > 0;) {
    bounds.joins[j] = getAhead(whole, least[j + 1]);
    whole = joinBack(node.joins[j], whole, least[j].size());
  }
  bounds.states = getAhead(whole, least.front());
  least.clear();
}

ChoiceBounds BoundPasses::run() {
  // Joins have references to what earlier nodes leave.
  left_.reserve(choices_.nodes.size());
  for (const EliminatedNode &node : choices_.nodes)
    passForward(node);
  if (result_.least >= budget_)
    return {{}, budget_};
  for (const std::vector<int64_t> &left : left_)
    beyond_.emplace_back(left.size(), infeasible);
  result_.nodes.resize(choices_.nodes.size());
  for (size_t number = choices_.nodes.size(); number-- > 0;)
    passBack(number);
  return std::move(result_);
}

ChoiceBounds dmc::planner::findBounds(const ChoiceElimination &choices,
                                      llvm::ArrayRef<std::vector<int64_t>> ofNodes,
                                      llvm::ArrayRef<PairTable> ofPairs, int64_t budget,
                                      const ChoiceBounds *known) {
  return BoundPasses(choices, ofNodes, ofPairs, budget, known).run();
}
