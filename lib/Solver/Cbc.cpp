//===- Cbc.cpp - CBC by its C interface -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Library.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

using namespace dmc;
using namespace dmc::solver;

namespace {
struct Functions {
  const char *(*version)();
  void *(*create)();
  void (*destroy)(void *);
  void (*load)(void *, int, int, const int *, const int *, const double *, const double *,
               const double *, const double *, const double *, const double *);
  void (*setInteger)(void *, int);
  void (*setParameter)(void *, const char *, const char *);
  void (*setLogLevel)(void *, int);
  void (*setStart)(void *, int, const int *, const double *);
  int (*solve)(void *);
  int (*isAbandoned)(void *);
  int (*isOptimal)(void *);
  int (*isInfeasible)(void *);
  int (*isUnbounded)(void *);
  const double *(*best)(void *);
  const double *(*values)(void *);
  double (*bound)(void *);
};

class Cbc final : public Solver {
public:
  explicit Cbc(const Functions &functions) : cbc_(functions) {}
  std::string name() const override { return std::string("CBC ") + cbc_.version(); }

protected:
  std::optional<Result> run(const LinearProblem &problem, const Options &options,
                            std::string &error) override;

private:
  void load(void *model, const LinearProblem &problem) const;
  Functions cbc_;
};
} // namespace

/// CBC takes the matrix by columns.
void Cbc::load(void *model, const LinearProblem &problem) const {
  std::vector<std::vector<std::pair<int, double>>> byColumn(problem.columns.size());
  std::vector<double> cost, lower, upper, rowLower, rowUpper;
  for (size_t row = 0; row < problem.rows.size(); ++row) {
    rowLower.push_back(problem.rows[row].lower);
    rowUpper.push_back(problem.rows[row].upper);
    for (const Entry &entry : problem.rows[row].entries)
      byColumn[static_cast<size_t>(entry.column)].emplace_back(row, entry.coefficient);
  }
  std::vector<int> starts = {0}, rows;
  std::vector<double> values;
  for (size_t i = 0; i < problem.columns.size(); ++i) {
    cost.push_back(problem.columns[i].cost);
    lower.push_back(problem.columns[i].lower);
    upper.push_back(problem.columns[i].upper);
    for (auto [row, value] : byColumn[i]) {
      rows.push_back(row);
      values.push_back(value);
    }
    starts.push_back(static_cast<int>(rows.size()));
  }
  cbc_.load(model, static_cast<int>(cost.size()), static_cast<int>(rowLower.size()), starts.data(),
            rows.data(), values.data(), lower.data(), upper.data(), cost.data(), rowLower.data(),
            rowUpper.data());
  for (size_t i = 0; i < problem.columns.size(); ++i)
    if (problem.columns[i].isInteger)
      cbc_.setInteger(model, static_cast<int>(i));
}

/// Whether a column has no bound on the side that costs less.
static bool couldBeUnbounded(const LinearProblem &problem) {
  return std::any_of(problem.columns.begin(), problem.columns.end(), [](const Column &column) {
    return (column.cost < 0 && column.upper == infinity) ||
           (column.cost > 0 && column.lower == -infinity);
  });
}

std::optional<Result> Cbc::run(const LinearProblem &problem, const Options &options,
                               std::string &error) {
  std::unique_ptr<void, void (*)(void *)> model(cbc_.create(), cbc_.destroy);
  cbc_.setLogLevel(model.get(), 0);
  load(model.get(), problem);
  // CBC counts the processor's time unless told otherwise.
  cbc_.setParameter(model.get(), "timeMode", "elapsed");
  if (options.seconds < infinity)
    cbc_.setParameter(model.get(), "sec", std::to_string(options.seconds).c_str());
  cbc_.setParameter(model.get(), "ratioGap", std::to_string(options.gap).c_str());
  cbc_.setParameter(model.get(), "allowableGap", "0");
  if (problem.isFeasible(options.start)) {
    std::vector<int> columns(options.start.size());
    std::iota(columns.begin(), columns.end(), 0);
    cbc_.setStart(model.get(), static_cast<int>(columns.size()), columns.data(),
                  options.start.data());
  }
  cbc_.solve(model.get());
  Result result;
  if (cbc_.isUnbounded(model.get())) {
    result.status = Status::Unbounded;
    return result;
  }
  if (cbc_.isInfeasible(model.get())) {
    // So is an unbounded problem to CBC; that one has solutions if nothing costs anything.
    if (couldBeUnbounded(problem)) {
      LinearProblem free = problem;
      for (Column &column : free.columns)
        column.cost = 0;
      std::optional<Result> any = run(free, options, error);
      if (!any)
        return any;
      if (any->hasValues()) {
        result.status = Status::Unbounded;
        return result;
      }
    }
    result.status = Status::Infeasible;
    result.bound = infinity;
    return result;
  }
  if (cbc_.isAbandoned(model.get())) {
    error = name() + " met numerical difficulties";
    return std::nullopt;
  }
  bool isOptimal = cbc_.isOptimal(model.get());
  const double *values = problem.hasIntegers() ? cbc_.best(model.get()) : nullptr;
  if (!values && isOptimal)
    values = cbc_.values(model.get());
  result.bound = problem.hasIntegers() ? cbc_.bound(model.get()) : isOptimal ? infinity : -infinity;
  if (values) {
    result.values.assign(values, values + problem.columns.size());
    result.status = isOptimal ? Status::Optimal : Status::Feasible;
  }
  finish(problem, result);
  return result;
}

std::unique_ptr<Solver> solver::makeCbc(std::string &error) {
  std::optional<Library> library = Library::open("DMC_CBC", std::getenv("DMC_CBC"),
                                                 {"libCbcSolver.so.3", "libCbcSolver.so"}, error);
  Functions cbc;
  if (!library || !library->find("Cbc_getVersion", cbc.version, error) ||
      !library->find("Cbc_newModel", cbc.create, error) ||
      !library->find("Cbc_deleteModel", cbc.destroy, error) ||
      !library->find("Cbc_loadProblem", cbc.load, error) ||
      !library->find("Cbc_setInteger", cbc.setInteger, error) ||
      !library->find("Cbc_setParameter", cbc.setParameter, error) ||
      !library->find("Cbc_setLogLevel", cbc.setLogLevel, error) ||
      !library->find("Cbc_setMIPStartI", cbc.setStart, error) ||
      !library->find("Cbc_solve", cbc.solve, error) ||
      !library->find("Cbc_isAbandoned", cbc.isAbandoned, error) ||
      !library->find("Cbc_isProvenOptimal", cbc.isOptimal, error) ||
      !library->find("Cbc_isProvenInfeasible", cbc.isInfeasible, error) ||
      !library->find("Cbc_isContinuousUnbounded", cbc.isUnbounded, error) ||
      !library->find("Cbc_bestSolution", cbc.best, error) ||
      !library->find("Cbc_getColSolution", cbc.values, error) ||
      !library->find("Cbc_getBestPossibleObjValue", cbc.bound, error))
    return nullptr;
  return std::make_unique<Cbc>(cbc);
}
