//===- LinearProblem.h - Linear problems with integers ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mixed-integer linear problem: least sum of cost * x over all columns, such that
// lower <= x <= upper for each column and lower <= sum of coefficient * x <= upper for each row.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SOLVER_LINEARPROBLEM_H
#define DMC_SOLVER_LINEARPROBLEM_H

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace dmc::solver {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Column {
  double cost = 0;
  double lower = 0;
  double upper = infinity;
  bool isInteger = false;
};

struct Entry {
  int32_t column;
  double coefficient;
};

struct Row {
  double lower = -infinity;
  double upper = infinity;
  /// Each column at most once.
  std::vector<Entry> entries;
};

struct LinearProblem {
  std::vector<Column> columns;
  std::vector<Row> rows;

  /// Return the number of what they add.
  int32_t addColumn(const Column &column);
  int32_t addBinary(double cost) { return addColumn({cost, 0, 1, true}); }
  int32_t addRow(Row row);

  bool hasIntegers() const;
  /// What no solver can work on (NaN, a column that is not there or twice in a row, an infinite
  /// cost), or nothing. Crossed bounds are no mistake: the problem is infeasible.
  std::string check() const;
  double objective(const std::vector<double> &values) const;
  /// Whether the values keep all bounds within `tolerance`, relative to the bound where it is
  /// above 1, and are integers where they must be, within the same.
  bool isFeasible(const std::vector<double> &values, double tolerance = 1e-6) const;
};

} // namespace dmc::solver

#endif // DMC_SOLVER_LINEARPROBLEM_H
