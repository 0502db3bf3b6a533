//===- Collectives.cpp - Collectives in StableHLO -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Among replicas: the replica of a number is the rank of that number.
//
//===----------------------------------------------------------------------===//
#include "RankWriter.h"

#include "dmc/Dialect/Comm/Comm.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

static std::vector<AxisRef> toReferences(AxesAttr axes, MeshAttr mesh) {
  return LayoutAttr::get(mesh, {axes}).toLayout().dims.front();
}

/// Ranks of each group, in the order of the groups' first ranks.
static SmallVector<SmallVector<int64_t>> getGroups(comm::CollectiveOpInterface op) {
  SmallVector<SmallVector<int64_t>> groups;
  if (DenseIntElementsAttr listed = op.getListedGroups()) {
    int64_t size = listed.getType().getDimSize(1);
    for (auto [i, rank] : llvm::enumerate(listed.getValues<int64_t>())) {
      if (static_cast<int64_t>(i) % size == 0)
        groups.emplace_back();
      groups.back().push_back(rank);
    }
    return groups;
  }
  Mesh mesh = op.getGroupMesh().toMesh();
  std::vector<AxisRef> axes = toReferences(op.getGroupAxes(), op.getGroupMesh());
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank)
    if (positionInGroup(mesh, axes, rank) == 0) {
      std::vector<int64_t> members = group(mesh, axes, rank);
      groups.emplace_back(members.begin(), members.end());
    }
  return groups;
}

static DenseIntElementsAttr toMatrix(RankWriter &b, ArrayRef<SmallVector<int64_t>> rows) {
  SmallVector<int64_t> values;
  for (const SmallVector<int64_t> &row : rows)
    llvm::append_range(values, row);
  int64_t columns = rows.empty() ? 2 : static_cast<int64_t>(rows.front().size());
  auto type = RankedTensorType::get({static_cast<int64_t>(rows.size()), columns}, b.getI64Type());
  return DenseIntElementsAttr::get(type, values);
}

/// Whether each rank is in a group, as StableHLO expects.
static bool isComplete(ArrayRef<SmallVector<int64_t>> groups, MeshAttr mesh) {
  size_t count = 0;
  for (const SmallVector<int64_t> &members : groups)
    count += members.size();
  return static_cast<int64_t>(count) == mesh.getNumRanks();
}

static LogicalResult fillCombiner(RankWriter &b, Region &region, CombinerKind combiner,
                                  Type elementType) {
  auto scalar = RankedTensorType::get({}, elementType);
  return b.fillRegion(
      region, {scalar, scalar}, [&](ValueRange args) -> FailureOr<SmallVector<Value>> {
        return SmallVector<Value>{b.make(getCombinerName(combiner, elementType), args)};
      });
}

static LogicalResult writePermute(comm::PermuteOp op, RankWriter &b) {
  SmallVector<SmallVector<int64_t>> pairs;
  for (const SmallVector<int64_t> &members :
       getGroups(cast<comm::CollectiveOpInterface>(op.getOperation())))
    for (size_t i = 0; i + 1 < op.getPairs().size(); i += 2)
      pairs.push_back({members[op.getPairs()[i]], members[op.getPairs()[i + 1]]});
  Value x = b.get(op.getOperand());
  b.set(op.getResult(),
        pairs.empty() ? b.makeInteger(0, tensorOf(x))
                      : Value(stablehlo::CollectivePermuteOp::create(
                            b, x.getType(), x, toMatrix(b, pairs), /*channel_handle=*/nullptr)));
  return success();
}

/// One rank's tensor for all: XLA has no broadcast on all of its devices, but all-gathers.
static LogicalResult writeBroadcast(comm::BroadcastOp op, DenseIntElementsAttr groups,
                                    RankWriter &b) {
  Value x = b.get(op.getOperand());
  RankedTensorType type = tensorOf(x);
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, type.getShape());
  x = b.reshape(x, shape);
  int64_t size = groups.getType().getDimSize(1);
  shape[0] = size;
  Value gathered = stablehlo::AllGatherOp::create(
                       b, TypeRange{RankedTensorType::get(shape, type.getElementType())},
                       ValueRange{x}, 0, groups, nullptr, false)
                       ->getResult(0);
  SmallVector<int64_t> starts(shape.size(), 0), limits(shape), strides(shape.size(), 1);
  starts[0] = static_cast<int64_t>(op.getRoot());
  limits[0] = starts[0] + 1;
  b.set(op.getResult(), b.reshape(b.slice(gathered, starts, limits, strides), type.getShape()));
  return success();
}

/// The position of this rank along axes: a digit of its number for each.
static void writeAxisIndex(comm::AxisIndexOp op, RankWriter &b) {
  auto id = RankedTensorType::get({}, IntegerType::get(b.getContext(), 32, IntegerType::Unsigned));
  Value rank = b.toSignless(b.convert(stablehlo::ReplicaIdOp::create(b, id),
                                      IntegerType::get(b.getContext(), 64, IntegerType::Unsigned)));
  Mesh mesh = op.getMesh().toMesh();
  Value position = b.makeIndex(0);
  for (const AxisRef &axis : toReferences(op.getAxes(), op.getMesh())) {
    int64_t below = mesh.axis(axis.axis).size / (axis.preSize * axis.size);
    for (size_t i = axis.axis + 1; i < mesh.size(); ++i)
      below *= mesh.axis(i).size;
    Value digit = b.make("stablehlo.divide", {rank, b.makeIndex(below)});
    digit = b.make("stablehlo.remainder", {digit, b.makeIndex(axis.size)});
    position = b.make("stablehlo.add",
                      {b.make("stablehlo.multiply", {position, b.makeIndex(axis.size)}), digit});
  }
  b.set(op.getResult(), position);
}

LogicalResult dmc::writeCollective(Operation *op, RankWriter &b, bool &isKnown) {
  if (auto index = dyn_cast<comm::AxisIndexOp>(op)) {
    writeAxisIndex(index, b);
    return success();
  }
  auto collective = dyn_cast<comm::CollectiveOpInterface>(op);
  if (!collective) {
    isKnown = false;
    return success();
  }
  if (auto permute = dyn_cast<comm::PermuteOp>(op))
    return writePermute(permute, b);
  SmallVector<SmallVector<int64_t>> members = getGroups(collective);
  if (!isComplete(members, collective.getGroupMesh()))
    return b.refuse(op, "each rank in a group");
  DenseIntElementsAttr groups = toMatrix(b, members);
  if (auto broadcast = dyn_cast<comm::BroadcastOp>(op))
    return writeBroadcast(broadcast, groups, b);
  Value x = b.get(collective.getOperandValue());
  RankedTensorType type = getForm(op->getResult(0).getType());
  Type element = type.getElementType();
  auto set = [&](Operation *form) { b.set(op->getResult(0), form->getResult(0)); };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](comm::AllReduceOp reduce) {
        auto form = stablehlo::AllReduceOp::create(b, TypeRange{type}, ValueRange{x}, groups,
                                                   nullptr, false);
        set(form);
        return fillCombiner(b, form.getComputation(), reduce.getCombiner(), element);
      })
      .Case([&](comm::ReduceScatterOp scatter) {
        auto form = stablehlo::ReduceScatterOp::create(b, type, x, scatter.getDim(), groups,
                                                       nullptr, false);
        set(form);
        return fillCombiner(b, form.getComputation(), scatter.getCombiner(), element);
      })
      .Case([&](comm::AllGatherOp gather) {
        set(stablehlo::AllGatherOp::create(b, TypeRange{type}, ValueRange{x}, gather.getDim(),
                                           groups, nullptr, false));
        return success();
      })
      .Case([&](comm::AllToAllOp exchange) {
        set(stablehlo::AllToAllOp::create(b, TypeRange{type}, ValueRange{x}, exchange.getSplitDim(),
                                          exchange.getConcatDim(), collective.getGroupSize(),
                                          groups, nullptr));
        return success();
      })
      .Default([&](Operation *) {
        isKnown = false;
        return success();
      });
}
