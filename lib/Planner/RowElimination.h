//===- RowElimination.h - The best plan within rows of memory ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_ROWELIMINATION_H
#define DMC_LIB_PLANNER_ROWELIMINATION_H

#include "ChoiceElimination.h"
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

/// What plans of a network cost with potentials and prices. In picoseconds / `Scales::potential`,
/// but for `Wide`.
struct PricedNetwork {
  const Scales &scales;
  /// By row of the problem, as certificates have them.
  std::vector<int64_t> prices;
  /// In picoseconds / `Scales::common`: no plan costs less, and what all plans cost beside what
  /// their nodes and pairs lie above the least.
  Wide bound = 0, ofPairs = 0;
  std::vector<uint32_t> sizes;
  /// By node: its states' costs without prices, and those of pairs with nodes of one state, which
  /// connect nothing.
  std::vector<std::vector<int64_t>> ofNodes, ofLeaves;
  /// Above the bound.
  ExcessTables excess;

  /// A plan of this excess or more costs no less than the cutoff, in picoseconds.
  int64_t getBudget(int64_t cutoff) const;
  /// What prices of rows that count among the costs are rounded by at most.
  int64_t getRounding() const { return static_cast<int64_t>(sizes.size()); }
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

/// Elimination within rows of the plans of a network, whose states are consistent, below a cutoff
/// in picoseconds. A table has for each choice of states the partial plans of which none is both
/// cheaper and smaller in all rows than another (dynamic programming over labels, as for shortest
/// paths with resource constraints: M. Desrochers, La fabrication d'horaires de travail pour les
/// conducteurs d'autobus par une methode de generation de colonnes, 1986). What a partial plan
/// costs at least with all that is not part of it, at prices, comes from an elimination without
/// rows that goes before (as bounds of completions do there: I. Dumitrescu and N. Boland, Improved
/// preprocessing, labeling and scaling algorithms for the weight-constrained shortest path problem,
/// 2003): those that cannot lead to a plan below the cutoff go.
class RowEliminator {
public:
  RowEliminator(Network network, const Scales &scales, const Potentials &potentials,
                const std::vector<int64_t> &prices, int64_t cutoff);

  const Network &network() const { return network_; }
  /// `rows` are those of the problem that plans must keep; others count by their prices alone,
  /// which is a relaxation, and takes less. The cutoff is that of all or less. Nothing, if tables
  /// or steps exceed their limits, or once `isInterrupted` says so. What was done is taken off
  /// `effort.steps`. The elimination without rows is done once, in the order of the first effort
  /// that suffices.
  std::optional<RowElimination> run(llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                                    RowEliminationEffort &effort,
                                    const std::function<bool()> &isInterrupted);
  /// That of the elimination without rows, which later ones do not take.
  int64_t stepsOfChoices() const { return stepsOfChoices_; }

private:
  void addNodes(const Potentials &potentials);
  void addEdges(const Potentials &potentials);
  bool findChoices(RowEliminationEffort &effort, const std::function<bool()> &isInterrupted);

  Network network_;
  PricedNetwork priced_;
  int64_t cutoff_, stepsOfChoices_ = 0;
  std::optional<ChoiceElimination> choices_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_ROWELIMINATION_H
