// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters beside enumeration, and what the solver proves by them.
#include "CheckedBounds.h"
#include "Problems.h"

#include "Clusters.h"

#include "dmc/Planner/Oracle.h"
#include "dmc/Planner/Solve.h"

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
constexpr int64_t largest = std::numeric_limits<int64_t>::max();

/// Rings of variables, each linked to the next ring by a costless pair: neighbours want to differ,
/// which no ring of an odd number of variables with two states can have all around.
ProblemParts makeRings(uint32_t rings, uint32_t size) {
  ProblemParts parts;
  parts.name = "rings";
  parts.tables.push_back({2, 2, {8, 0, 0, 8}});
  parts.tables.push_back({2, 2, {0, 1, 1, 0}});
  for (uint32_t ring = 0; ring < rings; ++ring) {
    for (uint32_t i = 0; i < size; ++i) {
      uint32_t first = ring * size + i;
      parts.variables.push_back({"v" + std::to_string(first), {{"r", 100}, {"s", 100}}, {}});
      parts.pairs.push_back({first, ring * size + (i + 1) % size, 0, {}});
    }
    if (ring > 0)
      parts.pairs.push_back({(ring - 1) * size, ring * size, 1, {}});
  }
  return parts;
}

struct Searched {
  int64_t before = 0, bound = 0, optimum = 0;
  std::vector<std::vector<uint32_t>> clusters;
};

/// The bound after a few iterations, and with clusters for the plan that they suggest.
Searched search(const LayoutProblem &problem, int iterations, const ClusterLimits &limits) {
  Network all(problem);
  Network network = all.restrict(makeConsistent(all, keepAll(all)).keep);
  Scales scales(problem);
  Messages messages(network);
  for (int i = 0; i < iterations; ++i)
    messages.iterate();
  Potentials potentials = messages.getPotentials(scales.potential);
  ExactBound bound(network, scales, potentials,
                   std::vector<int64_t>(problem.parts().rows.size(), 0));
  std::vector<uint32_t> choice = messages.decode();
  if (problem.getCost(network.toAssignment(choice)) == infeasible)
    return {};
  const std::function<bool()> never = [] { return false; };
  Clusters clusters =
      findClusters(network, scales, potentials, bound, choice, limits, largest, largest, never);
  Searched result;
  result.before = bound.toPicoseconds();
  result.bound =
      scales.toPicoseconds(bound.bound() + static_cast<Wide>(clusters.gain) * scales.price);
  result.clusters = std::move(clusters.nodes);
  // What they are worth to the checker.
  int64_t checked = checkClusters(network, potentials, result.clusters);
  EXPECT_GE(checked, result.bound);
  result.bound = checked;
  return result;
}

TEST(Clusters, ProveNoMoreThanTheOptimum) {
  size_t raised = 0, found = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 9;
    how.edges = 20 + seed % 5 * 15;
    how.requests = 0;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    auto optimum = enumerate(problem);
    if (!optimum || optimum->cost == infeasible)
      continue;
    Searched result = search(problem, 3, {seed % 2 ? 1 << 20 : 200, 1 << 24});
    ASSERT_LE(result.bound, optimum->cost) << print(problem);
    ASSERT_GE(result.bound, result.before) << print(problem);
    raised += result.bound > result.before;
    found += !result.clusters.empty();
  }
  EXPECT_GT(found, 100U);
  EXPECT_GT(raised, 100U);
}

/// Each ring is a cluster of its own, though only one of its edges costs the plan anything.
TEST(Clusters, FindFrustratedRings) {
  LayoutProblem problem = makeProblem(makeRings(12, 7));
  Searched result = search(problem, 20, {1 << 20, 1 << 24});
  // 84 variables at 100, and 8 for each ring.
  EXPECT_EQ(result.before, 8400);
  EXPECT_EQ(result.bound, 8496);
  ASSERT_EQ(result.clusters.size(), 12U);
  for (const auto &cluster : result.clusters)
    EXPECT_EQ(cluster.size(), 7U);
}

/// What the nodes of a ring cost together may be a hundredth of what the plan costs at the edge
/// that the cluster begins with.
TEST(Clusters, FindSmallConflicts) {
  ProblemParts parts = makeRings(1, 7);
  parts.tables[0].costs = {1, 0, 0, 1};
  parts.tables[1].costs = {100, 0, 0, 100};
  parts.pairs.back().table = 1;
  LayoutProblem problem = makeProblem(std::move(parts));
  Network network(problem);
  Scales scales(problem);
  const Potentials potentials = readStage(network, makeEmptyStage(problem));
  ExactBound bound(network, scales, potentials, {});
  EXPECT_EQ(bound.toPicoseconds(), 700);
  const std::function<bool()> never = [] { return false; };
  Clusters clusters = findClusters(network, scales, potentials, bound, {0, 1, 0, 1, 0, 1, 0},
                                   {1 << 20, 1 << 24}, largest, largest, never);
  ASSERT_EQ(clusters.nodes.size(), 1U);
  EXPECT_EQ(clusters.nodes.front().size(), 7U);
  EXPECT_EQ(clusters.gain, scales.potential);
}

/// What is found around one edge is repeated around alike ones, within all limits.
TEST(Clusters, KeepTheirLimits) {
  LayoutProblem problem = makeProblem(makeRings(12, 7));
  // A ring takes 5 tables of 8 entries, one of 4 and one of 2.
  Searched result = search(problem, 20, {1 << 20, 46 * 5});
  EXPECT_EQ(result.clusters.size(), 5U);
  EXPECT_EQ(result.bound, 8440);
  result = search(problem, 20, {7, 1 << 24});
  EXPECT_EQ(result.clusters.size(), 0U);
  EXPECT_EQ(result.bound, 8400);
}

TEST(Clusters, CertifyWhatEliminationDoesNot) {
  // As a whole the rings are linked too much to be eliminated.
  ProblemParts parts = makeRings(40, 5);
  LayoutProblem problem = makeProblem(parts);
  SolveOptions options;
  options.eliminationLimit = 4;
  options.searchNodes = 0;
  options.solver = "none";
  Solution solution = solve(problem, options);
  EXPECT_EQ(solution.cost, 200 * 100 + 40 * 8);
  EXPECT_EQ(solution.bound, solution.cost);
  EXPECT_EQ(solution.boundSource, BoundSource::Clusters);
  EXPECT_EQ(solution.certifiedBound, solution.cost);
  EXPECT_EQ(solution.certificate.clusters.size(), 40U);
  CheckedCertificate checked = checkCertificate(problem, solution.certificate, solution.assignment);
  EXPECT_EQ(checked.error, "");
  EXPECT_EQ(checked.bound, solution.cost);
}
} // namespace

/// What the checker computes.
static int64_t getCheckedBound(const LayoutProblem &problem, const Certificate &certificate,
                               const Assignment &plan) {
  CheckedCertificate checked = checkCertificate(problem, certificate, plan);
  EXPECT_EQ(checked.error, "");
  return checked.bound;
}

/// Solves where only clusters and mini-buckets are left to prove more than potentials; nothing: the
/// problem has no plan.
static std::optional<Solution> solveByClusters(const LayoutProblem &problem,
                                               bool changesPrices = true) {
  auto optimum = enumerate(problem);
  if (!optimum || optimum->cost == infeasible)
    return std::nullopt;
  SolveOptions options;
  options.eliminationLimit = 4;
  options.bucketLimit = 4000;
  options.searchNodes = 0;
  options.rowSteps = 0;
  options.provingSteps = 0;
  options.solver = "none";
  if (!changesPrices)
    options.clusterPricing = 0;
  Solution solution = solve(problem, options);
  EXPECT_LE(solution.certifiedBound, optimum->cost) << print(problem);
  return solution;
}

/// Clusters that leave a gap prove more with a further stage of potentials, which pairs alone do
/// not.
TEST(Clusters, HaveASuitedStageInCertificates) {
  size_t suited = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 10;
    how.edges = 60;
    how.requests = 0;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    std::optional<Solution> solution = solveByClusters(problem);
    if (!solution)
      continue;
    Certificate certificate = solution->certificate;
    auto check = [&] { return getCheckedBound(problem, certificate, solution->assignment); };
    ASSERT_EQ(check(), solution->certifiedBound) << print(problem);
    if (certificate.clusters.empty() || certificate.stages.size() < 2)
      continue;
    certificate.stages.pop_back();
    const bool isLess = check() < solution->certifiedBound;
    // By itself that stage proves nothing more.
    certificate.clusters.clear();
    const int64_t ofPairs = check();
    certificate.stages.push_back(solution->certificate.stages.back());
    suited += isLess && check() == ofPairs;
  }
  EXPECT_GT(suited, 5U);
}

/// Frustrated rings with chords, whose states use memory.
static ProblemParts drawRings(uint32_t seed) {
  Drawer drawer(seed);
  ProblemParts parts = makeRings(2, 5);
  for (Variable &variable : parts.variables)
    for (State &state : variable.states)
      state.cost = drawer.below(4);
  for (uint32_t ring = 0; ring < 2; ++ring)
    parts.pairs.push_back({5 * ring + drawer.below(2), 5 * ring + 2 + drawer.below(2), 0, {}});
  Row row{"memory", 0, {}};
  for (auto [v, variable] : llvm::enumerate(parts.variables))
    for (uint32_t s = 0; s < variable.states.size(); ++s)
      row.uses.push_back({static_cast<uint32_t>(v), s, drawer.below(10)});
  parts.rows.push_back(std::move(row));
  return parts;
}

/// Beside these, which need little, one of two large uses of memory has to go.
static LayoutProblem drawRingsWithinMemory(uint32_t seed) {
  ProblemParts parts = drawRings(seed);
  Row &row = parts.rows.front();
  row.capacity = 5 * static_cast<int64_t>(parts.variables.size()) + 150;
  for (uint32_t large = 0; large < 2; ++large) {
    row.uses.push_back({static_cast<uint32_t>(parts.variables.size()), 0, 100});
    parts.variables.push_back({"large" + std::to_string(large), {{"kept", 0}, {"not", 100}}, {}});
  }
  return makeProblem(std::move(parts));
}

/// Where rows bind, clusters are found where the cheapest plan at the prices costs more than the
/// bound, and the suited stage has prices, too.
TEST(Clusters, RaiseBoundsAtPrices) {
  size_t suited = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    LayoutProblem problem = drawRingsWithinMemory(seed);
    std::optional<Solution> solution = solveByClusters(problem);
    if (!solution)
      continue;
    Certificate certificate = solution->certificate;
    auto check = [&] { return getCheckedBound(problem, certificate, solution->assignment); };
    ASSERT_EQ(check(), solution->certifiedBound) << print(problem);
    if (certificate.clusters.empty() || certificate.stages.size() < 2 ||
        llvm::all_of(certificate.stages.back().prices, [](int64_t price) { return price == 0; }))
      continue;
    certificate.stages.pop_back();
    suited += check() < solution->certifiedBound;
  }
  EXPECT_GT(suited, 15U);
}

/// The prices that suit pairs are not those that suit clusters.
TEST(Clusters, SuitPricesOfMemory) {
  size_t raised = 0, lowered = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    ProblemParts parts = drawRings(seed);
    parts.rows.front().capacity = 3 * static_cast<int64_t>(parts.variables.size());
    LayoutProblem problem = makeProblem(std::move(parts));
    std::optional<Solution> fixed = solveByClusters(problem, /*changesPrices=*/false);
    std::optional<Solution> suited = solveByClusters(problem);
    if (!fixed || !suited)
      continue;
    raised += suited->certifiedBound > fixed->certifiedBound;
    lowered += suited->certifiedBound < fixed->certifiedBound;
  }
  EXPECT_GT(raised, 100U);
  EXPECT_EQ(lowered, 0U);
}
