//===- ConvertManual.cpp - Manual computations ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sdy.manual_computation` becomes `dmc.manual` on the manual axes; on all others
// each rank does the same. One within another takes its parts itself.
//
//===----------------------------------------------------------------------===//
#include "Shardings.h"

#include "dmc/Import/StableHLO/Dialect.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dmc;

namespace {
class ManualConverter {
public:
  ManualConverter(sdy::ManualComputationOp op, ShardingReader &shardings)
      : op(op), shardings(shardings), builder(op) {}

  LogicalResult convert();

private:
  /// What a sharding says along the manual axes, which come first in each dimension.
  FailureOr<LayoutAttr> getManualPart(sdy::TensorShardingAttr sharding, Value value,
                                      const Twine &what);
  FailureOr<SmallVector<LayoutAttr>> getManualParts(sdy::TensorShardingPerValueAttr given,
                                                    ValueRange values, StringRef what);
  bool isManual(sdy::AxisRefAttr axis) {
    return llvm::is_contained(op.getManualAxes().getAxes(),
                              StringAttr::get(op.getContext(), axis.getName()));
  }
  /// True for shardings that say more than the manual part.
  bool hasFreeAxes(sdy::TensorShardingAttr sharding);
  Value constrain(Value value, sdy::TensorShardingAttr sharding);

  LogicalResult makeManual(ArrayRef<LayoutAttr> in, ArrayRef<LayoutAttr> out);
  void inlineBody(ValueRange operands, llvm::function_ref<Value(unsigned, Value)> finish);
  int64_t getDevice(int64_t rank) {
    return shardings.getDevices().empty() ? rank : shardings.getDevices()[rank];
  }
  Value takePart(Value whole, LayoutAttr layout);
  Value gatherParts(Value part, LayoutAttr layout);

  sdy::ManualComputationOp op;
  ShardingReader &shardings;
  OpBuilder builder;
};
} // namespace

bool ManualConverter::hasFreeAxes(sdy::TensorShardingAttr sharding) {
  return llvm::any_of(sharding.getDimShardings(), [&](sdy::DimensionShardingAttr dim) {
    return llvm::any_of(dim.getAxes(), [&](sdy::AxisRefAttr axis) { return !isManual(axis); });
  });
}

FailureOr<LayoutAttr> ManualConverter::getManualPart(sdy::TensorShardingAttr sharding, Value value,
                                                     const Twine &what) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!sharding.getUnreducedAxes().empty())
    return op.emitError() << "unsupported: sharding of " << what
                          << " of 'sdy.manual_computation' with unreduced axes; expected it to be "
                             "whole or split";
  FailureOr<ShardingRequest> request = shardings.read(sharding, type, op.getLoc(), what);
  if (failed(request))
    return failure();
  sdy::MeshAttr mesh = sharding.getMesh(op);
  SmallVector<AxesAttr> dims;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings()) {
    SmallVector<AxisAttr> axes;
    bool isFree = false;
    for (sdy::AxisRefAttr axis : dim.getAxes()) {
      if (isManual(axis) && isFree)
        return op.emitError() << "expected the manual axes of " << what
                              << " before the free ones in each dimension, found \""
                              << axis.getName() << "\" behind";
      isFree |= !isManual(axis);
      if (isFree)
        continue;
      FailureOr<SmallVector<AxisAttr>> parts = shardings.getAxes(mesh, axis, op.getLoc());
      if (failed(parts))
        return failure();
      llvm::append_range(axes, *parts);
    }
    dims.push_back(AxesAttr::get(op.getContext(), axes));
  }
  // In the form that layouts of types have.
  LayoutAttr layout = LayoutAttr::get(shardings.getMesh(), dims);
  return LayoutAttr::get(shardings.getMesh(), layout.toLayout());
}

FailureOr<SmallVector<LayoutAttr>>
ManualConverter::getManualParts(sdy::TensorShardingPerValueAttr given, ValueRange values,
                                StringRef what) {
  SmallVector<LayoutAttr> layouts;
  for (auto [i, sharding, value] : llvm::enumerate(given.getShardings(), values)) {
    FailureOr<LayoutAttr> layout = getManualPart(sharding, value, what + " " + Twine(i));
    if (failed(layout))
      return failure();
    layouts.push_back(*layout);
  }
  return layouts;
}

Value ManualConverter::constrain(Value value, sdy::TensorShardingAttr sharding) {
  return sdy::ShardingConstraintOp::create(builder, op.getLoc(), value.getType(), value, sharding);
}

LogicalResult ManualConverter::convert() {
  if (!shardings.getMesh() || op.getManualAxes().getAxes().empty()) {
    SmallVector<Value> operands;
    bool isGlobal = shardings.getMesh() != nullptr;
    for (auto [operand, sharding] :
         llvm::zip_equal(op.getTensors(), op.getInShardings().getShardings()))
      operands.push_back(isGlobal ? constrain(operand, sharding) : operand);
    inlineBody(operands, [&](unsigned i, Value value) {
      return isGlobal ? constrain(value, op.getOutShardings().getShardings()[i]) : value;
    });
    return success();
  }
  FailureOr<SmallVector<LayoutAttr>> in =
      getManualParts(op.getInShardings(), op.getTensors(), "operand");
  FailureOr<SmallVector<LayoutAttr>> out =
      getManualParts(op.getOutShardings(), op.getResults(), "result");
  if (failed(in) || failed(out))
    return failure();
  if (!op->getParentOfType<ManualOp>())
    return makeManual(*in, *out);

  for (sdy::TensorShardingPerValueAttr given : {op.getInShardings(), op.getOutShardings()})
    for (sdy::TensorShardingAttr sharding : given.getShardings())
      if (hasFreeAxes(sharding))
        return op.emitError() << "unsupported: 'sdy.manual_computation' within another one with a "
                                 "sharding over axes that are not manual; expected manual axes "
                                 "only, found "
                              << sharding;
  SmallVector<Value> parts;
  for (auto [operand, layout] : llvm::zip_equal(op.getTensors(), *in))
    parts.push_back(takePart(operand, layout));
  inlineBody(parts, [&](unsigned i, Value part) { return gatherParts(part, (*out)[i]); });
  return success();
}

LogicalResult ManualConverter::makeManual(ArrayRef<LayoutAttr> in, ArrayRef<LayoutAttr> out) {
  SmallVector<Value> operands;
  SmallVector<Attribute> inLayouts(in.begin(), in.end()), outLayouts(out.begin(), out.end());
  for (auto [operand, sharding] :
       llvm::zip_equal(op.getTensors(), op.getInShardings().getShardings()))
    operands.push_back(hasFreeAxes(sharding) ? constrain(operand, sharding) : operand);
  // Every rank has what the body uses from outside.
  llvm::SetVector<Value> captures;
  op.getBody().walk([&](Operation *nested) {
    for (Value value : nested->getOperands())
      if (!op.getBody().isAncestor(value.getParentRegion()))
        captures.insert(value);
  });
  for (Value value : captures) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape())
      return op.emitError() << "unsupported: 'sdy.manual_computation' whose body uses a value of "
                               "type "
                            << value.getType() << " from outside; expected tensors of static shape";
    operands.push_back(value);
    inLayouts.push_back(LayoutAttr::getReplicated(shardings.getMesh(), type.getRank()));
  }
  auto manual = ManualOp::create(builder, op.getLoc(), op.getResultTypes(), operands,
                                 builder.getArrayAttr(inLayouts), builder.getArrayAttr(outLayouts),
                                 shardings.getMesh());
  Operation *end = op.getBody().front().getTerminator();
  builder.setInsertionPoint(end);
  YieldOp::create(builder, end->getLoc(), end->getOperands());
  end->erase();
  manual.getBody().takeBody(op.getBody());
  for (Value value : captures) {
    BlockArgument argument = manual.getBody().front().addArgument(value.getType(), value.getLoc());
    value.replaceUsesWithIf(argument, [&](OpOperand &use) {
      return manual.getBody().isAncestor(use.getOwner()->getParentRegion());
    });
  }
  builder.setInsertionPointAfter(manual);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    sdy::TensorShardingAttr sharding = op.getOutShardings().getShardings()[i];
    result.replaceAllUsesWith(hasFreeAxes(sharding) ? constrain(manual.getResult(i), sharding)
                                                    : manual.getResult(i));
  }
  op.erase();
  return success();
}

/// Puts the body in the place of the operation.
void ManualConverter::inlineBody(ValueRange operands,
                                 llvm::function_ref<Value(unsigned, Value)> finish) {
  Block &body = op.getBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), operands))
    argument.replaceAllUsesWith(operand);
  Operation *end = body.getTerminator();
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
  builder.setInsertionPoint(end);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    result.replaceAllUsesWith(finish(i, end->getOperand(i)));
  end->erase();
  op.erase();
}

/// This rank's part of what every rank has: a slice whose start is looked up by the rank.
Value ManualConverter::takePart(Value whole, LayoutAttr attr) {
  if (attr.isReplicated())
    return whole;
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(whole.getType());
  Mesh mesh = shardings.getMesh().toMesh();
  Layout layout = attr.toLayout();
  int64_t numRanks = mesh.numRanks();
  auto indexType = builder.getI32Type();
  auto scalarType = RankedTensorType::get({}, indexType);
  Value device = stablehlo::PartitionIdOp::create(
      builder, loc, RankedTensorType::get({}, builder.getIntegerType(32, /*isSigned=*/false)));
  Value zero =
      stablehlo::ConstantOp::create(builder, loc, DenseElementsAttr::get(scalarType, APInt(32, 0)));
  device = stablehlo::ConvertOp::create(builder, loc, scalarType, device);
  SmallVector<Value> operands = {whole};
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (layout.dims[dim].empty()) {
      operands.push_back(zero);
      continue;
    }
    SmallVector<int32_t> starts(numRanks);
    for (int64_t rank = 0; rank < numRanks; ++rank)
      starts[getDevice(rank)] = blocks(mesh, layout, type.getShape(), rank)[dim].begin;
    auto tableType = RankedTensorType::get({numRanks}, indexType);
    Value table = stablehlo::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(tableType, ArrayRef<int32_t>(starts)));
    Value start = stablehlo::DynamicSliceOp::create(
        builder, loc, RankedTensorType::get({1}, indexType), table, ValueRange{device},
        builder.getDenseI64ArrayAttr({1}));
    operands.push_back(stablehlo::ReshapeOp::create(builder, loc, scalarType, start));
  }
  SmallVector<int64_t> shape = attr.getLocalShape(type.getShape());
  return stablehlo::DynamicSliceOp::create(builder, loc, type.clone(shape), operands[0],
                                           ArrayRef<Value>(operands).drop_front(),
                                           builder.getDenseI64ArrayAttr(shape));
}

/// The whole of what ranks have parts of.
Value ManualConverter::gatherParts(Value part, LayoutAttr attr) {
  Mesh mesh = shardings.getMesh().toMesh();
  Layout layout = attr.toLayout();
  for (auto [dim, axes] : llvm::enumerate(layout.dims)) {
    if (axes.empty())
      continue;
    SmallVector<int64_t> devices;
    int64_t size = groupSize(axes);
    for (int64_t rank = 0; rank < mesh.numRanks(); ++rank)
      if (positionInGroup(mesh, axes, rank) == 0)
        for (int64_t member : group(mesh, axes, rank))
          devices.push_back(getDevice(member));
    auto groupsType = RankedTensorType::get({static_cast<int64_t>(devices.size()) / size, size},
                                            builder.getI64Type());
    auto type = cast<RankedTensorType>(part.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] *= size;
    auto channel = stablehlo::ChannelHandleAttr::get(op.getContext(), /*handle=*/1, /*type=*/1);
    part = stablehlo::AllGatherOp::create(
               builder, op.getLoc(), TypeRange{type.clone(shape)}, ValueRange{part},
               builder.getI64IntegerAttr(dim),
               DenseIntElementsAttr::get(groupsType, ArrayRef<int64_t>(devices)), channel,
               builder.getUnitAttr())
               .getResult(0);
  }
  return part;
}

LogicalResult dmc::convertManualComputations(func::FuncOp entry, ShardingReader &shardings) {
  // Outer ones first: those within find where they are.
  SmallVector<sdy::ManualComputationOp> ops;
  entry.walk<WalkOrder::PreOrder>([&](sdy::ManualComputationOp op) { ops.push_back(op); });
  for (sdy::ManualComputationOp op : ops)
    if (failed(ManualConverter(op, shardings).convert()))
      return failure();
  return success();
}
