//===- Simplex.cpp - Linear problems without integers ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simplex.h"

#include <algorithm>
#include <cmath>

using namespace dmc;
using namespace dmc::solver;

// Doubles have 16 digits; about half of them survive a few hundred pivots of a well scaled problem.
static constexpr double primalTolerance = 1e-8, dualTolerance = 1e-9, pivotTolerance = 1e-9;
/// Each pivot adds rounding; building the dictionary again costs as much as one pivot a row.
static constexpr int64_t pivotsBeforeRebuild = 2000;
/// Pivots in a row that gain nothing before the rule of the smallest index, which cannot cycle.
static constexpr int stallsBeforeSmallestIndex = 50;

static double scaleOf(double value) {
  return std::isfinite(value) ? std::max(1.0, std::abs(value)) : 1;
}

Simplex::Simplex(const LinearProblem &problem) : problem_(problem) {
  for (const Column &column : problem.columns) {
    lower_.push_back(column.lower);
    upper_.push_back(column.upper);
  }
  for (const Row &row : problem.rows) {
    lower_.push_back(row.lower);
    upper_.push_back(row.upper);
  }
  values_.assign(lower_.size(), 0);
  startFromRows();
}

void Simplex::setBounds(int32_t column, double lower, double upper) {
  lower_[static_cast<size_t>(column)] = lower;
  upper_[static_cast<size_t>(column)] = upper;
}

//===----------------------------------------------------------------------===//
// The dictionary
//===----------------------------------------------------------------------===//

/// The rows are basic.
void Simplex::startFromRows() {
  size_t numColumns = problem_.columns.size();
  nonbasic_.clear();
  basic_.clear();
  for (size_t i = 0; i < numColumns; ++i)
    nonbasic_.push_back(static_cast<int32_t>(i));
  dictionary_.assign(problem_.rows.size() * numColumns, 0);
  for (size_t i = 0; i < problem_.rows.size(); ++i) {
    basic_.push_back(static_cast<int32_t>(numColumns + i));
    for (const Entry &entry : problem_.rows[i].entries)
      row(i)[entry.column] = entry.coefficient;
  }
  pivots_ = 0;
}

/// Builds the dictionary of the same basis from the problem. False if that basis is singular: then
/// the rows are basic.
bool Simplex::rebuild() {
  std::vector<char> isWanted(values_.size(), false);
  for (int32_t variable : basic_)
    isWanted[static_cast<size_t>(variable)] = true;
  startFromRows();
  reducedCosts_.assign(columns(), 0);
  for (size_t column = 0; column < columns(); ++column) {
    if (!isWanted[static_cast<size_t>(nonbasic_[column])])
      continue;
    size_t best = rows();
    double largest = pivotTolerance;
    for (size_t i = 0; i < rows(); ++i)
      if (!isWanted[static_cast<size_t>(basic_[i])] && std::abs(row(i)[column]) > largest) {
        largest = std::abs(row(i)[column]);
        best = i;
      }
    if (best == rows()) {
      startFromRows();
      return false;
    }
    pivot(best, column);
  }
  pivots_ = 0;
  return true;
}

void Simplex::computeReducedCosts() {
  auto costOf = [&](int32_t variable) {
    auto index = static_cast<size_t>(variable);
    return index < problem_.columns.size() ? problem_.columns[index].cost : 0;
  };
  reducedCosts_.resize(columns());
  for (size_t j = 0; j < columns(); ++j)
    reducedCosts_[j] = costOf(nonbasic_[j]);
  for (size_t i = 0; i < rows(); ++i)
    if (double cost = costOf(basic_[i]); cost != 0)
      for (size_t j = 0; j < columns(); ++j)
        reducedCosts_[j] += cost * row(i)[j];
}

void Simplex::computeBasics() {
  for (size_t i = 0; i < rows(); ++i) {
    double sum = 0;
    for (size_t j = 0; j < columns(); ++j)
      sum += row(i)[j] * values_[static_cast<size_t>(nonbasic_[j])];
    values_[static_cast<size_t>(basic_[i])] = sum;
  }
}

/// Puts each nonbasic variable at the bound that its reduced cost asks for. Where that is infinite,
/// the reduced cost is set to 0: the dual method then finds a feasible basis, and the primal one
/// goes on from there with the costs as they are.
void Simplex::placeNonbasics() {
  for (size_t j = 0; j < columns(); ++j) {
    auto variable = static_cast<size_t>(nonbasic_[j]);
    double low = lower_[variable], high = upper_[variable];
    bool wantsHigh = reducedCosts_[j] < 0;
    double wanted = wantsHigh ? high : low;
    if (!std::isfinite(wanted)) {
      if (std::abs(reducedCosts_[j]) > 0)
        reducedCosts_[j] = 0;
      wanted = wantsHigh ? low : high;
    }
    values_[variable] = std::isfinite(wanted) ? wanted : 0;
  }
}

/// The variable that is basic in that row becomes nonbasic, and the other basic.
void Simplex::pivot(size_t leaving, size_t entering) {
  double *pivotRow = row(leaving);
  double inverse = 1 / pivotRow[entering];
  for (size_t j = 0; j < columns(); ++j)
    pivotRow[j] *= -inverse;
  pivotRow[entering] = inverse;
  auto eliminate = [&](double *target) {
    double factor = target[entering];
    if (factor == 0)
      return;
    target[entering] = 0;
    for (size_t j = 0; j < columns(); ++j)
      target[j] += factor * pivotRow[j];
  };
  for (size_t i = 0; i < rows(); ++i)
    if (i != leaving)
      eliminate(row(i));
  eliminate(reducedCosts_.data());
  std::swap(basic_[leaving], nonbasic_[entering]);
  ++pivots_;
}

/// How far a basic variable lies below its lower bound (negative) or above its upper one.
double Simplex::violation(size_t i) const {
  auto variable = static_cast<size_t>(basic_[i]);
  double value = values_[variable];
  if (value < lower_[variable] - primalTolerance * scaleOf(lower_[variable]))
    return value - lower_[variable];
  if (value > upper_[variable] + primalTolerance * scaleOf(upper_[variable]))
    return value - upper_[variable];
  return 0;
}

/// Whether the rows' sums are those that the columns' values give.
bool Simplex::isConsistent() const {
  size_t numColumns = problem_.columns.size();
  for (size_t i = 0; i < problem_.rows.size(); ++i) {
    double sum = 0, size = 1;
    for (const Entry &entry : problem_.rows[i].entries) {
      double part = entry.coefficient * values_[static_cast<size_t>(entry.column)];
      sum += part;
      size = std::max(size, std::abs(part));
    }
    if (!(std::abs(sum - values_[numColumns + i]) <= 10 * primalTolerance * size))
      return false;
  }
  return true;
}

/// Whether the problem itself shows that no values keep all bounds, by the multiples of its rows
/// that the dual method ended with (Farkas' lemma). The sum of those rows, as numbers of the
/// problem, must be 0 = sum of c * x over all variables; here no x within the bounds makes it so.
bool Simplex::isProvenInfeasible(size_t dictionaryRow) const {
  size_t numColumns = problem_.columns.size();
  std::vector<double> factors(values_.size(), 0);
  auto set = [&](int32_t variable, double factor) {
    if (static_cast<size_t>(variable) >= numColumns)
      factors[static_cast<size_t>(variable)] = factor;
  };
  set(basic_[dictionaryRow], -1);
  for (size_t j = 0; j < columns(); ++j)
    set(nonbasic_[j], row(dictionaryRow)[j]);
  for (size_t i = 0; i < problem_.rows.size(); ++i)
    for (const Entry &entry : problem_.rows[i].entries)
      factors[static_cast<size_t>(entry.column)] -= factors[numColumns + i] * entry.coefficient;
  double least = 0, most = 0, size = 0;
  for (size_t i = 0; i < factors.size(); ++i) {
    if (std::abs(factors[i]) <= pivotTolerance)
      continue;
    double low = factors[i] * (factors[i] > 0 ? lower_[i] : upper_[i]);
    double high = factors[i] * (factors[i] > 0 ? upper_[i] : lower_[i]);
    least += low;
    most += high;
    for (double part : {low, high})
      if (std::isfinite(part))
        size = std::max(size, std::abs(part));
  }
  double margin = primalTolerance * std::max(1.0, size);
  return least > margin || most < -margin;
}

//===----------------------------------------------------------------------===//
// The two methods
//===----------------------------------------------------------------------===//

/// From a basis whose reduced costs have the right signs to one that keeps all bounds.
SimplexStatus Simplex::runDual(Clock::time_point deadline) {
  int stalls = 0;
  for (int64_t iteration = 0;; ++iteration) {
    if (iteration % 16 == 15 && Clock::now() > deadline)
      return SimplexStatus::TimeLimit;
    if (pivots_ > pivotsBeforeRebuild)
      return SimplexStatus::Failed;
    bool bySmallestIndex = stalls >= stallsBeforeSmallestIndex;
    size_t leaving = rows();
    double worst = 0;
    for (size_t i = 0; i < rows(); ++i) {
      double off = std::abs(violation(i));
      if (off == 0)
        continue;
      bool isBetter =
          bySmallestIndex ? leaving == rows() || basic_[i] < basic_[leaving] : off > worst;
      if (isBetter) {
        leaving = i;
        worst = off;
      }
    }
    if (leaving == rows())
      return SimplexStatus::Optimal;
    double off = violation(leaving);
    double sign = off < 0 ? 1 : -1; // the basic variable must grow: 1
    const double *pivotRow = row(leaving);
    size_t entering = columns();
    double bestRatio = infinity;
    for (size_t j = 0; j < columns(); ++j) {
      double slope = sign * pivotRow[j];
      auto variable = static_cast<size_t>(nonbasic_[j]);
      if (std::abs(slope) < pivotTolerance || lower_[variable] == upper_[variable])
        continue;
      bool canMove =
          slope > 0 ? values_[variable] < upper_[variable] : values_[variable] > lower_[variable];
      if (!canMove)
        continue;
      double ratio = std::abs(reducedCosts_[j]) / std::abs(slope);
      bool isTie = entering != columns() && std::abs(ratio - bestRatio) <= dualTolerance;
      bool isBetter = isTie ? (bySmallestIndex ? nonbasic_[j] < nonbasic_[entering]
                                               : std::abs(slope) > std::abs(pivotRow[entering]))
                            : ratio < bestRatio;
      if (isBetter) {
        bestRatio = isTie ? std::min(ratio, bestRatio) : ratio;
        entering = j;
      }
    }
    if (entering == columns()) {
      infeasibleRow_ = leaving;
      return SimplexStatus::Infeasible;
    }
    stalls = bestRatio > dualTolerance ? 0 : stalls + 1;
    double step = -off / pivotRow[entering];
    auto entered = static_cast<size_t>(nonbasic_[entering]);
    for (size_t i = 0; i < rows(); ++i)
      values_[static_cast<size_t>(basic_[i])] += row(i)[entering] * step;
    values_[entered] += step;
    auto left = static_cast<size_t>(basic_[leaving]);
    values_[left] = off < 0 ? lower_[left] : upper_[left];
    pivot(leaving, entering);
  }
}

/// From a basis that keeps all bounds to the best one.
SimplexStatus Simplex::runPrimal(Clock::time_point deadline) {
  int stalls = 0;
  for (int64_t iteration = 0;; ++iteration) {
    if (iteration % 16 == 15 && Clock::now() > deadline)
      return SimplexStatus::TimeLimit;
    if (pivots_ > pivotsBeforeRebuild)
      return SimplexStatus::Failed;
    bool bySmallestIndex = stalls >= stallsBeforeSmallestIndex;
    size_t entering = columns();
    double steepest = dualTolerance;
    for (size_t j = 0; j < columns(); ++j) {
      auto variable = static_cast<size_t>(nonbasic_[j]);
      double cost = reducedCosts_[j];
      bool canGain =
          cost < 0 ? values_[variable] < upper_[variable] : values_[variable] > lower_[variable];
      if (!canGain || std::abs(cost) <= dualTolerance)
        continue;
      bool isBetter = bySmallestIndex ? entering == columns() || nonbasic_[j] < nonbasic_[entering]
                                      : std::abs(cost) > steepest;
      if (isBetter) {
        steepest = std::abs(cost);
        entering = j;
      }
    }
    if (entering == columns())
      return SimplexStatus::Optimal;
    auto entered = static_cast<size_t>(nonbasic_[entering]);
    double sign = reducedCosts_[entering] < 0 ? 1 : -1;
    double step = upper_[entered] - lower_[entered]; // to its own other bound
    size_t leaving = rows();
    for (size_t i = 0; i < rows(); ++i) {
      double slope = sign * row(i)[entering];
      if (std::abs(slope) < pivotTolerance)
        continue;
      auto variable = static_cast<size_t>(basic_[i]);
      double bound = slope > 0 ? upper_[variable] : lower_[variable];
      if (!std::isfinite(bound))
        continue;
      double room = std::max(0.0, (bound - values_[variable]) / slope);
      bool isTie = leaving != rows() && std::abs(room - step) <= primalTolerance;
      bool isBetter = isTie ? (bySmallestIndex ? basic_[i] < basic_[leaving]
                                               : std::abs(slope) > std::abs(row(leaving)[entering]))
                            : room < step;
      if (isBetter) {
        step = isTie ? std::min(room, step) : room;
        leaving = i;
      }
    }
    if (!std::isfinite(step))
      return SimplexStatus::Unbounded;
    stalls = step * steepest > dualTolerance ? 0 : stalls + 1;
    for (size_t i = 0; i < rows(); ++i)
      values_[static_cast<size_t>(basic_[i])] += row(i)[entering] * sign * step;
    values_[entered] += sign * step;
    if (leaving == rows()) {
      values_[entered] = sign > 0 ? upper_[entered] : lower_[entered];
      continue;
    }
    auto left = static_cast<size_t>(basic_[leaving]);
    values_[left] = sign * row(leaving)[entering] > 0 ? upper_[left] : lower_[left];
    pivot(leaving, entering);
  }
}

SimplexStatus Simplex::solveOnce(Clock::time_point deadline) {
  computeReducedCosts();
  placeNonbasics();
  computeBasics();
  SimplexStatus status = runDual(deadline);
  if (status != SimplexStatus::Optimal)
    return status;
  computeReducedCosts();
  return runPrimal(deadline);
}

SimplexStatus Simplex::solve(Clock::time_point deadline) {
  for (size_t i = 0; i < lower_.size(); ++i)
    if (lower_[i] > upper_[i])
      return SimplexStatus::Infeasible;
  // Rounding may have spoilt the dictionary, which is then built again; a problem of any size may
  // need more pivots than that allows.
  for (int attempt = 0; attempt < 100; ++attempt) {
    SimplexStatus status = solveOnce(deadline);
    bool isSure = status == SimplexStatus::TimeLimit || status == SimplexStatus::Unbounded ||
                  (status == SimplexStatus::Optimal && isConsistent()) ||
                  (status == SimplexStatus::Infeasible && isProvenInfeasible(infeasibleRow_));
    if (isSure)
      return status;
    if (pivots_ == 0) // a new dictionary gives the same
      return status == SimplexStatus::Infeasible ? status : SimplexStatus::Failed;
    rebuild();
  }
  return SimplexStatus::Failed;
}

double Simplex::objective() const { return problem_.objective(values_); }

std::vector<double> Simplex::values() const {
  return {values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(problem_.columns.size())};
}
