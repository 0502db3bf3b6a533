//===- ConvertShardings.cpp - What sdy says of values ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints, shardings of operations, reshards and groups become
// `dmc.constrain`; operations that only propagation sees are taken out.
//
//===----------------------------------------------------------------------===//
#include "CustomCalls.h"
#include "FrameworkAttributes.h"
#include "Shardings.h"

#include "dmc/Import/StableHLO/Dialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

/// The sharding that an operation gives its operand, which is its result; null for others.
static sdy::TensorShardingAttr getResharding(Operation *op) {
  return TypeSwitch<Operation *, sdy::TensorShardingAttr>(op)
      .Case<sdy::ShardingConstraintOp, sdy::ReshardOp>([](auto op) { return op.getSharding(); })
      .Case<sdy::AllGatherOp, sdy::AllSliceOp, sdy::AllToAllOp, sdy::CollectivePermuteOp,
            sdy::AllReduceOp, sdy::ReduceScatterOp, sdy::ShardedToUnreducedOp,
            sdy::ReplicatedToUnreducedOp>([](auto op) { return op.getOutSharding(); })
      .Default(sdy::TensorShardingAttr());
}

/// Within a manual computation all other axes hold the same: what splits nothing is so already.
static LogicalResult checkInManual(Operation *op, sdy::TensorShardingAttr sharding) {
  if (!sharding.getUnreducedAxes().empty())
    return op->emitError() << "unsupported: '" << op->getName()
                           << "' with unreduced axes in a manual computation; expected it outside";
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
    for (sdy::AxisRefAttr axis : dim.getAxes())
      if (sharding.getMesh(op).getAxisSize(axis.getName()) != 1)
        return op->emitError() << "unsupported: '" << op->getName() << "' over \"" << axis.getName()
                               << "\" in a manual computation that is not manual over it; expected "
                                  "\""
                               << axis.getName()
                               << "\" among its manual axes, or the sharding outside of it";
  return success();
}

namespace {
class AnnotationConverter {
public:
  explicit AnnotationConverter(ShardingReader &shardings) : shardings(shardings) {}
  LogicalResult convert(Operation *op);

private:
  LogicalResult convertResharding(Operation *op, sdy::TensorShardingAttr sharding);
  LogicalResult convertAttributes(Operation *op);
  LogicalResult convertShardingCall(stablehlo::CustomCallOp call);
  void join(Operation *op, Value value, int64_t group);
  void pass(Operation *op, sdy::PropagationDirection direction);

  ShardingReader &shardings;
};
} // namespace

static bool isInManual(Operation *op) { return op->getParentOfType<ManualOp>() != nullptr; }

/// Replaces an operation on one value by another value.
static void replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

LogicalResult AnnotationConverter::convertResharding(Operation *op,
                                                     sdy::TensorShardingAttr sharding) {
  Value input = op->getOperand(0);
  auto type = cast<RankedTensorType>(input.getType());
  FailureOr<ShardingRequest> request = shardings.read(
      sharding, type, op->getLoc(), "the result of '" + op->getName().getStringRef() + "'");
  if (failed(request))
    return failure();
  if (isInManual(op)) {
    if (failed(checkInManual(op, sharding)))
      return failure();
    replace(op, input);
    return success();
  }
  // Tensors of rank 0, as in the bodies of reductions, lie the same way always.
  if (type.getRank() == 0 && sharding.getUnreducedAxes().empty()) {
    replace(op, input);
    return success();
  }
  OpBuilder builder(op);
  bool speaksOfInput = isa<sdy::ShardingConstraintOp>(op) && op->use_empty();
  if (speaksOfInput)
    builder.setInsertionPointAfterValue(input);
  Value constrained = createConstraint(builder, op->getLoc(), input, *request);
  if (speaksOfInput && constrained != input)
    input.replaceAllUsesExcept(constrained, constrained.getDefiningOp());
  replace(op, constrained);
  return success();
}

/// The sharding of each result.
LogicalResult AnnotationConverter::convertAttributes(Operation *op) {
  if (failed(checkOperationAttributes(op)))
    return failure();
  auto given = op->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingAttrName);
  if (!given)
    return success();
  op->removeAttr(sdy::kShardingAttrName);
  for (auto [result, sharding] : llvm::zip(op->getResults(), given.getShardings())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    FailureOr<ShardingRequest> request = shardings.read(
        sharding, type, op->getLoc(), "the result of '" + op->getName().getStringRef() + "'");
    if (failed(request))
      return failure();
    if (isInManual(op)) {
      if (failed(checkInManual(op, sharding)))
        return failure();
      continue;
    }
    if (type.getRank() == 0 && sharding.getUnreducedAxes().empty())
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value constrained = createConstraint(builder, op->getLoc(), result, *request);
    if (constrained != result)
      result.replaceAllUsesExcept(constrained, constrained.getDefiningOp());
  }
  return success();
}

/// Values of one group lie in one layout, whichever it is.
void AnnotationConverter::join(Operation *op, Value value, int64_t group) {
  auto type = cast<RankedTensorType>(value.getType());
  if (shardings.getMesh() && !isInManual(op) && type.getRank() > 0) {
    OpBuilder builder(op);
    builder.setInsertionPointAfterValue(value);
    auto constrain =
        ConstrainOp::create(builder, op->getLoc(), value,
                            LayoutAttr::getReplicated(shardings.getMesh(), type.getRank()),
                            llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
    constrain.setGroup(group);
    value.replaceAllUsesExcept(constrain.getResult(), constrain);
  }
  op->erase();
}

void AnnotationConverter::pass(Operation *op, sdy::PropagationDirection direction) {
  Value value = op->getOperand(0);
  auto type = cast<RankedTensorType>(value.getType());
  if (shardings.getMesh() && !isInManual(op) && direction != sdy::PropagationDirection::BOTH) {
    OpBuilder builder(op);
    auto constrain =
        ConstrainOp::create(builder, op->getLoc(), value,
                            LayoutAttr::getReplicated(shardings.getMesh(), type.getRank()),
                            llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
    constrain.setDirection(direction == sdy::PropagationDirection::NONE      ? Direction::none
                           : direction == sdy::PropagationDirection::FORWARD ? Direction::forward
                                                                             : Direction::backward);
    value = constrain.getResult();
  }
  replace(op, value);
}

/// Its shardings become constraints.
static void inlineNamed(sdy::NamedComputationOp op) {
  OpBuilder builder(op);
  auto constrain = [&](Value value, std::optional<sdy::TensorShardingPerValueAttr> given,
                       unsigned i) -> Value {
    if (!given || !isa<RankedTensorType>(value.getType()))
      return value;
    return sdy::ShardingConstraintOp::create(builder, op.getLoc(), value.getType(), value,
                                             given->getShardings()[i]);
  };
  Block &body = op.getBody().front();
  for (auto [i, argument, operand] : llvm::enumerate(body.getArguments(), op.getInputs()))
    argument.replaceAllUsesWith(constrain(operand, op.getInShardings(), i));
  Operation *end = body.getTerminator();
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
  builder.setInsertionPoint(op);
  for (auto [i, result, value] : llvm::enumerate(op.getResults(), end->getOperands()))
    result.replaceAllUsesWith(constrain(value, op.getOutShardings(), i));
  end->erase();
  op.erase();
}

/// The sharding that a call of @Sharding has in Shardy's form; null if it has none.
static sdy::TensorShardingAttr getShardingOfCall(stablehlo::CustomCallOp call) {
  Attribute attr = call->getAttr(sdy::kShardingAttrName);
  if (auto frontend = call->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes"))
    if (auto text = frontend.getAs<StringAttr>("xla.sdy.sharding")) {
      // What is wrong with it is for the message about the call.
      ScopedDiagnosticHandler quiet(call.getContext(), [](Diagnostic &) { return success(); });
      attr = parseAttribute(text.getValue(), call.getContext());
    }
  if (auto list = dyn_cast_or_null<sdy::TensorShardingPerValueAttr>(attr))
    return list.getShardings().size() == 1 ? list.getShardings()[0] : sdy::TensorShardingAttr();
  return dyn_cast_or_null<sdy::TensorShardingAttr>(attr);
}

/// A call of @Sharding whose sharding is one of Shardy, or replicated.
LogicalResult AnnotationConverter::convertShardingCall(stablehlo::CustomCallOp call) {
  auto backend = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
  bool isOfOne = call->getNumOperands() == 1 && call->getNumResults() == 1 &&
                 call.getOperand(0).getType() == call.getResult(0).getType() &&
                 isa<RankedTensorType>(call.getOperand(0).getType()) &&
                 (!backend || backend.getValue().empty());
  auto given = call->getAttrOfType<StringAttr>("mhlo.sharding");
  sdy::TensorShardingAttr sharding = getShardingOfCall(call);
  bool isReplicated = given && given.getValue() == "{replicated}";
  if (!isOfOne || (!sharding && !isReplicated))
    return refuseCustomCall(call);
  if (sharding) {
    if (failed(sdy::verifySharding(call, sharding, call.getOperand(0).getType(), "sharding")))
      return failure();
    return convertResharding(call, sharding);
  }
  auto type = cast<RankedTensorType>(call.getOperand(0).getType());
  ShardingRequest request;
  if (shardings.getMesh() && !isInManual(call) && type.getRank() != 0)
    request.layout = LayoutAttr::getReplicated(shardings.getMesh(), type.getRank());
  OpBuilder builder(call);
  replace(call, createConstraint(builder, call.getLoc(), call.getOperand(0), request));
  return success();
}

LogicalResult AnnotationConverter::convert(Operation *op) {
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op)) {
    if (call.getCallTargetName() == "Sharding" && !call->hasAttr(kRuleAttrName))
      return convertShardingCall(call);
    if (!getCustomCallExpansion(call) && !call->hasAttr(kRuleAttrName))
      return refuseCustomCall(call);
    // How another partitioner may split the call: it becomes operations with rules of their own.
    op->removeAttr("sdy.sharding_rule");
  }
  if (failed(convertAttributes(op)))
    return failure();
  if (sdy::TensorShardingAttr sharding = getResharding(op))
    return convertResharding(op, sharding);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](sdy::ShardingGroupOp group) {
        join(op, group.getInput(), group.getGroupId());
        return success();
      })
      .Case([&](sdy::PropagationBarrierOp barrier) {
        pass(op, barrier.getAllowedDirection());
        return success();
      })
      .Case([&](sdy::DataFlowEdgeOp edge) -> LogicalResult {
        if (std::optional<sdy::TensorShardingAttr> sharding = edge.getSharding())
          return convertResharding(op, *sharding);
        replace(op, edge.getInput());
        return success();
      })
      .Case([&](sdy::FuncDataFlowEdgeOp edge) {
        replace(op, edge.getOperand());
        return success();
      })
      .Case([&](sdy::ConstantOp constant) {
        OpBuilder builder(op);
        replace(op, stablehlo::ConstantOp::create(builder, op->getLoc(), constant.getType(),
                                                  constant.getValue()));
        return success();
      })
      .Default([](Operation *) { return success(); });
}

LogicalResult dmc::convertShardings(func::FuncOp entry, ShardingReader &shardings) {
  SmallVector<sdy::NamedComputationOp> named;
  entry.walk([&](sdy::NamedComputationOp op) { named.push_back(op); });
  for (sdy::NamedComputationOp op : named)
    inlineNamed(op);
  if (failed(convertManualComputations(entry, shardings)))
    return failure();
  AnnotationConverter converter(shardings);
  SmallVector<Operation *> ops;
  entry.walk([&](Operation *op) {
    if (op != entry)
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(converter.convert(op)))
      return failure();
  return success();
}
