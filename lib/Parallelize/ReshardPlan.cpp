//===- ReshardPlan.cpp - From any layout to any other ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner of the layout library, for a machine.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/ReshardPlan.h"

using namespace dmc;

/// Plans after which all are forgotten: a bound on memory.
static constexpr size_t kMostPlans = 1 << 16;

const ReshardPlan &ReshardPlans::get(const Layout &from, const Layout &to,
                                     llvm::ArrayRef<int64_t> shape, int64_t elementBytes) {
  if (planner.getNumPlans() > kMostPlans)
    planner.forget();
  return planner.plan(from, to, shape.vec(), elementBytes);
}
