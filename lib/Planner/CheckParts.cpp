//===- CheckParts.cpp - What elimination proves, recomputed ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of what the stages of a certificate leave: all of it, all of it within rows, clusters and
// mini-buckets. See Checker.h.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include <algorithm>
#include <map>
#include <utility>

using namespace dmc::planner;
using namespace dmc::planner::check;

std::vector<uint32_t> Checker::getSizes() const {
  std::vector<uint32_t> sizes;
  sizes.reserve(isLeft_.size());
  for (const std::vector<bool> &states : isLeft_)
    sizes.push_back(static_cast<uint32_t>(std::count(states.begin(), states.end(), true)));
  return sizes;
}

/// What one variable or two cost, by the states that are left. What has one state connects nothing.
template <typename Cost>
CheckedCosts Checker::makeTable(llvm::ArrayRef<uint32_t> variables, const Cost &cost) const {
  CheckedCosts table;
  for (uint32_t v : variables)
    if (std::count(isLeft_[v].begin(), isLeft_[v].end(), true) > 1)
      table.scope.push_back(v);
  const std::vector<bool> &first = isLeft_[variables.front()], &second = isLeft_[variables.back()];
  for (uint32_t a = 0; a < first.size(); ++a)
    for (uint32_t b = 0; first[a] && b < second.size(); ++b)
      if (variables.size() == 1 ? a == b : second[b])
        table.costs.push_back(cost(a, b));
  return table;
}

/// The least cost with the prices of the last stage among the states that are left, if it is less
/// than `cost`; nothing, if that takes too many entries.
std::optional<int64_t> Checker::eliminate(int64_t cost) const {
  int64_t limit = checkedEntries;
  const CertificateStage &stage = certificate_.stages.back();
  Wide common = static_cast<Wide>(certificate_.scale) * certificate_.priceScale;
  const std::vector<std::vector<Wide>> own = getPricedCosts(stage);
  std::vector<CheckedCosts> costs;
  costs.reserve(own.size() + links_.size());
  for (uint32_t v = 0; v < own.size(); ++v)
    costs.push_back(makeTable({v}, [&](uint32_t s, uint32_t) { return own[v][s]; }));
  for (const Link &link : links_)
    costs.push_back(makeTable({link.first, link.second}, [&](uint32_t a, uint32_t b) {
      int64_t pair = link.getCost(a, b);
      return pair == infeasible ? noChoice : pair * common;
    }));
  std::optional<Wide> least = findLeastSum(getSizes(), std::move(costs), limit);
  if (!least)
    return std::nullopt;
  if (*least == noChoice)
    return cost;
  int64_t bound = toPicoseconds(*least - getCapacityCosts(stage));
  if (cost == infeasible)
    return bound > problem_.getLargestCost() ? infeasible : bound;
  return std::min(bound, cost);
}

/// What the states that are left, and pairs of them, exceed the bound of a stage by.
std::vector<CheckedCosts> Checker::makeExcess(const CertificateStage &stage, Wide &bound) const {
  Wide priceScale = certificate_.priceScale;
  std::vector<CheckedCosts> excess;
  bound = -getCapacityCosts(stage);
  auto add = [&](CheckedCosts table) {
    Wide least = *std::min_element(table.costs.begin(), table.costs.end());
    for (Wide &value : table.costs)
      if (value != noChoice)
        value -= least;
    bound += least;
    excess.push_back(std::move(table));
  };
  std::vector<std::vector<Wide>> priced = getPricedCosts(stage);
  addPotentials(stage, priced);
  for (uint32_t v = 0; v < priced.size(); ++v)
    add(makeTable({v}, [&](uint32_t s, uint32_t) { return priced[v][s]; }));
  for (const Link &link : links_) {
    const int64_t *ofFirst = stage.potentials.data() + link.offset;
    const int64_t *ofSecond = ofFirst + problem_.getNumStates(link.first);
    add(makeTable({link.first, link.second}, [&](uint32_t a, uint32_t b) {
      Wide cost = link.getCost(a, b);
      return cost == infeasible
                 ? noChoice
                 : (cost * certificate_.scale - ofFirst[a] - ofSecond[b]) * priceScale;
    }));
  }
  return excess;
}

/// The states that are left with what they use of the certificate's rows, and their costs with the
/// prices of all other rows.
CheckedRows Checker::makeRows(const CertificateStage &others) const {
  CheckedRows result;
  result.sizes = getSizes();
  const std::vector<std::vector<Wide>> own = getPricedCosts(others);
  Wide common = static_cast<Wide>(certificate_.scale) * certificate_.priceScale;
  for (uint32_t v = 0; v < isLeft_.size(); ++v)
    result.costs.push_back(makeTable({v}, [&](uint32_t s, uint32_t) { return own[v][s]; }));
  for (const Link &link : links_)
    result.costs.push_back(makeTable({link.first, link.second}, [&](uint32_t a, uint32_t b) {
      int64_t cost = link.getCost(a, b);
      return cost == infeasible ? noChoice : cost * common;
    }));
  const std::vector<uint32_t> &rows = certificate_.withinRows->rows;
  std::vector<std::vector<int64_t>> bytes;
  bytes.reserve(isLeft_.size());
  for (size_t v = 0; v < isLeft_.size(); ++v)
    bytes.emplace_back(isLeft_[v].size() * rows.size(), 0);
  for (size_t r = 0; r < rows.size(); ++r) {
    const Row &row = problem_.parts().rows[rows[r]];
    result.capacities.push_back(row.capacity);
    for (const MemoryUse &use : row.uses)
      bytes[use.variable][use.state * rows.size() + r] = use.bytes;
  }
  for (size_t v = 0; v < isLeft_.size(); ++v) {
    std::vector<int64_t> &left = result.bytes.emplace_back();
    for (size_t s = 0; s < isLeft_[v].size(); ++s)
      if (isLeft_[v][s])
        left.insert(left.end(), bytes[v].begin() + s * rows.size(),
                    bytes[v].begin() + (s + 1) * rows.size());
  }
  return result;
}

/// The least cost within the certificate's rows among the states that are left, if it is less than
/// the certificate's cutoff and than `cost`, or else the lesser of these; nothing, if that takes
/// too much.
std::optional<int64_t> Checker::eliminateWithin(int64_t cost) {
  const CertificateStage &stage = certificate_.stages.back();
  const CertificateElimination &within = *certificate_.withinRows;
  int64_t cutoff = std::min(within.cutoff, cost);
  Wide least = noChoice;
  runStage(stage, cutoff);
  if (removeInconsistent()) {
    Wide bound = 0;
    CertificateStage others = stage;
    for (uint32_t row : within.rows)
      others.prices[row] = 0;
    CheckedRows rows = makeRows(others);
    rows.excess = makeExcess(stage, bound);
    // Bounds are rounded up: with this much and more they are the cutoff at least.
    Wide common = static_cast<Wide>(certificate_.scale) * certificate_.priceScale;
    Wide limit = (cutoff - 1) * common + 1;
    rows.excessLimit = limit - bound;
    rows.costLimit = limit + getCapacityCosts(others);
    for (uint32_t row : within.rows)
      rows.prices.push_back(static_cast<Wide>(stage.prices[row]) * certificate_.scale);
    auto found = findLeastWithin(rows, checkedEntriesWithin, steps_, within.order);
    if (!found)
      return std::nullopt;
    if (*found != noChoice)
      least = *found - getCapacityCosts(others);
  }
  int64_t result = least == noChoice ? cutoff : std::min(cutoff, toPicoseconds(least));
  return result > problem_.getLargestCost() ? cost : result;
}

/// What the states of clusters cost at least together, of all tables above the bound, which are
/// then empty; nothing, if that takes more than `limit` entries, which is then less by those.
std::optional<Wide> Checker::addClusters(std::vector<CheckedCosts> &excess, int64_t &limit) const {
  const size_t numVariables = isLeft_.size();
  std::vector<std::vector<size_t>> linksOf(numVariables);
  for (size_t l = 0; l < links_.size(); ++l)
    linksOf[links_[l].first].push_back(l);
  const std::vector<uint32_t> sizes = getSizes();
  Wide sum = 0;
  for (const std::vector<uint32_t> &cluster : certificate_.clusters) {
    std::map<uint32_t, uint32_t> places;
    std::vector<uint32_t> sizesOfCluster;
    for (uint32_t v : cluster) {
      places[v] = static_cast<uint32_t>(sizesOfCluster.size());
      sizesOfCluster.push_back(sizes[v]);
    }
    std::vector<CheckedCosts> costs;
    auto take = [&](size_t table) {
      // No later cluster counts it.
      CheckedCosts from = std::exchange(excess[table], {{}, {0}});
      for (uint32_t &v : from.scope)
        v = places.at(v);
      // Clusters list variables in any order.
      if (from.scope.size() == 2 && from.scope[0] > from.scope[1]) {
        size_t rows = sizesOfCluster[from.scope[0]], columns = sizesOfCluster[from.scope[1]];
        std::vector<Wide> turned(from.costs.size());
        for (size_t i = 0; i < rows; ++i)
          for (size_t j = 0; j < columns; ++j)
            turned[j * rows + i] = from.costs[i * columns + j];
        from.costs = std::move(turned);
        std::swap(from.scope[0], from.scope[1]);
      }
      costs.push_back(std::move(from));
    };
    for (uint32_t v : cluster) {
      take(v);
      for (size_t l : linksOf[v])
        if (places.count(links_[l].second))
          take(numVariables + l);
    }
    auto least = findLeastSum(sizesOfCluster, std::move(costs), limit);
    if (!least)
      return std::nullopt;
    if (*least == noChoice)
      return noChoice;
    sum += *least;
  }
  return sum;
}

/// The bound of the last stage, for the states that are left, with what clusters, and mini-buckets
/// of the rest, add to it; nothing, if these have more than `limit` entries together.
std::optional<int64_t> Checker::eliminateInParts(std::optional<int64_t> bucketEntries, int64_t cost,
                                                 int64_t limit) const {
  Wide bound = 0;
  std::vector<CheckedCosts> excess = makeExcess(certificate_.stages.back(), bound);
  auto least = addClusters(excess, limit);
  if (least && least != noChoice && bucketEntries) {
    auto rest = findLeastSum(getSizes(), std::move(excess), limit, *bucketEntries);
    if (!rest)
      return std::nullopt;
    least = *rest == noChoice ? noChoice : *least + *rest;
  }
  if (!least)
    return std::nullopt;
  if (*least == noChoice)
    return cost;
  int64_t result = toPicoseconds(bound + *least);
  return result > problem_.getLargestCost() ? cost : std::min(result, cost);
}
