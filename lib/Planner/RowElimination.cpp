//===- RowElimination.cpp - The best plan within rows of memory -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RowElimination.h.
//
//===----------------------------------------------------------------------===//
#include "RowElimination.h"
#include "EliminationOrder.h"
#include "Factors.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace dmc::planner;

namespace {
/// Partial plans of the nodes below an entry. Costs are in picoseconds / `Scales::potential`.
struct Labels {
  /// What a plan costs more than the bound at least.
  std::vector<int64_t> excess;
  /// What it costs beside others of the same nodes, without prices.
  std::vector<int64_t> cost;
  /// Which states it has.
  std::vector<uint32_t> trace;
  /// Label by label, bytes in each row above the least of the nodes.
  std::vector<int64_t> bytes;

  size_t size() const { return excess.size(); }
  bool empty() const { return excess.empty(); }
  void clear() {
    excess.clear();
    cost.clear();
    trace.clear();
    bytes.clear();
  }
  void append(const Labels &other) {
    llvm::append_range(excess, other.excess);
    llvm::append_range(cost, other.cost);
    llvm::append_range(trace, other.trace);
    llvm::append_range(bytes, other.bytes);
  }
};

/// The labels of one entry, among those of its factor.
struct LabelRange {
  const Labels &of;
  size_t begin, end;
  bool empty() const { return begin == end; }
  size_t size() const { return end - begin; }
};

/// Of some nodes: tables of costs alone, or with labels for each entry, of which most have none.
struct LabelFactor : Factor {
  Labels labels;
  /// By entry: the first of its labels; empty: the factor has costs alone.
  std::vector<size_t> starts;
  /// By row: the most bytes of the nodes below, above their least.
  std::vector<int64_t> most;

  LabelRange ofEntry(size_t entry) const {
    return {labels, starts[entry], entry + 1 < starts.size() ? starts[entry + 1] : labels.size()};
  }
};

/// A factor on the way through the choices of a scope: its entry for the first state of the scope's
/// last node.
struct Walk {
  LabelFactor factor;
  llvm::SmallVector<size_t, 8> strides;
  size_t at = 0;

  LabelRange ofState(uint32_t state) const { return factor.ofEntry(at + state * strides.back()); }
};

/// Where a label comes from: a node's state, or two labels of different nodes.
struct Origin {
  static constexpr uint32_t none = ~uint32_t(0);
  uint32_t first = none, second = none;
  uint32_t node = none, state = 0;
};

class LabelEliminator {
public:
  LabelEliminator(const Network &network, const Scales &scales, const Potentials &potentials,
                  const std::vector<int64_t> &prices, llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                  RowEliminationLimits &limits, const std::function<bool()> &isInterrupted);
  std::optional<RowElimination> run();

private:
  void addNodes(const Potentials &potentials, const std::vector<int64_t> &prices);
  void addEdges(const Potentials &potentials);
  void addFactor(LabelFactor factor);
  std::vector<Walk> takeFactors(uint32_t node, llvm::ArrayRef<uint32_t> scope);
  std::vector<std::vector<int64_t>> getRests(uint32_t node, uint32_t state,
                                             llvm::ArrayRef<Walk> below) const;
  bool startLabel(uint32_t node, uint32_t state, int64_t costs, Labels &one);
  bool eliminate(uint32_t node);
  bool multiply(const Labels &a, const LabelRange &b, llvm::ArrayRef<int64_t> rest,
                Labels &product);
  void prune(Labels &labels, llvm::ArrayRef<int64_t> rest);
  void spread(const Labels &labels, std::vector<uint32_t> &kept);
  bool dominates(const Labels &labels, uint32_t a, uint32_t b) const;
  std::vector<int64_t> getRest(llvm::ArrayRef<int64_t> below) const;
  std::vector<uint32_t> trace(uint32_t label) const;
  RowElimination getResult(const Labels &all) const;

  const Network &network_;
  const Scales &scales_;
  llvm::ArrayRef<uint32_t> rows_;
  RowEliminationLimits &limits_;
  const std::function<bool()> &isInterrupted_;
  Wide bound_ = 0;
  /// A label of this excess or more leads to no plan below the cutoff.
  int64_t budget_ = 0;
  /// The nodes eliminated last have no partial plan.
  bool leadsNowhere_ = false;
  /// The least excess of what limits left out.
  int64_t leastDropped_ = infeasible;
  /// By row: what is left of the capacity once all nodes use their least, and by node and row the
  /// most that its states use above that.
  std::vector<int64_t> room_, totalMost_;
  std::vector<std::vector<int64_t>> nodeExcess_, nodeCost_, nodeBytes_;
  std::vector<uint32_t> sizes_;
  std::vector<LabelFactor> factors_;
  std::vector<llvm::SmallVector<uint32_t, 8>> uses_;
  std::vector<Origin> origins_;
  /// Of the pairs of labels of one product, of which most are pruned.
  std::vector<Origin> pairs_;
  /// Of components that nothing connects.
  std::vector<LabelFactor> ends_;
  std::optional<EliminationOrder> order_;
  std::vector<int64_t> sum_;
};

/// Effort limit: as many steps as comparisons of labels count for an entry and a state, so that
/// large tables without labels come to an end, too.
constexpr int64_t stepsOfEntry = 4;
/// Effort: of pairs of labels, fewer are not pruned before all of them are made. That decides time
/// and memory, and where labels are limited what they leave out, which the bound shows.
constexpr size_t leastToPrune = 4096;
/// Costs beyond the budget add up to no overflow.
constexpr int64_t largest = int64_t(1) << 60;
int64_t addCosts(int64_t a, int64_t b) {
  return a == infeasible || b == infeasible ? infeasible : std::min(a + b, largest);
}
} // namespace

LabelEliminator::LabelEliminator(const Network &network, const Scales &scales,
                                 const Potentials &potentials, const std::vector<int64_t> &prices,
                                 llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                                 RowEliminationLimits &limits,
                                 const std::function<bool()> &isInterrupted)
    : network_(network), scales_(scales), rows_(rows), limits_(limits),
      isInterrupted_(isInterrupted), uses_(network.nodes().size()) {
  bound_ = ExactBound(network, scales, potentials, prices).bound();
  Wide rest = static_cast<Wide>(cutoff) * scales.common() - bound_;
  budget_ = divideDown(std::clamp<Wide>(rest, 0, Wide(largest) * scales.price), scales.price);
  for (const Node &node : network.nodes())
    sizes_.push_back(static_cast<uint32_t>(node.states.size()));
  order_.emplace(sizes_, limits.entries);
  addNodes(potentials, prices);
  addEdges(potentials);
  order_->start();
}

void LabelEliminator::addNodes(const Potentials &potentials, const std::vector<int64_t> &prices) {
  for (uint32_t row : rows_)
    room_.push_back(network_.problem().parts().rows[row].capacity);
  totalMost_.assign(rows_.size(), 0);
  for (const Node &node : network_.nodes()) {
    const size_t count = node.states.size();
    std::vector<int64_t> cost(count), excess, bytes(count * rows_.size(), 0);
    std::vector<Wide> priced(count, 0);
    for (size_t s = 0; s < count; ++s)
      cost[s] = node.costs[s] * scales_.potential;
    for (uint32_t e : node.before)
      for (size_t s = 0; s < count; ++s)
        cost[s] += potentials.toSecond[e][s];
    for (uint32_t e : node.after)
      for (size_t s = 0; s < count; ++s)
        cost[s] += potentials.toFirst[e][s];
    for (const NodeUse &use : node.uses) {
      for (size_t s = 0; s < count; ++s)
        priced[s] += static_cast<Wide>(use.bytes[s]) * prices[use.row] * scales_.potential;
      auto row = llvm::find(rows_, use.row);
      if (row == rows_.end())
        continue;
      size_t r = row - rows_.begin();
      int64_t least = *llvm::min_element(use.bytes);
      room_[r] -= least;
      totalMost_[r] += use.most - least;
      for (size_t s = 0; s < count; ++s)
        bytes[s * rows_.size() + r] = use.bytes[s] - least;
    }
    for (size_t s = 0; s < count; ++s)
      priced[s] += static_cast<Wide>(cost[s]) * scales_.price;
    // Of costs only differences between states count.
    size_t cheapest = llvm::min_element(priced) - priced.begin();
    Wide least = priced[cheapest];
    int64_t base = cost[cheapest];
    for (int64_t &value : cost)
      value -= base;
    for (Wide value : priced)
      excess.push_back(
          divideDown(std::min(value - least, Wide(largest) * scales_.price), scales_.price));
    nodeCost_.push_back(std::move(cost));
    nodeExcess_.push_back(std::move(excess));
    nodeBytes_.push_back(std::move(bytes));
  }
}

void LabelEliminator::addFactor(LabelFactor factor) {
  for (uint32_t node : factor.scope)
    uses_[node].push_back(static_cast<uint32_t>(factors_.size()));
  factors_.push_back(std::move(factor));
}

/// A node of one state connects nothing: what its edges cost belongs to the others' states.
void LabelEliminator::addEdges(const Potentials &potentials) {
  for (uint32_t e = 0; e < network_.edges().size(); ++e) {
    const Edge &edge = network_.edges()[e];
    const CostTable &table = network_.table(edge);
    LabelFactor factor;
    for (uint32_t node : {edge.first, edge.second})
      if (sizes_[node] > 1)
        factor.scope.push_back(node);
    if (factor.scope.empty())
      factor.scope.push_back(edge.first);
    int64_t least = infeasible;
    for (uint32_t a = 0; a < sizes_[edge.first]; ++a)
      for (uint32_t b = 0; b < sizes_[edge.second]; ++b) {
        int64_t cost = table.at(a, b);
        if (cost != infeasible) {
          cost = cost * scales_.potential - potentials.toFirst[e][a] - potentials.toSecond[e][b];
          least = std::min(least, cost);
        }
        factor.costs.push_back(cost);
      }
    for (int64_t &cost : factor.costs)
      if (cost != infeasible)
        cost = std::min(cost - least, largest);
    order_->addScope(factor.scope);
    addFactor(std::move(factor));
  }
}

/// Of all pairs of labels of different nodes those that may lead to a better plan, pruned; false:
/// too many.
bool LabelEliminator::multiply(const Labels &a, const LabelRange &range,
                               llvm::ArrayRef<int64_t> rest, Labels &product) {
  const Labels &b = range.of;
  const size_t numRows = rows_.size();
  product.clear();
  pairs_.clear();
  size_t most = leastToPrune;
  limits_.steps -= static_cast<int64_t>(a.size() * range.size());
  if (limits_.steps < 0)
    return false;
  for (size_t i = 0; i < a.size() && limits_.steps >= 0; ++i) {
    // Most pairs are no better than others: they take no memory for long.
    if (product.size() > most) {
      prune(product, rest);
      most = std::max(leastToPrune, 2 * product.size());
    }
    for (size_t j = range.begin; j < range.end; ++j) {
      int64_t excess = a.excess[i] + b.excess[j];
      // Labels are in the order of their excess.
      if (excess >= budget_)
        break;
      const int64_t *ofA = a.bytes.data() + i * numRows, *ofB = b.bytes.data() + j * numRows;
      bool fits = true;
      for (size_t r = 0; fits && r < numRows; ++r)
        fits = ofA[r] + ofB[r] <= room_[r];
      if (!fits)
        continue;
      for (size_t r = 0; r < numRows; ++r)
        product.bytes.push_back(ofA[r] + ofB[r]);
      product.excess.push_back(excess);
      product.cost.push_back(a.cost[i] + b.cost[j]);
      product.trace.push_back(static_cast<uint32_t>(pairs_.size()));
      pairs_.push_back({a.trace[i], b.trace[j], Origin::none, 0});
    }
  }
  prune(product, rest);
  for (uint32_t &trace : product.trace) {
    origins_.push_back(pairs_[trace]);
    trace = static_cast<uint32_t>(origins_.size() - 1);
  }
  return limits_.steps >= 0;
}

bool LabelEliminator::dominates(const Labels &labels, uint32_t a, uint32_t b) const {
  const size_t numRows = rows_.size();
  if (labels.cost[a] > labels.cost[b])
    return false;
  const int64_t *ofA = labels.bytes.data() + a * numRows, *ofB = labels.bytes.data() + b * numRows;
  for (size_t r = 0; r < numRows; ++r)
    if (ofA[r] > ofB[r])
      return false;
  return true;
}

/// By row: the most that nodes use that are not below.
std::vector<int64_t> LabelEliminator::getRest(llvm::ArrayRef<int64_t> below) const {
  std::vector<int64_t> rest;
  rest.reserve(rows_.size());
  for (size_t r = 0; r < rows_.size(); ++r)
    rest.push_back(totalMost_[r] - below[r]);
  return rest;
}

/// Leaves the labels, in the order of their excess, that no other is as good as in everything; at
/// most as many as the limit says. Bytes of a row that the others cannot exceed any more are of no
/// account.
void LabelEliminator::prune(Labels &labels, llvm::ArrayRef<int64_t> rest) {
  const size_t numRows = rows_.size();
  for (size_t i = 0; i < labels.size(); ++i)
    for (size_t r = 0; r < numRows; ++r) {
      int64_t &bytes = labels.bytes[i * numRows + r];
      if (bytes + rest[r] <= room_[r])
        bytes = 0;
    }
  if (labels.size() <= 1)
    return;
  std::vector<uint32_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tie(labels.excess[a], labels.cost[a], a) <
           std::tie(labels.excess[b], labels.cost[b], b);
  });
  std::vector<uint32_t> kept;
  for (uint32_t candidate : order) {
    limits_.steps -= static_cast<int64_t>(kept.size());
    if (llvm::any_of(kept, [&](uint32_t other) { return dominates(labels, other, candidate); }))
      continue;
    if (kept.size() == limits_.labels && !limits_.keepsSmall) {
      leastDropped_ = std::min(leastDropped_, labels.excess[candidate]);
      break;
    }
    kept.push_back(candidate);
  }
  if (kept.size() > limits_.labels)
    spread(labels, kept);
  Labels result;
  for (uint32_t i : kept) {
    result.excess.push_back(labels.excess[i]);
    result.cost.push_back(labels.cost[i]);
    result.trace.push_back(labels.trace[i]);
    result.bytes.insert(result.bytes.end(), labels.bytes.begin() + i * numRows,
                        labels.bytes.begin() + (i + 1) * numRows);
  }
  labels = std::move(result);
}

/// Leaves as many labels as the limit says: those of the most and of the least bytes, as shares of
/// what is left of the rows, and some in between.
void LabelEliminator::spread(const Labels &labels, std::vector<uint32_t> &kept) {
  std::vector<std::pair<double, uint32_t>> bySize;
  for (uint32_t i : kept) {
    double share = 0;
    for (size_t r = 0; r < rows_.size(); ++r)
      share += static_cast<double>(labels.bytes[i * rows_.size() + r]) /
               static_cast<double>(room_[r] + 1);
    bySize.push_back({share, i});
  }
  std::sort(bySize.begin(), bySize.end());
  std::vector<bool> stays(labels.size(), false);
  for (size_t i = 0, last = limits_.labels - 1; i <= last; ++i)
    stays[bySize[i * (bySize.size() - 1) / std::max<size_t>(last, 1)].second] = true;
  llvm::erase_if(kept, [&](uint32_t i) {
    if (!stays[i])
      leastDropped_ = std::min(leastDropped_, labels.excess[i]);
    return !stays[i];
  });
}

/// The factors that name the node: adds up those without labels in `sum_`, over the scope.
std::vector<Walk> LabelEliminator::takeFactors(uint32_t node, llvm::ArrayRef<uint32_t> scope) {
  std::vector<Walk> below;
  for (uint32_t use : uses_[node]) {
    LabelFactor factor = std::move(factors_[use]);
    factors_[use] = LabelFactor();
    auto strides = getStrides(sizes_, scope, factor.scope);
    if (!factor.starts.empty())
      below.push_back({std::move(factor), std::move(strides)});
    else if (!factor.costs.empty())
      joinFactor(sizes_, scope, factor, sum_, addCosts);
  }
  uses_[node].clear();
  return below;
}

/// Of a node's state, and then of the first factors, too: the most that all others use.
std::vector<std::vector<int64_t>> LabelEliminator::getRests(uint32_t node, uint32_t state,
                                                            llvm::ArrayRef<Walk> below) const {
  const size_t numRows = rows_.size();
  std::vector<int64_t> most(nodeBytes_[node].begin() + state * numRows,
                            nodeBytes_[node].begin() + (state + 1) * numRows);
  std::vector<std::vector<int64_t>> rests;
  for (const Walk &walk : below) {
    for (size_t r = 0; r < numRows; ++r)
      most[r] += walk.factor.most[r];
    rests.push_back(getRest(most));
  }
  return rests;
}

/// The label of a node's state alone, which costs `costs` beside others; false: it leads nowhere.
bool LabelEliminator::startLabel(uint32_t node, uint32_t state, int64_t costs, Labels &one) {
  const size_t numRows = rows_.size();
  if (costs == infeasible || nodeExcess_[node][state] + costs >= budget_)
    return false;
  const int64_t *bytes = nodeBytes_[node].data() + state * numRows;
  for (size_t r = 0; r < numRows; ++r)
    if (bytes[r] > room_[r])
      return false;
  one.clear();
  one.excess.push_back(nodeExcess_[node][state] + costs);
  one.cost.push_back(nodeCost_[node][state] + costs);
  one.trace.push_back(static_cast<uint32_t>(origins_.size()));
  one.bytes.assign(bytes, bytes + numRows);
  origins_.push_back({Origin::none, Origin::none, node, state});
  return true;
}

bool LabelEliminator::eliminate(uint32_t node) {
  const size_t numRows = rows_.size();
  llvm::ArrayRef<uint32_t> near = order_->getNeighbours(node);
  LabelFactor result;
  result.scope.assign(near.begin(), near.end());
  result.most.assign(numRows, 0);
  std::vector<uint32_t> scope = result.scope;
  scope.push_back(node);
  const uint32_t count = sizes_[node];
  size_t size = 1;
  for (uint32_t v : scope)
    size *= sizes_[v];
  limits_.steps -= static_cast<int64_t>(size) * stepsOfEntry;
  sum_.assign(size, 0);
  std::vector<Walk> below = takeFactors(node, scope);
  std::vector<std::vector<std::vector<int64_t>>> rests;
  rests.reserve(count);
  for (uint32_t s = 0; s < count; ++s)
    rests.push_back(getRests(node, s, below));
  for (size_t r = 0; r < numRows; ++r) {
    for (uint32_t s = 0; s < count; ++s)
      result.most[r] = std::max(result.most[r], nodeBytes_[node][s * numRows + r]);
    for (const Walk &walk : below)
      result.most[r] += walk.factor.most[r];
  }
  const std::vector<int64_t> rest = getRest(result.most);
  llvm::SmallVector<uint32_t, 8> states(scope.size(), 0);
  Labels one, product, all;
  result.starts.reserve(size / count);
  for (size_t entry = 0; entry < size / count; ++entry) {
    all.clear();
    for (uint32_t s = 0; s < count; ++s) {
      bool hasLabels =
          llvm::none_of(below, [&](const Walk &walk) { return walk.ofState(s).empty(); });
      if (!hasLabels || !startLabel(node, s, sum_[entry * count + s], one))
        continue;
      for (auto [walk, ofOthers] : llvm::zip_equal(below, rests[s])) {
        if (!multiply(one, walk.ofState(s), ofOthers, product))
          return false;
        std::swap(one, product);
      }
      all.append(one);
    }
    prune(all, rest);
    result.starts.push_back(result.labels.size());
    result.labels.append(all);
    for (size_t i = scope.size() - 1; i-- > 0;) {
      bool isMore = ++states[i] < sizes_[scope[i]];
      for (Walk &walk : below)
        isMore ? walk.at += walk.strides[i] : walk.at -= walk.strides[i] * (states[i] - 1);
      if (isMore)
        break;
      states[i] = 0;
    }
  }
  order_->remove(node);
  leadsNowhere_ = result.labels.empty();
  if (result.scope.empty())
    ends_.push_back(std::move(result));
  else
    addFactor(std::move(result));
  return true;
}

std::vector<uint32_t> LabelEliminator::trace(uint32_t label) const {
  std::vector<uint32_t> choice(network_.nodes().size(), 0), open = {label};
  while (!open.empty()) {
    const Origin &origin = origins_[open.back()];
    open.pop_back();
    if (origin.node != Origin::none)
      choice[origin.node] = origin.state;
    for (uint32_t part : {origin.first, origin.second})
      if (part != Origin::none)
        open.push_back(part);
  }
  return choice;
}

/// Of the labels of all nodes.
RowElimination LabelEliminator::getResult(const Labels &all) const {
  RowElimination result;
  // Nothing is left to exceed rows: the cheapest one is at least as good as all others.
  if (!all.empty())
    result.choice = trace(all.trace[llvm::min_element(all.cost) - all.cost.begin()]);
  result.bound = static_cast<Wide>(std::min(budget_, leastDropped_)) * scales_.price + bound_;
  return result;
}

std::optional<RowElimination> LabelEliminator::run() {
  if (llvm::any_of(room_, [](int64_t room) { return room < 0; }))
    return getResult({});
  int64_t total = 0;
  while (std::optional<uint32_t> node = order_->next()) {
    int64_t entries = order_->getTableSize(*node);
    total += entries;
    if (entries > limits_.entries || total > limits_.allEntries ||
        (isInterrupted_ && isInterrupted_()) || !eliminate(*node))
      return std::nullopt;
    if (leadsNowhere_)
      return getResult({});
  }
  Labels all, product;
  all.excess.push_back(0);
  all.cost.push_back(0);
  all.trace.push_back(static_cast<uint32_t>(origins_.size()));
  all.bytes.assign(rows_.size(), 0);
  origins_.push_back({});
  std::vector<int64_t> most(rows_.size(), 0);
  for (const LabelFactor &factor : ends_) {
    for (size_t r = 0; r < rows_.size(); ++r)
      most[r] += factor.most[r];
    if (!multiply(all, factor.ofEntry(0), getRest(most), product))
      return std::nullopt;
    std::swap(all, product);
  }
  return getResult(all);
}

std::optional<RowElimination> dmc::planner::eliminateWithRows(
    const Network &network, const Scales &scales, const Potentials &potentials,
    const std::vector<int64_t> &prices, llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
    RowEliminationLimits &limits, const std::function<bool()> &isInterrupted) {
  return LabelEliminator(network, scales, potentials, prices, rows, cutoff, limits, isInterrupted)
      .run();
}
