//===- Simplex.h - Linear problems without integers -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simplex method with bounded variables on a dense dictionary: each basic variable as a sum
// over the nonbasic ones. A row of the problem is a variable too, its sum. The dual method starts
// from any basis, so that a problem whose bounds changed is solved from the last basis; the
// primal method follows where costs allow no dual start. See R. Vanderbei, Linear Programming,
// chapters 5 and 9; the methods' memory is rows * columns numbers.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_SOLVER_SIMPLEX_H
#define DMC_LIB_SOLVER_SIMPLEX_H

#include "dmc/Solver/LinearProblem.h"

#include <chrono>
#include <vector>

namespace dmc::solver {

enum class SimplexStatus { Optimal, Infeasible, Unbounded, TimeLimit, Failed };

class Simplex {
public:
  using Clock = std::chrono::steady_clock;
  /// The problem without its integrality; it must live as long.
  explicit Simplex(const LinearProblem &problem);

  void setBounds(int32_t column, double lower, double upper);
  SimplexStatus solve(Clock::time_point deadline);
  /// After `Optimal`.
  double objective() const;
  std::vector<double> values() const;

private:
  size_t rows() const { return basic_.size(); }
  size_t columns() const { return nonbasic_.size(); }
  double *row(size_t i) { return dictionary_.data() + i * columns(); }
  const double *row(size_t i) const { return dictionary_.data() + i * columns(); }

  void startFromRows();
  bool rebuild();
  void placeNonbasics();
  void computeReducedCosts();
  void computeBasics();
  bool isConsistent() const;
  bool isProvenInfeasible(size_t dictionaryRow) const;
  void pivot(size_t leaving, size_t entering);
  SimplexStatus solveOnce(Clock::time_point deadline);
  SimplexStatus runDual(Clock::time_point deadline);
  SimplexStatus runPrimal(Clock::time_point deadline);
  double violation(size_t i) const;

  const LinearProblem &problem_;
  std::vector<double> dictionary_;             // rows * columns
  std::vector<int32_t> basic_;                 // the variable of each row of the dictionary
  std::vector<int32_t> nonbasic_;              // and of each column
  std::vector<double> reducedCosts_;           // of the nonbasic variables
  std::vector<double> lower_, upper_, values_; // of all variables: columns, then rows
  size_t infeasibleRow_ = 0;                   // where the dual method found no column to enter
  int64_t pivots_ = 0;                         // since the dictionary was built
};

} // namespace dmc::solver

#endif // DMC_LIB_SOLVER_SIMPLEX_H
