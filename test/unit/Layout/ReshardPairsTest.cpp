//===- ReshardPairsTest.cpp - Reshards between all pairs of layouts -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every plan is executed on sets of elements and partial values, and compared with the cheapest
// path that a plain search over all layouts finds. DMC_RESHARD_PAIRS=all takes all pairs,
// DMC_RESHARD_PAIRS=0.1 a tenth of the targets; DMC_RESHARD_THREADS says how many threads.
//
//===----------------------------------------------------------------------===//
#include "PlainSearch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
#include <time.h>

using namespace dmc;
using namespace dmc::plain;

namespace {
/// What the plans of a row of the table are like.
struct Tally {
  int64_t pairs = 0, redistributed = 0, bounded = 0, atBound = 0;
  std::map<size_t, int64_t> bySteps;
  double plannerSeconds = 0;
  std::map<std::string, int64_t> failures;

  void add(const Tally &o) {
    pairs += o.pairs;
    redistributed += o.redistributed;
    bounded += o.bounded;
    atBound += o.atBound;
    plannerSeconds += o.plannerSeconds;
    for (const auto &[steps, count] : o.bySteps)
      bySteps[steps] += count;
    for (const auto &[error, count] : o.failures)
      failures[error] += count;
  }

  void print(const char *name) const {
    std::printf("| %s | %lld |", name, static_cast<long long>(pairs));
    int64_t more = 0;
    for (const auto &[steps, count] : bySteps)
      more += steps > 4 ? count : 0;
    for (size_t steps = 0; steps <= 4; ++steps)
      std::printf(" %lld |", static_cast<long long>(bySteps.count(steps) ? bySteps.at(steps) : 0));
    std::printf(" %lld | %lld | %.1f %% | %.0f |\n", static_cast<long long>(more),
                static_cast<long long>(redistributed),
                bounded ? 100.0 * static_cast<double>(atBound) / static_cast<double>(bounded) : 0,
                1e6 * plannerSeconds / static_cast<double>(std::max<int64_t>(1, pairs)));
    std::fflush(stdout);
  }
};

/// Processor time of this thread.
double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// How many of all targets, and of each one's sources, are taken.
struct Sample {
  double targets = 1, sources = 1;
};

std::string describe(const Universe &universe, const Layout &from, const Layout &to) {
  std::string text = toString(universe.mesh, from) + " -> " + toString(universe.mesh, to) + " of";
  for (int64_t n : universe.shape)
    text += " " + std::to_string(n);
  return text + " on " + toString(universe.mesh);
}

/// Reshards to one target from all layouts that with it cut axes where the graph does.
class TargetCheck {
public:
  /// `memory` times what the ends take bounds operand and result of every move; 0 is no
  /// bound.
  TargetCheck(const Universe &universe, const Graph &graph, const Graph::Cuts &cuts,
              const Layout &to, double memory, double share, uint32_t seed)
      : universe(universe), graph(graph), cuts(cuts), to(to), memory(memory), share(share),
        random(seed), redistributions(graph.redistributionsTo(to)) {}

  Tally run() {
    Graph::Cuts toCuts = cutsOf(universe.mesh, to);
    for (const Layout &from : graph.layouts) {
      Graph::Cuts both = cutsOf(universe.mesh, from);
      both.insert(toCuts.begin(), toCuts.end());
      if (both == cuts && std::uniform_real_distribution<double>()(random) < share)
        check(from);
    }
    return std::move(tally);
  }

private:
  struct Bound {
    std::vector<double> distance;
    std::vector<int32_t> following;
  };

  void check(const Layout &from);
  void report(const std::string &error, const Layout &from, const ReshardPlan &plan,
              const Bound &bound);
  const Bound &getBound(const Layout &from, const ReshardOptions &options);

  const Universe &universe;
  const Graph &graph;
  const Graph::Cuts &cuts;
  const Layout &to;
  const double memory, share;
  std::mt19937 random;
  const std::vector<std::optional<Traffic>> redistributions;
  std::map<std::pair<int64_t, std::string>, Bound> bounds;
  std::map<int64_t, ReshardPlanner> planners;
  Tally tally;
};
} // namespace

const TargetCheck::Bound &TargetCheck::getBound(const Layout &from, const ReshardOptions &options) {
  Layout places = Layout::replicated(universe.shape.size());
  places.placed = from.placed;
  bool hasPartials = !from.partial.empty();
  std::string key = toString(universe.mesh, places) + (hasPartials ? "partial" : "");
  auto [entry, isNew] = bounds.try_emplace({options.memoryBytes, key});
  if (isNew)
    entry->second.distance =
        graph.distancesTo(to, redistributions, options.rates, options.memoryBytes, from.placed,
                          hasPartials, entry->second.following);
  return entry->second;
}

void TargetCheck::check(const Layout &from) {
  ReshardOptions options;
  options.maxStates = 1000000;
  int32_t source = *graph.find(from);
  if (memory > 0)
    options.memoryBytes = static_cast<int64_t>(
        memory * static_cast<double>(graph.bytesOf(source) + graph.bytesOf(*graph.find(to))));
  auto planner =
      planners.try_emplace(options.memoryBytes, ReshardPlanner(universe.mesh, options)).first;
  double begin = threadSeconds();
  const ReshardPlan &plan = planner->second.plan(from, to, universe.shape, universe.elementBytes);
  tally.plannerSeconds += threadSeconds() - begin;

  const Bound &bound = getBound(from, options);
  double least = bound.distance[source], cost = plan.traffic.seconds(options.rates);
  std::string error = simulate(universe.mesh, universe.shape, from, to, plan);
  bool isWithin = plan.peakBytes <= options.memoryBytes;
  if (error.empty()) {
    if (!plan.isCheapest)
      error = "the search gave up";
    else if (least < kInfinity && (cost > least * (1 + 1e-6) + 1e-12 || !isWithin))
      error = "a plan costs more than the cheapest path";
    else if (isWithin && cost < least * (1 - 1e-6) - 1e-12)
      error = "the plain search missed a path";
  }
  if (!error.empty() && tally.failures[error]++ == 0)
    report(error, from, plan, bound);

  ++tally.pairs;
  ++tally.bySteps[plan.moves.size()];
  for (const Move &move : plan.moves)
    tally.redistributed += move.kind == MoveKind::Redistribute;
  if (!from.partial.empty() || !to.partial.empty())
    return;
  double missing = static_cast<double>(
      missingBytes(universe.mesh, from, to, universe.shape, universe.elementBytes));
  ++tally.bounded;
  tally.atBound += plan.traffic.bytes <= missing + 1e-6;
  if (plan.traffic.bytes < missing - 1e-6 &&
      tally.failures["a plan sends less than is missing"]++ == 0)
    report("a plan sends less than is missing", from, plan, bound);
}

void TargetCheck::report(const std::string &error, const Layout &from, const ReshardPlan &plan,
                         const Bound &bound) {
  std::string text = error + ": " + describe(universe, from, to);
  int32_t node = *graph.find(from);
  text += ": " + std::to_string(plan.traffic.seconds({}) * 1e6) + " us, least " +
          std::to_string(bound.distance[node] * 1e6) + " us\n";
  for (const Move &move : plan.moves)
    text += std::string("  ") + stringify(move.kind) + " -> " +
            toString(universe.mesh, move.layout) + "\n";
  for (node = bound.following[node]; node >= 0; node = bound.following[node])
    text += "  plainly -> " + toString(universe.mesh, graph.layouts[node]) + "\n";
  ADD_FAILURE() << text;
}

static size_t numThreads() {
  const char *threads = std::getenv("DMC_RESHARD_THREADS");
  return std::max(1l, threads ? std::strtol(threads, nullptr, 10)
                              : static_cast<long>(std::thread::hardware_concurrency()));
}

static Tally compare(const Universe &universe, const Sample &sample, double memory) {
  std::vector<std::pair<uint32_t, int64_t>> allCuts;
  for (uint32_t a = 0; a < universe.mesh.size(); ++a)
    for (int64_t cut = 2; cut < universe.mesh.axis(a).size; ++cut)
      if (universe.mesh.axis(a).size % cut == 0)
        allCuts.push_back({a, cut});
  Tally total;
  std::mt19937 random(1);
  // Layouts on the way cut only where an end cuts: one graph for each set of cuts.
  for (size_t subset = 0; subset < size_t(1) << allCuts.size(); ++subset) {
    Graph::Cuts cuts;
    for (size_t i = 0; i < allCuts.size(); ++i)
      if (subset >> i & 1)
        cuts.insert(allCuts[i]);
    Graph graph(universe, cuts);
    std::vector<const Layout *> targets;
    for (const Layout &layout : graph.layouts)
      if (std::uniform_real_distribution<double>()(random) < sample.targets)
        targets.push_back(&layout);
    std::atomic<size_t> next{0};
    std::mutex mutex;
    auto work = [&] {
      for (size_t t; (t = next++) < targets.size();) {
        Tally one = TargetCheck(universe, graph, cuts, *targets[t], memory, sample.sources,
                                static_cast<uint32_t>(t))
                        .run();
        std::lock_guard<std::mutex> lock(mutex);
        total.add(one);
      }
    };
    std::vector<std::thread> threads(numThreads());
    for (std::thread &thread : threads)
      thread = std::thread(work);
    for (std::thread &thread : threads)
      thread.join();
  }
  return total;
}

TEST(ReshardPairs, Table) {
  const Mesh small({{"x", 2}, {"y", 2}, {"z", 3}}), large({{"x", 4}, {"y", 6}});
  struct Row {
    const char *name;
    Universe universe;
    double memory;
    Sample sample, full;
  };
  using C = Combiner;
  const std::vector<Row> rows = {
      {"2x2x3: 24, partial, placed", {small, {24}, 64, {C::Sum, C::Max}, true}, 0, {0.05, 0.3}, {}},
      {"2x2x3: 7, partial, placed", {small, {7}, 64, {C::Sum, C::Max}, true}, 0, {0.05, 0.3}, {}},
      {"2x2x3: 12 x 12, partial", {small, {12, 12}, 64, {C::Sum}, false}, 0, {0.2, 0.3}, {}},
      {"2x2x3: 7 x 10, partial", {small, {7, 10}, 64, {C::Sum}, false}, 0, {0.2, 0.3}, {}},
      {"2x2x3: 7 x 10, partial, memory", {small, {7, 10}, 64, {C::Sum}, false}, 1, {0.05, 0.3}, {}},
      {"2x2x3: 5 x 6 x 4, partial", {small, {5, 6, 4}, 64, {C::Sum}, false}, 0, {0.05, 0.2}, {}},
      {"4x6: 24, partial", {large, {24}, 64, {C::Sum}, false}, 0, {0.05, 0.05}, {}},
      {"4x6: 13, partial", {large, {13}, 64, {C::Sum}, false}, 0, {0.05, 0.05}, {}},
      {"4x6: 13, partial, placed",
       {large, {13}, 64, {C::Sum}, true},
       0,
       {0.002, 0.02},
       {0.01, 0.2}},
      {"4x6: 24 x 24, partial", {large, {24, 24}, 64, {C::Sum}, false}, 0, {0.002, 0.03}, {}},
      {"4x6: 7 x 10, partial", {large, {7, 10}, 64, {C::Sum}, false}, 0, {0.002, 0.03}, {}},
      {"4x6: 7 x 10, memory", {large, {7, 10}, 64, {}, false}, 1, {0.005, 0.1}, {}},
      {"4x6: 5 x 6 x 4", {large, {5, 6, 4}, 64, {}, false}, 0, {0.002, 0.05}, {}},
  };
  const char *pairs = std::getenv("DMC_RESHARD_PAIRS");
  const char *only = std::getenv("DMC_RESHARD_ROW"); // a part of a name
  // All pairs, or a share of the targets with all their sources.
  double share = pairs ? std::strtod(pairs, nullptr) : 0;
  bool all = share > 0 || (pairs && std::string(pairs) == "all");
  std::printf("| mesh: sizes | pairs | 0 moves | 1 | 2 | 3 | 4 | more | redistributed | bound "
              "reached | us a plan |\n"
              "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Row &row : rows) {
    if (only && std::string(row.name).find(only) == std::string::npos)
      continue;
    Sample sample = all ? row.full : row.sample;
    if (share > 0)
      sample.targets *= share;
    Tally tally = compare(row.universe, sample, row.memory);
    tally.print(row.name);
    for (const auto &[error, count] : tally.failures)
      std::printf("  %lld x %s\n", static_cast<long long>(count), error.c_str());
  }
}

/// A sample, and not of all: where a permute between parts that no factorisation has both is free
/// for the ranks of its places alone, it is charged a block.
TEST(ReshardPairs, FirstAxisIsCutInTwoWays) {
  const Universe universe{Mesh({{"x", 6}, {"y", 2}}), {13}, 64, {Combiner::Sum}, true};
  Tally tally = compare(universe, {0.05, 0.2}, 0);
  EXPECT_GT(tally.pairs, 1000);
  EXPECT_TRUE(tally.failures.empty());
}
