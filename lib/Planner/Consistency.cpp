//===- Consistency.cpp - States that no plan has --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes states without a feasible partner in some neighbour, and states for which a row of memory
// has no room even if all others use the least, until no such state is left.
//
//===----------------------------------------------------------------------===//
#include "Network.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <deque>
#include <set>

using namespace dmc::planner;

namespace {
class Propagator {
public:
  Propagator(const Network &network, Consistency &result)
      : network_(network), result_(result), isQueued_(network.edges().size(), true),
        causes_(network.nodes().size()), count_(network.nodes().size(), 0) {
    for (size_t i = 0; i < network.nodes().size(); ++i)
      count_[i] = llvm::count(result.keep[i], true);
    for (uint32_t e = 0; e < network.edges().size(); ++e)
      queue_.push_back(e);
    usesOf_.resize(network.problem().parts().rows.size());
    for (uint32_t i = 0; i < network.nodes().size(); ++i)
      for (const NodeUse &use : network.nodes()[i].uses)
        usesOf_[use.row].push_back({i, &use});
  }
  void run();

private:
  /// A neighbour, or with `isRow` a row, that took states of a node.
  struct Cause {
    bool isRow;
    uint32_t index;
    bool operator<(const Cause &other) const {
      return std::tie(isRow, index) < std::tie(other.isRow, other.index);
    }
  };
  void remove(uint32_t node, uint32_t state, Cause cause);
  void reviseEdge(const Edge &edge);
  bool reviseRows();
  void explain(uint32_t node);

  const Network &network_;
  Consistency &result_;
  std::deque<uint32_t> queue_;
  std::vector<bool> isQueued_;
  std::vector<std::set<Cause>> causes_;
  std::vector<size_t> count_;
  /// By row: the nodes that use it.
  std::vector<std::vector<std::pair<uint32_t, const NodeUse *>>> usesOf_;
};
} // namespace

void Propagator::remove(uint32_t node, uint32_t state, Cause cause) {
  result_.keep[node][state] = false;
  result_.isChanged = true;
  causes_[node].insert(cause);
  if (--count_[node] == 0 && !result_.emptyNode)
    result_.emptyNode = node;
  for (const auto *edges : {&network_.nodes()[node].before, &network_.nodes()[node].after})
    for (uint32_t e : *edges)
      if (!isQueued_[e]) {
        isQueued_[e] = true;
        queue_.push_back(e);
      }
}

void Propagator::reviseEdge(const Edge &edge) {
  const CostTable &table = network_.table(edge);
  if (!table.hasInfeasible)
    return;
  auto mark = [](const std::vector<bool> &keep, const std::vector<uint32_t> &classes,
                 uint32_t count) {
    std::vector<bool> isThere(count, false);
    for (size_t s = 0; s < keep.size(); ++s)
      if (keep[s])
        isThere[classes[s]] = true;
    return isThere;
  };
  auto rows = mark(result_.keep[edge.first], table.rowClass, table.rowClasses);
  auto columns = mark(result_.keep[edge.second], table.columnClass, table.columnClasses);
  std::vector<bool> rowHas(table.rowClasses, false), columnHas(table.columnClasses, false);
  for (uint32_t row = 0; row < table.rowClasses; ++row)
    for (uint32_t column = 0; rows[row] && column < table.columnClasses; ++column)
      if (columns[column] && table.ofClasses(row, column) != infeasible)
        rowHas[row] = columnHas[column] = true;
  for (uint32_t s = 0; s < table.rowClass.size(); ++s)
    if (result_.keep[edge.first][s] && !rowHas[table.rowClass[s]])
      remove(edge.first, s, {false, edge.second});
  for (uint32_t s = 0; s < table.columnClass.size(); ++s)
    if (result_.keep[edge.second][s] && !columnHas[table.columnClass[s]])
      remove(edge.second, s, {false, edge.first});
}

bool Propagator::reviseRows() {
  bool isChanged = false;
  for (uint32_t row : network_.rows()) {
    int64_t sum = 0;
    std::vector<int64_t> least;
    least.reserve(usesOf_[row].size());
    for (auto [node, use] : usesOf_[row]) {
      int64_t smallest = infeasible;
      for (size_t s = 0; s < use->bytes.size(); ++s)
        if (result_.keep[node][s])
          smallest = std::min(smallest, use->bytes[s]);
      if (smallest == infeasible)
        return isChanged;
      least.push_back(smallest);
      sum += smallest;
    }
    int64_t capacity = network_.problem().parts().rows[row].capacity;
    for (auto [index, use] : llvm::enumerate(usesOf_[row])) {
      // Nothing that the node can do exceeds the row.
      if (sum - least[index] + use.second->most <= capacity)
        continue;
      for (uint32_t s = 0; s < use.second->bytes.size(); ++s)
        if (result_.keep[use.first][s] && sum - least[index] + use.second->bytes[s] > capacity) {
          remove(use.first, s, {true, row});
          isChanged = true;
        }
    }
  }
  return isChanged;
}

/// What took the states of a node, and what took those of these.
void Propagator::explain(uint32_t node) {
  std::set<uint32_t> nodes{node}, rows;
  std::vector<uint32_t> open{node};
  while (!open.empty()) {
    uint32_t next = open.back();
    open.pop_back();
    for (Cause cause : causes_[next])
      if (cause.isRow)
        rows.insert(cause.index);
      else if (nodes.insert(cause.index).second)
        open.push_back(cause.index);
  }
  result_.involved.assign(nodes.begin(), nodes.end());
  result_.rows.assign(rows.begin(), rows.end());
}

void Propagator::run() {
  for (uint32_t i = 0; i < network_.nodes().size() && !result_.emptyNode; ++i)
    if (count_[i] == 0)
      result_.emptyNode = i;
  do {
    while (!queue_.empty() && !result_.emptyNode) {
      uint32_t e = queue_.front();
      queue_.pop_front();
      isQueued_[e] = false;
      reviseEdge(network_.edges()[e]);
    }
  } while (!result_.emptyNode && reviseRows() && !result_.emptyNode);
  if (result_.emptyNode)
    explain(*result_.emptyNode);
}

Consistency dmc::planner::makeConsistent(const Network &network,
                                         std::vector<std::vector<bool>> keep) {
  Consistency result;
  result.keep = std::move(keep);
  Propagator(network, result).run();
  return result;
}
