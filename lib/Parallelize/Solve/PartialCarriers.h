//===- PartialCarriers.h - Where sums may stay partial ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partial sums are reduced where they are made, or behind operations that map partial sums to
// partial sums. Later is better only behind an operation that joins several of them, since
// `reduce(x) + reduce(y) = reduce(x + y)`, or that makes fewer bytes of them:
// `f(reduce x) = reduce(f x)`. Finds these operations, and those that lie between.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_PARTIALCARRIERS_H
#define DMC_LIB_PARALLELIZE_SOLVE_PARTIALCARRIERS_H

#include "../Propagation.h"

namespace dmc {

/// Sets of operands, each of which an operation may take in partial sums together; none: it takes
/// no partial sums.
using OperandSets = llvm::SmallVector<llvm::BitVector, 1>;

class PartialCarriers {
public:
  /// Tensors that `isKept` are kept in a layout that is not partial.
  PartialCarriers(Propagation &graph, llvm::function_ref<bool(unsigned)> isKept);

  /// By node.
  const OperandSets &getSets(unsigned node) const { return sets[node]; }

private:
  /// What of partial sums a tensor is made of.
  struct Sums {
    unsigned count = 0;
    double bytes = 0;
  };

  llvm::BitVector findPartial(const Node &node) const;
  OperandSets findSets(const Node &node) const;
  bool gains(const Node &node, const OperandSets &possible) const;
  Sums getSums(const Node &node, const llvm::BitVector &operands) const;
  Sums getResultSums(const Node &node, const OperandSets &possible, bool isReducedHere) const;

  Propagation &graph;
  /// By value: what it is made of if nothing is reduced before.
  std::vector<Sums> sums;
  std::vector<OperandSets> sets;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_PARTIALCARRIERS_H
