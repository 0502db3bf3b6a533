//===- LocalSearch.cpp - Improves plans -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes one node at a time as long as that makes the plan cheaper. A plan that exceeds rows of
// memory first gives up bytes where that costs the least for each byte.
//
//===----------------------------------------------------------------------===//
#include "Incumbent.h"

#include <algorithm>
#include <tuple>

using namespace dmc::planner;

bool Incumbent::offer(const LayoutProblem &problem, const Assignment &offered) {
  int64_t offeredCost = problem.getCost(offered);
  if (offeredCost > cost || offeredCost == infeasible ||
      (offeredCost == cost && offered >= assignment) || !problem.check(offered).empty())
    return false;
  cost = offeredCost;
  assignment = offered;
  return true;
}

LocalSearch::LocalSearch(const Network &network) : network_(network) {}

void LocalSearch::setChoice(const std::vector<uint32_t> &choice) {
  choice_ = choice;
  used_ = network_.getBytes(choice);
}

/// What each state costs beside the others' states; `big` for each infeasible pair.
void LocalSearch::collect(uint32_t index, std::vector<double> &costs) const {
  const Node &node = network_.nodes()[index];
  costs.assign(node.costs.begin(), node.costs.end());
  for (uint32_t e : node.before) {
    const Edge &edge = network_.edges()[e];
    const CostTable &table = network_.table(edge);
    const double *row = table.forward.data() + static_cast<size_t>(table.forwardStride) *
                                                   table.rowClass[choice_[edge.first]];
    for (size_t s = 0; s < costs.size(); ++s)
      costs[s] += row[table.columnClass[s]];
  }
  for (uint32_t e : node.after) {
    const Edge &edge = network_.edges()[e];
    const CostTable &table = network_.table(edge);
    const double *column = table.backward.data() + static_cast<size_t>(table.backwardStride) *
                                                       table.columnClass[choice_[edge.second]];
    for (size_t s = 0; s < costs.size(); ++s)
      costs[s] += column[table.rowClass[s]];
  }
}

/// By state: by how much more rows are exceeded, as shares of their capacity, if a node takes it.
void LocalSearch::collectExcess(uint32_t index) {
  const Node &node = network_.nodes()[index];
  excess_.assign(node.states.size(), 0);
  for (const NodeUse &use : node.uses) {
    int64_t capacity = network_.problem().parts().rows[use.row].capacity;
    int64_t used = used_[use.row], others = used - use.bytes[choice_[index]];
    // Nothing that the node can do exceeds this row.
    if (used <= capacity && others + use.most <= capacity)
      continue;
    auto over = [&](int64_t bytes) { return std::max<int64_t>(0, bytes - capacity); };
    for (size_t s = 0; s < excess_.size(); ++s)
      excess_[s] += static_cast<double>(over(others + use.bytes[s]) - over(used)) /
                    static_cast<double>(capacity + 1);
  }
}

double LocalSearch::excess() const {
  double sum = 0;
  for (uint32_t row : network_.rows()) {
    int64_t capacity = network_.problem().parts().rows[row].capacity;
    sum += static_cast<double>(std::max<int64_t>(0, used_[row] - capacity)) /
           static_cast<double>(capacity + 1);
  }
  return sum;
}

void LocalSearch::move(uint32_t index, uint32_t state) {
  for (const NodeUse &use : network_.nodes()[index].uses)
    used_[use.row] += use.bytes[state] - use.bytes[choice_[index]];
  choice_[index] = state;
}

/// Moves each node to its cheapest state that does not exceed rows by more.
bool LocalSearch::passNodes() {
  bool isChanged = false;
  for (uint32_t i = 0; i < choice_.size(); ++i) {
    if (!isOpen_[i])
      continue;
    isOpen_[i] = false;
    collect(i, costs_);
    collectExcess(i);
    uint32_t best = choice_[i];
    for (uint32_t s = 0; s < costs_.size(); ++s)
      if (costs_[s] < costs_[best] && excess_[s] <= 0)
        best = s;
    if (best != choice_[i]) {
      move(i, best);
      isChanged = true;
      for (uint32_t e : network_.nodes()[i].before)
        isOpen_[network_.edges()[e].first] = true;
      for (uint32_t e : network_.nodes()[i].after)
        isOpen_[network_.edges()[e].second] = true;
    }
  }
  return isChanged;
}

/// Changes that take bytes off exceeded rows, those that cost the least for each byte first. Later
/// ones of a sweep are judged again when they come: others may have changed what they cost.
bool LocalSearch::repairRows() {
  struct Change {
    double rate;
    uint32_t node, state;
  };
  constexpr int maxSweeps = 20;
  for (int sweep = 0; excess() > 0 && sweep < maxSweeps; ++sweep) {
    std::vector<Change> changes;
    auto find = [&](uint32_t node) -> std::optional<Change> {
      Change best{std::numeric_limits<double>::infinity(), node, 0};
      collect(node, costs_);
      collectExcess(node);
      for (uint32_t s = 0; s < costs_.size(); ++s) {
        double less = -excess_[s];
        if (s == choice_[node] || less <= 0)
          continue;
        double more = costs_[s] - costs_[choice_[node]];
        double rate = more > 0 ? more / less : more;
        if (rate < best.rate)
          best = {rate, node, s};
      }
      return best.rate < std::numeric_limits<double>::infinity() ? std::optional(best)
                                                                 : std::nullopt;
    };
    for (uint32_t i = 0; i < choice_.size(); ++i) {
      bool isUsed =
          std::any_of(network_.nodes()[i].uses.begin(), network_.nodes()[i].uses.end(),
                      [&](const NodeUse &use) {
                        return used_[use.row] > network_.problem().parts().rows[use.row].capacity;
                      });
      if (isUsed)
        if (auto change = find(i))
          changes.push_back(*change);
    }
    if (changes.empty())
      return false;
    std::sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
      return std::tie(a.rate, a.node) < std::tie(b.rate, b.node);
    });
    double limit = changes[changes.size() / 4].rate;
    for (const Change &change : changes) {
      if (excess() <= 0 || change.rate > limit)
        break;
      if (auto now = find(change.node); now && now->rate <= std::max(limit, 0.0))
        move(now->node, now->state);
    }
  }
  return excess() == 0;
}

bool LocalSearch::improve(std::vector<uint32_t> &choice, int passes) {
  setChoice(choice);
  bool isWithin = repairRows();
  // Nodes of which no neighbour has changed since they were looked at need not be again.
  isOpen_.clear();
  for (const Node &node : network_.nodes())
    isOpen_.push_back(node.states.size() > 1);
  for (int pass = 0; pass < passes && passNodes(); ++pass) {
  }
  choice = choice_;
  return isWithin;
}
