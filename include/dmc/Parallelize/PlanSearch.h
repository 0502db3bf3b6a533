//===- PlanSearch.h - How a plan is searched, and what was found -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller may ask of the choice of layouts as a problem, and what it is told of the plan.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_PLANSEARCH_H
#define DMC_PARALLELIZE_PLANSEARCH_H

#include "dmc/Dialect/DMC/MemoryUse.h"
#include "dmc/Parallelize/MemoryConflict.h"

#include "mlir/IR/BuiltinOps.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dmc {
struct PlanCheck;

/// What the collectives of one kind over the same axes send in a step, as the plan says.
struct PredictedCollective {
  /// As in reports: "all_reduce" over "data", or over "data:(1)2", a part of an axis.
  std::string kind;
  std::vector<std::string> axes;
  double wireBytes = 0;
  double messages = 0;
};

/// How far a search is. Times are those of one step on one rank, in milliseconds.
struct PlanProgress {
  /// Of the best plan, which fits where the machine has a capacity; nothing: none is known.
  std::optional<double> bestMs;
  /// No plan takes less that keeps the rows of memory which are known.
  double boundMs = 0;
  /// How often rows of memory were added, for what plans held that did not fit.
  unsigned rounds = 0;
  /// (best - bound) / best, at least 0; 1 without a plan.
  double getGap() const;
};

/// Of the plan that was decided. Times are those of one step on one rank.
struct PlanSummary {
  /// Bytes per link rate, latency per message, FLOPs per rank rate, one after the other.
  double predictedMs = 0;
  /// The most memory that a rank needs at once: by its buffers where the machine has a capacity and
  /// these can be made, else by an estimate before operations are fused.
  double peakBytes = 0;
  /// FLOPs of contractions of a rank in a step.
  double flops = 0;
  /// What leaves a rank in a step.
  std::vector<PredictedCollective> collectives;
  /// No plan in the problem's space takes less; 0 if no problem was solved. Two uses that move a
  /// tensor alike share the move, which the space does not know: the prediction may lie below.
  double boundMs = 0;
  /// The same as the search proved it, at least `boundMs`: also by what certificates do not have.
  double provedBoundMs = 0;
  /// (predicted - bound) / predicted, at least 0.
  double gap = 0;
  /// That the search took.
  double seconds = 0;
  /// Whether the certificate proves the gap that was asked for.
  bool isCertified = false;
  /// Whether the search was ended before its limits, by `PlanSearch::interrupt`.
  bool wasInterrupted = false;
  /// Of the problem; empty if none was solved.
  std::string fingerprint;
  /// Axes, by name, that the problem takes together, since with each alone it would exceed the
  /// limits: all of a group split a dimension, or none does. The bound is that of such plans.
  std::vector<std::vector<std::string>> axesTogether;
};

struct PlanSearch {
  /// Whether the choice of layouts is solved as a problem beside the propagation of layouts.
  bool solves = true;
  /// Takes a program with decisions to its buffers and says what they hold, where the machine has
  /// a capacity; nothing, if it has none. May be null: memory is then estimated. The program, whose
  /// locations name tensors, is of no use afterwards.
  std::function<std::optional<MemoryUse>(mlir::ModuleOp)> measure;
  /// Ends the search with the best plan so far; nothing: the search is the same on all machines.
  std::optional<double> seconds;
  /// Where to write the problem's text, and the plan with its certificate; empty: nowhere.
  std::string problemFile, certificateFile;
  /// Ends the search with the best plan so far once it is true; may be null.
  const std::atomic<bool> *interrupt = nullptr;
  /// Called after each iteration, on the thread of the pass; may be empty.
  std::function<void(const PlanProgress &)> onProgress;
  /// Filled if it is not null and there was something to choose.
  std::optional<PlanSummary> *summary = nullptr;
  /// If it is not null, a search leaves there why no layouts fit the memory, or nothing, and a plan
  /// that does not fit either is reported with it.
  std::optional<MemoryConflict> *conflict = nullptr;

  /// If it is not null, nothing is searched or decided: the problem is stated and a plan of it
  /// checked, and what follows the decisions is left out.
  PlanCheck *check = nullptr;

  /// True if something is asked of the search itself.
  bool isAsked() const { return seconds || !problemFile.empty() || !certificateFile.empty(); }
  bool isInterrupted() const { return interrupt && *interrupt; }
};

} // namespace dmc

#endif // DMC_PARALLELIZE_PLANSEARCH_H
