//===- ReshardPlan.h - From any layout to any other -------------*- C++ -*-===//
//
// The sequence of moves that a reshard expands to, and its price: propagation
// charges what expansion emits.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_RESHARDPLAN_H
#define DMC_PARALLELIZE_RESHARDPLAN_H

#include "dmc/Layout/Layout.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace dmc {

enum class MoveKind : uint8_t {
  Partition,
  Combine,
  Reduce,
  Replicate,
  Spread,
  Place,
  Exchange,
  Permute
};

/// One movement operation and the layout that it leaves.
struct Move {
  MoveKind kind;
  std::vector<AxisRef> axes;
  /// Of partition and combine; the source of an exchange.
  int64_t dim = 0;
  int64_t targetDim = 0;
  Layout layout;
};

/// Moves that lead from one layout of a tensor to another; correct for any pair of
/// layouts, uneven sizes and sub-axes included. A reduce that is scattered is
/// followed by the partition along the same axes.
llvm::SmallVector<Move> planReshard(const Mesh &mesh, const Layout &from, const Layout &to,
                                    llvm::ArrayRef<int64_t> shape);

/// Bytes that leave a rank in these moves.
double getWireBytes(const Layout &from, llvm::ArrayRef<Move> moves, llvm::ArrayRef<int64_t> shape,
                    int64_t elementBytes);

} // namespace dmc

#endif // DMC_PARALLELIZE_RESHARDPLAN_H
