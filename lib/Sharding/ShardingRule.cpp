//===- ShardingRule.cpp - How any operation may be split ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operation's own interface first, then linalg, then the table of tensor
// operations; what is in none needs everything whole.
//
//===----------------------------------------------------------------------===//
#include "dmc/Sharding/ShardingRule.h"

#include "Rules.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dmc;

SmallVector<OpOperand *> dmc::getTensorOperands(Operation *op) {
  SmallVector<OpOperand *> result;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      result.push_back(&operand);
  return result;
}

SmallVector<OpResult> dmc::getTensorResults(Operation *op) {
  SmallVector<OpResult> result;
  for (OpResult value : op->getResults())
    if (isa<RankedTensorType>(value.getType()))
      result.push_back(value);
  return result;
}

SmallVector<std::optional<unsigned>> dmc::getDestinations(Operation *op) {
  SmallVector<std::optional<unsigned>> destinations;
  auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpResult result : getTensorResults(op)) {
    std::optional<unsigned> destination;
    if (destinationStyle) {
      OpOperand *tied = destinationStyle.getTiedOpOperand(result);
      unsigned number = 0;
      for (OpOperand &operand : op->getOpOperands()) {
        if (!isa<RankedTensorType>(operand.get().getType()))
          continue;
        if (&operand == tied)
          destination = number;
        ++number;
      }
    }
    destinations.push_back(destination);
  }
  return destinations;
}

bool dmc::isLayoutAgnostic(Operation *op) {
  return isa<tensor::EmptyOp, arith::ConstantOp, tensor::SplatOp, linalg::FillOp>(op);
}

TypedAttr dmc::getSplatConstant(Value value) {
  // Constants reach their uses through few operations.
  for (unsigned depth = 0; depth < 8; ++depth) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      value = fill.getInputs().front();
    } else if (isa<linalg::BroadcastOp, linalg::TransposeOp, tensor::ExpandShapeOp,
                   tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::SplatOp, PartitionOp,
                   CombineOp, ReshardOp, ConstrainOp>(op)) {
      value = op->getOperand(0);
    } else {
      Attribute attribute;
      if (!matchPattern(op, m_Constant(&attribute)))
        return {};
      if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
        return splat.getSplatValue<TypedAttr>();
      return dyn_cast<TypedAttr>(attribute) && !isa<ElementsAttr>(attribute)
                 ? cast<TypedAttr>(attribute)
                 : TypedAttr();
    }
  }
  return {};
}

static bool hasStaticShapes(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

ShardingRule dmc::rules::getReplicatedRule(Operation *op) {
  ShardingRule rule;
  auto add = [&](Value value) {
    ValueFactors factors;
    for (int64_t size : cast<RankedTensorType>(value.getType()).getShape())
      factors.push_back({rule.addFactor(size, FactorKind::NeedsReplication)});
    return factors;
  };
  for (OpOperand *operand : getTensorOperands(op))
    rule.operands.push_back(add(operand->get()));
  for (OpResult result : getTensorResults(op))
    rule.results.push_back(add(result));
  // A destination indexes what its result indexes.
  for (auto [result, destination] : llvm::zip_equal(rule.results, getDestinations(op)))
    if (destination)
      rule.operands[*destination] = result;
  return rule;
}

FailureOr<ShardingRule> dmc::getShardingRule(Operation *op) {
  if (!hasStaticShapes(op))
    return failure();
  if (auto interface = dyn_cast<ShardingRuleOpInterface>(op))
    return interface.getShardingRule();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return rules::getLinalgRule(linalgOp);
  if (std::optional<ShardingRule> rule = rules::getTensorRule(op))
    return *rule;
  return rules::getReplicatedRule(op);
}

std::optional<PartialResults> dmc::getPartialResults(Operation *op, const llvm::BitVector &partial,
                                                     CombinerKind combiner) {
  if (partial.none())
    return PartialResults(getTensorResults(op).size());
  if (auto interface = dyn_cast<ShardingRuleOpInterface>(op))
    return interface.getPartialResults(partial, combiner);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return rules::getLinalgPartialResults(linalgOp, partial, combiner);
  return rules::getTensorPartialResults(op, partial, combiner);
}
