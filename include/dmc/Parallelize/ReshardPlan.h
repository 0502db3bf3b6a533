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

#include "llvm/ADT/ArrayRef.h"

namespace dmc {

/// The planner's choice between two layouts of a tensor; `traffic` is its price.
/// Remembered for the thread; valid until the next call.
const ReshardPlan &getReshardPlan(const Mesh &mesh, const Layout &from, const Layout &to,
                                  llvm::ArrayRef<int64_t> shape, int64_t elementBytes);

} // namespace dmc

#endif // DMC_PARALLELIZE_RESHARDPLAN_H
