//===- TensorRules.cpp - Rules of tensor, arith and func operations -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One small function for each operation of the table.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace dmc;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Operands and results of one shape, dimension by dimension.
static ShardingRule getPointwiseRule(Operation *op) {
  ShardingRule rule;
  ValueFactors factors;
  SmallVector<OpOperand *> operands = getTensorOperands(op);
  SmallVector<OpResult> results = getTensorResults(op);
  Value any = results.empty() ? operands.front()->get() : Value(results.front());
  for (int64_t size : shapeOf(any))
    factors.push_back({rule.addFactor(size)});
  rule.operands.assign(operands.size(), factors);
  rule.results.assign(results.size(), factors);
  return rule;
}

/// Every operand dimension may be split as it likes.
static ShardingRule getFreeRule(Operation *op) {
  ShardingRule rule;
  for (OpOperand *operand : getTensorOperands(op)) {
    ValueFactors factors;
    for (int64_t size : shapeOf(operand->get()))
      factors.push_back({rule.addFactor(size)});
    rule.operands.push_back(factors);
  }
  return rule;
}

/// The many dimensions of a reshape are factors of the few: major to minor.
static ShardingRule getReshapeRule(ArrayRef<int64_t> expanded, ArrayRef<int64_t> collapsed,
                                   ArrayRef<ReassociationIndices> groups, bool expands) {
  ShardingRule rule;
  ValueFactors many, few;
  for (int64_t size : expanded)
    many.push_back({rule.addFactor(size)});
  for (auto [size, group] : llvm::zip_equal(collapsed, groups)) {
    DimFactors factors;
    for (int64_t dim : group)
      // Dimensions of size 1 hold nothing to split.
      if (expanded[dim] == 1 && size != 1)
        rule.factors[many[dim].front()].kind = FactorKind::NeedsReplication;
      else
        factors.push_back(many[dim].front());
    few.push_back(factors);
  }
  // Groups of ones: keep the first as the counterpart, the rest has none.
  for (DimFactors &factors : few)
    if (factors.size() > 1 &&
        llvm::all_of(factors, [&](unsigned f) { return rule.factors[f].size == 1; })) {
      for (unsigned factor : llvm::drop_begin(factors))
        rule.factors[factor].kind = FactorKind::NeedsReplication;
      factors.resize(1);
    }
  if (collapsed.empty())
    for (DimFactors &factors : many)
      rule.factors[factors.front()].kind = FactorKind::NeedsReplication;
  rule.operands = {expands ? few : many};
  rule.results = {expands ? many : few};
  return rule;
}

/// A source that lies within a target at static positions: dimensions taken whole
/// are parallel. `dims[s]` is the target's dimension of source dimension s.
static std::pair<ValueFactors, ValueFactors> getWithin(ShardingRule &rule, ArrayRef<int64_t> source,
                                                       ArrayRef<int64_t> target,
                                                       ArrayRef<int64_t> dims) {
  ValueFactors inner(source.size()), outer(target.size());
  for (auto [d, size] : llvm::enumerate(source))
    if (target[dims[d]] == size)
      inner[d] = outer[dims[d]] = {rule.addFactor(size)};
    else
      inner[d] = {rule.addFactor(size, FactorKind::NeedsReplication)};
  for (auto [d, size] : llvm::enumerate(target))
    if (outer[d].empty())
      outer[d] = {rule.addFactor(size, FactorKind::NeedsReplication)};
  return {inner, outer};
}

static SmallVector<int64_t> keptDims(int64_t rank, const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (!dropped.test(d))
      dims.push_back(d);
  return dims;
}

static ShardingRule getRule(tensor::ExtractSliceOp op) {
  ShardingRule rule;
  SmallVector<int64_t> kept = keptDims(op.getSourceType().getRank(), op.getDroppedDims());
  auto [inner, outer] = getWithin(rule, shapeOf(op.getResult()), shapeOf(op.getSource()), kept);
  // The first elements lie where they did if blocks of both have one size.
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getResult()))) {
    int64_t from = kept[d], whole = shapeOf(op.getSource())[from];
    if (size == whole || size == 0 || op.isDynamicOffset(from) || op.isDynamicStride(from) ||
        op.getStaticOffset(from) != 0 || op.getStaticStride(from) != 1)
      continue;
    rule.factors[inner[d].front()].kind = FactorKind::Parallel;
    rule.factors[inner[d].front()].alikeSizes = {whole};
    outer[from] = inner[d];
  }
  rule.operands = {outer};
  rule.results = {inner};
  return rule;
}

static ShardingRule getRule(tensor::InsertSliceOp op) {
  ShardingRule rule;
  auto [inner, outer] = getWithin(rule, shapeOf(op.getSource()), shapeOf(op.getDest()),
                                  keptDims(op.getDestType().getRank(), op.getDroppedDims()));
  rule.operands = {inner, outer};
  rule.results = {outer};
  return rule;
}

static ShardingRule getRule(tensor::PadOp op) {
  ShardingRule rule;
  ValueFactors source, result;
  SmallVector<OpFoldResult> low = op.getMixedLowPad(), high = op.getMixedHighPad();
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getSource()))) {
    if (isZeroInteger(low[d]) && isZeroInteger(high[d])) {
      unsigned factor = rule.addFactor(size);
      source.push_back({factor});
      result.push_back({factor});
    } else {
      source.push_back({rule.addFactor(size, FactorKind::NeedsReplication)});
      result.push_back({rule.addFactor(shapeOf(op.getResult())[d], FactorKind::NeedsReplication)});
    }
  }
  rule.operands = {source};
  rule.results = {result};
  return rule;
}

static ShardingRule getRule(tensor::ConcatOp op) {
  ShardingRule rule;
  ValueFactors result;
  int64_t dim = op.getDim();
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getResult())))
    result.push_back(
        {rule.addFactor(size, static_cast<int64_t>(d) == dim ? FactorKind::NeedsReplication
                                                             : FactorKind::Parallel)});
  for (Value input : op.getInputs()) {
    ValueFactors factors = result;
    factors[dim] = {rule.addFactor(shapeOf(input)[dim], FactorKind::NeedsReplication)};
    rule.operands.push_back(factors);
  }
  rule.results = {result};
  return rule;
}

std::optional<ShardingRule> rules::getTensorRule(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ShardingRule>>(op)
      .Case<arith::ConstantOp>([](auto op) -> std::optional<ShardingRule> {
        if (!isa<RankedTensorType>(op.getType()))
          return ShardingRule();
        return getPointwiseRule(op);
      })
      .Case<tensor::EmptyOp, tensor::SplatOp, ConstrainOp, OptimizationBarrierOp>(
          [](auto op) { return getPointwiseRule(op); })
      .Case<tensor::CastOp>([](tensor::CastOp op) -> std::optional<ShardingRule> {
        if (!isa<RankedTensorType>(op.getSource().getType()) ||
            !isa<RankedTensorType>(op.getType()))
          return std::nullopt;
        return getPointwiseRule(op);
      })
      .Case<tensor::ConcatOp, tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::PadOp>(
          [](auto op) { return getRule(op); })
      .Case<tensor::CollapseShapeOp>([](tensor::CollapseShapeOp op) {
        return getReshapeRule(shapeOf(op.getSrc()), shapeOf(op.getResult()),
                              op.getReassociationIndices(), /*expands=*/false);
      })
      .Case<tensor::ExpandShapeOp>([](tensor::ExpandShapeOp op) {
        return getReshapeRule(shapeOf(op.getResult()), shapeOf(op.getSrc()),
                              op.getReassociationIndices(), /*expands=*/true);
      })
      .Case<func::ReturnOp>([](func::ReturnOp op) { return getFreeRule(op); })
      .Default([](auto) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Partial operands
//===----------------------------------------------------------------------===//

/// Operands that are not partial must be constants that may stand on all positions.
static bool othersMayStand(Operation *op, const llvm::BitVector &partial, CombinerKind combiner) {
  for (auto [number, operand] : llvm::enumerate(getTensorOperands(op)))
    if (!partial[number] && !rules::isIdempotent(getSplatConstant(operand->get()), combiner))
      return false;
  return true;
}

std::optional<PartialResults> rules::getTensorPartialResults(Operation *op,
                                                             const llvm::BitVector &partial,
                                                             CombinerKind combiner) {
  using Result = std::optional<PartialResults>;
  PartialResults all(getTensorResults(op).size(), combiner);
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp,
            ConstrainOp, OptimizationBarrierOp, func::ReturnOp>([&](auto) { return Result(all); })
      .Case<tensor::ConcatOp, tensor::InsertSliceOp>(
          [&](auto) { return othersMayStand(op, partial, combiner) ? Result(all) : Result(); })
      .Case<tensor::PadOp>([&](tensor::PadOp pad) {
        Value value = pad.getConstantPaddingValue();
        return value && isIdempotent(getSplatConstant(value), combiner) ? Result(all) : Result();
      })
      .Default([](auto) { return Result(); });
}
