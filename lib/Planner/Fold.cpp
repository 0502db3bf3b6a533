//===- Fold.cpp - Plans in which alike nodes agree ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Fold.h.
//
//===----------------------------------------------------------------------===//
#include "Fold.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <unordered_map>

using namespace dmc::planner;

namespace {
/// FNV-1a, in words: equal in every run.
struct KeyHash {
  size_t operator()(const std::vector<uint64_t> &key) const {
    uint64_t hash = 14695981039346656037U;
    for (uint64_t word : key) {
      hash = (hash ^ word) * 1099511628211U;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

/// Numbers keys in the order of their appearance.
class Numbering {
public:
  uint32_t get(const std::vector<uint64_t> &key) {
    return numbers_.try_emplace(key, static_cast<uint32_t>(numbers_.size())).first->second;
  }
  uint32_t size() const { return static_cast<uint32_t>(numbers_.size()); }

private:
  std::unordered_map<std::vector<uint64_t>, uint32_t, KeyHash> numbers_;
};
} // namespace

/// By their own costs. What they use of memory may differ: a plan in which alike nodes agree uses
/// the sum.
static std::vector<uint32_t> classifyAlone(const Network &network, uint32_t &count) {
  Numbering numbering;
  std::vector<uint32_t> classes;
  std::vector<uint64_t> key;
  for (const Node &node : network.nodes()) {
    key.assign(node.costs.begin(), node.costs.end());
    classes.push_back(numbering.get(key));
  }
  count = numbering.size();
  return classes;
}

/// By the classes so far, and those behind the node's edges.
static std::vector<uint32_t> refine(const Network &network, const std::vector<uint32_t> &classes,
                                    uint32_t &count) {
  Numbering numbering;
  std::vector<uint32_t> refined;
  std::vector<uint64_t> key;
  for (uint32_t i = 0; i < classes.size(); ++i) {
    key.assign(1, classes[i]);
    const Node &node = network.nodes()[i];
    for (uint32_t e : node.before) {
      const Edge &edge = network.edges()[e];
      key.push_back(uint64_t(2) * edge.table << 32 | classes[edge.first]);
    }
    for (uint32_t e : node.after) {
      const Edge &edge = network.edges()[e];
      key.push_back((uint64_t(2) * edge.table + 1) << 32 | classes[edge.second]);
    }
    std::sort(key.begin() + 1, key.end());
    refined.push_back(numbering.get(key));
  }
  count = numbering.size();
  return refined;
}

std::optional<NodeClasses> dmc::planner::findClasses(const Network &network, uint32_t limit) {
  uint32_t count = 0;
  std::vector<uint32_t> classes = classifyAlone(network, count);
  if (count > limit)
    return std::nullopt;
  while (true) {
    uint32_t next = 0;
    std::vector<uint32_t> refined = refine(network, classes, next);
    if (next == count || next > limit)
      break;
    count = next;
    classes = std::move(refined);
  }
  NodeClasses result{std::move(classes), {}};
  for (uint32_t i = 0; i < result.ofNode.size(); ++i)
    if (result.ofNode[i] == result.representatives.size())
      result.representatives.push_back(i);
  return result;
}

/// The rows that matter, of which a class uses what all of its nodes do.
static void addRows(const Network &network, const NodeClasses &classes, ProblemParts &parts) {
  std::map<uint32_t, std::map<std::pair<uint32_t, uint32_t>, int64_t>> uses;
  for (uint32_t i = 0; i < classes.ofNode.size(); ++i)
    for (const NodeUse &use : network.nodes()[i].uses)
      for (auto [state, bytes] : llvm::enumerate(use.bytes))
        if (bytes > 0)
          uses[use.row][{classes.ofNode[i], static_cast<uint32_t>(state)}] += bytes;
  for (uint32_t number : network.rows()) {
    const Row &whole = network.problem().parts().rows[number];
    Row folded{whole.name, whole.capacity, {}};
    for (const auto &[place, bytes] : uses[number])
      folded.uses.push_back({place.first, place.second, bytes});
    parts.rows.push_back(std::move(folded));
  }
}

std::optional<LayoutProblem> dmc::planner::foldProblem(const Network &network,
                                                       const NodeClasses &classes) {
  auto count = static_cast<uint32_t>(classes.representatives.size());
  std::vector<int64_t> sizes(count, 0);
  for (uint32_t number : classes.ofNode)
    ++sizes[number];
  ProblemParts parts;
  parts.name = network.problem().parts().name;
  for (uint32_t c = 0; c < count; ++c) {
    const Node &node = network.nodes()[classes.representatives[c]];
    Variable variable{std::to_string(c), {}, {}};
    for (auto [state, cost] : llvm::enumerate(node.costs))
      variable.states.push_back({std::to_string(state), cost * sizes[c]});
    parts.variables.push_back(std::move(variable));
  }
  // Edges between two classes: how often each table, and whether its rows are the class of larger
  // number.
  using Parts = std::map<std::pair<uint32_t, bool>, int64_t>;
  std::map<std::pair<uint32_t, uint32_t>, Parts> links;
  for (const Edge &edge : network.edges()) {
    uint32_t first = classes.ofNode[edge.first], second = classes.ofNode[edge.second];
    ++links[std::minmax(first, second)][{edge.table, first > second}];
    if (first == second)
      for (size_t state = 0; state < parts.variables[first].states.size(); ++state) {
        int64_t &cost = parts.variables[first].states[state].cost;
        int64_t own = network.table(edge).at(state, state);
        cost = cost == infeasible || own == infeasible ? infeasible : cost + own;
      }
  }
  std::map<Parts, uint32_t> made;
  for (const auto &[ends, tables] : links) {
    auto [first, second] = ends;
    if (first == second)
      continue;
    auto [it, isNew] = made.try_emplace(tables, static_cast<uint32_t>(parts.tables.size()));
    if (isNew) {
      Table table{static_cast<uint32_t>(parts.variables[first].states.size()),
                  static_cast<uint32_t>(parts.variables[second].states.size()),
                  {}};
      table.costs.assign(static_cast<size_t>(table.rows) * table.columns, 0);
      for (const auto &[part, times] : tables) {
        const CostTable &from = network.tableOf(part.first);
        for (uint32_t row = 0; row < table.rows; ++row)
          for (uint32_t column = 0; column < table.columns; ++column) {
            int64_t cost = part.second ? from.at(column, row) : from.at(row, column);
            int64_t &sum = table.costs[static_cast<size_t>(row) * table.columns + column];
            sum = sum == infeasible || cost == infeasible ? infeasible : sum + cost * times;
          }
      }
      parts.tables.push_back(std::move(table));
    }
    parts.pairs.push_back({first, second, it->second, {}});
  }
  addRows(network, classes, parts);
  std::vector<Mistake> mistakes;
  return LayoutProblem::create(std::move(parts), mistakes);
}

std::vector<int64_t> dmc::planner::countEdges(const Network &network, const NodeClasses &classes,
                                              const Network &folded) {
  std::map<std::pair<uint32_t, uint32_t>, int64_t> counts;
  for (const Edge &edge : network.edges())
    ++counts[std::minmax(classes.ofNode[edge.first], classes.ofNode[edge.second])];
  std::vector<int64_t> result;
  result.reserve(folded.edges().size());
  for (const Edge &edge : folded.edges())
    result.push_back(counts.at({edge.first, edge.second}));
  return result;
}
