//===- Messages.cpp - Lower bounds by message passing ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Messages.h.
//
//===----------------------------------------------------------------------===//
#include "Messages.h"
#include "MinPlus.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

using namespace dmc::planner;

Messages::Messages(const Network &network) : network_(&network) {
  size_t size = 0;
  for (const Edge &edge : network.edges()) {
    edgeOffsets_.push_back(size);
    size += network.nodes()[edge.first].states.size() + network.nodes()[edge.second].states.size();
  }
  data_.assign(size, 0);
  size = 0;
  for (const Node &node : network.nodes()) {
    nodeOffsets_.push_back(size);
    size += node.states.size();
    share_.push_back(
        1.0 / static_cast<double>(std::max({node.before.size(), node.after.size(), size_t(1)})));
  }
  beliefs_.assign(size, 0);
  unary_.assign(size, 0);
  setPrices(std::vector<double>(network.problem().parts().rows.size(), 0));
}

void Messages::setPrices(std::vector<double> prices) {
  prices_ = std::move(prices);
  for (size_t i = 0; i < network_->nodes().size(); ++i) {
    const Node &node = network_->nodes()[i];
    double *unary = &unary_[nodeOffsets_[i]];
    for (size_t s = 0; s < node.states.size(); ++s)
      unary[s] = static_cast<double>(node.costs[s]);
    for (const NodeUse &use : node.uses)
      for (size_t s = 0; s < node.states.size(); ++s)
        unary[s] += prices_[use.row] * static_cast<double>(use.bytes[s]);
  }
}

/// All that a node's states cost with its messages, the least of it subtracted and returned.
double Messages::collect(uint32_t index, double *belief) const {
  const Node &node = network_->nodes()[index];
  size_t count = node.states.size();
  std::copy_n(&unary_[nodeOffsets_[index]], count, belief);
  auto add = [&](const double *message) {
    for (size_t s = 0; s < count; ++s)
      belief[s] += message[s];
  };
  for (uint32_t e : node.before)
    add(toSecond(e));
  for (uint32_t e : node.after)
    add(toFirst(e));
  double least = *std::min_element(belief, belief + count);
  for (size_t s = 0; s < count; ++s)
    belief[s] -= least;
  return least;
}

/// Shares the least of a message among all classes' states; returns what it takes off.
static double spread(const std::vector<double> &output, const std::vector<uint32_t> &classes,
                     uint32_t count, double big, double *message) {
  double least = *std::min_element(output.begin(), output.begin() + count);
  for (size_t s = 0; s < classes.size(); ++s)
    message[s] = std::min(output[classes[s]] - least, big);
  return least;
}

static void gather(const double *belief, double share, const double *message,
                   const std::vector<uint32_t> &classes, uint32_t count,
                   std::vector<double> &input) {
  input.assign(count, std::numeric_limits<double>::infinity());
  for (size_t s = 0; s < classes.size(); ++s)
    input[classes[s]] = std::min(input[classes[s]], share * belief[s] - message[s]);
}

double Messages::sendForward(uint32_t index, const double *belief, double share) {
  const CostTable &table = network_->table(network_->edges()[index]);
  gather(belief, share, toFirst(index), table.rowClass, table.rowClasses, input_);
  output_.resize(table.forwardStride);
  multiplyMinPlus(input_.data(), table.rowClasses, table.forward.data(), table.forwardStride,
                  network_->big(), output_.data());
  return spread(output_, table.columnClass, table.columnClasses, network_->big(), toSecond(index));
}

double Messages::sendBackward(uint32_t index, const double *belief, double share) {
  const CostTable &table = network_->table(network_->edges()[index]);
  gather(belief, share, toSecond(index), table.columnClass, table.columnClasses, input_);
  output_.resize(table.backwardStride);
  multiplyMinPlus(input_.data(), table.columnClasses, table.backward.data(), table.backwardStride,
                  network_->big(), output_.data());
  return spread(output_, table.rowClass, table.rowClasses, network_->big(), toFirst(index));
}

double Messages::iterate() {
  auto count = static_cast<uint32_t>(network_->nodes().size());
  for (uint32_t i = 0; i < count; ++i) {
    double *belief = beliefs_.data() + nodeOffsets_[i];
    collect(i, belief);
    for (uint32_t e : network_->nodes()[i].after)
      sendForward(e, belief, share_[i]);
  }
  double bound = 0;
  for (uint32_t i = count; i-- > 0;) {
    double *belief = beliefs_.data() + nodeOffsets_[i];
    bound += collect(i, belief);
    for (uint32_t e : network_->nodes()[i].before)
      bound += sendBackward(e, belief, share_[i]);
  }
  return bound;
}

std::vector<uint32_t> Messages::decode() const {
  std::vector<uint32_t> choice(network_->nodes().size(), 0);
  std::vector<double> score;
  for (uint32_t i = 0; i < choice.size(); ++i) {
    const Node &node = network_->nodes()[i];
    score.assign(unary_.begin() + nodeOffsets_[i],
                 unary_.begin() + nodeOffsets_[i] + node.states.size());
    for (uint32_t e : node.before) {
      const Edge &edge = network_->edges()[e];
      const CostTable &table = network_->table(edge);
      const double *row = table.forward.data() + static_cast<size_t>(table.forwardStride) *
                                                     table.rowClass[choice[edge.first]];
      for (size_t s = 0; s < score.size(); ++s)
        score[s] += row[table.columnClass[s]];
    }
    for (uint32_t e : node.after)
      for (size_t s = 0; s < score.size(); ++s)
        score[s] += toFirst(e)[s];
    choice[i] = static_cast<uint32_t>(std::min_element(score.begin(), score.end()) - score.begin());
  }
  return choice;
}

/// The second node of each edge gives the edge its share of what it was worth when its messages
/// were sent: the sum of minima is then the bound of the iteration.
Potentials Messages::getPotentials(int64_t scale) const {
  constexpr double largest = 0x1p60;
  auto round = [&](double value) {
    return static_cast<int64_t>(
        std::clamp(std::round(value * static_cast<double>(scale)), -largest, largest));
  };
  Potentials result;
  for (uint32_t e = 0; e < network_->edges().size(); ++e) {
    const Edge &edge = network_->edges()[e];
    std::vector<int64_t> first(network_->nodes()[edge.first].states.size()),
        second(network_->nodes()[edge.second].states.size());
    const double *belief = &beliefs_[nodeOffsets_[edge.second]];
    for (size_t s = 0; s < first.size(); ++s)
      first[s] = round(toFirst(e)[s]);
    for (size_t s = 0; s < second.size(); ++s)
      second[s] = round(toSecond(e)[s] - share_[edge.second] * belief[s]);
    result.toFirst.push_back(std::move(first));
    result.toSecond.push_back(std::move(second));
  }
  return result;
}

void Messages::continueFrom(const Messages &other, const std::vector<std::vector<bool>> &keep) {
  auto select = [](const double *from, const std::vector<bool> &keep, double *to) {
    for (size_t s = 0; s < keep.size(); ++s)
      if (keep[s])
        *to++ = from[s];
  };
  for (uint32_t e = 0; e < network_->edges().size(); ++e) {
    select(other.toFirst(e), keep[network_->edges()[e].first], toFirst(e));
    select(other.toSecond(e), keep[network_->edges()[e].second], toSecond(e));
  }
  setPrices(other.prices_);
}

/// Visits the messages of an edge to each end: where they are, to which states, and where they are
/// among those to all states.
template <typename Visit>
static size_t forEachEnd(const Network &network, Visit visit) {
  size_t offset = 0;
  for (uint32_t e = 0; e < network.edges().size(); ++e)
    for (bool isSecond : {false, true}) {
      const Edge &edge = network.edges()[e];
      const Node &node = network.nodes()[isSecond ? edge.second : edge.first];
      visit(e, isSecond, node, offset);
      offset += network.problem().getNumStates(node.variable);
    }
  return offset;
}

void Messages::store(std::vector<double> &all) const {
  all.resize(forEachEnd(*network_, [](const auto &...) {}), 0);
  forEachEnd(*network_, [&](uint32_t e, bool isSecond, const Node &node, size_t offset) {
    const double *from = isSecond ? toSecond(e) : toFirst(e);
    for (uint32_t state : node.states)
      all[offset + state] = *from++;
  });
}

bool Messages::load(const std::vector<double> &all) {
  if (all.size() != forEachEnd(*network_, [](const auto &...) {}))
    return false;
  forEachEnd(*network_, [&](uint32_t e, bool isSecond, const Node &node, size_t offset) {
    double *to = isSecond ? toSecond(e) : toFirst(e);
    for (uint32_t state : node.states)
      *to++ = all[offset + state];
  });
  return true;
}

/// What a folded node takes from all of its edges of one kind is shared among all edges of that
/// kind: nodes at the ends of repeated parts, whose neighbours are of other classes, take as much
/// as those in the middle.
void Messages::unfoldFrom(const Messages &folded, const NodeClasses &classes) {
  const Network &small = *folded.network_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> links;
  for (uint32_t e = 0; e < small.edges().size(); ++e)
    links[{small.edges()[e].first, small.edges()[e].second}] = e;
  struct Kind {
    int64_t edges = 0;
    std::vector<double> message;
  };
  // By class, table and side of it.
  std::map<std::tuple<uint32_t, uint32_t, bool>, Kind> kinds;
  // How many edges of the network each folded one stands for.
  std::vector<int64_t> counts(small.edges().size(), 0);
  auto findLink = [&](const Edge &edge) {
    uint32_t a = classes.ofNode[edge.first], b = classes.ofNode[edge.second];
    return a == b ? std::nullopt : std::optional(links.at(std::minmax(a, b)));
  };
  for (const Edge &edge : network_->edges())
    if (auto link = findLink(edge))
      ++counts[*link];
  for (const Edge &edge : network_->edges()) {
    auto link = findLink(edge);
    for (bool isSecond : {false, true}) {
      uint32_t node = isSecond ? edge.second : edge.first;
      Kind &kind = kinds[{classes.ofNode[node], edge.table, isSecond}];
      ++kind.edges;
      kind.message.resize(network_->nodes()[node].states.size(), 0);
      if (!link)
        continue;
      const double *from = small.edges()[*link].first == classes.ofNode[node]
                               ? folded.toFirst(*link)
                               : folded.toSecond(*link);
      for (size_t s = 0; s < kind.message.size(); ++s)
        kind.message[s] += from[s] / static_cast<double>(counts[*link]);
    }
  }
  for (uint32_t e = 0; e < network_->edges().size(); ++e) {
    const Edge &edge = network_->edges()[e];
    for (bool isSecond : {false, true}) {
      const Kind &kind =
          kinds.at({classes.ofNode[isSecond ? edge.second : edge.first], edge.table, isSecond});
      double *to = isSecond ? toSecond(e) : toFirst(e);
      for (size_t s = 0; s < kind.message.size(); ++s)
        to[s] = kind.message[s] / static_cast<double>(kind.edges);
    }
  }
}
