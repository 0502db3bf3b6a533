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

using namespace dmc::planner;

Messages::Messages(const Network &network, std::vector<int64_t> weights)
    : network_(&network), weights_(std::move(weights)) {
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
  }
  beliefs_.assign(size, 0);
  unary_.assign(size, 0);
  setShares();
  setPrices(std::vector<double>(network.problem().parts().rows.size(), 0));
}

/// Of a node's edges to one side, each has a share by its weight; together they have all where that
/// side has the more of them. Those that are held have none.
void Messages::setShares() {
  auto weigh = [&](uint32_t edge) {
    if (isHeld(edge))
      return 0.0;
    return weights_.empty() ? 1.0 : static_cast<double>(weights_[edge]);
  };
  auto weighAll = [&](const std::vector<uint32_t> &edges) {
    double sum = 0;
    for (uint32_t e : edges)
      sum += weigh(e);
    return sum;
  };
  shareOfFirst_.assign(network_->edges().size(), 0);
  shareOfSecond_.assign(network_->edges().size(), 0);
  for (const Node &node : network_->nodes()) {
    double most = std::max(weighAll(node.before), weighAll(node.after));
    if (most == 0)
      continue;
    for (uint32_t e : node.before)
      shareOfSecond_[e] = weigh(e) / most;
    for (uint32_t e : node.after)
      shareOfFirst_[e] = weigh(e) / most;
  }
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
      if (!isHeld(e))
        sendForward(e, belief, shareOfFirst_[e]);
  }
  double bound = 0;
  for (uint32_t i = count; i-- > 0;) {
    double *belief = beliefs_.data() + nodeOffsets_[i];
    bound += collect(i, belief);
    for (uint32_t e : network_->nodes()[i].before)
      if (!isHeld(e))
        bound += sendBackward(e, belief, shareOfSecond_[e]);
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
    for (size_t s = 0; s < first.size(); ++s)
      first[s] = round(toFirst(e)[s]);
    for (size_t s = 0; s < second.size(); ++s)
      second[s] = round(getPotentialOfSecond(e, s));
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

/// Potentials say the same for any order of nodes, messages do not: what a folded edge has moved to
/// its node of a class is divided among all edges that it stands for. Those within a class, which
/// the folded network has not got, begin with nothing.
void Messages::unfoldFrom(const Messages &folded, const NodeClasses &classes) {
  const Network &small = *folded.network_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> links;
  for (uint32_t e = 0; e < small.edges().size(); ++e)
    links[{small.edges()[e].first, small.edges()[e].second}] = e;
  for (uint32_t e = 0; e < network_->edges().size(); ++e) {
    const Edge &edge = network_->edges()[e];
    uint32_t first = classes.ofNode[edge.first], second = classes.ofNode[edge.second];
    if (first == second)
      continue;
    uint32_t link = links.at(std::minmax(first, second));
    auto weight = static_cast<double>(folded.weights_[link]);
    auto read = [&](uint32_t ofClass, double *to, size_t count) {
      bool isFirst = small.edges()[link].first == ofClass;
      for (size_t s = 0; s < count; ++s)
        to[s] = (isFirst ? folded.toFirst(link)[s] : folded.getPotentialOfSecond(link, s)) / weight;
    };
    read(first, toFirst(e), sizeOfFirst(e));
    read(second, toSecond(e), network_->nodes()[edge.second].states.size());
  }
}

/// All messages become potentials, of which the nodes keep what they give to no edge.
void Messages::hold(const std::vector<bool> &edges) {
  for (uint32_t e = 0; e < network_->edges().size(); ++e) {
    double *message = toSecond(e);
    for (size_t s = 0; s < network_->nodes()[network_->edges()[e].second].states.size(); ++s)
      message[s] = getPotentialOfSecond(e, s);
  }
  std::fill(beliefs_.begin(), beliefs_.end(), 0);
  isHeld_ = edges;
  setShares();
}

std::vector<double> Messages::getBelief(uint32_t index) const {
  const Node &node = network_->nodes()[index];
  const double *unary = &unary_[nodeOffsets_[index]];
  std::vector<double> belief(unary, unary + node.states.size());
  for (size_t s = 0; s < belief.size(); ++s) {
    for (uint32_t e : node.before)
      belief[s] += getPotentialOfSecond(e, s);
    for (uint32_t e : node.after)
      belief[s] += toFirst(e)[s];
  }
  return belief;
}

std::vector<double> Messages::getRest(uint32_t edge) const {
  const CostTable &table = network_->table(network_->edges()[edge]);
  std::vector<double> rest;
  rest.reserve(table.rowClass.size() * table.columnClass.size());
  for (uint32_t a = 0; a < table.rowClass.size(); ++a)
    for (uint32_t b = 0; b < table.columnClass.size(); ++b) {
      int64_t cost = table.at(a, b);
      rest.push_back(cost == infeasible
                         ? std::numeric_limits<double>::infinity()
                         : static_cast<double>(cost) - toFirst(edge)[a] - toSecond(edge)[b]);
    }
  return rest;
}

void Messages::move(uint32_t edge, bool isSecond, llvm::ArrayRef<double> costs) {
  double *to = isSecond ? toSecond(edge) : toFirst(edge);
  for (size_t s = 0; s < costs.size(); ++s)
    to[s] += costs[s];
}
