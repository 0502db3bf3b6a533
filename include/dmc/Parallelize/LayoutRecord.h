//===- LayoutRecord.h - Why values lie where they lie -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dmc-propagate-layouts knows when it has decided: who asked for what, what was
// carried where, and what other decisions would have cost. Data only.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_LAYOUTRECORD_H
#define DMC_PARALLELIZE_LAYOUTRECORD_H

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Parallelize/PlanSearch.h"
#include "dmc/Parallelize/RankRates.h"

#include "mlir/IR/Operation.h"
#include "mlir/Pass/Pass.h"

#include <map>
#include <string>
#include <vector>

namespace dmc {
struct PropagateLayoutsOptions;

/// Why an axis splits a dimension of a value.
struct AxisCause {
  enum Kind { Argument, Result, Constraint, Manual, Operation };
  AxisRef axis;
  unsigned dim = 0;
  Kind kind = Operation;
  /// Of a request.
  int64_t priority = 0;
  /// The constraint, manual computation or operation.
  unsigned node = 0;
};

/// Why an axis splits a factor of an operation: its operand or result `value`, counted
/// through, was split so.
struct FactorCause {
  AxisRef axis;
  unsigned factor = 0;
  unsigned value = 0, dim = 0;
};

/// Predicted seconds and bytes that leave a rank, and seconds that it computes.
struct PlanCost {
  double seconds = 0, bytes = 0, work = 0;
  double total() const { return seconds + work; }
};

/// Another decision: what the part of the program that it touches costs with each.
struct Alternative {
  std::string what;
  PlanCost now, then;
  /// Operations that it would change.
  unsigned numChanged = 0;
};

/// An operand that a node wants in another layout than the value is made in.
struct RecordedUse {
  unsigned value = 0;
  /// The node and the number among its tensor operands; or the result of the program.
  std::optional<unsigned> node;
  unsigned number = 0;
  Layout wanted;
  /// Why the use does not take the value as it is made; empty where it could.
  std::string forbidden;
  /// Cheapest first.
  std::vector<Alternative> alternatives;
};

struct RecordedValue {
  std::vector<int64_t> shape;
  int64_t elementBytes = 1;
  /// As its producer makes it, and as uses start from it.
  Layout produced, base;
  std::vector<AxisCause> causes;
  std::optional<unsigned> producer;
  /// Changes of the plan, in order, that moved it.
  std::vector<unsigned> changes;
};

struct RecordedNode {
  RecordedNode(mlir::OperationName name, mlir::Location loc) : name(name), loc(loc) {}
  mlir::OperationName name;
  mlir::Location loc;
  /// A constraint, a manual computation or what control flow forwards.
  bool isFixed = false, isForwarded = false;
  /// Nothing says how the operation may be split.
  bool hasNoRule = false;
  ShardingRule rule;
  std::vector<std::vector<AxisRef>> assignment;
  /// Numbers of values, operands and results in order; nothing where any layout is free.
  std::vector<std::optional<unsigned>> values;
  unsigned numOperands = 0;
  std::vector<Layout> operandLayouts, resultLayouts;
  std::vector<FactorCause> causes;
  /// Where its values disagreed: what the propagated split would have sent and how many
  /// shards it had, and what was chosen.
  struct Choice {
    int64_t numShardsBefore = 1, numShards = 1;
    double bytesBefore = 0, bytes = 0;
  };
  std::optional<Choice> choice;
  std::vector<unsigned> changes;
};

/// A change of the propagated plan for its predicted time.
struct PlanChange {
  double secondsSaved = 0, bytesSaved = 0;
  unsigned numNodes = 0, numValues = 0;
};

/// What the solved problem says beside its plan.
struct SolvedProblem {
  /// What no plan of the problem is below.
  double boundSeconds = 0;
  /// What is alive at one point, and what of it a plan may hold.
  struct MemoryRow {
    int64_t bytes = 0, capacity = 0;
    /// What the bound would fall by if there were a byte more.
    double secondsPerByte = 0;
    /// The node at that point, and the tensors, with the bytes that the plan gives each.
    std::optional<unsigned> node;
    std::vector<std::pair<unsigned, int64_t>> tensors;
  };
  std::vector<MemoryRow> rows;
  /// By value, of tensors whose layout is a choice: the two layouts with the least bounds, in which
  /// it is made, or of an argument given, or kept. No plan with the layout takes less.
  struct LayoutBound {
    Layout layout;
    double seconds = 0;
  };
  std::map<unsigned, std::vector<LayoutBound>> layoutBounds;
};

/// Filled by a pass that is given one.
struct LayoutRecord {
  Mesh mesh;
  RankRates rates;
  std::vector<RecordedNode> nodes;
  std::vector<RecordedValue> values;
  std::vector<PlanChange> changes;
  std::vector<RecordedUse> uses;
  /// Nothing where no problem was solved.
  std::optional<SolvedProblem> solved;
  /// The value of each argument and result of the program.
  std::vector<std::optional<unsigned>> arguments, results;
  /// Whether the boundary gave it a layout.
  std::vector<bool> isArgumentGiven, isResultGiven;
  /// Of values that operations make: by node and number among the tensor results.
  std::map<std::pair<unsigned, unsigned>, unsigned> made;
  /// Of block arguments of control flow: by node, region and argument.
  std::map<std::tuple<unsigned, unsigned, unsigned>, unsigned> handed;
  bool isFilled() const { return mesh.size() != 0; }
};

/// Notes a number in a location, under a key. Later passes keep locations, so what
/// becomes of an operation can be found.
mlir::Location withTag(mlir::Location loc, llvm::StringRef key, int64_t number);
/// The numbers under a key in a location, outermost first.
llvm::SmallVector<int64_t, 1> getTags(mlir::Location loc, llvm::StringRef key);
/// The location without what was noted.
mlir::Location withoutTags(mlir::Location loc);

/// The key of a node's number in the locations of operations, which the pass notes.
constexpr llvm::StringLiteral kNodeTag = "dmc.node";

/// `dmc-propagate-layouts` that fills a record, which outlives it, and searches as it is told.
std::unique_ptr<mlir::Pass> createPropagateLayouts(const PropagateLayoutsOptions &options,
                                                   LayoutRecord *record,
                                                   const PlanSearch &search = {});

} // namespace dmc

#endif // DMC_PARALLELIZE_LAYOUTRECORD_H
