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

/// The peak that estimatePeakBytes returns, and what makes it up.
PeakMemory estimatePeak(Propagation &graph);

/// Bytes alive on a rank at once: arguments, results that take over none, and
/// values from where they are made, or moved, to their last use, in the order of
/// the program. What is computed element by element for one use alone is taken
/// to be fused with it, and to overwrite what it uses last.
double estimatePeakBytes(Propagation &graph);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_MEMORYESTIMATE_H
