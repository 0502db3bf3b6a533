//===- Highs.cpp - HiGHS by its C interface -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only the C interface: builds of HiGHS differ in the C++ library that they were made with.
//
//===----------------------------------------------------------------------===//
#include "Library.h"

#include <cmath>
#include <cstdlib>

using namespace dmc;
using namespace dmc::solver;

namespace {
/// HighsInt is 32 bits wide unless HiGHS was built otherwise, which is refused.
using Int = int32_t;

// As in HiGHS's interfaces/highs_c_api.h.
constexpr Int failed = -1, rowMajor = 2, minimize = 1;
enum ModelStatus : Int {
  Empty = 6,
  IsOptimal = 7,
  IsInfeasible = 8,
  UnboundedOrInfeasible = 9,
  IsUnbounded = 10,
  TimeLimit = 13,
  IterationLimit = 14,
  SolutionLimit = 16,
  Interrupted = 17
};

struct Functions {
  Int (*versionMajor)(), (*versionMinor)(), (*versionPatch)();
  Int (*sizeOfInt)(const void *);
  void *(*create)();
  void (*destroy)(void *);
  Int (*setBool)(void *, const char *, Int);
  Int (*setDouble)(void *, const char *, double);
  Int (*setString)(void *, const char *, const char *);
  Int (*pass)(void *, Int, Int, Int, Int, Int, double, const double *, const double *,
              const double *, const double *, const double *, const Int *, const Int *,
              const double *, const Int *);
  Int (*setSolution)(void *, const double *, const double *, const double *, const double *);
  Int (*run)(void *);
  Int (*modelStatus)(const void *);
  Int (*solution)(const void *, double *, double *, double *, double *);
  Int (*doubleInfo)(const void *, const char *, double *);
  Int (*intInfo)(const void *, const char *, Int *);
};

class Highs final : public Solver {
public:
  explicit Highs(const Functions &functions) : highs_(functions) {}
  std::string name() const override {
    return "HiGHS " + std::to_string(highs_.versionMajor()) + "." +
           std::to_string(highs_.versionMinor()) + "." + std::to_string(highs_.versionPatch());
  }

protected:
  std::optional<Result> run(const LinearProblem &problem, const Options &options,
                            std::string &error) override;

private:
  bool pass(void *model, const LinearProblem &problem) const;
  Functions highs_;
};
} // namespace

bool Highs::pass(void *model, const LinearProblem &problem) const {
  RowMajor matrix(problem);
  std::vector<double> cost, lower, upper, rowLower, rowUpper;
  std::vector<Int> integers;
  for (const Column &column : problem.columns) {
    cost.push_back(column.cost);
    lower.push_back(column.lower);
    upper.push_back(column.upper);
    integers.push_back(column.isInteger);
  }
  for (const Row &row : problem.rows) {
    rowLower.push_back(row.lower);
    rowUpper.push_back(row.upper);
  }
  return highs_.pass(model, static_cast<Int>(cost.size()), static_cast<Int>(rowLower.size()),
                     static_cast<Int>(matrix.columns.size()), rowMajor, minimize, 0, cost.data(),
                     lower.data(), upper.data(), rowLower.data(), rowUpper.data(),
                     matrix.starts.data(), matrix.columns.data(), matrix.values.data(),
                     integers.data()) != failed;
}

std::optional<Result> Highs::run(const LinearProblem &problem, const Options &options,
                                 std::string &error) {
  std::unique_ptr<void, void (*)(void *)> model(highs_.create(), highs_.destroy);
  highs_.setBool(model.get(), "output_flag", 0);
  // One thread: results depend on the problem alone.
  highs_.setString(model.get(), "parallel", "off");
  if (options.seconds < infinity)
    highs_.setDouble(model.get(), "time_limit", options.seconds);
  highs_.setDouble(model.get(), "mip_rel_gap", options.gap);
  highs_.setDouble(model.get(), "mip_abs_gap", 0);
  if (!pass(model.get(), problem)) {
    error = name() + " refused the problem";
    return std::nullopt;
  }
  if (problem.isFeasible(options.start))
    highs_.setSolution(model.get(), options.start.data(), nullptr, nullptr, nullptr);
  Int ended = highs_.run(model.get());
  Int status = highs_.modelStatus(model.get());
  if (status == UnboundedOrInfeasible) { // which one, presolve did not say
    highs_.setString(model.get(), "presolve", "off");
    ended = highs_.run(model.get());
    status = highs_.modelStatus(model.get());
  }
  Result result;
  switch (status) {
  case IsOptimal:
  case Empty:
    result.status = Status::Optimal;
    break;
  case IsInfeasible:
    result.status = Status::Infeasible;
    result.bound = infinity;
    return result;
  case IsUnbounded:
  case UnboundedOrInfeasible: // a relaxation without a bound: a problem of integers may have none
    result.status = Status::Unbounded;
    return result;
  case TimeLimit:
  case IterationLimit:
  case SolutionLimit:
  case Interrupted:
    break;
  default:
    error = name() + " failed with model status " + std::to_string(status);
    return std::nullopt;
  }
  if (ended == failed) {
    error = name() + " failed";
    return std::nullopt;
  }
  constexpr Int feasible = 2; // of primal_solution_status
  Int primal = 0;
  highs_.intInfo(model.get(), "primal_solution_status", &primal);
  if (problem.hasIntegers())
    highs_.doubleInfo(model.get(), "mip_dual_bound", &result.bound);
  if (primal == feasible || status == Empty) {
    result.values.resize(problem.columns.size());
    std::vector<double> rows(problem.rows.size());
    highs_.solution(model.get(), result.values.data(), nullptr, rows.data(), nullptr);
    if (result.status != Status::Optimal)
      result.status = Status::Feasible;
    else if (!problem.hasIntegers())
      result.bound = infinity; // `finish` lowers it to the objective
  }
  finish(problem, result);
  return result;
}

std::unique_ptr<Solver> solver::makeHighs(std::string &error) {
  std::optional<Library> library =
      Library::open("DMC_HIGHS", std::getenv("DMC_HIGHS"), {"libhighs.so", "libhighs.so.1"}, error);
  Functions highs;
  if (!library || !library->find("Highs_versionMajor", highs.versionMajor, error) ||
      !library->find("Highs_versionMinor", highs.versionMinor, error) ||
      !library->find("Highs_versionPatch", highs.versionPatch, error) ||
      !library->find("Highs_getSizeofHighsInt", highs.sizeOfInt, error) ||
      !library->find("Highs_create", highs.create, error) ||
      !library->find("Highs_destroy", highs.destroy, error) ||
      !library->find("Highs_setBoolOptionValue", highs.setBool, error) ||
      !library->find("Highs_setDoubleOptionValue", highs.setDouble, error) ||
      !library->find("Highs_setStringOptionValue", highs.setString, error) ||
      !library->find("Highs_passMip", highs.pass, error) ||
      !library->find("Highs_setSolution", highs.setSolution, error) ||
      !library->find("Highs_run", highs.run, error) ||
      !library->find("Highs_getModelStatus", highs.modelStatus, error) ||
      !library->find("Highs_getSolution", highs.solution, error) ||
      !library->find("Highs_getDoubleInfoValue", highs.doubleInfo, error) ||
      !library->find("Highs_getIntInfoValue", highs.intInfo, error))
    return nullptr;
  std::unique_ptr<void, void (*)(void *)> model(highs.create(), highs.destroy);
  if (highs.sizeOfInt(model.get()) != sizeof(Int)) {
    error = "unsupported build of HiGHS: its integers have " +
            std::to_string(8 * highs.sizeOfInt(model.get())) + " bits, expected 32";
    return nullptr;
  }
  return std::make_unique<Highs>(highs);
}
