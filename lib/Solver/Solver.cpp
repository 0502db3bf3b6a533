//===- Solver.cpp - Solvers of linear problems with integers --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Solver/Solver.h"
#include "Library.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>

using namespace dmc;
using namespace dmc::solver;

const char *solver::stringify(Status status) {
  switch (status) {
  case Status::Optimal:
    return "optimal";
  case Status::Feasible:
    return "feasible";
  case Status::Unknown:
    return "unknown";
  case Status::Infeasible:
    return "infeasible";
  case Status::Unbounded:
    return "unbounded";
  }
  return "";
}

double Result::gap() const {
  if (!hasValues())
    return infinity;
  double difference = objective - bound;
  return difference <= 0 ? 0 : difference / std::max(std::abs(objective), 1e-9);
}

Solver::~Solver() = default;

std::optional<Result> Solver::solve(const LinearProblem &problem, const Options &options,
                                    std::string &error) {
  error = problem.check();
  if (!error.empty())
    return std::nullopt;
  auto isCrossed = [](const auto &bounds) { return bounds.lower > bounds.upper; };
  if (std::any_of(problem.columns.begin(), problem.columns.end(), isCrossed) ||
      std::any_of(problem.rows.begin(), problem.rows.end(), isCrossed)) {
    Result result;
    result.status = Status::Infeasible;
    result.bound = infinity;
    return result;
  }
  return run(problem, options, error);
}

//===----------------------------------------------------------------------===//
// What the solvers share
//===----------------------------------------------------------------------===//

RowMajor::RowMajor(const LinearProblem &problem) {
  starts.push_back(0);
  for (const Row &row : problem.rows) {
    for (const Entry &entry : row.entries) {
      columns.push_back(entry.column);
      values.push_back(entry.coefficient);
    }
    starts.push_back(static_cast<int32_t>(columns.size()));
  }
}

void solver::finish(const LinearProblem &problem, Result &result) {
  if (!result.hasValues())
    return;
  for (size_t i = 0; i < problem.columns.size(); ++i)
    if (problem.columns[i].isInteger)
      result.values[i] = std::round(result.values[i]);
  result.objective = problem.objective(result.values);
  result.bound = std::min(result.bound, result.objective);
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

std::optional<Library> Library::open(const char *variable, const char *chosen,
                                     const std::vector<std::string> &names, std::string &error) {
  std::vector<std::string> files = names;
  if (chosen && *chosen)
    files = {chosen};
  for (const std::string &file : files)
    if (void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
      return Library(handle, file);
  if (chosen && *chosen) {
    const char *why = dlerror();
    error = std::string("in ") + variable + ": " + (why ? why : "cannot be loaded");
    return std::nullopt;
  }
  error.clear();
  for (const std::string &name : names)
    error += (error.empty() ? "found none of: " : ", ") + name;
  error += std::string("; ") + variable + " names another file";
  return std::nullopt;
}

void *Library::address(const char *name, std::string &error) const {
  void *found = dlsym(handle_, name);
  if (!found)
    error = file_ + ": unsupported version: it has no " + name;
  return found;
}

std::unique_ptr<Solver> solver::makeSolver(const std::string &name, std::string &error) {
  error.clear();
  if (name == "own")
    return makeOwn();
  if (name == "highs" || name == "cbc") {
    std::unique_ptr<Solver> made = name == "highs" ? makeHighs(error) : makeCbc(error);
    if (!made)
      error = "solver " + name + ": " + error;
    return made;
  }
  if (!name.empty() && name != "best") {
    error = "expected the solver best, highs, cbc or own, found '" + name + "'";
    return nullptr;
  }
  std::string missing;
  if (std::unique_ptr<Solver> made = makeHighs(missing))
    return made;
  if (std::unique_ptr<Solver> made = makeCbc(missing))
    return made;
  return makeOwn();
}
