//===- KeepDecisions.cpp - What was decided before ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts that operations have already are where propagation begins: what they
// split stays split, and may be split further.
//
//===----------------------------------------------------------------------===//
#include "Propagation.h"

using namespace mlir;
using namespace dmc;

/// Takes over the axes of a decided layout for operand or result `i`.
static void adopt(Node &node, unsigned i, const Layout &layout) {
  for (auto [dim, axes] : llvm::enumerate(layout.dims))
    if (!axes.empty())
      divideAmongFactors(node.rule, node.getFactors(i)[dim], axes,
                         [&](unsigned factor, ArrayRef<AxisRef> mine) {
                           extendAssignment(node, node.assignment, factor, mine);
                         });
}

/// Decisions may come from a text, and be about anything.
static LogicalResult check(Operation *op, OpLayoutsAttr decided, MeshAttr mesh) {
  auto fits = [&](Value value, LayoutAttr layout) {
    return layout.getMesh() == mesh &&
           layout.getRank() == cast<RankedTensorType>(value.getType()).getRank();
  };
  bool fitsAll = true;
  for (auto [operand, layout] : llvm::zip_equal(getTensorOperands(op), decided.getOperands()))
    fitsAll &= fits(operand->get(), layout);
  for (auto [result, layout] : llvm::zip_equal(getTensorResults(op), decided.getResults()))
    fitsAll &= fits(result, layout);
  if (fitsAll)
    return success();
  return op->emitOpError(
             "expected dmc.layouts on the program's mesh, one for each dimension of its "
             "tensors, found ")
         << decided;
}

FailureOr<bool> Propagation::keep(LayoutCache &cache) {
  bool any = false;
  auto settle = [&](unsigned number, const Layout &layout) {
    for (auto [sharding, axes] : llvm::zip_equal(values[number].sharding, layout.dims))
      if (isPrefix(sharding, axes))
        sharding = axes;
    touch(number);
  };
  for (Node &node : nodes) {
    auto decided = node.op->getAttrOfType<OpLayoutsAttr>("dmc.layouts");
    if (!decided || isa<ConstrainOp, ManualOp>(node.op))
      continue;
    if (failed(check(node.op, decided, cache.getMeshAttr())))
      return failure();
    any = true;
    if (node.forwarded) {
      settle(node.results.front(), cache.get(decided.getOperands()[*node.forwarded]));
      continue;
    }
    for (auto [i, layout] : llvm::enumerate(decided.getOperands()))
      adopt(node, i, cache.get(layout));
    for (auto [i, layout] : llvm::enumerate(decided.getResults()))
      adopt(node, node.operands.size() + i, cache.get(layout));
    node.kept = node.assignment;
    for (auto [number, layout] : llvm::zip_equal(node.results, decided.getResults()))
      settle(number, cache.get(layout));
  }
  return any;
}
