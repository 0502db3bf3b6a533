//===- TreeMoves.cpp - Best changes of trees of nodes ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TreeMoves.h.
//
//===----------------------------------------------------------------------===//
#include "TreeMoves.h"
#include "MinPlus.h"

#include <algorithm>
#include <numeric>

using namespace dmc::planner;

TreeMoves::TreeMoves(const Network &network, const std::vector<double> &prices)
    : network_(network), prices_(prices), costs_(network.nodes().size()) {}

/// A linear congruential generator (D. Knuth, MMIX); the high bits are the random ones.
uint32_t TreeMoves::draw(uint32_t count) {
  random_ = random_ * 6364136223846793005U + 1442695040888963407U;
  return static_cast<uint32_t>(random_ >> 33) % count;
}

/// Nodes in the order of a walk from a drawn one: a node joins if that closes no cycle.
void TreeMoves::drawForest() {
  auto count = static_cast<uint32_t>(network_.nodes().size());
  std::vector<uint32_t> tree(count);
  std::iota(tree.begin(), tree.end(), 0);
  auto find = [&](uint32_t node) {
    while (tree[node] != node)
      node = tree[node] = tree[tree[node]];
    return node;
  };
  isMember_.assign(count, false);
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  // Neighbours in the order of nodes are mostly neighbours in the network: blocks stay together.
  uint32_t block = 1 + draw(16), start = draw(count);
  std::rotate(order.begin(), order.begin() + start, order.end());
  for (uint32_t at = 0; at < count; at += block)
    for (uint32_t end = std::min(count, at + block), i = at; i + 1 < end; ++i)
      std::swap(order[i], order[i + draw(end - i)]);
  for (uint32_t node : order) {
    std::vector<uint32_t> joined;
    for (const auto *edges : {&network_.nodes()[node].before, &network_.nodes()[node].after})
      for (uint32_t e : *edges)
        if (isMember_[other(e, node)])
          joined.push_back(find(other(e, node)));
    std::sort(joined.begin(), joined.end());
    if (std::adjacent_find(joined.begin(), joined.end()) != joined.end())
      continue;
    isMember_[node] = true;
    for (uint32_t root : joined)
      tree[root] = node;
  }
  members_.clear();
  std::vector<bool> isSeen(count, false);
  for (uint32_t root = 0; root < count; ++root) {
    if (!isMember_[root] || isSeen[root])
      continue;
    isSeen[root] = true;
    size_t next = members_.size();
    for (members_.push_back({root, {}}); next < members_.size(); ++next) {
      uint32_t node = members_[next].node;
      for (const auto *edges : {&network_.nodes()[node].before, &network_.nodes()[node].after})
        for (uint32_t e : *edges)
          if (uint32_t to = other(e, node); isMember_[to] && !isSeen[to]) {
            isSeen[to] = true;
            members_.push_back({to, e});
          }
    }
  }
}

/// What a member's states cost beside the nodes that keep theirs.
void TreeMoves::collect(uint32_t index, const std::vector<uint32_t> &choice) {
  const Node &node = network_.nodes()[index];
  std::vector<double> &costs = costs_[index];
  costs.assign(node.costs.begin(), node.costs.end());
  for (const NodeUse &use : node.uses)
    for (size_t s = 0; s < costs.size(); ++s)
      costs[s] += prices_[use.row] * static_cast<double>(use.bytes[s]);
  for (uint32_t e : node.before)
    if (uint32_t to = network_.edges()[e].first; !isMember_[to]) {
      const CostTable &table = network_.table(network_.edges()[e]);
      const double *row = table.forward.data() +
                          static_cast<size_t>(table.forwardStride) * table.rowClass[choice[to]];
      for (size_t s = 0; s < costs.size(); ++s)
        costs[s] += row[table.columnClass[s]];
    }
  for (uint32_t e : node.after)
    if (uint32_t to = network_.edges()[e].second; !isMember_[to]) {
      const CostTable &table = network_.table(network_.edges()[e]);
      const double *column = table.backward.data() + static_cast<size_t>(table.backwardStride) *
                                                         table.columnClass[choice[to]];
      for (size_t s = 0; s < costs.size(); ++s)
        costs[s] += column[table.rowClass[s]];
    }
}

/// Adds to the parent's states what the member and those below it cost at best.
void TreeMoves::sendUp(const Member &member) {
  const Edge &edge = network_.edges()[*member.edge];
  const CostTable &table = network_.table(edge);
  bool isFirst = edge.first == member.node;
  const auto &from = isFirst ? table.rowClass : table.columnClass,
             &to = isFirst ? table.columnClass : table.rowClass;
  uint32_t count = isFirst ? table.rowClasses : table.columnClasses,
           stride = isFirst ? table.forwardStride : table.backwardStride;
  const auto &costs = costs_[member.node];
  input_.assign(count, std::numeric_limits<double>::infinity());
  for (size_t s = 0; s < from.size(); ++s)
    input_[from[s]] = std::min(input_[from[s]], costs[s]);
  output_.resize(stride);
  multiplyMinPlus(input_.data(), count, (isFirst ? table.forward : table.backward).data(), stride,
                  std::numeric_limits<double>::infinity(), output_.data());
  auto &above = costs_[isFirst ? edge.second : edge.first];
  for (size_t s = 0; s < to.size(); ++s)
    above[s] += output_[to[s]];
}

bool TreeMoves::move(std::vector<uint32_t> &choice) {
  if (choice.empty())
    return false;
  drawForest();
  for (const Member &member : members_)
    collect(member.node, choice);
  for (auto member = members_.rbegin(); member != members_.rend(); ++member)
    if (member->edge)
      sendUp(*member);
  bool isChanged = false;
  for (const Member &member : members_) {
    std::vector<double> &costs = costs_[member.node];
    if (member.edge) {
      const Edge &edge = network_.edges()[*member.edge];
      const CostTable &table = network_.table(edge);
      for (uint32_t s = 0; s < costs.size(); ++s)
        if (edge.first == member.node)
          costs[s] += table.forward[static_cast<size_t>(table.forwardStride) * table.rowClass[s] +
                                    table.columnClass[choice[edge.second]]];
        else
          costs[s] += table.forward[static_cast<size_t>(table.forwardStride) *
                                        table.rowClass[choice[edge.first]] +
                                    table.columnClass[s]];
    }
    // Its state stays unless another is better.
    uint32_t best = choice[member.node];
    for (uint32_t s = 0; s < costs.size(); ++s)
      if (costs[s] < costs[best])
        best = s;
    isChanged |= best != choice[member.node];
    choice[member.node] = best;
  }
  return isChanged;
}
