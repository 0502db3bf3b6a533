//===- Clusters.cpp - Where potentials leave a gap ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Clusters.h.
//
//===----------------------------------------------------------------------===//
#include "Clusters.h"

#include "FindConflict.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace dmc::planner;

/// Effort limits: entries that a cluster may have in any case; clusters that are kept to be
/// repeated around alike edges; and how many times the entries of all clusters those of all trials
/// may be.
static constexpr int64_t leastEntries = int64_t(1) << 16;
static constexpr size_t mostOfKind = 4;
static constexpr int64_t entriesOfTrials = 4;

/// Shares of what the plan costs above the bound: with so much of it there a cluster is good
/// enough, and so much of all the rest is not looked at. Effort limits, too.
static constexpr double enoughShare = 0.95, restShare = 0.005;

namespace {
/// Effort limits of a search: the part of what the plan costs above the bound below which a cluster
/// is none, nor what makes it grow a conflict; the part of a cluster's entries that it may have;
/// and how often it grows, and how often in turn by little.
struct Effort {
  double leastShare;
  int64_t partOfEntries;
  int mostPaths, mostFailures;
};
} // namespace

static constexpr Effort brief = {0.02, 1, 32, 4};
/// Where conflicts are large, small ones lead astray, and where they are not, none is found: each
/// of these shares is tried, with smaller clusters that have more nodes.
static constexpr double furtherShares[] = {0.02, 0.01, 0.005, 0.0025, 0.04};
static constexpr Effort getFurther(double leastShare) { return {leastShare, 4, 256, 10}; }

static bool isShare(int64_t part, double share, int64_t whole) {
  return static_cast<double>(part) >= share * static_cast<double>(whole);
}

namespace {
class ClusterSearch {
public:
  /// All outlive the search. Trials take of `trialsLeft`, the entries of all their tables.
  ClusterSearch(const Network &network, const Scales &scales, const Potentials &potentials,
                const ExactBound &bound, const std::vector<uint32_t> &choice,
                const ClusterLimits &limits, const Effort &effort, int64_t &trialsLeft,
                const std::function<bool()> &isInterrupted);

  Clusters run(int64_t enough);

private:
  struct Trial {
    std::vector<uint32_t> nodes;
    /// How all but the first two were found.
    std::vector<PathStep> steps;
    /// With which they cost `gain` together.
    Assignment states;
    int64_t gain = 0;
  };
  /// Trials by the table of the edge that they begin with and the plan's states there.
  using Kind = std::tuple<uint32_t, uint32_t, uint32_t>;
  using Trials = std::map<uint32_t, Trial>;

  std::optional<Trial> findAround(uint32_t seed, int64_t excess);
  std::optional<Optimum> tryNodes(const std::vector<uint32_t> &nodes);
  Trial grow(uint32_t seed);
  std::optional<Trial> repeat(const Trial &known, uint32_t knownSeed, uint32_t seed);
  std::optional<uint32_t> followAlike(uint32_t node, const PathStep &step) const;
  int64_t getLimit(const std::vector<uint32_t> &nodes) const;
  void accept(const Trial &trial);

  const Network &network_;
  const std::vector<uint32_t> &choice_;
  ClusterLimits limits_;
  Effort effort_;
  const std::function<bool()> &isInterrupted_;
  ClusterCosts costs_;
  std::map<Kind, Trials> trials_;
  Clusters found_;
  int64_t entriesLeft_, &trialsLeft_;
  /// What the plan costs above the least at edges that were not looked at.
  int64_t excessLeft_ = 0;
};
} // namespace

ClusterSearch::ClusterSearch(const Network &network, const Scales &scales,
                             const Potentials &potentials, const ExactBound &bound,
                             const std::vector<uint32_t> &choice, const ClusterLimits &limits,
                             const Effort &effort, int64_t &trialsLeft,
                             const std::function<bool()> &isInterrupted)
    : network_(network), choice_(choice), limits_(limits), effort_(effort),
      isInterrupted_(isInterrupted), costs_(network, scales, potentials, bound),
      found_{{}, 0, choice}, entriesLeft_(limits.allEntries), trialsLeft_(trialsLeft) {
  limits_.entries /= effort.partOfEntries;
}

/// Of the entries that are left, in proportion to what the plan costs there above the bound.
int64_t ClusterSearch::getLimit(const std::vector<uint32_t> &nodes) const {
  double share = static_cast<double>(costs_.ofPlan(nodes, choice_)) /
                 static_cast<double>(std::max<int64_t>(excessLeft_, 1));
  auto limit = static_cast<int64_t>(static_cast<double>(entriesLeft_) * std::min(share, 1.0));
  return std::clamp(limit, leastEntries, limits_.entries);
}

/// What the nodes cost together at least; nothing, if trials took too much.
std::optional<Optimum> ClusterSearch::tryNodes(const std::vector<uint32_t> &nodes) {
  trialsLeft_ -= costs_.predict(nodes, limits_.entries);
  if (trialsLeft_ < 0)
    return std::nullopt;
  return costs_.getLeast(nodes, limits_.entries, isInterrupted_);
}

/// The cluster around an edge that raises the bound the most of those that were looked at.
ClusterSearch::Trial ClusterSearch::grow(uint32_t seed) {
  Trial best;
  std::vector<uint32_t> nodes = {network_.edges()[seed].first, network_.edges()[seed].second};
  std::vector<PathStep> steps;
  int64_t before = 0;
  for (int path = 0, failures = 0; path < effort_.mostPaths && failures < effort_.mostFailures;
       ++path) {
    auto least = tryNodes(nodes);
    if (!least)
      break;
    const int64_t ofPlan = costs_.ofPlan(nodes, choice_), rest = ofPlan - least->cost;
    failures = isShare(least->cost - before, effort_.leastShare, rest) ? 0 : failures + 1;
    before = least->cost;
    if (least->cost > best.gain)
      best = {nodes, steps, least->assignment, least->cost};
    if (isShare(least->cost, enoughShare, ofPlan))
      break;
    auto conflict = findConflict(
        costs_, nodes, least->assignment,
        std::max<int64_t>(1, static_cast<int64_t>(effort_.leastShare * static_cast<double>(rest))),
        [&](const std::vector<uint32_t> &all) {
          int64_t limit = getLimit(all);
          return costs_.predict(all, limit) <= limit;
        });
    if (!conflict)
      break;
    for (const PathStep &step : *conflict) {
      steps.push_back(step);
      nodes.push_back(step.to);
    }
    llvm::sort(nodes);
  }
  return best;
}

/// Where an edge at the same place among those of the node leads to as one leads from `step.from`.
std::optional<uint32_t> ClusterSearch::followAlike(uint32_t node, const PathStep &step) const {
  const Node &known = network_.nodes()[step.from], &of = network_.nodes()[node];
  for (bool isBefore : {true, false}) {
    const auto &knownEdges = isBefore ? known.before : known.after;
    const auto &edges = isBefore ? of.before : of.after;
    auto getEnd = [&](uint32_t e) {
      return isBefore ? network_.edges()[e].first : network_.edges()[e].second;
    };
    for (size_t place = 0; place < std::min(knownEdges.size(), edges.size()); ++place)
      if (getEnd(knownEdges[place]) == step.to)
        return getEnd(edges[place]);
  }
  return std::nullopt;
}

/// A cluster around a seed that is as the one around another seed; nothing, if there is none.
std::optional<ClusterSearch::Trial> ClusterSearch::repeat(const Trial &known, uint32_t knownSeed,
                                                          uint32_t seed) {
  const Edge &from = network_.edges()[knownSeed], &to = network_.edges()[seed];
  std::map<uint32_t, uint32_t> alike = {{from.first, to.first}, {from.second, to.second}};
  Trial trial;
  trial.nodes = {to.first, to.second};
  for (const PathStep &step : known.steps) {
    auto node = followAlike(alike.at(step.from), step);
    if (!node || network_.nodes()[*node].costs != network_.nodes()[step.to].costs)
      return std::nullopt;
    alike[step.to] = *node;
    trial.nodes.push_back(*node);
  }
  llvm::sort(trial.nodes);
  if (std::adjacent_find(trial.nodes.begin(), trial.nodes.end()) != trial.nodes.end() ||
      costs_.predict(trial.nodes, limits_.entries) > limits_.entries)
    return std::nullopt;
  auto least = tryNodes(trial.nodes);
  if (!least)
    return std::nullopt;
  trial.gain = least->cost;
  trial.states = std::move(least->assignment);
  return trial;
}

/// The cluster around an edge where the plan costs so much more than the least; nothing, if it
/// raises the bound by little.
std::optional<ClusterSearch::Trial> ClusterSearch::findAround(uint32_t seed, int64_t excess) {
  const Edge &edge = network_.edges()[seed];
  Trials &known = trials_[{edge.table, choice_[edge.first], choice_[edge.second]}];
  for (const auto &[knownSeed, trial] : known) {
    // Around alike edges there is no more to be had.
    if (!isShare(trial.gain, effort_.leastShare, excess))
      return std::nullopt;
    // Other clusters may count what was there.
    if (auto repeated = repeat(trial, knownSeed, seed);
        repeated && isShare(repeated->gain, enoughShare, trial.gain))
      return repeated;
  }
  if (known.size() == mostOfKind)
    return std::nullopt;
  Trial trial = known[seed] = grow(seed);
  return trial.gain > 0 && isShare(trial.gain, effort_.leastShare, excess) ? std::optional(trial)
                                                                           : std::nullopt;
}

void ClusterSearch::accept(const Trial &trial) {
  entriesLeft_ -= costs_.predict(trial.nodes, limits_.entries);
  costs_.count(trial.nodes);
  found_.gain += trial.gain;
  found_.nodes.push_back(trial.nodes);
  for (size_t place = 0; place < trial.nodes.size(); ++place)
    found_.adapted[trial.nodes[place]] = trial.states[place];
}

Clusters ClusterSearch::run(int64_t enough) {
  // By what the plan costs there, the most first.
  std::vector<std::pair<int64_t, uint32_t>> seeds;
  for (uint32_t e = 0; e < network_.edges().size(); ++e) {
    const Edge &edge = network_.edges()[e];
    if (int64_t excess = costs_.ofPair(e, choice_[edge.first], choice_[edge.second]); excess > 0) {
      seeds.push_back({-excess, e});
      excessLeft_ += excess;
    }
  }
  llvm::sort(seeds);
  const int64_t all = excessLeft_;
  for (auto [negative, seed] : seeds) {
    if (found_.gain >= enough || trialsLeft_ < 0 || !isShare(excessLeft_, restShare, all) ||
        isInterrupted_())
      break;
    if (!costs_.isCounted(seed))
      if (auto trial = findAround(seed, -negative);
          trial && costs_.predict(trial->nodes, limits_.entries) <= entriesLeft_)
        accept(*trial);
    excessLeft_ += negative;
  }
  return std::move(found_);
}

Clusters dmc::planner::findClusters(const Network &network, const Scales &scales,
                                    const Potentials &potentials, const ExactBound &bound,
                                    const std::vector<uint32_t> &choice,
                                    const ClusterLimits &limits, int64_t least, int64_t enough,
                                    const std::function<bool()> &isInterrupted) {
  int64_t trialsLeft = entriesOfTrials * limits.allEntries;
  auto search = [&](const Effort &effort) {
    return ClusterSearch(network, scales, potentials, bound, choice, limits, effort, trialsLeft,
                         isInterrupted)
        .run(enough);
  };
  Clusters best = search(brief);
  if (best.gain >= least)
    return best;
  for (double leastShare : furtherShares) {
    if (best.gain >= enough || trialsLeft < 0 || isInterrupted())
      break;
    if (Clusters found = search(getFurther(leastShare)); found.gain > best.gain)
      best = std::move(found);
  }
  return best;
}
