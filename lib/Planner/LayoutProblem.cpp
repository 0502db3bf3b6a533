//===- LayoutProblem.cpp - The choice of layouts as a problem -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LayoutProblem.h.
//
//===----------------------------------------------------------------------===//
#include "dmc/Planner/LayoutProblem.h"
#include "dmc/Planner/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::planner;

int64_t dmc::planner::multiplyUpToLimit(int64_t a, int64_t b) {
  return a == 0 || b <= sumLimit / a ? a * b : sumLimit + 1;
}

std::vector<int64_t> dmc::planner::getTotalTrips(const ProblemParts &parts) {
  std::vector<int64_t> trips;
  trips.reserve(parts.loops.size());
  for (const Loop &loop : parts.loops)
    trips.push_back(multiplyUpToLimit(loop.trips, loop.parent ? trips[*loop.parent] : 1));
  return trips;
}

std::optional<uint32_t> dmc::planner::getCommonLoop(const ProblemParts &parts,
                                                    std::optional<uint32_t> a,
                                                    std::optional<uint32_t> b) {
  // A loop's number is larger than those of the loops around it.
  while (a != b) {
    std::optional<uint32_t> &inner = a > b ? a : b;
    inner = parts.loops[*inner].parent;
  }
  return a;
}

int64_t dmc::planner::getLargestCost(const ProblemParts &parts, llvm::ArrayRef<int64_t> trips) {
  int64_t total = 0;
  auto getLargest = [](auto costs) {
    int64_t largest = 0;
    for (int64_t cost : costs)
      if (cost != infeasible)
        largest = std::max(largest, cost);
    return largest;
  };
  auto add = [&](int64_t largest, std::optional<uint32_t> loop) {
    // Both are at most the limit and one.
    total = std::min(sumLimit + 1, total + multiplyUpToLimit(largest, loop ? trips[*loop] : 1));
  };
  for (const Variable &variable : parts.variables)
    add(getLargest(llvm::map_range(variable.states, [](const State &state) { return state.cost; })),
        variable.loop);
  // Many pairs have one table.
  std::vector<int64_t> ofTables;
  ofTables.reserve(parts.tables.size());
  for (const Table &table : parts.tables)
    ofTables.push_back(getLargest(llvm::ArrayRef(table.costs)));
  for (const Pair &pair : parts.pairs)
    add(ofTables[pair.table], pair.loop);
  return total;
}

LayoutProblem::LayoutProblem(ProblemParts parts)
    : parts_(std::move(parts)), trips_(getTotalTrips(parts_)), requested_(getNumVariables()) {
  for (const Request &request : parts_.requests)
    requested_[request.variable] = request.state;
  largestCost_ = planner::getLargestCost(parts_, trips_);
}

std::optional<LayoutProblem> LayoutProblem::create(ProblemParts parts,
                                                   std::vector<Mistake> &mistakes) {
  mistakes = verify(parts);
  if (!mistakes.empty())
    return std::nullopt;
  return LayoutProblem(std::move(parts));
}

int64_t LayoutProblem::getCost(size_t variable, uint32_t state) const {
  int64_t cost = parts_.variables[variable].states[state].cost;
  if (cost == infeasible || (requested_[variable] && *requested_[variable] != state))
    return infeasible;
  return cost * getTrips(parts_.variables[variable].loop);
}

int64_t LayoutProblem::getPairCost(size_t index, uint32_t first, uint32_t second) const {
  const Pair &pair = parts_.pairs[index];
  int64_t cost = parts_.tables[pair.table].at(first, second);
  return cost == infeasible ? infeasible : cost * getTrips(pair.loop);
}

int64_t LayoutProblem::getCost(llvm::ArrayRef<uint32_t> assignment) const {
  int64_t total = 0;
  auto add = [&](int64_t cost) {
    total = total == infeasible || cost == infeasible ? infeasible : total + cost;
  };
  for (size_t v = 0; v < getNumVariables(); ++v)
    add(getCost(v, assignment[v]));
  for (auto [index, pair] : llvm::enumerate(parts_.pairs))
    add(getPairCost(index, assignment[pair.first], assignment[pair.second]));
  return total;
}

int64_t LayoutProblem::getBytes(size_t row, llvm::ArrayRef<uint32_t> assignment) const {
  return parts_.rows[row].getBytes(assignment);
}

std::string LayoutProblem::check(llvm::ArrayRef<uint32_t> assignment) const {
  auto quote = [](const std::string &name) { return "\"" + name + "\""; };
  auto choice = [&](uint32_t v) {
    const Variable &variable = parts_.variables[v];
    return quote(variable.states[assignment[v]].name) + " of " + quote(variable.name);
  };
  if (assignment.size() != getNumVariables())
    return "expected a state for each of " + std::to_string(getNumVariables()) +
           " variables, found " + std::to_string(assignment.size());
  for (size_t v = 0; v < getNumVariables(); ++v)
    if (assignment[v] >= getNumStates(v))
      return "variable " + quote(parts_.variables[v].name) + " has " +
             std::to_string(getNumStates(v)) + " states, found number " +
             std::to_string(assignment[v]);
  for (uint32_t v = 0; v < getNumVariables(); ++v) {
    if (requested_[v] && *requested_[v] != assignment[v])
      return "state " + choice(v) + " is not the requested " +
             quote(parts_.variables[v].states[*requested_[v]].name);
    if (getCost(v, assignment[v]) == infeasible)
      return "state " + choice(v) + " is infeasible";
  }
  for (auto [index, pair] : llvm::enumerate(parts_.pairs))
    if (getPairCost(index, assignment[pair.first], assignment[pair.second]) == infeasible)
      return "states " + choice(pair.first) + " and " + choice(pair.second) +
             " are infeasible together";
  for (auto [index, row] : llvm::enumerate(parts_.rows))
    if (int64_t bytes = getBytes(index, assignment); bytes > row.capacity)
      return "row " + quote(row.name) + " holds " + std::to_string(bytes) +
             " bytes, more than its capacity of " + std::to_string(row.capacity);
  return "";
}

std::string LayoutProblem::getFingerprint() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printProblem(parts_, stream);
  llvm::BLAKE3 hash;
  hash.update(stream.str());
  // 16 bytes tell problems apart; the text is not secret.
  return llvm::toHex(hash.final<16>(), /*LowerCase=*/true);
}
