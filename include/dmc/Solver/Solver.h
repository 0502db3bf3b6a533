//===- Solver.h - Solvers of linear problems with integers ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One interface to HiGHS, to CBC and to dmc's own branch and bound. The first two are shared
// libraries that are looked for when a problem is solved: dmc is built without them.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SOLVER_SOLVER_H
#define DMC_SOLVER_SOLVER_H

#include "dmc/Solver/LinearProblem.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dmc::solver {

enum class Status {
  /// The values are a best solution, within the gap that was asked for.
  Optimal,
  /// A limit was reached: the values are a solution.
  Feasible,
  /// A limit was reached before a solution was found.
  Unknown,
  Infeasible,
  Unbounded
};
const char *stringify(Status status);

/// What is known while a problem is being solved: `objective` is infinity before the first
/// solution.
struct Progress {
  double seconds, objective, bound;
};

struct Options {
  double seconds = infinity;
  /// Ends once (objective - bound) / |objective| is no more than this.
  double gap = 0;
  /// Nodes of the branch and bound, for a limit that does not depend on time. Own solver only.
  int64_t nodes = std::numeric_limits<int64_t>::max();
  /// Values to start from; empty: none. Ignored where they are not feasible.
  std::vector<double> start;
  /// Called now and then, on the calling thread. Own solver only.
  std::function<void(const Progress &)> onProgress;
};

struct Result {
  Status status = Status::Unknown;
  /// Of all columns; those of integers are integers. Empty unless `Optimal` or `Feasible`.
  std::vector<double> values;
  double objective = infinity;
  /// No solution is below this.
  double bound = -infinity;

  bool hasValues() const { return !values.empty(); }
  double gap() const;
};

class Solver {
public:
  virtual ~Solver();
  /// For people: "HiGHS 1.15.1".
  virtual std::string name() const = 0;
  /// Equal problems and options give equal results, unless time ends the search. Nothing and
  /// `error` for a problem that `LinearProblem::check` refuses, or that the solver failed at.
  std::optional<Result> solve(const LinearProblem &problem, const Options &options,
                              std::string &error);

protected:
  virtual std::optional<Result> run(const LinearProblem &problem, const Options &options,
                                    std::string &error) = 0;
};

/// The solver of that name: `highs`, `cbc` or `own`; `best`, or empty: the first of these that is
/// there. Null and `error` where there is none: what was looked for, and where. HiGHS is the
/// library that `DMC_HIGHS` names, or libhighs.so of the system; CBC that of `DMC_CBC`, or
/// libCbcSolver.so.
std::unique_ptr<Solver> makeSolver(const std::string &name, std::string &error);

} // namespace dmc::solver

#endif // DMC_SOLVER_SOLVER_H
