// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problems in problems/: the second line of each states its optimum, or why there is no plan.
#include "Problems.h"

#include "dmc/Planner/Oracle.h"
#include "dmc/Planner/Solve.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
struct Stated {
  std::string name, text;
  /// Infeasible with a reason.
  int64_t optimum = infeasible;
  std::string reason;
};

std::vector<Stated> readProblems() {
  std::vector<Stated> problems;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(DMC_PLANNER_PROBLEMS, error), end; it != end && !error;
       it.increment(error)) {
    Stated stated{llvm::sys::path::stem(it->path()).str(), "", infeasible, ""};
    stated.text = (*llvm::MemoryBuffer::getFile(it->path()))->getBuffer().str();
    llvm::StringRef line = llvm::StringRef(stated.text).split('\n').second.split('\n').first;
    if (line.consume_front("// optimum: "))
      EXPECT_FALSE(line.getAsInteger(10, stated.optimum)) << stated.name;
    else if (line.consume_front("// infeasible: "))
      stated.reason = line.str();
    else
      ADD_FAILURE() << stated.name << " states no optimum";
    problems.push_back(std::move(stated));
  }
  return problems;
}

TEST(Problems, AreAllThere) { EXPECT_GE(readProblems().size(), 45U); }

TEST(Problems, HaveTheStatedOptimum) {
  for (const Stated &stated : readProblems()) {
    LayoutProblem problem = parse(stated.text);
    if (auto optimum = enumerate(problem))
      EXPECT_EQ(optimum->cost, stated.optimum) << stated.name;
    Solution solution = solve(problem);
    EXPECT_EQ(solution.cost, stated.optimum) << stated.name;
    EXPECT_EQ(solution.bound, stated.optimum) << stated.name;
    EXPECT_EQ(solution.conflict.message, stated.reason) << stated.name;
    CheckedCertificate checked =
        checkCertificate(problem, solution.certificate, solution.assignment);
    EXPECT_EQ(checked.error, "") << stated.name;
    EXPECT_EQ(checked.cost, solution.cost) << stated.name;
    EXPECT_EQ(checked.bound, solution.certifiedBound) << stated.name;
  }
}

TEST(Problems, StartFromTheirOptimum) {
  for (const Stated &stated : readProblems()) {
    LayoutProblem problem = parse(stated.text);
    auto optimum = enumerate(problem);
    if (!optimum || optimum->cost == infeasible)
      continue;
    SolveOptions options;
    options.start = optimum->assignment;
    options.iterations = 0;
    options.eliminationLimit = options.searchNodes = 0;
    options.solver = "none";
    Solution solution = solve(problem, options);
    EXPECT_EQ(solution.cost, stated.optimum) << stated.name;
    EXPECT_LE(solution.bound, stated.optimum) << stated.name;
  }
}
} // namespace
