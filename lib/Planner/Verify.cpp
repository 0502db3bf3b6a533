//===- Verify.cpp - What makes parts a layout problem ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One message for each mistake. What refers to something that is itself wrong is not looked into.
//
//===----------------------------------------------------------------------===//
#include "dmc/Planner/LayoutProblem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace dmc::planner;

namespace {
using Part = Mistake::Part;

class Verifier {
public:
  explicit Verifier(const ProblemParts &parts) : parts_(parts) {}
  std::vector<Mistake> run();

private:
  void refuse(Part part, size_t index, const std::string &message) {
    mistakes_.push_back({part, index, message});
  }
  static std::string quote(const std::string &name) { return "\"" + name + "\""; }
  template <typename Items>
  void verifyNames(Part part, const char *kind, const Items &items);
  bool isLoop(std::optional<uint32_t> loop) const { return !loop || *loop < parts_.loops.size(); }
  void verifyLoops();
  void verifyVariable(size_t index);
  void verifyTable(size_t index);
  void verifyPair(size_t index);
  void verifyRow(size_t index);
  void verifyRequests();
  void verifyGroup(size_t index);
  std::string compareInstances(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b);
  void verifySums();

  const ProblemParts &parts_;
  std::vector<Mistake> mistakes_;
  std::set<uint32_t> grouped_;
};

template <typename Items>
void Verifier::verifyNames(Part part, const char *kind, const Items &items) {
  llvm::StringSet<> names;
  for (auto [index, item] : llvm::enumerate(items)) {
    if (item.name.empty())
      refuse(part, index, std::string("expected a name for the ") + kind);
    else if (!names.insert(item.name).second)
      refuse(part, index, std::string(kind) + " " + quote(item.name) + " is defined twice");
  }
}
} // namespace

void Verifier::verifyLoops() {
  for (auto [index, loop] : llvm::enumerate(parts_.loops)) {
    if (loop.trips < 1)
      refuse(Part::Loop, index,
             "expected a trip count of at least 1, found " + std::to_string(loop.trips));
    if (loop.parent && *loop.parent >= index)
      refuse(Part::Loop, index,
             "loop " + quote(loop.name) + " is in a loop that is not defined before it");
  }
}

void Verifier::verifyVariable(size_t index) {
  const Variable &variable = parts_.variables[index];
  std::string name = "variable " + quote(variable.name);
  if (!isLoop(variable.loop))
    refuse(Part::Variable, index, name + " is in a loop that is not defined");
  if (variable.states.empty())
    refuse(Part::Variable, index, name + " has no states");
  llvm::StringSet<> names;
  for (const State &state : variable.states) {
    if (state.name.empty())
      refuse(Part::Variable, index, name + " has a state without a name");
    else if (!names.insert(state.name).second)
      refuse(Part::Variable, index, name + " has two states " + quote(state.name));
    if (state.cost < 0)
      refuse(Part::Variable, index,
             "the cost of state " + quote(state.name) + " of " + quote(variable.name) +
                 " is negative");
  }
}

void Verifier::verifyTable(size_t index) {
  const Table &table = parts_.tables[index];
  int64_t entries = static_cast<int64_t>(table.rows) * table.columns;
  if (table.costs.size() != static_cast<size_t>(entries))
    refuse(Part::Table, index,
           "a table of " + std::to_string(table.rows) + " by " + std::to_string(table.columns) +
               " states has " + std::to_string(table.costs.size()) + " costs");
  if (llvm::any_of(table.costs, [](int64_t cost) { return cost < 0; }))
    refuse(Part::Table, index, "a cost of a table is negative");
}

void Verifier::verifyPair(size_t index) {
  const Pair &pair = parts_.pairs[index];
  if (pair.first >= parts_.variables.size() || pair.second >= parts_.variables.size())
    return refuse(Part::Pair, index, "a pair names a variable that is not defined");
  const Variable &first = parts_.variables[pair.first], &second = parts_.variables[pair.second];
  if (pair.first == pair.second)
    refuse(Part::Pair, index,
           "expected two variables in a pair, found " + quote(first.name) + " twice");
  if (!isLoop(pair.loop))
    refuse(Part::Pair, index, "a pair is in a loop that is not defined");
  if (pair.table >= parts_.tables.size())
    return refuse(Part::Pair, index, "a pair has a table that is not defined");
  const Table &table = parts_.tables[pair.table];
  if (table.rows != first.states.size() || table.columns != second.states.size())
    refuse(Part::Pair, index,
           "expected a table of " + std::to_string(first.states.size()) + " by " +
               std::to_string(second.states.size()) + " states for " + quote(first.name) + " and " +
               quote(second.name) + ", found " + std::to_string(table.rows) + " by " +
               std::to_string(table.columns));
}

void Verifier::verifyRow(size_t index) {
  const Row &row = parts_.rows[index];
  if (row.capacity < 0)
    refuse(Part::Row, index, "the capacity of row " + quote(row.name) + " is negative");
  std::set<std::pair<uint32_t, uint32_t>> seen;
  // Rows are many, and what makes them lists uses in order.
  bool isOrdered = true;
  for (size_t i = 1; i < row.uses.size() && isOrdered; ++i)
    isOrdered = std::tie(row.uses[i - 1].variable, row.uses[i - 1].state) <
                std::tie(row.uses[i].variable, row.uses[i].state);
  for (const MemoryUse &use : row.uses) {
    if (use.variable >= parts_.variables.size() ||
        use.state >= parts_.variables[use.variable].states.size()) {
      refuse(Part::Row, index, "row " + quote(row.name) + " names a state that is not defined");
      continue;
    }
    auto describe = [&] {
      const Variable &variable = parts_.variables[use.variable];
      return "state " + quote(variable.states[use.state].name) + " of " + quote(variable.name);
    };
    if (!isOrdered && !seen.insert({use.variable, use.state}).second)
      refuse(Part::Row, index, "row " + quote(row.name) + " lists " + describe() + " twice");
    if (use.bytes < 0)
      refuse(Part::Row, index, "the bytes of " + describe() + " are negative");
  }
}

void Verifier::verifyRequests() {
  std::set<uint32_t> seen;
  for (auto [index, request] : llvm::enumerate(parts_.requests)) {
    if (request.variable >= parts_.variables.size() ||
        request.state >= parts_.variables[request.variable].states.size())
      refuse(Part::Request, index, "a request names a state that is not defined");
    else if (!seen.insert(request.variable).second)
      refuse(Part::Request, index,
             "variable " + quote(parts_.variables[request.variable].name) + " is requested twice");
  }
}

/// Why two instances are not equal, or nothing.
std::string Verifier::compareInstances(const std::vector<uint32_t> &a,
                                       const std::vector<uint32_t> &b) {
  std::vector<int64_t> trips = getTotalTrips(parts_);
  auto getTrips = [&](std::optional<uint32_t> loop) { return loop ? trips[*loop] : 1; };
  for (auto [one, other] : llvm::zip_equal(a, b)) {
    const Variable &x = parts_.variables[one], &y = parts_.variables[other];
    bool isEqual = getTrips(x.loop) == getTrips(y.loop) && x.states.size() == y.states.size();
    for (size_t s = 0; isEqual && s < x.states.size(); ++s)
      isEqual = x.states[s].name == y.states[s].name && x.states[s].cost == y.states[s].cost;
    if (!isEqual)
      return "variables " + quote(x.name) + " and " + quote(y.name) + " differ";
  }
  auto collect = [&](const std::vector<uint32_t> &instance) {
    std::map<uint32_t, uint32_t> position;
    for (auto [index, variable] : llvm::enumerate(instance))
      position[variable] = index;
    std::vector<std::tuple<uint32_t, uint32_t, int64_t, const Table *>> pairs;
    for (const Pair &pair : parts_.pairs)
      if (position.count(pair.first) && position.count(pair.second))
        pairs.push_back({position[pair.first], position[pair.second], getTrips(pair.loop),
                         &parts_.tables[pair.table]});
    llvm::stable_sort(pairs, [](const auto &p, const auto &q) {
      return std::tie(std::get<0>(p), std::get<1>(p)) < std::tie(std::get<0>(q), std::get<1>(q));
    });
    return pairs;
  };
  auto ours = collect(a), theirs = collect(b);
  bool isEqual = ours.size() == theirs.size();
  for (size_t i = 0; isEqual && i < ours.size(); ++i) {
    auto [p, q, n, table] = ours[i];
    auto [r, s, m, other] = theirs[i];
    isEqual = p == r && q == s && n == m && *table == *other;
  }
  return isEqual ? ""
                 : "pairs within the instances of " + quote(parts_.variables[a[0]].name) + " and " +
                       quote(parts_.variables[b[0]].name) + " differ";
}

void Verifier::verifyGroup(size_t index) {
  const Group &group = parts_.groups[index];
  std::string name = "group " + quote(group.name);
  for (const std::vector<uint32_t> &instance : group.instances) {
    if (instance.empty() || instance.size() != group.instances[0].size())
      return refuse(Part::Group, index,
                    name + " has instances of different numbers of variables, or of none");
    for (uint32_t variable : instance) {
      if (variable >= parts_.variables.size())
        return refuse(Part::Group, index, name + " names a variable that is not defined");
      if (!grouped_.insert(variable).second)
        return refuse(Part::Group, index,
                      "variable " + quote(parts_.variables[variable].name) +
                          " is in two instances of groups");
    }
  }
  std::string why;
  for (const std::vector<uint32_t> &instance : llvm::drop_begin(group.instances))
    if (why.empty())
      why = compareInstances(group.instances[0], instance);
  if (!why.empty())
    refuse(Part::Group, index, name + " has instances that are not equal: " + why);
}

/// That all sums fit; asked of problems without other mistakes.
void Verifier::verifySums() {
  if (getLargestCost(parts_, getTotalTrips(parts_)) > sumLimit)
    refuse(Part::Problem, 0,
           "the largest costs add up to more than " + std::to_string(sumLimit) + " picoseconds");
  for (auto [index, row] : llvm::enumerate(parts_.rows)) {
    int64_t sum = std::min(sumLimit + 1, row.capacity);
    for (const MemoryUse &use : row.uses)
      sum = std::min(sumLimit + 1, sum + std::min(sumLimit + 1, use.bytes));
    if (sum > sumLimit)
      refuse(Part::Row, index,
             "the uses and the capacity of row " + quote(row.name) + " add up to more than " +
                 std::to_string(sumLimit) + " bytes");
  }
}

std::vector<Mistake> Verifier::run() {
  verifyNames(Part::Loop, "loop", parts_.loops);
  verifyNames(Part::Variable, "variable", parts_.variables);
  verifyNames(Part::Row, "row", parts_.rows);
  verifyNames(Part::Group, "group", parts_.groups);
  verifyLoops();
  for (size_t i = 0; i < parts_.variables.size(); ++i)
    verifyVariable(i);
  for (size_t i = 0; i < parts_.tables.size(); ++i)
    verifyTable(i);
  for (size_t i = 0; i < parts_.pairs.size(); ++i)
    verifyPair(i);
  for (size_t i = 0; i < parts_.rows.size(); ++i)
    verifyRow(i);
  verifyRequests();
  if (!mistakes_.empty())
    return mistakes_;
  for (size_t i = 0; i < parts_.groups.size(); ++i)
    verifyGroup(i);
  verifySums();
  return mistakes_;
}

std::vector<Mistake> LayoutProblem::verify(const ProblemParts &parts) {
  return Verifier(parts).run();
}
