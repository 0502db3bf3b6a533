//===- RankRates.h - What moves and computing cost a rank -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rates by which a plan's time is predicted: those of a machine for a mesh.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_RANKRATES_H
#define DMC_PARALLELIZE_RANKRATES_H

#include "dmc/Layout/Reshard.h"
#include "dmc/Machine/Machine.h"

namespace mlir {
class Type;
} // namespace mlir

namespace dmc {

/// Rates of one rank among others on a machine.
struct RankRates {
  /// Collectives are priced by the slowest link that so many ranks have between them.
  explicit RankRates(Machine machine = {}, int64_t numRanks = 1);
  /// Those along axes of a mesh by the slowest link that the axes use: ranks are numbered row-major
  /// and fill the innermost level first.
  RankRates(Machine machine, const Mesh &mesh);

  /// Bytes a second that leave a rank in a collective.
  double link;
  /// Seconds for each message that waits for the one before.
  double latency;
  /// Bytes a second that all operations but contractions read and write.
  double memory;
  /// Bytes that a rank has; 0: no bound.
  double capacity;

  /// Floating-point operations a second in contractions of elements of a type.
  double getFlops(mlir::Type element) const;
  const Machine &getMachine() const { return machine; }
  /// What planning a reshard needs of the machine: the rates of its links, and that the
  /// operand and the result of one move fit into a rank's memory.
  ReshardOptions getReshardOptions() const;
  /// Seconds that a rank sends, whichever links it uses.
  double getSeconds(const Traffic &traffic) const { return traffic.seconds({link, latency}); }
  /// Seconds that a rank sends along axes of the mesh; none are named: along all.
  double getSeconds(const Traffic &traffic, llvm::ArrayRef<AxisRef> axes) const {
    return traffic.seconds(getRates(axes));
  }
  /// Seconds of moves, one after the other.
  double getSeconds(llvm::ArrayRef<Move> moves) const;

private:
  LinkRates getRates(llvm::ArrayRef<AxisRef> axes) const;

  Machine machine;
  /// The sizes of the mesh's axes from each on inwards; empty: there is no mesh.
  llvm::SmallVector<int64_t, 4> strides;
  llvm::SmallVector<int64_t, 4> sizes;
};

} // namespace dmc

#endif // DMC_PARALLELIZE_RANKRATES_H
