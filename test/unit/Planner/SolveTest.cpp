// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver beside enumeration, and its certificates beside their checker.
#include "Problems.h"
#include "Transformer.h"

#include "dmc/Planner/Elimination.h"
#include "dmc/Planner/Solve.h"

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
/// What must hold of every solution.
void expectSound(const LayoutProblem &problem, const Solution &solution, int64_t optimum) {
  ASSERT_LE(solution.bound, optimum) << print(problem);
  ASSERT_LE(solution.certifiedBound, solution.bound) << print(problem);
  if (!solution.assignment.empty()) {
    ASSERT_EQ(problem.check(solution.assignment), "") << print(problem);
    ASSERT_EQ(problem.getCost(solution.assignment), solution.cost) << print(problem);
    ASSERT_GE(solution.cost, optimum) << print(problem);
  }
  CheckedCertificate checked = checkCertificate(problem, solution.certificate, solution.assignment);
  ASSERT_EQ(checked.error, "") << print(problem);
  ASSERT_EQ(checked.cost, solution.cost) << print(problem);
  ASSERT_EQ(checked.bound, solution.certifiedBound) << print(problem);
}

TEST(Solve, AgreesWithEnumeration) {
  size_t infeasibleOnes = 0, byPotentials = 0;
  for (uint32_t seed = 0; seed < 6000; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 6;
    how.edges = 20 + seed % 7 * 20;
    how.infeasible = seed % 5 ? 10 : 60;
    how.rows = seed % 4;
    how.cost = seed % 11 ? 20 : 3;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    int64_t optimum = enumerate(problem)->cost;
    Solution solution = solve(problem);
    expectSound(problem, solution, optimum);
    if (HasFatalFailure())
      return;
    ASSERT_EQ(solution.cost, optimum) << print(problem);
    ASSERT_EQ(solution.bound, optimum) << print(problem);
    ASSERT_EQ(solution.status,
              optimum == infeasible ? SolveStatus::Infeasible : SolveStatus::Optimal);
    infeasibleOnes += optimum == infeasible;
    byPotentials += solution.certifiedBound == optimum;
  }
  EXPECT_GT(infeasibleOnes, 500U);
  EXPECT_LT(infeasibleOnes, 5000U);
  EXPECT_GT(byPotentials, 5000U);
}

TEST(Solve, NeverBoundsAboveTheOptimum) {
  // What messages alone prove, at each number of iterations.
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    Drawer drawer(seed + 100000);
    Draw how;
    how.variables = 6;
    how.edges = 40 + seed % 5 * 30;
    how.rows = seed % 3;
    how.infeasible = seed % 4 ? 5 : 40;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    SolveOptions options;
    options.iterations = 1 + seed % 16;
    options.searchNodes = 0;
    options.eliminationLimit = seed % 2 ? 1000 : 0;
    options.solver = "none";
    if (seed % 5)
      options.pricesAfter = seed % 5;
    expectSound(problem, solve(problem, options), enumerate(problem)->cost);
    if (HasFatalFailure())
      return;
  }
}

TEST(Solve, AgreesWithElimination) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Drawer drawer(seed + 200000);
    Draw how;
    how.variables = 24;
    how.states = 7;
    how.cost = 1000;
    how.edges = 8 + seed % 3 * 6;
    how.infeasible = seed % 4 ? 5 : 20;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    auto optimum = eliminate(problem);
    if (!optimum)
      continue;
    SolveOptions options;
    // Small limits make the search and the integer program do the rest.
    options.eliminationLimit = seed % 2 ? 100 : 100'000;
    options.solver = seed % 3 ? "none" : "own";
    Solution solution = solve(problem, options);
    expectSound(problem, solution, optimum->cost);
    if (HasFatalFailure())
      return;
    if (solution.status == SolveStatus::Optimal)
      ASSERT_EQ(solution.cost, optimum->cost) << print(problem);
  }
}

TEST(Solve, ClosesByIntegerPrograms) {
  size_t count = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed + 300000);
    Draw how;
    how.variables = 7;
    how.edges = 100 + seed % 3 * 50;
    how.rows = seed % 4;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    SolveOptions options;
    options.iterations = 1;
    options.eliminationLimit = options.searchNodes = options.bucketLimit = 0;
    options.solver = "own";
    int64_t optimum = enumerate(problem)->cost;
    Solution solution = solve(problem, options);
    expectSound(problem, solution, optimum);
    if (HasFatalFailure())
      return;
    ASSERT_EQ(solution.cost, optimum) << print(problem);
    ASSERT_EQ(solution.bound, optimum) << print(problem);
    count += solution.boundSource == BoundSource::IntegerProgram;
  }
  EXPECT_GT(count, 60U);
}

TEST(Solve, StopsWhereItIsTold) {
  TransformerOptions transformer;
  LayoutProblem problem = makeProblem(makeTransformer(transformer));
  std::vector<SolveProgress> seen;
  SolveOptions options;
  options.onProgress = [&](const SolveProgress &progress) { seen.push_back(progress); };
  options.isInterrupted = [&] { return seen.size() == 3; };
  Solution solution = solve(problem, options);
  EXPECT_TRUE(solution.wasInterrupted);
  EXPECT_EQ(solution.status, SolveStatus::Feasible);
  EXPECT_EQ(problem.check(solution.assignment), "");
  ASSERT_EQ(seen.size(), 3U);
  for (size_t i = 1; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].iterations, seen[i - 1].iterations + 1);
    EXPECT_GE(seen[i].bound, seen[i - 1].bound);
    EXPECT_LE(seen[i].cost, seen[i - 1].cost);
  }
  options = {};
  options.seconds = 0;
  solution = solve(problem, options);
  EXPECT_FALSE(solution.wasInterrupted);
  // The first suggests a plan.
  EXPECT_EQ(solution.iterations, 1);
  EXPECT_EQ(solution.status, SolveStatus::Feasible);
  options = {};
  options.gap = 0.05;
  solution = solve(problem, options);
  EXPECT_EQ(solution.status, SolveStatus::Optimal);
  EXPECT_LE(solution.gap(), 0.05);
  EXPECT_LT(solution.iterations, 15);
}

TEST(Solve, KeepsNoCertificateIfToldSo) {
  LayoutProblem problem = parse("problem p { variable a {r 5, s 3} variable b {r 0, s 9} "
                                "pair a b [0 7; 7 0] }");
  SolveOptions options;
  options.keepCertificate = false;
  Solution solution = solve(problem, options);
  EXPECT_EQ(solution.cost, 5);
  EXPECT_EQ(solution.bound, 5);
  EXPECT_LE(solution.certifiedBound, 5);
  EXPECT_EQ(checkCertificate(problem, solution.certificate, solution.assignment).bound,
            solution.certifiedBound);
}

TEST(Solve, NamesSolversThatAreMissing) {
  // Frustrated, so that messages and a search of no nodes leave something.
  LayoutProblem problem =
      parse("problem p { variable a {r 0, s 0} variable b {r 0, s 0} variable c {r 0, s 0} "
            "table t [9 0; 0 9] pair a b t pair b c t pair c a t }");
  SolveOptions options;
  options.eliminationLimit = options.bucketLimit = options.searchNodes = 0;
  options.solver = "cplex";
  Solution solution = solve(problem, options);
  EXPECT_EQ(solution.solverError, "expected the solver best, highs, cbc or own, found 'cplex'");
  EXPECT_LT(solution.bound, 9);
  options.solver = "own";
  EXPECT_EQ(solve(problem, options).bound, 9);
}

TEST(Solve, ExplainsConflicts) {
  LayoutProblem problem = parse(R"(
    problem p {
      variable a {r 0, s 0} variable b {r 0, s 0} variable c {r 0, s 0} variable d {r 0, s 0}
      table equal [0 inf; inf 0]
      pair a b equal pair b c equal pair c d [0 1; 1 0]
      row m capacity 5 {a r 4, a s 4, d r 4, d s 3}
      row n capacity 50 {a r 4, b s 4}
      request a = r request c = s request d = r
    })");
  Solution solution = solve(problem);
  EXPECT_EQ(solution.status, SolveStatus::Infeasible);
  EXPECT_EQ(solution.bound, infeasible);
  // Rows go first: the requests alone have no plan.
  EXPECT_TRUE(solution.conflict.rows.empty());
  EXPECT_EQ(solution.conflict.requests, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(solution.conflict.variables, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(solution.conflict.message,
            "no states of \"a\", \"b\" and \"c\" are feasible together, with the requested "
            "\"r\" of \"a\" and \"s\" of \"c\"");
  problem = parse(R"(
    problem p {
      variable a {r 0, s 0} variable b {r 0, s 0}
      row m capacity 5 {a r 4, a s 2, b r 4, b s 3}
      row n capacity 50 {a r 4, b s 4}
      request a = r
    })");
  solution = solve(problem);
  EXPECT_EQ(solution.conflict.rows, (std::vector<uint32_t>{0}));
  EXPECT_EQ(solution.conflict.requests, (std::vector<uint32_t>{0}));
  EXPECT_EQ(solution.conflict.variables, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(solution.conflict.message,
            "no plan fits the memory, with the requested \"r\" of \"a\": row \"m\" has a capacity "
            "of 5 bytes, and its variables use at least 7: \"a\" (4) and \"b\" (3)");
}

/// One row more in each round, as the search within a capacity adds them.
TEST(Solve, GoesOnWhereItEnded) {
  int64_t warm = 0, cold = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 10;
    how.states = 3;
    how.rows = 1 + seed % 4;
    ProblemParts parts = drawer.draw(how);
    std::vector<Row> rows = parts.rows;
    SolveOptions options;
    for (size_t count = 0; count <= rows.size(); ++count) {
      parts.rows.assign(rows.begin(), rows.begin() + count);
      LayoutProblem problem = makeProblem(parts);
      Solution solution = solve(problem, options);
      expectSound(problem, solution, enumerate(problem)->cost);
      if (HasFatalFailure())
        return;
      ASSERT_EQ(solution.cost, enumerate(problem)->cost) << print(problem);
      if (solution.assignment.empty())
        break;
      ASSERT_EQ(solution.warmStart->prices.size(), count);
      // One iteration says what it starts from.
      SolveOptions brief;
      brief.iterations = 1;
      brief.eliminationLimit = brief.rowSteps = brief.provingSteps = brief.searchNodes = 0;
      brief.solver = "none";
      cold += solve(problem, brief).certifiedBound;
      brief.warmStart = solution.warmStart;
      warm += solve(problem, brief).certifiedBound;
      options.warmStart = solution.warmStart;
    }
  }
  EXPECT_GT(warm, cold);
  // What is of another problem is left aside.
  SolveOptions options;
  Drawer drawer(1);
  Solution other = solve(makeProblem(drawer.draw({})));
  options.warmStart = other.warmStart;
  Draw larger;
  larger.variables = 9;
  LayoutProblem problem = makeProblem(drawer.draw(larger));
  EXPECT_EQ(solve(problem, options).cost, enumerate(problem)->cost);
}

TEST(Solve, IsRepeatable) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 12;
    how.rows = seed % 3;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    Solution one = solve(problem), other = solve(problem);
    EXPECT_EQ(one.assignment, other.assignment);
    EXPECT_EQ(one.bound, other.bound);
    EXPECT_EQ(one.iterations, other.iterations);
  }
}
} // namespace

/// A plan that exceeds a row by little is near one that keeps it, which few iterations do not find.
TEST(Solve, RepairsStartsThatExceedRows) {
  size_t better = 0, worse = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 100;
    how.edges = 6;
    how.infeasible = 0;
    how.requests = 0;
    how.loops = 0;
    ProblemParts parts = drawer.draw(how);
    SolveOptions options;
    options.solver = "none";
    Solution free = solve(makeProblem(parts), options);
    Row row{"memory", -1, {}};
    for (auto [v, variable] : llvm::enumerate(parts.variables))
      for (uint32_t s = 0; s < variable.states.size(); ++s) {
        row.uses.push_back({static_cast<uint32_t>(v), s, 1 + drawer.below(20)});
        row.capacity += s == free.assignment[v] ? row.uses.back().bytes : 0;
      }
    parts.rows.push_back(std::move(row));
    LayoutProblem problem = makeProblem(std::move(parts));
    options.start = free.assignment;
    options.iterations = 1;
    options.eliminationLimit = 4;
    options.searchNodes = 0;
    options.rowSteps = 0;
    options.provingSteps = 0;
    options.keepCertificate = false;
    Solution repaired = solve(problem, options);
    options.repairsStarts = false;
    Solution other = solve(problem, options);
    better += repaired.cost < other.cost;
    worse += repaired.cost > other.cost;
    if (repaired.cost != infeasible)
      ASSERT_EQ(problem.check(repaired.assignment), "");
  }
  EXPECT_GT(better, 30U);
  EXPECT_EQ(worse, 0U);
}

namespace {
/// Layers of variables, cheap and large or dear and small, that pay to change to the next layer: at
/// the price of memory at which both cost the same, any mixture costs more. Of each kind there are
/// many states that are worse by little.
ProblemParts makeLayersOfTwoKinds(uint32_t layers, uint32_t size, uint32_t pairsOfStates,
                                  int64_t roomForLayers) {
  ProblemParts parts;
  parts.name = "layers";
  const uint32_t states = 2 * pairsOfStates;
  Table within{states, states, {}}, between{states, states, {}};
  for (uint32_t a = 0; a < states; ++a)
    for (uint32_t b = 0; b < states; ++b) {
      const bool isSameKind = a % 2 == b % 2;
      within.costs.push_back(isSameKind ? (a / 2 + b / 2) % 3 : 1000);
      between.costs.push_back(isSameKind ? 0 : 15);
    }
  parts.tables = {std::move(within), std::move(between)};
  Row row{"memory", roomForLayers * size, {}};
  for (uint32_t v = 0; v < layers * size; ++v) {
    Variable variable{"v" + std::to_string(v), {}, {}};
    for (uint32_t s = 0; s < states; ++s) {
      variable.states.push_back({"s" + std::to_string(s), (s % 2 ? 5 : 10) + (s > 1)});
      row.uses.push_back({v, s, s % 2});
    }
    parts.variables.push_back(std::move(variable));
    for (uint32_t other = v - v % size; other < v; ++other)
      parts.pairs.push_back({other, v, 0, {}});
    if (v >= size)
      parts.pairs.push_back({v - size, v, v % size ? 2U : 1U, {}});
  }
  parts.tables.push_back({states, states, std::vector<int64_t>(states * states, 0)});
  parts.rows.push_back(std::move(row));
  return parts;
}
} // namespace

/// Of which exact methods do too little to find the best plan.
static SolveOptions getFewSteps() {
  SolveOptions options;
  options.eliminationLimit = 4;
  options.rowSteps = 1 << 17;
  options.provingSteps = 0;
  options.searchNodes = 0;
  options.solver = "none";
  return options;
}

/// Five layers at one end are large.
static int64_t getCostOfMixture(const LayoutProblem &problem) {
  Assignment mixture(problem.getNumVariables(), 0);
  std::fill_n(mixture.begin(), problem.parts().rows.front().capacity, 1);
  return problem.getCost(mixture);
}

/// No price of memory leads to them.
TEST(Solve, CombinesPlansThatCostTheSameAtOnePrice) {
  LayoutProblem problem = makeProblem(makeLayersOfTwoKinds(12, 4, 4, 5));
  Solution solution = solve(problem, getFewSteps());
  EXPECT_EQ(solution.cost, getCostOfMixture(problem));
  EXPECT_EQ(solution.warmStart->combined.size(), 3U);
  CheckedCertificate checked = checkCertificate(problem, solution.certificate, solution.assignment);
  EXPECT_EQ(checked.error, "");
  EXPECT_EQ(checked.cost, solution.cost);
  EXPECT_EQ(checked.bound, solution.certifiedBound);
}

/// Plans that a problem like this one was combined of before suggest where to begin.
TEST(Solve, CombinesWhatWasCombinedBefore) {
  LayoutProblem problem = makeProblem(makeLayersOfTwoKinds(12, 4, 4, 5));
  SolveOptions options = getFewSteps();
  options.iterations = 1;
  options.keepCertificate = false;
  Solution before = solve(problem, options);
  ASSERT_TRUE(before.warmStart);
  WarmStart warmStart = *before.warmStart;
  const size_t count = problem.getNumVariables();
  warmStart.combined = {Assignment(count, 0), Assignment(count, 1)};
  options.warmStart = std::make_shared<WarmStart>(std::move(warmStart));
  Solution solution = solve(problem, options);
  EXPECT_GT(before.cost, solution.cost);
  EXPECT_EQ(solution.cost, getCostOfMixture(problem));
}
