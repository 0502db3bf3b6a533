// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All solvers that are there, on problems with known answers.
#include "dmc/Solver/Solver.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace dmc::solver;

namespace {
class SolverTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    std::string error;
    solver = makeSolver(GetParam(), error);
    if (!solver)
      GTEST_SKIP() << error;
  }

  Result solve(const LinearProblem &problem, const Options &options = {}) {
    std::string error;
    std::optional<Result> result = solver->solve(problem, options, error);
    EXPECT_TRUE(result) << error;
    if (!result)
      return {};
    if (result->hasValues()) {
      EXPECT_TRUE(problem.isFeasible(result->values));
      EXPECT_NEAR(problem.objective(result->values), result->objective, 1e-6);
      EXPECT_LE(result->bound, result->objective);
    }
    return *result;
  }

  std::unique_ptr<Solver> solver;
};

/// The least objective of a problem whose columns are all binary, by trying all values.
double solveByTrying(const LinearProblem &problem) {
  size_t count = problem.columns.size();
  double best = infinity;
  std::vector<double> values(count);
  for (uint32_t bits = 0; bits < (1U << count); ++bits) {
    for (size_t i = 0; i < count; ++i)
      values[i] = (bits >> i) & 1;
    if (problem.isFeasible(values, 1e-9))
      best = std::min(best, problem.objective(values));
  }
  return best;
}

LinearProblem randomBinaries(uint32_t seed) {
  std::mt19937 random(seed);
  auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
  };
  LinearProblem problem;
  int columns = draw(1, 12), rows = draw(0, 8);
  for (int i = 0; i < columns; ++i)
    problem.addBinary(draw(-9, 9));
  for (int i = 0; i < rows; ++i) {
    Row row;
    for (int column = 0; column < columns; ++column)
      if (int value = draw(-5, 5); value && draw(0, 2))
        row.entries.push_back({column, static_cast<double>(value)});
    int kind = draw(0, 3);
    double side = draw(-6, 8);
    if (kind != 1)
      row.upper = side;
    if (kind == 1 || kind == 3)
      row.lower = kind == 3 ? side - draw(0, 4) : side;
    problem.addRow(row);
  }
  return problem;
}

/// Layouts of `count` tensors in a chain: one of `choices` each, and a cost for each pair of
/// neighbors. Binary columns for layouts, continuous ones for pairs.
LinearProblem chain(int count, int choices, uint32_t seed, std::vector<std::vector<double>> &nodes,
                    std::vector<std::vector<double>> &edges) {
  std::mt19937 random(seed);
  LinearProblem problem;
  std::vector<std::vector<int32_t>> columns(count);
  for (int i = 0; i < count; ++i) {
    Row one;
    one.lower = one.upper = 1;
    nodes.emplace_back();
    for (int k = 0; k < choices; ++k) {
      nodes.back().push_back(random() % 100);
      columns[i].push_back(problem.addBinary(nodes.back().back()));
      one.entries.push_back({columns[i].back(), 1});
    }
    problem.addRow(one);
    if (i == 0)
      continue;
    edges.emplace_back();
    std::vector<Row> from(choices), to(choices);
    for (int a = 0; a < choices; ++a)
      for (int b = 0; b < choices; ++b) {
        edges.back().push_back(a == b ? 0 : random() % 100);
        int32_t pair = problem.addColumn({edges.back().back(), 0, 1, false});
        from[a].entries.push_back({pair, 1});
        to[b].entries.push_back({pair, 1});
      }
    for (int k = 0; k < choices; ++k) {
      from[k].entries.push_back({columns[i - 1][k], -1});
      to[k].entries.push_back({columns[i][k], -1});
      for (Row *row : {&from[k], &to[k]}) {
        row->lower = row->upper = 0;
        problem.addRow(*row);
      }
    }
  }
  return problem;
}
} // namespace

TEST_P(SolverTest, LinearProblem) {
  // The example of Dantzig's textbook: 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18.
  LinearProblem problem;
  problem.addColumn({-3, 0, infinity});
  problem.addColumn({-5, 0, infinity});
  problem.addRow({-infinity, 4, {{0, 1}}});
  problem.addRow({-infinity, 12, {{1, 2}}});
  problem.addRow({-infinity, 18, {{0, 3}, {1, 2}}});
  Result result = solve(problem);
  EXPECT_EQ(result.status, Status::Optimal);
  EXPECT_NEAR(result.objective, -36, 1e-6);
  EXPECT_NEAR(result.bound, -36, 1e-6);
  ASSERT_EQ(result.values.size(), 2U);
  EXPECT_NEAR(result.values[0], 2, 1e-6);
  EXPECT_NEAR(result.values[1], 6, 1e-6);
}

TEST_P(SolverTest, FreeColumnsAndEqualities) {
  // |x - 3| as t with x free: x + y = 1, y >= 0; least t - is 2 at x = 1.
  LinearProblem problem;
  int32_t x = problem.addColumn({0, -infinity, infinity});
  int32_t y = problem.addColumn({0, 0, infinity});
  int32_t t = problem.addColumn({1, -infinity, infinity});
  problem.addRow({1, 1, {{x, 1}, {y, 1}}});
  problem.addRow({-3, infinity, {{t, 1}, {x, -1}}});
  problem.addRow({3, infinity, {{t, 1}, {x, 1}}});
  Result result = solve(problem);
  EXPECT_EQ(result.status, Status::Optimal);
  EXPECT_NEAR(result.objective, 2, 1e-6);
}

TEST_P(SolverTest, GeneralIntegers) {
  // Least 5x + 4y with 6x + 4y >= 23.5, x + 2y >= 5.5, x <= 3.
  LinearProblem problem;
  problem.addColumn({5, 0, 3, true});
  problem.addColumn({4, -2, 100, true});
  problem.addRow({23.5, infinity, {{0, 6}, {1, 4}}});
  problem.addRow({5.5, infinity, {{0, 1}, {1, 2}}});
  double best = infinity;
  for (int x = 0; x <= 3; ++x)
    for (int y = -2; y <= 100; ++y)
      if (6 * x + 4 * y >= 23.5 && x + 2 * y >= 5.5)
        best = std::min(best, 5.0 * x + 4 * y);
  Result result = solve(problem);
  EXPECT_EQ(result.status, Status::Optimal);
  EXPECT_EQ(result.objective, best);
}

TEST_P(SolverTest, Infeasible) {
  LinearProblem problem;
  problem.addBinary(1);
  problem.addBinary(1);
  problem.addRow({3, infinity, {{0, 1}, {1, 1}}});
  Result result = solve(problem);
  EXPECT_EQ(result.status, Status::Infeasible);
  EXPECT_FALSE(result.hasValues());
  EXPECT_EQ(result.bound, infinity);

  LinearProblem odd; // only without integers there is a solution
  odd.addColumn({0, 0, 10, true});
  odd.addRow({1, 1, {{0, 2}}});
  EXPECT_EQ(solve(odd).status, Status::Infeasible);

  LinearProblem crossed;
  crossed.addColumn({0, 1, 0});
  EXPECT_EQ(solve(crossed).status, Status::Infeasible);
}

TEST_P(SolverTest, Unbounded) {
  LinearProblem problem;
  problem.addColumn({-1, 0, infinity});
  problem.addColumn({0, 0, infinity});
  problem.addRow({-infinity, 1, {{0, 1}, {1, -1}}});
  Result result = solve(problem);
  EXPECT_EQ(result.status, Status::Unbounded);
  EXPECT_EQ(result.bound, -infinity);
}

TEST_P(SolverTest, NoRows) {
  LinearProblem problem;
  problem.addBinary(-2);
  problem.addColumn({3, -4, 5});
  Result result = solve(problem);
  EXPECT_EQ(result.status, Status::Optimal);
  EXPECT_NEAR(result.objective, -14, 1e-6);
}

TEST_P(SolverTest, RandomBinaryProblems) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    LinearProblem problem = randomBinaries(seed);
    double best = solveByTrying(problem);
    Result result = solve(problem);
    if (best == infinity) {
      EXPECT_EQ(result.status, Status::Infeasible) << seed;
      continue;
    }
    EXPECT_EQ(result.status, Status::Optimal) << seed;
    EXPECT_NEAR(result.objective, best, 1e-6) << seed;
    EXPECT_NEAR(result.bound, best, 1e-6) << seed;
  }
}

TEST_P(SolverTest, ChainOfLayouts) {
  constexpr int count = 12, choices = 5;
  std::vector<std::vector<double>> nodes, edges;
  LinearProblem problem = chain(count, choices, 7, nodes, edges);
  std::vector<double> best = nodes[0]; // by dynamic programming
  for (int i = 1; i < count; ++i) {
    std::vector<double> next(choices, infinity);
    for (int a = 0; a < choices; ++a)
      for (int b = 0; b < choices; ++b)
        next[b] = std::min(next[b], best[a] + edges[i - 1][a * choices + b] + nodes[i][b]);
    best = next;
  }
  Result result = solve(problem);
  EXPECT_EQ(result.status, Status::Optimal);
  EXPECT_NEAR(result.objective, *std::min_element(best.begin(), best.end()), 1e-6);
}

TEST_P(SolverTest, GapEndsTheSearch) {
  std::mt19937 random(3);
  LinearProblem problem;
  Row row;
  for (int i = 0; i < 30; ++i) {
    problem.addBinary(-static_cast<double>(50 + random() % 100));
    row.entries.push_back({i, static_cast<double>(50 + random() % 100)});
  }
  row.upper = 1000;
  problem.addRow(row);
  Options options;
  options.gap = 0.5;
  Result result = solve(problem, options);
  EXPECT_EQ(result.status, Status::Optimal);
  EXPECT_LE(result.gap(), 0.5);
}

TEST_P(SolverTest, StartsFromValues) {
  LinearProblem problem;
  problem.addBinary(-1);
  problem.addBinary(-1);
  problem.addRow({-infinity, 1, {{0, 1}, {1, 1}}});
  Options options;
  options.start = {1, 0};
  EXPECT_EQ(solve(problem, options).objective, -1);
  options.start = {1, 1}; // not feasible
  EXPECT_EQ(solve(problem, options).objective, -1);
}

TEST_P(SolverTest, RefusesWhatIsNoProblem) {
  LinearProblem problem;
  problem.addBinary(1);
  auto check = [&](const LinearProblem &wrong, const char *text) {
    std::string error;
    EXPECT_FALSE(solver->solve(wrong, {}, error));
    EXPECT_EQ(error, text);
  };
  LinearProblem wrong = problem;
  wrong.addRow({0, 1, {{1, 1}}});
  check(wrong, "row 0: expected a column below 1, found 1");
  wrong = problem;
  wrong.addRow({0, 1, {{0, 1}, {0, 2}}});
  check(wrong, "row 0: column 0 is in it twice");
  wrong = problem;
  wrong.addRow({0, 1, {{0, std::nan("")}}});
  check(wrong, "row 0: expected finite coefficients");
  wrong = problem;
  wrong.addRow({infinity, infinity, {}});
  check(wrong, "row 0: expected bounds that a number can keep");
  wrong = problem;
  wrong.addColumn({infinity});
  check(wrong, "column 1: expected a finite cost");
  wrong = problem;
  wrong.addColumn({0, std::nan(""), 1});
  check(wrong, "column 1: expected bounds that a number can keep");
}

INSTANTIATE_TEST_SUITE_P(All, SolverTest, testing::Values("own", "cbc", "highs"));

TEST(OwnSolver, LimitsOfNodesAndTime) {
  std::string error;
  std::unique_ptr<Solver> solver = makeSolver("own", error);
  std::mt19937 random(5);
  LinearProblem problem;
  for (int i = 0; i < 40; ++i)
    problem.addBinary(-static_cast<double>(100 + random() % 10));
  for (int k = 0; k < 5; ++k) {
    Row row;
    for (int i = 0; i < 40; ++i)
      row.entries.push_back({i, static_cast<double>(100 + random() % 10)});
    row.upper = 1950;
    problem.addRow(row);
  }
  Options options;
  options.nodes = 200;
  std::optional<Result> first = solver->solve(problem, options, error);
  ASSERT_TRUE(first) << error;
  EXPECT_EQ(first->status, Status::Feasible);
  EXPECT_LT(first->bound, first->objective);
  EXPECT_GT(first->gap(), 0);
  EXPECT_TRUE(problem.isFeasible(first->values));
  std::optional<Result> again = solver->solve(problem, options, error);
  EXPECT_EQ(first->values, again->values); // nothing depends on time

  options.nodes = 0;
  std::optional<Result> none = solver->solve(problem, options, error);
  EXPECT_EQ(none->status, Status::Unknown);
  EXPECT_EQ(none->gap(), infinity);

  options = {};
  options.seconds = 0;
  EXPECT_EQ(solver->solve(problem, options, error)->status, Status::Unknown);
}

TEST(OwnSolver, Larger) {
  // An assignment problem: its relaxation has integers at once.
  constexpr int size = 25;
  std::mt19937 random(11);
  LinearProblem problem;
  for (int i = 0; i < size * size; ++i)
    problem.addBinary(random() % 1000);
  for (int i = 0; i < size; ++i) {
    Row across{1, 1, {}}, down{1, 1, {}};
    for (int j = 0; j < size; ++j) {
      across.entries.push_back({i * size + j, 1});
      down.entries.push_back({j * size + i, 1});
    }
    problem.addRow(across);
    problem.addRow(down);
  }
  std::string error;
  std::optional<Result> result = makeSolver("own", error)->solve(problem, {}, error);
  ASSERT_TRUE(result) << error;
  EXPECT_EQ(result->status, Status::Optimal);
  EXPECT_EQ(result->bound, result->objective);
}

TEST(OwnSolver, RefusesWhatItsDictionaryCannotHold) {
  LinearProblem problem;
  for (int i = 0; i < (1 << 14) + 1; ++i)
    problem.addBinary(1);
  for (int i = 0; i < (1 << 13); ++i)
    problem.addRow({0, 1, {{i, 1}}});
  std::string error;
  EXPECT_FALSE(makeSolver("own", error)->solve(problem, {}, error));
  EXPECT_EQ(error, "dmc's own branch and bound: expected at most 134217728 coefficients, zeros "
                   "among them, found 8192 rows of 16385");
}

namespace {
/// Sets a variable of the environment as long as it lives.
class Variable {
public:
  Variable(const char *name, const char *value) : name_(name) {
    if (const char *old = std::getenv(name))
      old_ = old;
    setenv(name, value, 1);
  }
  ~Variable() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }

private:
  const char *name_;
  std::optional<std::string> old_;
};
} // namespace

TEST(MakeSolver, SaysWhatItLookedFor) {
  std::string error;
  EXPECT_FALSE(makeSolver("simplex", error));
  EXPECT_EQ(error, "expected the solver best, highs, cbc or own, found 'simplex'");
  Variable highs("DMC_HIGHS", "/nowhere/libhighs.so");
  EXPECT_FALSE(makeSolver("highs", error));
  EXPECT_NE(error.find("solver highs: in DMC_HIGHS: "), std::string::npos) << error;
  EXPECT_NE(error.find("/nowhere/libhighs.so"), std::string::npos) << error;
  // Another library has no such functions.
  Variable cbc("DMC_CBC", "libm.so.6");
  EXPECT_FALSE(makeSolver("cbc", error));
  EXPECT_EQ(error, "solver cbc: libm.so.6: unsupported version: it has no Cbc_getVersion");
  EXPECT_EQ(makeSolver("best", error)->name(), "dmc's own branch and bound");
}
