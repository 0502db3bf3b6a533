//===- Network.cpp - A layout problem as the solver sees it ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Network.h.
//
//===----------------------------------------------------------------------===//
#include "Network.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

using namespace dmc::planner;

namespace {
/// Numbers rows by their contents: equal ones have one number, in the order of appearance.
template <typename GetEntry>
std::vector<uint32_t> classify(uint32_t rows, uint32_t columns, uint32_t &count,
                               std::vector<uint32_t> &representatives, GetEntry get) {
  std::vector<uint32_t> classes(rows);
  std::unordered_multimap<size_t, uint32_t> known;
  count = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    llvm::hash_code hash = llvm::hash_value(columns);
    for (uint32_t column = 0; column < columns; ++column)
      hash = llvm::hash_combine(hash, get(row, column));
    std::optional<uint32_t> found;
    auto [begin, end] = known.equal_range(hash);
    for (auto it = begin; it != end && !found; ++it) {
      uint32_t other = representatives[it->second];
      bool isEqual = true;
      for (uint32_t column = 0; isEqual && column < columns; ++column)
        isEqual = get(row, column) == get(other, column);
      if (isEqual)
        found = it->second;
    }
    if (!found) {
      found = count++;
      representatives.push_back(row);
      known.emplace(hash, *found);
    }
    classes[row] = *found;
  }
  return classes;
}

uint32_t pad(uint32_t count) { return (count + 7) / 8 * 8; }

/// A table of the entries that `get` returns.
template <typename GetEntry>
std::shared_ptr<const CostTable> makeTable(uint32_t rows, uint32_t columns, double big,
                                           GetEntry get) {
  auto table = std::make_shared<CostTable>();
  std::vector<uint32_t> ofRows, ofColumns;
  table->rowClass = classify(rows, columns, table->rowClasses, ofRows, get);
  table->columnClass =
      classify(columns, table->rowClasses, table->columnClasses, ofColumns,
               [&](uint32_t column, uint32_t row) { return get(ofRows[row], column); });
  table->forwardStride = pad(table->columnClasses);
  table->backwardStride = pad(table->rowClasses);
  table->forward.assign(static_cast<size_t>(table->rowClasses) * table->forwardStride, big);
  table->backward.assign(static_cast<size_t>(table->columnClasses) * table->backwardStride, big);
  for (uint32_t row = 0; row < table->rowClasses; ++row)
    for (uint32_t column = 0; column < table->columnClasses; ++column) {
      int64_t cost = get(ofRows[row], ofColumns[column]);
      table->costs.push_back(cost);
      table->hasInfeasible |= cost == infeasible;
      double inMessages = cost == infeasible ? big : static_cast<double>(cost);
      table->forward[static_cast<size_t>(row) * table->forwardStride + column] = inMessages;
      table->backward[static_cast<size_t>(column) * table->backwardStride + row] = inMessages;
    }
  return table;
}
} // namespace

Network::Network(const LayoutProblem &problem)
    : problem_(&problem), big_(4 * (static_cast<double>(problem.getLargestCost()) + 1)) {
  buildNodes(problem);
  buildEdges(problem);
  findRows();
  dropUses();
}

void Network::buildNodes(const LayoutProblem &problem) {
  nodes_.resize(problem.getNumVariables());
  for (uint32_t v = 0; v < nodes_.size(); ++v) {
    nodes_[v].variable = v;
    for (uint32_t s = 0; s < problem.getNumStates(v); ++s)
      if (int64_t cost = problem.getCost(v, s); cost != infeasible) {
        nodes_[v].states.push_back(s);
        nodes_[v].costs.push_back(cost);
      }
  }
  for (auto [index, row] : llvm::enumerate(problem.parts().rows)) {
    std::map<uint32_t, std::vector<int64_t>> uses;
    for (const MemoryUse &use : row.uses) {
      auto &bytes =
          uses.try_emplace(use.variable, problem.getNumStates(use.variable), 0).first->second;
      bytes[use.state] = use.bytes;
    }
    for (auto &[variable, bytes] : uses) {
      NodeUse use{static_cast<uint32_t>(index), {}, 0};
      for (uint32_t s : nodes_[variable].states)
        use.bytes.push_back(bytes[s]);
      nodes_[variable].uses.push_back(std::move(use));
    }
  }
}

void Network::buildEdges(const LayoutProblem &problem) {
  const ProblemParts &parts = problem.parts();
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> links;
  for (auto [index, pair] : llvm::enumerate(parts.pairs))
    links[std::minmax(pair.first, pair.second)].push_back(static_cast<uint32_t>(index));
  // Equal sums of tables over equal states are made once.
  std::map<std::vector<uint32_t>, uint32_t> kept;
  std::vector<uint32_t> keptNumber;
  keptNumber.reserve(nodes_.size());
  for (const Node &node : nodes_)
    keptNumber.push_back(
        kept.try_emplace(node.states, static_cast<uint32_t>(kept.size())).first->second);
  using Part = std::tuple<uint32_t, int64_t, bool>;
  std::map<std::tuple<std::vector<Part>, uint32_t, uint32_t>, uint32_t> made;
  uint32_t number = 0;
  for (const auto &[ends, pairs] : links) {
    auto [a, b] = ends;
    std::vector<Part> sum;
    for (uint32_t index : pairs) {
      const Pair &pair = parts.pairs[index];
      sum.push_back({pair.table, problem.getTrips(pair.loop), pair.first != a});
    }
    llvm::sort(sum);
    auto [it, isNew] = made.try_emplace({sum, keptNumber[a], keptNumber[b]},
                                        static_cast<uint32_t>(tables_.size()));
    if (isNew) {
      const auto &rows = nodes_[a].states, &columns = nodes_[b].states;
      tables_.push_back(
          makeTable(rows.size(), columns.size(), big_, [&](uint32_t row, uint32_t column) {
            int64_t total = 0;
            for (auto [table, trips, isTransposed] : sum) {
              const Table &costs = parts.tables[table];
              int64_t cost = isTransposed ? costs.at(columns[column], rows[row])
                                          : costs.at(rows[row], columns[column]);
              if (cost == infeasible)
                return infeasible;
              total += cost * trips;
            }
            return total;
          }));
    }
    uint32_t edge = static_cast<uint32_t>(edges_.size());
    edges_.push_back({a, b, it->second, number++, false});
    nodes_[a].after.push_back(edge);
    nodes_[b].before.push_back(edge);
  }
}

void Network::findRows() {
  const ProblemParts &parts = problem_->parts();
  std::vector<int64_t> most(parts.rows.size(), 0);
  for (Node &node : nodes_)
    for (NodeUse &use : node.uses) {
      use.most = use.bytes.empty() ? 0 : *llvm::max_element(use.bytes);
      most[use.row] += use.most;
    }
  rows_.clear();
  for (uint32_t row = 0; row < parts.rows.size(); ++row)
    if (most[row] > parts.rows[row].capacity)
      rows_.push_back(row);
}

/// Forgets the uses of rows that nothing exceeds.
void Network::dropUses() {
  for (Node &node : nodes_)
    llvm::erase_if(node.uses, [&](const NodeUse &use) {
      return use.most == 0 || !std::binary_search(rows_.begin(), rows_.end(), use.row);
    });
}

std::vector<int64_t> Network::getBytes(llvm::ArrayRef<uint32_t> choice) const {
  std::vector<int64_t> bytes(problem_->parts().rows.size(), 0);
  for (size_t i = 0; i < nodes_.size(); ++i)
    for (const NodeUse &use : nodes_[i].uses)
      bytes[use.row] += use.bytes[choice[i]];
  return bytes;
}

int64_t Network::getNumStates() const {
  int64_t count = 0;
  for (const Node &node : nodes_)
    count += static_cast<int64_t>(node.states.size());
  return count;
}

Assignment Network::toAssignment(llvm::ArrayRef<uint32_t> choice) const {
  Assignment assignment(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i)
    assignment[nodes_[i].variable] = nodes_[i].states[choice[i]];
  return assignment;
}

std::optional<std::vector<uint32_t>> Network::toChoice(llvm::ArrayRef<uint32_t> assignment) const {
  std::vector<uint32_t> choice(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const auto &states = nodes_[i].states;
    auto found = std::lower_bound(states.begin(), states.end(), assignment[nodes_[i].variable]);
    if (found == states.end() || *found != assignment[nodes_[i].variable])
      return std::nullopt;
    choice[i] = static_cast<uint32_t>(found - states.begin());
  }
  return choice;
}

Network Network::restrict(const std::vector<std::vector<bool>> &keep) const {
  Network result;
  result.problem_ = problem_;
  result.big_ = big_;
  result.edges_ = edges_;
  result.nodes_ = nodes_;
  std::map<std::vector<bool>, uint32_t> numbers;
  std::vector<uint32_t> number;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    number.push_back(
        numbers.try_emplace(keep[i], static_cast<uint32_t>(numbers.size())).first->second);
    auto select = [&](const auto &from, auto &to) {
      to.clear();
      for (size_t s = 0; s < from.size(); ++s)
        if (keep[i][s])
          to.push_back(from[s]);
    };
    Node &node = result.nodes_[i];
    select(nodes_[i].states, node.states);
    select(nodes_[i].costs, node.costs);
    for (size_t u = 0; u < node.uses.size(); ++u)
      select(nodes_[i].uses[u].bytes, node.uses[u].bytes);
  }
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> made;
  for (Edge &edge : result.edges_) {
    auto [it, isNew] = made.try_emplace({edge.table, number[edge.first], number[edge.second]},
                                        static_cast<uint32_t>(result.tables_.size()));
    if (isNew) {
      const auto &rows = keep[edge.first], &columns = keep[edge.second];
      const CostTable &table = *tables_[edge.table];
      if (llvm::all_of(rows, [](bool is) { return is; }) &&
          llvm::all_of(columns, [](bool is) { return is; })) {
        result.tables_.push_back(tables_[edge.table]);
      } else {
        std::vector<uint32_t> ofRows, ofColumns;
        for (uint32_t s = 0; s < rows.size(); ++s)
          if (rows[s])
            ofRows.push_back(s);
        for (uint32_t s = 0; s < columns.size(); ++s)
          if (columns[s])
            ofColumns.push_back(s);
        result.tables_.push_back(
            makeTable(ofRows.size(), ofColumns.size(), big_, [&](uint32_t row, uint32_t column) {
              return table.at(ofRows[row], ofColumns[column]);
            }));
      }
    }
    edge.table = it->second;
  }
  result.findRows();
  return result;
}

std::vector<std::vector<bool>> dmc::planner::keepAll(const Network &network) {
  std::vector<std::vector<bool>> keep;
  for (const Node &node : network.nodes())
    keep.emplace_back(node.states.size(), true);
  return keep;
}
