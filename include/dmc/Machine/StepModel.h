//===- StepModel.h - What the parts of a step take ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts kernels, matrix multiplications and collectives of a compiled step from a machine's
// numbers. docs/machine.md has the formulas.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_MACHINE_STEPMODEL_H
#define DMC_MACHINE_STEPMODEL_H

#include "dmc/Machine/Machine.h"

namespace dmc {

/// What a byte of a memory takes that is read, that replaces one which was just read, and that is
/// written elsewhere: memory is read by lines, and so is a line of which bytes are written.
struct AccessSeconds {
  double read = 0, update = 0, write = 0;
};

/// A memory that a rank reads and writes, and how fast while all other ranks do the same.
struct MemoryLevel {
  /// That stay there; infinite for the memory behind all caches.
  double bytes = 0;
  AccessSeconds seconds;
};

/// By memory level: bytes that a nest accesses so.
struct AccessedBytes {
  explicit AccessedBytes(size_t numLevels)
      : read(numLevels, 0), update(numLevels, 0), write(numLevels, 0) {}

  llvm::SmallVector<double> read, update, write;
};

/// Seconds of the parts of a step where one rank runs on each device, with all of its cores, and
/// all ranks do the same at once.
class StepModel {
public:
  StepModel(const Machine &machine, int64_t numRanks);

  /// The caches for which the machine has a rate, innermost first, and the memory.
  llvm::ArrayRef<MemoryLevel> getMemoryLevels() const { return levels; }
  /// A nest that accesses so many bytes, and does so many operations on floats: the longer of
  /// both, after the launch.
  double getNest(const AccessedBytes &bytes, double flops) const;
  /// A call of the matrix library, which accesses so many bytes: `count` products of m x k by
  /// k x n. The library moves what it multiplies into other orders first: both times add up.
  double getMatmuls(llvm::StringRef type, double count, double m, double n, double k,
                    const AccessedBytes &bytes) const;
  /// A collective over groups of so many ranks. `bytes` are those of the larger side, `sentBytes`
  /// leave a rank in so many messages, one after the other.
  double getCollective(llvm::StringRef kind, double bytes, int64_t groupSize, double sentBytes,
                       double messages) const;

private:
  double getMoving(const AccessedBytes &bytes) const;
  double getComputingRate(const MatmulRate &rate, double bestRate) const;
  double getMatmulRate(llvm::StringRef type, double m, double n, double k) const;

  const Machine &machine;
  int64_t numRanks;
  /// Ranks that take part in what was measured with the threads of all of them.
  int64_t sharing = 1;
  llvm::SmallVector<MemoryLevel> levels;
};

} // namespace dmc

#endif // DMC_MACHINE_STEPMODEL_H
