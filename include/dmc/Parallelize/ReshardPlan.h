//===- ReshardPlan.h - From any layout to any other -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sequence of moves that a reshard expands to, and its price: propagation
// charges what expansion emits.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_RESHARDPLAN_H
#define DMC_PARALLELIZE_RESHARDPLAN_H

#include "dmc/Layout/Reshard.h"
#include "dmc/Parallelize/RankRates.h"

#include "llvm/ADT/ArrayRef.h"

namespace dmc {

/// Plans reshards on one mesh for a machine, and remembers the plans: passes ask for the
/// same few again and again.
class ReshardPlans {
public:
  ReshardPlans(Mesh mesh, const RankRates &rates)
      : planner(std::move(mesh), rates.getReshardOptions()), rates(rates) {}

  const Mesh &getMesh() const { return planner.mesh(); }
  const RankRates &getRates() const { return rates; }
  const ReshardOptions &getOptions() const { return planner.options(); }
  /// Bounds plans by other memory than what moves are planned for.
  void setCapacity(double bytes) { rates.capacity = bytes; }

  /// The planner's choice between two layouts of a tensor; `traffic` is its price. Valid
  /// until the next call.
  const ReshardPlan &get(const Layout &from, const Layout &to, llvm::ArrayRef<int64_t> shape,
                         int64_t elementBytes);
  /// Seconds that a rank sends for this.
  double getSeconds(const Layout &from, const Layout &to, llvm::ArrayRef<int64_t> shape,
                    int64_t elementBytes) {
    return rates.getSeconds(get(from, to, shape, elementBytes).moves);
  }

private:
  ReshardPlanner planner;
  RankRates rates;
};

} // namespace dmc

#endif // DMC_PARALLELIZE_RESHARDPLAN_H
