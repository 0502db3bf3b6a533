//===- PropagationObserver.h - Who decided what -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is told of every decision of a propagation, for explanations; a compilation has
// none.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_PROPAGATIONOBSERVER_H
#define DMC_LIB_PARALLELIZE_PROPAGATIONOBSERVER_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>

namespace dmc {

/// Nodes and values by their numbers; called after the change.
class PropagationObserver {
public:
  virtual ~PropagationObserver() = default;
  /// A factor of a node got more axes, from a dimension of its operand or result `i`.
  virtual void onAssigned(unsigned node, unsigned factor, unsigned i, unsigned dim) = 0;
  /// A dimension of a value got more axes from a node.
  virtual void onPlaced(unsigned value, unsigned dim, unsigned node) = 0;
  /// A request (of a node, or of the boundary) gave a dimension its axes.
  virtual void onGranted(unsigned value, unsigned dim, std::optional<unsigned> node,
                         int64_t priority) = 0;
  /// The value lies where it is to be returned.
  virtual void onProposed(unsigned value) = 0;
  /// Of the assignments that a node's values ask for, one sends fewer bytes or splits
  /// more than the one that was propagated.
  virtual void onChosen(unsigned node, int64_t numShardsBefore, double bytesBefore,
                        int64_t numShards, double bytes) = 0;
  /// Nodes and values were changed, which saves that much.
  virtual void onRefined(llvm::ArrayRef<unsigned> nodes, llvm::ArrayRef<unsigned> values,
                         double seconds, double bytes) = 0;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_PROPAGATIONOBSERVER_H
