//===- Report.cpp - What dmc-solve-layouts prints -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace dmc::planner;
namespace json = llvm::json;

std::string dmc::planner::percentText(double share) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::format("%.3g", share * 100) << " %";
  return text;
}

/// Picoseconds, which units may be fractions of.
static std::string costText(const LayoutProblem &problem, int64_t cost) {
  if (cost == infeasible)
    return "none";
  if (problem.parts().unit == 0)
    return std::to_string(cost) + " ps";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g ps", problem.getSeconds(cost) * 1e12);
  return text;
}

static double getGap(const CheckedCertificate &checked) {
  if (checked.cost == infeasible)
    return 1;
  return checked.cost <= checked.bound ? 0
                                       : static_cast<double>(checked.cost - checked.bound) /
                                             static_cast<double>(checked.cost);
}

/// `1 row`, `2 rows`.
static std::string countText(size_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

static void printRows(const LayoutProblem &problem, llvm::ArrayRef<int64_t> bytes,
                      llvm::raw_ostream &stream) {
  for (auto [row, used] : llvm::zip_equal(problem.parts().rows, bytes)) {
    stream << "row ";
    printName(row.name, stream);
    stream << ": " << used << " of " << row.capacity << " bytes\n";
  }
}

static std::vector<int64_t> getBytes(const LayoutProblem &problem, const Assignment &assignment) {
  std::vector<int64_t> bytes;
  bytes.reserve(problem.parts().rows.size());
  for (size_t row = 0; row < problem.parts().rows.size(); ++row)
    bytes.push_back(problem.getBytes(row, assignment));
  return bytes;
}

void dmc::planner::printText(const LayoutProblem &problem, const Solution &solution,
                             llvm::raw_ostream &stream) {
  const ProblemParts &parts = problem.parts();
  stream << "problem ";
  printName(parts.name, stream);
  stream << ": " << countText(parts.variables.size(), "variable") << ", "
         << countText(solution.states, "state") << ", " << countText(parts.pairs.size(), "pair")
         << ", " << countText(parts.rows.size(), "row") << "\n";
  stream << stringify(solution.status);
  if (solution.status == SolveStatus::Optimal && solution.gap() > 1e-9)
    stream << " within the gap";
  if (solution.wasInterrupted)
    stream << ", interrupted";
  if (solution.status == SolveStatus::Infeasible)
    stream << ": " << solution.conflict.message;
  stream << "\n";
  if (solution.status != SolveStatus::Infeasible) {
    stream << "cost " << costText(problem, solution.cost) << ", bound "
           << costText(problem, solution.bound) << " by " << stringify(solution.boundSource);
    if (solution.cost != infeasible)
      stream << ", gap " << percentText(solution.gap());
    stream << "\ncertified bound " << costText(problem, solution.certifiedBound) << "\n";
  }
  stream << countText(solution.iterations, "iteration") << ", "
         << llvm::format("%.2f", solution.seconds) << " s\n";
  if (solution.assignment.empty())
    return;
  printRows(problem, getBytes(problem, solution.assignment), stream);
  for (auto [variable, state] : llvm::zip_equal(parts.variables, solution.assignment)) {
    printName(variable.name, stream);
    stream << ' ';
    printName(variable.states[state].name, stream);
    stream << '\n';
  }
}

static json::Value costValue(const LayoutProblem &problem, int64_t cost) {
  if (cost == infeasible)
    return nullptr;
  return problem.parts().unit == 0 ? json::Value(cost)
                                   : json::Value(problem.getSeconds(cost) * 1e12);
}

static json::Array rowsValue(const LayoutProblem &problem, llvm::ArrayRef<int64_t> bytes) {
  json::Array rows;
  for (auto [row, used] : llvm::zip_equal(problem.parts().rows, bytes))
    rows.push_back(
        json::Object{{"name", row.name}, {"bytes", used}, {"capacity_bytes", row.capacity}});
  return rows;
}

void dmc::planner::printJson(const LayoutProblem &problem, const Solution &solution,
                             llvm::raw_ostream &stream) {
  const ProblemParts &parts = problem.parts();
  json::Object report{
      {"problem", parts.name},
      {"fingerprint", problem.getFingerprint()},
      {"status", stringify(solution.status)},
      {"interrupted", solution.wasInterrupted},
      {"cost_ps", costValue(problem, solution.cost)},
      {"bound_ps", costValue(problem, solution.bound)},
      {"bound_source", stringify(solution.boundSource)},
      {"certified_bound_ps", costValue(problem, solution.certifiedBound)},
      {"gap", solution.cost == infeasible ? json::Value(nullptr) : json::Value(solution.gap())},
      {"seconds", solution.seconds},
      {"iterations", solution.iterations},
      {"variables", static_cast<int64_t>(parts.variables.size())},
      {"states", solution.states},
      {"states_left", solution.statesLeft}};
  if (!solution.assignment.empty()) {
    report["rows"] = rowsValue(problem, getBytes(problem, solution.assignment));
    json::Object plan;
    for (auto [variable, state] : llvm::zip_equal(parts.variables, solution.assignment))
      plan[variable.name] = variable.states[state].name;
    report["plan"] = std::move(plan);
  }
  if (solution.status == SolveStatus::Infeasible) {
    json::Array rows, requests, variables;
    for (uint32_t row : solution.conflict.rows)
      rows.push_back(parts.rows[row].name);
    for (uint32_t request : solution.conflict.requests)
      requests.push_back(parts.variables[parts.requests[request].variable].name);
    for (uint32_t variable : solution.conflict.variables)
      variables.push_back(parts.variables[variable].name);
    report["conflict"] = json::Object{{"message", solution.conflict.message},
                                      {"rows", std::move(rows)},
                                      {"requests", std::move(requests)},
                                      {"variables", std::move(variables)}};
  }
  stream << llvm::formatv("{0:2}\n", json::Value(std::move(report)));
}

void dmc::planner::printText(const LayoutProblem &problem, const CheckedCertificate &checked,
                             llvm::raw_ostream &stream) {
  if (checked.bound == infeasible) {
    stream << "certificate: there is no plan\n";
    return;
  }
  stream << "certificate: cost " << costText(problem, checked.cost) << ", bound "
         << costText(problem, checked.bound);
  if (checked.cost != infeasible)
    stream << ", gap " << percentText(getGap(checked));
  stream << "\n";
  if (checked.cost != infeasible)
    printRows(problem, checked.bytes, stream);
}

void dmc::planner::printJson(const LayoutProblem &problem, const CheckedCertificate &checked,
                             llvm::raw_ostream &stream) {
  json::Object report{
      {"problem", problem.parts().name},
      {"fingerprint", problem.getFingerprint()},
      {"cost_ps", costValue(problem, checked.cost)},
      {"bound_ps", costValue(problem, checked.bound)},
      {"gap", checked.cost == infeasible ? json::Value(nullptr) : json::Value(getGap(checked))}};
  if (checked.cost != infeasible)
    report["rows"] = rowsValue(problem, checked.bytes);
  stream << llvm::formatv("{0:2}\n", json::Value(std::move(report)));
}
