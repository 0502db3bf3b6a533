//===- LinearProblem.cpp - Linear problems with integers ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Solver/LinearProblem.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace dmc::solver;

int32_t LinearProblem::addColumn(const Column &column) {
  columns.push_back(column);
  return static_cast<int32_t>(columns.size()) - 1;
}

int32_t LinearProblem::addRow(Row row) {
  rows.push_back(std::move(row));
  return static_cast<int32_t>(rows.size()) - 1;
}

bool LinearProblem::hasIntegers() const {
  return std::any_of(columns.begin(), columns.end(),
                     [](const Column &column) { return column.isInteger; });
}

std::string LinearProblem::check() const {
  auto areBounds = [](double lower, double upper) {
    return !std::isnan(lower) && !std::isnan(upper) && lower < infinity && upper > -infinity;
  };
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!areBounds(columns[i].lower, columns[i].upper))
      return "column " + std::to_string(i) + ": expected bounds that a number can keep";
    if (!std::isfinite(columns[i].cost))
      return "column " + std::to_string(i) + ": expected a finite cost";
  }
  std::vector<size_t> lastRow(columns.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string where = "row " + std::to_string(i) + ": ";
    if (!areBounds(rows[i].lower, rows[i].upper))
      return where + "expected bounds that a number can keep";
    for (const Entry &entry : rows[i].entries) {
      if (entry.column < 0 || static_cast<size_t>(entry.column) >= columns.size())
        return where + "expected a column below " + std::to_string(columns.size()) + ", found " +
               std::to_string(entry.column);
      if (!std::isfinite(entry.coefficient))
        return where + "expected finite coefficients";
      if (std::exchange(lastRow[static_cast<size_t>(entry.column)], i) == i)
        return where + "column " + std::to_string(entry.column) + " is in it twice";
    }
  }
  return {};
}

double LinearProblem::objective(const std::vector<double> &values) const {
  double sum = 0;
  for (size_t i = 0; i < columns.size(); ++i)
    sum += columns[i].cost * values[i];
  return sum;
}

bool LinearProblem::isFeasible(const std::vector<double> &values, double tolerance) const {
  if (values.size() != columns.size())
    return false;
  auto isWithin = [&](double value, double lower, double upper) {
    return value >= lower - tolerance * std::max(1.0, std::abs(lower)) &&
           value <= upper + tolerance * std::max(1.0, std::abs(upper));
  };
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!isWithin(values[i], columns[i].lower, columns[i].upper))
      return false;
    if (columns[i].isInteger && std::abs(values[i] - std::round(values[i])) > tolerance)
      return false;
  }
  return std::all_of(rows.begin(), rows.end(), [&](const Row &row) {
    double sum = 0;
    for (const Entry &entry : row.entries)
      sum += entry.coefficient * values[static_cast<size_t>(entry.column)];
    return isWithin(sum, row.lower, row.upper);
  });
}
