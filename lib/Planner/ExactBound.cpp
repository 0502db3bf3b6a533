//===- ExactBound.cpp - Bounds of potentials in integers ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of what is least in each node and in each edge, once costs are moved between them.
//
//===----------------------------------------------------------------------===//
#include "ExactBound.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace dmc::planner;

/// Costs times the scale stay below 2^57, and a thousandth of the smallest price that matters is
/// not 0: sums of a row's bytes stay below 2^56.
Scales::Scales(const LayoutProblem &problem) {
  uint32_t bits = llvm::Log2_64_Ceil(static_cast<uint64_t>(problem.getLargestCost()) + 2);
  potential = int64_t(1) << std::clamp(57 - static_cast<int>(bits), 0, 24);
  price = int64_t(1) << 24;
}

int64_t Scales::toPicoseconds(Wide sum) const {
  Wide whole = sum / common();
  if (whole * common() < sum)
    ++whole;
  return static_cast<int64_t>(std::clamp<Wide>(whole, -(Wide(1) << 62), (Wide(1) << 62)));
}

std::vector<double> Scales::getPrices(const std::vector<int64_t> &prices) const {
  std::vector<double> ofBytes;
  ofBytes.reserve(prices.size());
  for (int64_t of : prices)
    ofBytes.push_back(static_cast<double>(of) / static_cast<double>(price));
  return ofBytes;
}

ExactBound::ExactBound(const Network &network, const Scales &scales, const Potentials &potentials,
                       const std::vector<int64_t> &prices)
    : network_(network), scales_(scales) {
  for (uint32_t i = 0; i < network.nodes().size(); ++i)
    addNode(i, potentials, prices);
  for (size_t row = 0; row < prices.size(); ++row)
    bound_ -= static_cast<Wide>(network.problem().parts().rows[row].capacity) * prices[row] *
              scales.potential;
  excess_ = own_;
  for (uint32_t e = 0; e < network.edges().size(); ++e)
    addEdge(e, potentials);
}

void ExactBound::addNode(uint32_t index, const Potentials &potentials,
                         const std::vector<int64_t> &prices) {
  const Node &node = network_.nodes()[index];
  std::vector<Wide> own;
  own.reserve(node.costs.size());
  for (int64_t cost : node.costs)
    own.push_back(cost * scales_.common());
  for (const NodeUse &use : node.uses)
    for (size_t s = 0; s < own.size(); ++s)
      own[s] += static_cast<Wide>(use.bytes[s]) * prices[use.row] * scales_.potential;
  auto add = [&](const std::vector<int64_t> &potential) {
    for (size_t s = 0; s < own.size(); ++s)
      own[s] += static_cast<Wide>(potential[s]) * scales_.price;
  };
  for (uint32_t e : node.before)
    add(potentials.toSecond[e]);
  for (uint32_t e : node.after)
    add(potentials.toFirst[e]);
  Wide least = *std::min_element(own.begin(), own.end());
  for (Wide &value : own)
    value -= least;
  bound_ += least;
  own_.push_back(std::move(own));
}

void ExactBound::addEdge(uint32_t index, const Potentials &potentials) {
  const Edge &edge = network_.edges()[index];
  const CostTable &table = network_.table(edge);
  // The most that a class's states take is what counts in its least entry.
  auto collect = [](const std::vector<int64_t> &potential, const std::vector<uint32_t> &classes,
                    uint32_t count) {
    std::vector<int64_t> most(count, std::numeric_limits<int64_t>::min());
    for (size_t s = 0; s < classes.size(); ++s)
      most[classes[s]] = std::max(most[classes[s]], potential[s]);
    return most;
  };
  const auto &first = potentials.toFirst[index], &second = potentials.toSecond[index];
  auto rowMost = collect(first, table.rowClass, table.rowClasses),
       columnMost = collect(second, table.columnClass, table.columnClasses);
  std::vector<int64_t> rowLeast(table.rowClasses, infeasible),
      columnLeast(table.columnClasses, infeasible);
  int64_t least = infeasible;
  for (uint32_t row = 0; row < table.rowClasses; ++row)
    for (uint32_t column = 0; column < table.columnClasses; ++column) {
      int64_t cost = table.ofClasses(row, column);
      if (cost == infeasible)
        continue;
      cost *= scales_.potential;
      rowLeast[row] = std::min(rowLeast[row], cost - columnMost[column]);
      columnLeast[column] = std::min(columnLeast[column], cost - rowMost[row]);
      least = std::min(least, cost - rowMost[row] - columnMost[column]);
    }
  bound_ += static_cast<Wide>(least) * scales_.price;
  edgeLeast_.push_back(least);
  auto addExcess = [&](std::vector<Wide> &excess, const std::vector<int64_t> &of,
                       const std::vector<uint32_t> &classes,
                       const std::vector<int64_t> &potential) {
    for (size_t s = 0; s < excess.size(); ++s)
      excess[s] += static_cast<Wide>(of[classes[s]] - potential[s] - least) * scales_.price;
  };
  addExcess(excess_[edge.first], rowLeast, table.rowClass, first);
  addExcess(excess_[edge.second], columnLeast, table.columnClass, second);
}
