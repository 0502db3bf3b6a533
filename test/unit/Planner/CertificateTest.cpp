// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker on certificates made by hand and damaged ones, and their textual form.
#include "Problems.h"

#include "dmc/Planner/Oracle.h"
#include "dmc/Planner/Solve.h"

#include <numeric>

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
const char *const chain = R"(
problem chain {
  variable a {r 9, s 1}
  variable b {r 2, s 6}
  pair a b [0 4; 3 0]
  row m capacity 10 {a s 8, b r 8}
})";

/// Two of three variables have the same state: no potentials prove that.
const char *const triangle = R"(
problem triangle {
  variable a {r 0, s 0}
  variable b {r 0, s 0}
  variable c {r 0, s 0}
  pair a b [5 0; 0 5]
  pair b c [5 0; 0 5]
  pair a c [5 0; 0 5]
  row m capacity 3 {a r 2, b r 2, c r 2}
})";

Certificate makeCertificate(std::vector<int64_t> prices, std::vector<int64_t> potentials,
                            int64_t scale = 1, int64_t priceScale = 1) {
  return {scale, priceScale, {{std::move(prices), std::move(potentials)}}};
}

std::string check(const LayoutProblem &problem, const Certificate &certificate,
                  llvm::ArrayRef<uint32_t> assignment = {}) {
  CheckedCertificate checked = checkCertificate(problem, certificate, assignment);
  return checked.error.empty() ? std::to_string(checked.bound) : checked.error;
}

TEST(Certificate, BoundsByHand) {
  LayoutProblem problem = parse(chain);
  // The least of each: 1 + 2 + 0.
  EXPECT_EQ(check(problem, makeCertificate({0}, {0, 0, 0, 0})), "3");
  // `a` takes what its move costs: (9, 1 + 3) + 2 + least of (0, 4; 0, -3).
  EXPECT_EQ(check(problem, makeCertificate({0}, {0, 3, 0, 0})), "3");
  // `b` gives it for `s`: (9, 4) + (2, 6 - 3) + least of (0, 7; 0, 0).
  EXPECT_EQ(check(problem, makeCertificate({0}, {0, 3, 0, -3})), "6");
  // Costs are not negative, so bounds are not: 1 + 2 + least of (0, 0; 3, -4).
  EXPECT_EQ(check(problem, makeCertificate({0}, {0, 0, 0, 4})), "0");
  // In halves, rounded up: (9, 1 + 3/2) + (2, 6 - 3/2) + 0.
  EXPECT_EQ(check(problem, makeCertificate({0}, {0, 3, 0, -3}, 2)), "5");
  // A price of a byte: (9, 9) + (10, 6) - 10 + 0.
  EXPECT_EQ(check(problem, makeCertificate({1}, {0, 0, 0, 0})), "5");
  EXPECT_EQ(check(problem, makeCertificate({3}, {0, 0, 0, 0}, 1, 3)), "5");
  // With a plan, states that are not better go: what is left proves more.
  EXPECT_EQ(enumerate(problem)->cost, 7);
  CheckedCertificate checked =
      checkCertificate(problem, makeCertificate({1}, {0, 0, 0, 0}), {1, 1});
  EXPECT_EQ(checked.error, "");
  EXPECT_EQ(checked.cost, 7);
  EXPECT_EQ(checked.bytes, std::vector<int64_t>{8});
  EXPECT_LE(checked.bound, 7);
}

TEST(Certificate, AnyPotentialsAreValid) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed + 7000);
    Draw how;
    how.rows = seed % 3;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    Solution solution = solve(problem);
    int64_t optimum = enumerate(problem)->cost;
    Certificate &certificate = solution.certificate;
    for (CertificateStage &stage : certificate.stages) {
      for (int64_t &value : stage.potentials)
        value += (static_cast<int64_t>(drawer.below(41)) - 20) * certificate.scale;
      for (int64_t &price : stage.prices)
        price = drawer.below(3) * certificate.priceScale;
    }
    certificate.isExact = false;
    certificate.withinRows = std::nullopt;
    CheckedCertificate checked = checkCertificate(problem, certificate, solution.assignment);
    ASSERT_EQ(checked.error, "");
    ASSERT_LE(checked.bound, optimum) << print(problem);
    checked = checkCertificate(problem, certificate, {});
    ASSERT_LE(checked.bound, optimum) << print(problem);
    // Whatever the stages leave, the rest is found exactly, but for rows of memory.
    certificate.isExact = true;
    for (llvm::ArrayRef<uint32_t> assignment : {llvm::ArrayRef(solution.assignment), {}}) {
      checked = checkCertificate(problem, certificate, assignment);
      ASSERT_EQ(checked.error, "");
      ASSERT_LE(checked.bound, optimum) << print(problem);
      if (how.rows == 0)
        ASSERT_EQ(checked.bound, optimum) << print(problem);
    }
  }
}

/// A problem with one stage of its certificate, whose potentials are no longer the best.
struct Staged {
  LayoutProblem problem;
  Solution solution;
  Certificate certificate;
  int64_t optimum, before;
};

Staged drawStage(Drawer &drawer, uint32_t rows) {
  Draw how;
  how.variables = 8;
  how.rows = rows;
  LayoutProblem problem = makeProblem(drawer.draw(how));
  Solution solution = solve(problem);
  Certificate certificate = {solution.certificate.scale, solution.certificate.priceScale, {}};
  certificate.stages.push_back(solution.certificate.stages.back());
  for (int64_t &value : certificate.stages[0].potentials)
    value += (static_cast<int64_t>(drawer.below(9)) - 4) * certificate.scale;
  int64_t optimum = enumerate(problem)->cost;
  int64_t before = checkCertificate(problem, certificate, {}).bound;
  return {std::move(problem), std::move(solution), std::move(certificate), optimum, before};
}

/// Mini-buckets raise the bound of a stage, up to the optimum where no table is too large.
TEST(Certificate, RaisesBoundsByBuckets) {
  size_t raised = 0, tight = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed + 30000);
    auto [problem, solution, certificate, optimum, before] = drawStage(drawer, seed % 3);
    for (int64_t entries : {1, 8, 40, 1 << 20}) {
      certificate.bucketEntries = entries;
      CheckedCertificate checked = checkCertificate(problem, certificate, {});
      ASSERT_EQ(checked.error, "");
      ASSERT_LE(checked.bound, optimum) << print(problem);
      ASSERT_GE(checked.bound, before) << print(problem);
      raised += checked.bound > before && entries == 8;
      tight += checked.bound == optimum;
      if (seed % 3 == 0 && entries == 1 << 20)
        ASSERT_EQ(checked.bound, optimum) << print(problem);
      ASSERT_LE(checkCertificate(problem, certificate, solution.assignment).bound, optimum);
    }
  }
  EXPECT_GT(raised, 300U);
  EXPECT_GT(tight, 3000U);
}

/// Clusters raise the bound of a stage, up to the optimum where one has all variables; with
/// mini-buckets of the rest they raise it no less.
TEST(Certificate, RaisesBoundsByClusters) {
  size_t raised = 0, raisedMore = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed + 40000);
    auto [problem, solution, certificate, optimum, before] = drawStage(drawer, seed % 3);
    // In any order; they may share variables.
    auto count = static_cast<uint32_t>(problem.getNumVariables());
    std::vector<uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    for (int number = 0; number < 3; ++number) {
      for (uint32_t i = 0; i < count; ++i)
        std::swap(all[i], all[drawer.below(count)]);
      certificate.clusters.emplace_back(all.begin(), all.begin() + drawer.below(count + 1));
    }
    CheckedCertificate checked = checkCertificate(problem, certificate, {});
    ASSERT_EQ(checked.error, "");
    ASSERT_LE(checked.bound, optimum) << print(problem);
    ASSERT_GE(checked.bound, before) << print(problem);
    ASSERT_LE(checkCertificate(problem, certificate, solution.assignment).bound, optimum);
    raised += checked.bound > before;
    certificate.bucketEntries = 1 << 20;
    int64_t withBuckets = checkCertificate(problem, certificate, {}).bound;
    ASSERT_LE(withBuckets, optimum) << print(problem);
    ASSERT_GE(withBuckets, checked.bound) << print(problem);
    raisedMore += withBuckets > checked.bound;
    certificate.bucketEntries = std::nullopt;
    certificate.clusters = {all};
    if (seed % 3 == 0)
      ASSERT_EQ(checkCertificate(problem, certificate, {}).bound, optimum) << print(problem);
  }
  EXPECT_GT(raised, 500U);
  EXPECT_GT(raisedMore, 200U);
}

/// Within all rows, the least cost below the cutoff is found; within some of them, no bound is
/// above it.
TEST(Certificate, EliminatesWithinRows) {
  size_t boundByRows = 0, infeasibleOnes = 0, byTheSolver = 0, raised = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed + 20000);
    Draw how;
    how.variables = 7;
    how.infeasible = 5;
    how.rows = 1 + seed % 3;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    Solution solution = solve(problem);
    int64_t optimum = enumerate(problem)->cost;
    Certificate &certificate = solution.certificate;
    byTheSolver += certificate.withinRows.has_value();
    certificate.isExact = false;
    certificate.withinRows.emplace();
    for (CertificateStage &stage : certificate.stages) {
      for (int64_t &value : stage.potentials)
        value += (static_cast<int64_t>(drawer.below(5)) - 2) * certificate.scale;
      for (int64_t &price : stage.prices)
        price = drawer.below(3) * certificate.priceScale / 2;
    }
    int64_t most = problem.getLargestCost() + 1;
    certificate.withinRows->cutoff =
        seed % 4 == 0   ? most
        : seed % 4 == 1 ? 1 + static_cast<int64_t>(drawer.below(static_cast<uint32_t>(most)))
                        : std::min(optimum, most - 1) + 1;
    for (uint32_t row = 0; row < how.rows; ++row)
      certificate.withinRows->rows.push_back(row);
    // The bound does not depend on the order, whether it has all variables or not.
    for (uint32_t v = 0; v < problem.getNumVariables(); ++v)
      if (seed % 5 && drawer.below(4) > 0)
        certificate.withinRows->order.insert(
            certificate.withinRows->order.begin() +
                drawer.below(static_cast<uint32_t>(certificate.withinRows->order.size() + 1)),
            v);
    CheckedCertificate checked = checkCertificate(problem, certificate, {});
    ASSERT_EQ(checked.error, "");
    ASSERT_LE(checked.bound, optimum) << print(problem);
    ASSERT_GE(checked.bound, std::min(certificate.withinRows->cutoff, optimum)) << print(problem);
    if (optimum == infeasible) {
      infeasibleOnes += checked.bound == infeasible;
      continue;
    }
    ProblemParts free = problem.parts();
    free.rows.clear();
    boundByRows += enumerate(makeProblem(std::move(free)))->cost < optimum;
    checked = checkCertificate(problem, certificate, solution.assignment);
    ASSERT_EQ(checked.error, "");
    ASSERT_LE(checked.bound, optimum) << print(problem);
    // Others count by their prices, which alone prove less.
    certificate.withinRows->rows.pop_back();
    checked = checkCertificate(problem, certificate, {});
    ASSERT_EQ(checked.error, "");
    ASSERT_LE(checked.bound, optimum) << print(problem);
    int64_t cutoff = certificate.withinRows->cutoff;
    certificate.withinRows.reset();
    int64_t byPrices = checkCertificate(problem, certificate, {}).bound;
    ASSERT_GE(checked.bound, std::min(cutoff, byPrices)) << print(problem);
    raised += checked.bound > byPrices;
  }
  EXPECT_GT(raised, 300U);
  EXPECT_GT(boundByRows, 300U);
  EXPECT_GT(infeasibleOnes, 100U);
  EXPECT_GT(byTheSolver, 0U) << byTheSolver;
}

/// A table with an entry for each choice of ten variables would have 2^30 of them.
TEST(Certificate, EliminatesWithinRowsWhereFewChoicesHavePlans) {
  LayoutProblem problem = makeClique(10, 3 * 10);
  std::vector<int64_t> potentials(45 * 2 * 8, 0);
  Certificate certificate = makeCertificate({0}, potentials);
  certificate.withinRows = {45, {0}};
  EXPECT_EQ(check(problem, certificate, Assignment(10, 4)), "40");
  EXPECT_EQ(check(problem, certificate), "40");
}

/// One of two plans that are cheap exceeds the row, and prices prove half of that alone.
TEST(Certificate, ProvesWithinRowsWhatPricesDoNot) {
  LayoutProblem problem = parse(R"(
problem gap {
  variable a {large 0, small 10}
  variable b {large 0, small 10}
  pair a b [0 5; 5 0]
  row m capacity 7 {a large 4, b large 4}
})");
  Certificate certificate = makeCertificate({0}, {0, 0, 0, 0});
  EXPECT_EQ(check(problem, certificate, {0, 1}), "0");
  certificate.withinRows = {16, {0}};
  EXPECT_EQ(check(problem, certificate, {0, 1}), "15");
  EXPECT_EQ(check(problem, certificate), "15");
  certificate.withinRows = {7, {0}};
  EXPECT_EQ(check(problem, certificate), "7");
  certificate.withinRows = {16, {}};
  EXPECT_EQ(check(problem, certificate), "0");
  // A row that is not kept counts by its price: what is large exceeds it by 1.
  certificate.stages[0].prices = {2};
  EXPECT_EQ(check(problem, certificate), "2");
  certificate.withinRows = {16, {0}, {1, 0, 1}};
  EXPECT_EQ(check(problem, certificate), "a variable is in the order of the elimination twice");
  certificate.withinRows = {0, {0}};
  EXPECT_EQ(check(problem, certificate), "expected a cutoff from 1 to 72057594037927937");
  certificate.withinRows = {16, {0}};
  certificate.isExact = true;
  EXPECT_EQ(check(problem, certificate), "expected one kind of elimination");
  // The text has it.
  certificate.isExact = false;
  certificate.stages[0].prices = {0};
  certificate.withinRows = {15, {0}, {1, 0}};
  SavedPlan saved{{0, 1}, certificate};
  saved.setStated(15, 15);
  std::string text;
  llvm::raw_string_ostream stream(text);
  printPlan(problem, saved, stream);
  EXPECT_NE(text.find("exact below 15 rows {m} order {b, a}\n"), std::string::npos) << text;
  TextError error;
  std::optional<SavedPlan> read = parsePlan(problem, text, error);
  ASSERT_TRUE(read) << error.message;
  EXPECT_EQ(read->certificate.withinRows->order, (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(checkStated(*read, checkCertificate(problem, read->certificate, read->assignment)), "");
  read->certificate.withinRows->cutoff = 14;
  EXPECT_NE(checkStated(*read, checkCertificate(problem, read->certificate, read->assignment)), "");
  struct Damage {
    llvm::StringRef right, wrong, message;
  };
  for (auto [right, wrong, message] :
       {Damage{"{m}", "{m, m}", "the row is there twice"},
        Damage{"{m}", "{n}", "the problem has no row \"n\""},
        Damage{"{b, a}", "{b, b}", "the variable is in the order twice"},
        Damage{"{b, a}", "{m}", "the problem has no variable \"m\""}}) {
    std::string changed = text;
    changed.replace(changed.find(right), right.size(), wrong);
    EXPECT_FALSE(parsePlan(problem, changed, error));
    EXPECT_EQ(error.message, message);
  }
  std::string inBuckets = text;
  inBuckets.replace(text.find("exact"), text.find('\n', text.find("exact")) - text.find("exact"),
                    "buckets 64");
  read = parsePlan(problem, inBuckets, error);
  ASSERT_TRUE(read) << error.message;
  EXPECT_EQ(read->certificate.bucketEntries, 64);
  stream.flush();
  std::string printed;
  llvm::raw_string_ostream again(printed);
  printPlan(problem, *read, again);
  EXPECT_NE(printed.find("buckets 64\n"), std::string::npos) << printed;
}

TEST(Certificate, HasClustersInItsText) {
  LayoutProblem problem = parse(triangle);
  SavedPlan saved{{0, 1, 1}, makeCertificate({0}, std::vector<int64_t>(12, 0))};
  saved.certificate.clusters = {{2, 0, 1}, {1, 2}};
  std::string text;
  llvm::raw_string_ostream stream(text);
  printPlan(problem, saved, stream);
  EXPECT_NE(text.find("  cluster {c, a, b}\n  cluster {b, c}\n"), std::string::npos) << text;
  TextError error;
  std::optional<SavedPlan> read = parsePlan(problem, text, error);
  ASSERT_TRUE(read) << error.message;
  EXPECT_EQ(read->certificate.clusters, saved.certificate.clusters);
  for (auto [wrong, message] : {std::pair("{b, c, b}", "the variable is in the cluster twice"),
                                std::pair("{b, d}", "the problem has no variable \"d\""),
                                std::pair("{b c}", "expected ','")}) {
    std::string changed = text;
    changed.replace(changed.find("{b, c}"), 6, wrong);
    EXPECT_FALSE(parsePlan(problem, changed, error));
    EXPECT_NE(error.message.find(message), std::string::npos) << error.message;
  }
}

TEST(Certificate, ProvesFrustratedCyclesExactly) {
  LayoutProblem problem = parse(triangle);
  Certificate certificate = makeCertificate({0}, std::vector<int64_t>(12, 0));
  EXPECT_EQ(check(problem, certificate, {0, 1, 1}), "0");
  certificate.isExact = true;
  EXPECT_EQ(check(problem, certificate, {0, 1, 1}), "5");
  EXPECT_EQ(check(problem, certificate), "5");
  // With a price of a byte: two of three use 2 of 3 bytes at least, or one more pair is equal.
  certificate.stages[0].prices = {1};
  EXPECT_EQ(check(problem, certificate), "4");
  // Buckets of a pair prove that the first one costs something, of all three the optimum.
  certificate.isExact = false;
  certificate.stages[0].prices = {0};
  certificate.bucketEntries = 8;
  EXPECT_EQ(check(problem, certificate), "5");
  certificate.bucketEntries = 4;
  EXPECT_EQ(check(problem, certificate), "0");
  certificate.bucketEntries = 0;
  EXPECT_EQ(check(problem, certificate), "expected buckets of at least 1 entry");
  // A cluster of all three proves it, too; of two it does not, and later ones find nothing more.
  certificate.bucketEntries = std::nullopt;
  certificate.clusters = {{2, 0, 1}};
  EXPECT_EQ(check(problem, certificate), "5");
  certificate.clusters = {{0, 1}, {0, 1, 2}};
  EXPECT_EQ(check(problem, certificate), "0");
  certificate.clusters = {{0, 1, 0}};
  EXPECT_EQ(check(problem, certificate), "a variable is in a cluster twice");
  certificate.clusters = {{0, 1, 2}};
  certificate.isExact = true;
  EXPECT_EQ(check(problem, certificate), "expected one kind of elimination");
  certificate.isExact = false;
  certificate.clusters.clear();
  // The solver asks for it, and the text has it.
  Solution solution = solve(problem);
  EXPECT_TRUE(solution.certificate.isExact);
  EXPECT_EQ(solution.certifiedBound, 5);
  SavedPlan saved{solution.assignment, solution.certificate};
  saved.setStated(solution.cost, solution.certifiedBound);
  std::string text;
  llvm::raw_string_ostream stream(text);
  printPlan(problem, saved, stream);
  TextError error;
  std::optional<SavedPlan> read = parsePlan(problem, text, error);
  ASSERT_TRUE(read) << error.message;
  EXPECT_TRUE(read->certificate.isExact);
  EXPECT_EQ(checkStated(*read, checkCertificate(problem, read->certificate, read->assignment)), "");
  read->certificate.isExact = false;
  EXPECT_NE(checkStated(*read, checkCertificate(problem, read->certificate, read->assignment)), "");
}

/// 24 variables of three states, each two of which are a pair: a table has all of them.
TEST(Certificate, RefusesToFillTooLargeTables) {
  ProblemParts parts;
  parts.name = "dense";
  parts.tables.push_back({3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}});
  for (uint32_t v = 0; v < 24; ++v) {
    parts.variables.push_back({"v" + std::to_string(v), {{"0", 0}, {"1", 0}, {"2", 0}}, {}});
    for (uint32_t other = 0; other < v; ++other)
      parts.pairs.push_back({other, v, 0, {}});
  }
  LayoutProblem problem = makeProblem(parts);
  Certificate certificate =
      makeCertificate({}, std::vector<int64_t>(parts.pairs.size() * size_t(6), 0));
  certificate.isExact = true;
  EXPECT_EQ(check(problem, certificate),
            "the tables of an exact certificate have more than 4194304 entries");
}

/// With each state of each variable, the bound is compared with the best of all assignments.
TEST(Certificate, BoundsStates) {
  int64_t compared = 0, tight = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Drawer drawer(seed + 100);
    Draw how;
    how.rows = seed % 3;
    how.requests = 0;
    ProblemParts parts = drawer.draw(how);
    LayoutProblem problem = makeProblem(parts);
    Solution solution = solve(problem);
    if (solution.assignment.empty())
      continue;
    auto bounds = getStateBounds(problem, solution.certificate, solution.assignment);
    for (uint32_t v = 0; v < problem.getNumVariables(); ++v)
      for (uint32_t s = 0; s < problem.getNumStates(v); ++s) {
        ProblemParts with = parts;
        with.requests = {{v, s}};
        int64_t least = enumerate(makeProblem(with))->cost;
        ASSERT_LE(bounds[v][s], least) << v << " " << s << "\n" << print(problem);
        ++compared;
        tight += bounds[v][s] == least;
      }
  }
  // Not trivially: most are what the state does cost.
  EXPECT_GT(compared, 1000);
  EXPECT_GT(tight, compared / 2);
}

/// A text says what it proves, where its rows come from, and that nobody changed it.
TEST(Certificate, KeepsWhatIsStated) {
  LayoutProblem problem = parse(chain);
  ProblemParts parts = problem.parts();
  parts.rows.clear();
  LayoutProblem withoutRows = makeProblem(parts);
  SavedPlan saved{{1, 1}, makeCertificate({1}, {0, 0, 0, 0})};
  saved.about = {{"program", "a b"}, {"mesh", "x=2"}};
  saved.setStated(7, 5);
  saved.peak = 16;
  saved.limit = 10;
  saved.rows = {{"m", {1, 0}}};
  std::string text;
  llvm::raw_string_ostream stream(text);
  printPlan(problem, saved, stream);
  TextError error;
  auto head = parsePlanHead(text, error);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->about, saved.about);
  EXPECT_EQ(head->fingerprint, problem.getFingerprint());
  for (bool hasRows : {true, false}) {
    auto plan =
        hasRows ? parsePlan(problem, text, error) : parsePlanWithRows(withoutRows, text, error);
    ASSERT_TRUE(plan) << error.message;
    EXPECT_EQ(plan->assignment, saved.assignment);
    EXPECT_EQ(plan->about, saved.about);
    EXPECT_EQ(plan->cost, 7);
    EXPECT_EQ(plan->bound, 5);
    EXPECT_EQ(plan->peak, 16);
    EXPECT_EQ(plan->limit, 10);
    ASSERT_EQ(plan->rows.size(), 1u);
    EXPECT_EQ(plan->rows[0].name, "m");
    EXPECT_EQ(plan->rows[0].exceeding, (Assignment{1, 0}));
    EXPECT_EQ(plan->certificate.stages[0].prices, std::vector<int64_t>{1});
    EXPECT_TRUE(plan->hasDigest && plan->isAsWritten);
  }
  // Any change is noticed, of a comment for instance.
  auto plan = parsePlan(problem, "// " + text, error);
  EXPECT_FALSE(plan);
  plan = parsePlan(problem, " " + text, error);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->isAsWritten);
  auto getStated = [&](const SavedPlan &changed) {
    return checkStated(changed, checkCertificate(problem, saved.certificate, saved.assignment));
  };
  EXPECT_EQ(getStated(*plan),
            "the text was changed after it was written: its digest is another one");
  plan->bound = 6;
  EXPECT_EQ(getStated(*plan), "the bound is said to be 6, but the potentials and prices prove 5");
  plan->cost = 6;
  EXPECT_EQ(getStated(*plan), "the plan is said to cost 6, but its states cost 7");
  plan->cost = 7;
  plan->bound = 5;
  plan->isAsWritten = true;
  EXPECT_EQ(getStated(*plan), "");
}

TEST(Certificate, RefusesWhatIsNotOne) {
  LayoutProblem problem = parse(chain);
  const std::vector<int64_t> none = {0, 0, 0, 0};
  EXPECT_EQ(check(problem, {}), "expected at least one stage");
  EXPECT_EQ(check(problem, makeCertificate({0}, none, 0)), "expected scales of at least 1");
  EXPECT_EQ(check(problem, makeCertificate({0}, none, int64_t(1) << 40)),
            "the scale is too large for the problem's costs");
  EXPECT_EQ(check(problem, makeCertificate({}, none)), "expected 1 prices, found 0");
  EXPECT_EQ(check(problem, makeCertificate({0}, {0})), "expected 4 potentials, found 1");
  EXPECT_EQ(check(problem, makeCertificate({0}, {0, 0, 0, infeasible})),
            "a potential is larger than 2^61");
  EXPECT_EQ(check(problem, makeCertificate({-1}, none)), "the price of row \"m\" is negative");
  EXPECT_EQ(check(problem, makeCertificate({infeasible - 1}, none)),
            "the price of row \"m\" is too large");
  EXPECT_EQ(check(problem, makeCertificate({0}, none), {1, 0}),
            "row \"m\" holds 16 bytes, more than its capacity of 10");
  EXPECT_EQ(check(problem, makeCertificate({0}, none), {1}),
            "expected a state for each of 2 variables, found 1");
}

TEST(Certificate, PrintsWhatItParses) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.rows = seed % 3;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    Solution solution = solve(problem);
    std::string text;
    llvm::raw_string_ostream stream(text);
    printPlan(problem, {solution.assignment, solution.certificate}, stream);
    TextError error;
    auto plan = parsePlan(problem, text, error);
    ASSERT_TRUE(plan) << error.message;
    ASSERT_EQ(plan->assignment, solution.assignment);
    ASSERT_EQ(plan->certificate.scale, solution.certificate.scale);
    ASSERT_EQ(plan->certificate.priceScale, solution.certificate.priceScale);
    ASSERT_EQ(plan->certificate.stages.size(), solution.certificate.stages.size());
    for (size_t s = 0; s < plan->certificate.stages.size(); ++s) {
      ASSERT_EQ(plan->certificate.stages[s].prices, solution.certificate.stages[s].prices);
      ASSERT_EQ(plan->certificate.stages[s].potentials, solution.certificate.stages[s].potentials);
    }
  }
}

TEST(Certificate, NamesErrorsOfTexts) {
  LayoutProblem problem = parse(chain);
  std::string head = "plan of \"" + problem.getFingerprint() + "\" {";
  auto getError = [&](const std::string &text) {
    TextError error;
    if (parsePlan(problem, text, error))
      return std::string();
    return std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message;
  };
  EXPECT_EQ(getError(head + "}"), "");
  EXPECT_EQ(getError(""), "1:1: expected 'plan', found the end of the text");
  EXPECT_EQ(getError("plan of x {}"), "1:9: the plan is of another problem");
  const std::pair<const char *, const char *> cases[] = {
      {"speed 1", "2:1: expected 'states', 'scale', 'stage', 'exact', 'cluster', 'buckets', 'row', "
                  "'cost', 'bound', "
                  "'peak', 'limit', 'digest' or '}'"},
      {"scale 1 x", "2:9: expected a scale of prices, found 'x'"},
      {"states {c r}", "2:9: the problem has no variable \"c\""},
      {"states {a t}", "2:11: variable \"a\" has no state \"t\""},
      {"states {a r, a s}", "2:14: variable \"a\" has two states"},
      {"states {a r}", "2:8: variable \"b\" has no state in the plan"},
      {"states {a r, b r} states {}", "2:19: expected the states once"},
      {"stage {row m 1}", "2:8: expected 'link', found 'row'"},
      {"cost x", "2:6: expected a cost, found 'x'"},
      {"bound x", "2:7: expected a bound, found 'x'"},
      {"peak x", "2:6: expected bytes, found 'x'"},
      {"row n {}", "2:5: the problem has no row \"n\""},
      {"row m {}", "2:5: expected row \"m\" after the states and before the stages"},
      {"states {a r, b r} stage {} row m {}",
       "2:32: expected row \"m\" after the states and before the stages"},
      {"states {a r, b r} row m {a t}", "2:28: variable \"a\" has no state \"t\""},
      {"digest", "3:1: expected the name of the digest of the text, found '}'"},
      {"digest x stage {}", "2:10: expected '}' after the digest"},
      {"stage {price n 1}", "2:14: the problem has no row \"n\""},
      {"stage {price m x}", "2:16: expected a price, found 'x'"},
      {"stage {link a a [] []}", "2:13: the problem has no pair of \"a\" and \"a\""},
      {"stage {link a b [1] [1 2]}",
       "2:17: expected a potential for each of 2 states of \"a\", found 1"},
      {"} x", "2:3: expected the end of the text after the plan"},
  };
  for (auto [text, expected] : cases)
    EXPECT_EQ(getError(head + "\n" + text + "\n}"), expected) << text;
  auto getHeadError = [&](const std::string &text) {
    TextError error;
    return parsePlanHead(text, error) ? std::string() : error.message;
  };
  EXPECT_EQ(getHeadError("plan of x {about {mesh}}"), "expected the name of its mesh, found '}'");
  EXPECT_EQ(getHeadError("plan of x {about {mesh x=2}}"), "expected ',', found '='");
  EXPECT_EQ(getHeadError("plan of x {about {,}}"),
            "expected the name of something that the plan is about, found ','");
  TextError error;
  EXPECT_FALSE(parsePlanWithRows(problem, head + "states {a r, b r} row m {}}", error));
  EXPECT_EQ(error.message, "row \"m\" is there twice");
  // Either order of a link's variables.
  auto plan = parsePlan(problem, head + "stage {link b a [1 2] [3 4]}}", error);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->certificate.stages[0].potentials, (std::vector<int64_t>{3, 4, 1, 2}));
}
} // namespace
