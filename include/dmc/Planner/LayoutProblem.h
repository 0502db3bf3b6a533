//===- LayoutProblem.h - The choice of layouts as a problem -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables with named states, costs of states and of pairs of states, and rows of memory: the
// least sum of costs within all capacities. Knows nothing of programs; docs/planner-problem.md.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PLANNER_LAYOUTPROBLEM_H
#define DMC_PLANNER_LAYOUTPROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dmc::planner {

/// The cost of what must not be chosen. All other costs are picoseconds, or units of the problem's
/// own, 0 or more.
inline constexpr int64_t infeasible = std::numeric_limits<int64_t>::max();

/// What the sum of all largest costs, and the sum of a row's largest uses, may reach: 20 hours of
/// picoseconds, or 64 PB. Sums of eight of them, or differences, still fit 64 bits with a sign.
inline constexpr int64_t sumLimit = int64_t(1) << 56;

/// Logarithms of units are between the negative of this and it.
inline constexpr int mostUnit = 100;

/// Entries of one table that a problem may hold: 2 GB of numbers.
inline constexpr int64_t tableLimit = int64_t(1) << 28;

struct Loop {
  std::string name;
  int64_t trips = 1;
  /// The loop that it is in, which is listed before it.
  std::optional<uint32_t> parent;
};

struct State {
  std::string name;
  int64_t cost = 0;
};

struct Variable {
  std::string name;
  std::vector<State> states;
  /// Costs are paid in each iteration of it.
  std::optional<uint32_t> loop;
};

/// Costs of pairs of states; several pairs of variables may share a table.
struct Table {
  uint32_t rows = 0, columns = 0;
  /// Row by row.
  std::vector<int64_t> costs;

  int64_t at(uint32_t row, uint32_t column) const {
    return costs[static_cast<size_t>(row) * columns + column];
  }
  bool operator==(const Table &other) const {
    return rows == other.rows && columns == other.columns && costs == other.costs;
  }
};

struct Pair {
  uint32_t first = 0, second = 0;
  /// Rows are the states of `first`.
  uint32_t table = 0;
  std::optional<uint32_t> loop;
};

struct MemoryUse {
  uint32_t variable = 0, state = 0;
  int64_t bytes = 0;
};

/// What is live at one point of the program: the bytes of the chosen states are at most
/// `capacity` together.
struct Row {
  std::string name;
  int64_t capacity = 0;
  /// Each state at most once; those not listed use nothing.
  std::vector<MemoryUse> uses;

  /// The bytes of the chosen states, whether that is more than the capacity or not.
  int64_t getBytes(llvm::ArrayRef<uint32_t> assignment) const {
    int64_t bytes = 0;
    for (const MemoryUse &use : uses)
      if (assignment[use.variable] == use.state)
        bytes += use.bytes;
    return bytes;
  }
};

/// The user fixed the state of a variable.
struct Request {
  uint32_t variable = 0, state = 0;
};

/// Parts of the problem that repeat, layers for instance: variables of the same position in all
/// instances have equal states, and equal tables between them.
struct Group {
  std::string name;
  std::vector<std::vector<uint32_t>> instances;
};

struct ProblemParts {
  std::string name;
  /// Costs count 2^unit picoseconds.
  int unit = 0;
  std::vector<Loop> loops;
  std::vector<Variable> variables;
  std::vector<Table> tables;
  std::vector<Pair> pairs;
  std::vector<Row> rows;
  std::vector<Request> requests;
  std::vector<Group> groups;
};

/// Something that is wrong with the parts of a problem.
struct Mistake {
  enum class Part { Problem, Loop, Variable, Table, Pair, Row, Request, Group };
  Part part = Part::Problem;
  /// Which of them.
  size_t index = 0;
  std::string message;
};

/// A state for each variable, by number.
using Assignment = std::vector<uint32_t>;

class LayoutProblem {
public:
  /// One message for each mistake; none: the parts are a problem.
  static std::vector<Mistake> verify(const ProblemParts &parts);
  /// Nothing, and the mistakes, where there are any.
  static std::optional<LayoutProblem> create(ProblemParts parts, std::vector<Mistake> &mistakes);

  const ProblemParts &parts() const { return parts_; }
  size_t getNumVariables() const { return parts_.variables.size(); }
  uint32_t getNumStates(size_t variable) const {
    return static_cast<uint32_t>(parts_.variables[variable].states.size());
  }
  /// How often a loop's body runs, the loops around it included.
  int64_t getTrips(std::optional<uint32_t> loop) const { return loop ? trips_[*loop] : 1; }
  /// The cost of a state in all iterations; infeasible also where a request names another state.
  int64_t getCost(size_t variable, uint32_t state) const;
  /// The cost of a pair of states in all iterations.
  int64_t getPairCost(size_t pair, uint32_t first, uint32_t second) const;
  /// A cost as a time.
  double getSeconds(int64_t cost) const {
    return std::ldexp(1e-12 * static_cast<double>(cost), parts_.unit);
  }
  /// No assignment that `check` accepts costs more.
  int64_t getLargestCost() const { return largestCost_; }

  /// Empty if the assignment is feasible, else the first reason why not.
  std::string check(llvm::ArrayRef<uint32_t> assignment) const;
  /// The sum of all costs, infeasible if one of them is. Rows do not count.
  int64_t getCost(llvm::ArrayRef<uint32_t> assignment) const;
  /// What a row's chosen states use.
  int64_t getBytes(size_t row, llvm::ArrayRef<uint32_t> assignment) const;

  /// Of the textual form: equal for equal problems.
  std::string getFingerprint() const;

private:
  explicit LayoutProblem(ProblemParts parts);

  ProblemParts parts_;
  std::vector<int64_t> trips_;
  /// By variable: the state that a request names.
  std::vector<std::optional<uint32_t>> requested_;
  int64_t largestCost_ = 0;
};

/// The trip counts of all loops with those around them, as far as they fit.
std::vector<int64_t> getTotalTrips(const ProblemParts &parts);
/// The sum of the largest feasible costs of all variables and pairs, at most `sumLimit` + 1;
/// `trips` are the total ones.
int64_t getLargestCost(const ProblemParts &parts, llvm::ArrayRef<int64_t> trips);
/// The innermost loop that both are in.
std::optional<uint32_t> getCommonLoop(const ProblemParts &parts, std::optional<uint32_t> a,
                                      std::optional<uint32_t> b);

/// a * b, at most `sumLimit` + 1; neither is negative.
int64_t multiplyUpToLimit(int64_t a, int64_t b);

} // namespace dmc::planner

#endif // DMC_PLANNER_LAYOUTPROBLEM_H
