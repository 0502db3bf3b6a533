//===- RowElimination.h - The best plan within rows of memory ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_ROWELIMINATION_H
#define DMC_LIB_PLANNER_ROWELIMINATION_H

#include "EliminationOrder.h"
#include "ExactBound.h"

#include <functional>

namespace dmc::planner {

/// Limits of effort, of which what they leave out shows in the bound, and what decides how much it
/// takes.
struct RowEliminationEffort {
  /// Of one table, in entries.
  int64_t entries = int64_t(1) << 16;
  /// Of all tables.
  int64_t allEntries = int64_t(1) << 22;
  /// Of an entry: the partial plans that are kept, those of least bound first.
  uint32_t labels = 64;
  /// Or those that use little of the rows, too: a plan is found more likely, and less is proved.
  bool keepsSmall = false;
  /// Partial plans that are made, and compared with others.
  int64_t steps = int64_t(1) << 22;
  /// Of nodes. What one rule takes is often a hundred times what another one does.
  OrderRule rule = OrderRule::LeastFill;
};

struct RowElimination {
  /// The cheapest choice that was found to keep the rows, with the prices of all others; nothing:
  /// none was. Where rows have room to spare at prices above 0, it may cost the cutoff or more.
  std::optional<std::vector<uint32_t>> choice;
  /// No choice within all rows of the network costs less; at most the cutoff, if potentials prove
  /// no more, and what the choice that was found costs with the prices of the other rows. In
  /// picoseconds / `Scales::common`.
  Wide bound = 0;
  /// In which nodes of several states were eliminated.
  std::vector<uint32_t> order;
};

/// Eliminates the nodes of a network, whose states are consistent, one after the other. A table has
/// for each choice of states the partial plans of which none is both cheaper and smaller in all
/// rows than another (dynamic programming over labels, as for shortest paths with resource
/// constraints: M. Desrochers, La fabrication d'horaires de travail pour les conducteurs d'autobus
/// par une méthode de génération de colonnes, 1986). What a partial plan costs at least with all
/// that is not part of it, at the prices, comes from an elimination without rows that goes before
/// (as bounds of completions do there: I. Dumitrescu and N. Boland, Improved preprocessing,
/// labeling and scaling algorithms for the weight-constrained shortest path problem, 2003): those
/// that cannot lead to a plan below `cutoff`, in picoseconds, go. `rows` are those of the problem
/// that plans must keep; others count by their prices alone, which is a relaxation, and takes
/// less. Nothing, if tables or steps exceed their limits, or once `isInterrupted` says so. What was
/// done is taken off `effort.steps`.
std::optional<RowElimination>
eliminateWithRows(const Network &network, const Scales &scales, const Potentials &potentials,
                  const std::vector<int64_t> &prices, llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                  RowEliminationEffort &effort, const std::function<bool()> &isInterrupted);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_ROWELIMINATION_H
