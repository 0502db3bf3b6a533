//===- Conflict.cpp - Why there is no plan --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves out rows of memory, requests and variables, as long as what is left has no plan either.
//
//===----------------------------------------------------------------------===//
#include "Run.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace dmc::planner;

namespace {
class Explainer {
public:
  Explainer(const LayoutProblem &problem, std::vector<uint32_t> candidates);
  Conflict run();

private:
  /// Numbers of what is kept of a problem.
  struct Selection {
    std::vector<uint32_t> variables, rows, requests;
  };
  ProblemParts select(const Selection &selection) const;
  bool isInfeasible(const Selection &selection);
  void reduce(std::vector<uint32_t> Selection::*items);
  std::string describe() const;
  void findLeastUses();
  std::string describeRow(uint32_t row) const;
  std::string quote(uint32_t variable) const {
    return "\"" + problem_.parts().variables[variable].name + "\"";
  }
  std::string list(const std::vector<std::string> &items) const;

  const LayoutProblem &problem_;
  Selection selection_;
  /// What rows of memory hold in any case: negative bytes and variables, the largest use first.
  std::map<uint32_t, std::vector<std::pair<int64_t, uint32_t>>> leastUses_;
  int trialsLeft_ = 400;
  /// Of the problems that are tried: what they may cost together.
  int64_t statesLeft_ = 4'000'000;
};
} // namespace

Explainer::Explainer(const LayoutProblem &problem, std::vector<uint32_t> candidates)
    : problem_(problem) {
  const ProblemParts &parts = problem.parts();
  selection_.variables = std::move(candidates);
  if (selection_.variables.empty()) {
    selection_.variables.resize(parts.variables.size());
    std::iota(selection_.variables.begin(), selection_.variables.end(), 0);
  }
  selection_.rows = Network(problem).rows();
  selection_.requests.resize(parts.requests.size());
  std::iota(selection_.requests.begin(), selection_.requests.end(), 0);
}

ProblemParts Explainer::select(const Selection &selection) const {
  const ProblemParts &parts = problem_.parts();
  ProblemParts result;
  result.name = parts.name;
  result.loops = parts.loops;
  std::map<uint32_t, uint32_t> number, tables;
  for (uint32_t v : selection.variables) {
    number[v] = static_cast<uint32_t>(result.variables.size());
    result.variables.push_back(parts.variables[v]);
  }
  for (const Pair &pair : parts.pairs) {
    if (!number.count(pair.first) || !number.count(pair.second))
      continue;
    auto [table, isNew] =
        tables.try_emplace(pair.table, static_cast<uint32_t>(result.tables.size()));
    if (isNew)
      result.tables.push_back(parts.tables[pair.table]);
    result.pairs.push_back({number[pair.first], number[pair.second], table->second, pair.loop});
  }
  for (uint32_t r : selection.rows) {
    Row row{parts.rows[r].name, parts.rows[r].capacity, {}};
    for (const MemoryUse &use : parts.rows[r].uses)
      if (auto found = number.find(use.variable); found != number.end())
        row.uses.push_back({found->second, use.state, use.bytes});
    result.rows.push_back(std::move(row));
  }
  for (uint32_t r : selection.requests)
    if (auto found = number.find(parts.requests[r].variable); found != number.end())
      result.requests.push_back({found->second, parts.requests[r].state});
  return result;
}

/// Whether little effort shows that there is no plan.
bool Explainer::isInfeasible(const Selection &selection) {
  if (trialsLeft_-- <= 0)
    return false;
  for (uint32_t v : selection.variables)
    statesLeft_ -= problem_.getNumStates(v);
  if (statesLeft_ <= 0)
    return false;
  std::vector<Mistake> mistakes;
  auto problem = LayoutProblem::create(select(selection), mistakes);
  if (!problem)
    return false;
  SolveOptions options;
  options.iterations = 100;
  options.eliminationLimit = int64_t(1) << 20;
  options.searchNodes = 10'000;
  options.solver = "none";
  // The first plan that is found ends the trial.
  options.gap = 1;
  options.keepCertificate = false;
  options.provingSteps = 0;
  options.explains = false;
  return Run(*problem, options).run().status == SolveStatus::Infeasible;
}

/// Leaves out blocks of items, half of them first, down to single ones.
void Explainer::reduce(std::vector<uint32_t> Selection::*items) {
  for (size_t block = std::max<size_t>(1, (selection_.*items).size() / 2);; block /= 2) {
    for (size_t at = 0; at < (selection_.*items).size();) {
      Selection without = selection_;
      auto &list = without.*items;
      list.erase(list.begin() + at, list.begin() + std::min(at + block, list.size()));
      if (isInfeasible(without))
        selection_ = std::move(without);
      else
        at += block;
    }
    if (block <= 1)
      return;
  }
}

std::string Explainer::list(const std::vector<std::string> &items) const {
  constexpr size_t most = 5;
  std::string text;
  for (size_t i = 0; i < std::min(items.size(), most); ++i)
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  if (items.size() > most)
    text += " and " + std::to_string(items.size() - most) + " more";
  return text;
}

/// Of the rows that are left.
void Explainer::findLeastUses() {
  if (selection_.rows.empty())
    return;
  for (uint32_t row : selection_.rows)
    leastUses_[row];
  Network network(problem_);
  Consistency consistency = makeConsistent(network.withoutRows(), keepAll(network));
  for (uint32_t i = 0; i < network.nodes().size(); ++i)
    for (const NodeUse &use : network.nodes()[i].uses) {
      auto least = leastUses_.find(use.row);
      if (least == leastUses_.end())
        continue;
      int64_t bytes = infeasible;
      for (size_t s = 0; s < use.bytes.size(); ++s)
        if (consistency.keep[i][s])
          bytes = std::min(bytes, use.bytes[s]);
      if (bytes != infeasible && bytes != 0)
        least->second.push_back({-bytes, network.nodes()[i].variable});
    }
  for (auto &[row, uses] : leastUses_)
    llvm::sort(uses);
}

std::string Explainer::describeRow(uint32_t index) const {
  const Row &row = problem_.parts().rows[index];
  std::vector<std::string> largest;
  int64_t sum = 0;
  for (auto [bytes, variable] : leastUses_.at(index)) {
    sum -= bytes;
    largest.push_back(quote(variable) + " (" + std::to_string(-bytes) + ")");
  }
  std::string text =
      "row \"" + row.name + "\" has a capacity of " + std::to_string(row.capacity) + " bytes, ";
  text += sum > row.capacity ? "and its variables use at least " + std::to_string(sum)
                             : "less than any states that are feasible together use";
  return largest.empty() ? text : text + ": " + list(largest);
}

std::string Explainer::describe() const {
  const ProblemParts &parts = problem_.parts();
  std::vector<std::string> requests;
  requests.reserve(selection_.requests.size());
  for (uint32_t r : selection_.requests)
    requests.push_back(
        "\"" + parts.variables[parts.requests[r].variable].states[parts.requests[r].state].name +
        "\" of " + quote(parts.requests[r].variable));
  std::string withRequests = requests.empty() ? "" : ", with the requested " + list(requests);
  if (!selection_.rows.empty()) {
    std::vector<std::string> rows;
    rows.reserve(selection_.rows.size());
    for (uint32_t r : selection_.rows)
      rows.push_back(describeRow(r));
    return "no plan fits the memory" + withRequests + ": " + llvm::join(rows, "; ");
  }
  std::vector<std::string> variables;
  variables.reserve(selection_.variables.size());
  for (uint32_t v : selection_.variables)
    variables.push_back(quote(v));
  if (variables.size() == 1 && requests.size() == 1)
    return "the requested state " + requests[0] + " is infeasible";
  if (variables.size() == 1)
    return "all states of variable " + variables[0] + " are infeasible";
  return "no states of " + list(variables) + " are feasible together" + withRequests;
}

Conflict Explainer::run() {
  if (isInfeasible(selection_)) {
    reduce(&Selection::rows);
    // With rows all variables that use memory take part.
    if (selection_.rows.empty())
      reduce(&Selection::variables);
    reduce(&Selection::requests);
  }
  findLeastUses();
  Conflict conflict;
  // Requests of variables that are left out take no part.
  llvm::erase_if(selection_.requests, [&](uint32_t request) {
    return !llvm::is_contained(selection_.variables, problem_.parts().requests[request].variable);
  });
  conflict.message = describe();
  conflict.rows = selection_.rows;
  conflict.requests = selection_.requests;
  conflict.variables = selection_.variables;
  if (!conflict.rows.empty()) {
    conflict.variables.clear();
    for (uint32_t row : conflict.rows)
      for (auto [bytes, variable] : leastUses_.at(row))
        if (!llvm::is_contained(conflict.variables, variable))
          conflict.variables.push_back(variable);
  }
  return conflict;
}

Conflict dmc::planner::explainConflict(const LayoutProblem &problem,
                                       std::vector<uint32_t> candidates) {
  return Explainer(problem, std::move(candidates)).run();
}
