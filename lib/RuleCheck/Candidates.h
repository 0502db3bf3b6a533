//===- Candidates.h - The layouts to try ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All layouts of a tensor over given axes, combinations of them, and what a layout
// becomes without communication.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RULECHECK_CANDIDATES_H
#define DMC_LIB_RULECHECK_CANDIDATES_H

#include "Instance.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace dmc::rulecheck {

/// The lists of axes that cover a mesh: its axes, and once more with axes of
/// composite size in two parts.
std::vector<std::vector<AxisRef>> getAtoms(const Mesh &mesh);

/// Every layout of a tensor in which each atom has any state: replicated, splits a
/// dimension (in any order among those that do), partial, placed.
std::vector<Layout> getLayouts(mlir::RankedTensorType type, llvm::ArrayRef<AxisRef> atoms);

/// Calls `body` for all combinations of one element of each list; for `limit` of
/// them, at random, if there are more. True if these were all.
bool forEachCombination(llvm::ArrayRef<std::vector<Layout>> lists, size_t limit, uint64_t seed,
                        llvm::function_ref<void(Layouts)> body);

/// What the rule of the instance's operation says of one axis: each factor split over
/// it, each set of operands that may be partial. The other values are replicated.
std::vector<Layouts> getLayoutsOfRule(const Instance &instance, const AxisRef &atom);

/// Two layouts of different axes as one, the second's axes at the minor ends;
/// nothing if both are partial under different combiners.
std::optional<Layout> merge(const Layout &major, const Layout &minor);

/// True if `from` becomes `to` by moves in which no byte leaves a rank.
bool becomesLocally(const Layout &from, const Layout &to);

} // namespace dmc::rulecheck

#endif // DMC_LIB_RULECHECK_CANDIDATES_H
