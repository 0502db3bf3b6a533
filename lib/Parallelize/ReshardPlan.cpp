//===- ReshardPlan.cpp - From any layout to any other ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner of the layout library, remembered for as long as a thread works on one
// mesh: passes ask for the same few reshards again and again.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/ReshardPlan.h"

#include <optional>

using namespace dmc;
using llvm::ArrayRef;

static constexpr size_t kMostPlans = 1 << 16;

const ReshardPlan &dmc::getReshardPlan(const Mesh &mesh, const Layout &from, const Layout &to,
                                       ArrayRef<int64_t> shape, int64_t elementBytes) {
  thread_local std::optional<ReshardPlanner> planner;
  thread_local size_t numPlans = 0;
  if (!planner || !(planner->mesh() == mesh) || ++numPlans > kMostPlans) {
    planner.emplace(mesh);
    numPlans = 0;
  }
  return planner->plan(from, to, shape.vec(), elementBytes);
}
