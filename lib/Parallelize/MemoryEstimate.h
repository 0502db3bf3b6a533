//===- MemoryEstimate.h - Predicted peak memory of decided layouts -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An estimate at level 0, to compare plans by; the buffer plan knows the peak.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_MEMORYESTIMATE_H
#define DMC_LIB_PARALLELIZE_MEMORYESTIMATE_H

#include "Propagation.h"

namespace dmc {

/// A tensor in one layout that a rank holds at some point of the program.
struct LiveVersion {
  unsigned value = 0;
  Layout layout;
};

/// What is alive at a point where a rank needs much.
struct PeakMemory {
  double bytes = 0;
  /// The operations at that point, of which the last one stands for all; none of an empty program.
  llvm::SmallVector<mlir::Operation *, 2> ops;
  /// They may take less than `bytes`: only tensors of the program are among them.
  std::vector<LiveVersion> versions;
};

/// Bytes of a rank's part of a tensor.
double getLocalBytes(llvm::ArrayRef<int64_t> shape, const Layout &layout, int64_t elementBytes);

/// Whether each element of a node's results is computed of the same elements of its operands: it
/// may be fused with what reads it, and overwrite what it reads last.
bool isElementwise(const Node &node);

/// The peak that estimatePeakBytes returns, and what makes it up.
PeakMemory estimatePeak(Propagation &graph);

/// Bytes alive on a rank at once: arguments, results that take over none, and
/// values from where they are made, or moved, to their last use, in the order of
/// the program. What is computed element by element for one use alone is taken
/// to be fused with it, and to overwrite what it uses last.
double estimatePeakBytes(Propagation &graph);

/// The same of a graph whose layouts change.
class PeakEstimate {
public:
  explicit PeakEstimate(Propagation &graph);

  /// Takes over how the graph has these values now, and how their uses want them. Arguments stay:
  /// what is behind barriers may be one.
  void update(llvm::ArrayRef<unsigned> values);
  double getBytes() const;
  PeakMemory getWithVersions() const;

private:
  /// The first and the last node of an operation and all that is nested in it.
  struct Span {
    unsigned first, last;
  };
  /// From when to when a value takes so many bytes.
  struct Interval {
    unsigned begin, end;
    double bytes;
  };

  void add(unsigned value);
  /// The layouts in which a rank holds a value, from when to before when.
  void forEachVersion(unsigned number,
                      llvm::function_ref<void(const Layout &, unsigned, unsigned)> visit) const;
  Span getNeeded(int producer, unsigned user, bool isLoopResult) const;
  bool isArgument(unsigned number) const;
  /// The most that is alive, the boundary apart, and when.
  std::pair<double, size_t> findPeak() const;
  double getBoundary() const;

  Propagation &graph;
  const std::vector<Node> &nodes;
  /// At each node, and after it, where what it makes is moved to the layout in which it is kept.
  std::vector<double> changes;
  /// By value.
  std::vector<llvm::SmallVector<Interval, 1>> intervals;
  llvm::DenseMap<mlir::Operation *, Span> spans;
  /// By value: the node that makes it first, or -1.
  std::vector<int> producers;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_MEMORYESTIMATE_H
