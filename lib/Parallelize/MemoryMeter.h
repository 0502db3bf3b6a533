//===- MemoryMeter.h - What decided layouts need of memory ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By the buffers of the program that comes of them, where whoever runs the pass can make them,
// else by an estimate.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_MEMORYMETER_H
#define DMC_LIB_PARALLELIZE_MEMORYMETER_H

#include "MemoryEstimate.h"
#include "WriteDecisions.h"

#include "dmc/Dialect/DMC/MemoryUse.h"
#include "dmc/Parallelize/PlanSearch.h"

namespace dmc {

struct MeasuredMemory {
  /// What a rank needs at once.
  double bytes = 0;
  /// The fullest points, of which the first is the fullest. The bytes of a point are what is alive
  /// there; buffers may need more, as gaps remain between them.
  std::vector<PeakMemory> points;
  /// Operations, and what a rank needs while they run; of an estimate none.
  struct Step {
    double bytes = 0;
    llvm::SmallVector<mlir::Operation *, 2> ops;
  };
  std::vector<Step> steps;

  /// What may be alive at once within a capacity. Where gaps between buffers alone make it too
  /// much, they count; else points that are below the capacity would be too full.
  double getLimit(double capacity) const {
    double live = points.empty() ? bytes : points.front().bytes;
    return live > capacity ? capacity : capacity - (bytes - live);
  }
};

class MemoryMeter {
public:
  /// Of graphs of one program, whose boundary is given.
  MemoryMeter(mlir::func::FuncOp entry, ProgramAttr program, LayoutCache &cache,
              const PlanSearch &search);

  MeasuredMemory measure(Propagation &graph);
  double getBytes(Propagation &graph) { return measure(graph).bytes; }
  /// Whether bytes are those of buffers.
  bool isExact() const { return bool(search.measure); }

private:
  void setTags(mlir::func::FuncOp clone, const mlir::IRMapping &mapping) const;
  void addVersions(Propagation &graph, const MemoryUse::Point &point, PeakMemory &peak) const;
  llvm::SmallVector<mlir::Operation *, 2> getOperations(mlir::Location location) const;
  std::optional<LiveVersion> find(Propagation &graph, const MemoryUse::Buffer &buffer) const;

  mlir::func::FuncOp entry;
  DecisionWriter writer;
  const PlanSearch &search;
  /// What locations name in a clone: operations, and arguments of blocks.
  std::vector<mlir::Operation *> operations;
  std::vector<mlir::Value> arguments;
  /// By operation: its nodes.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 1>> nodes;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_MEMORYMETER_H
