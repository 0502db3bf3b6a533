//===- Comm.cpp - The comm dialect ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration and verifiers of the collectives; check numbers are those of
// the operators' documentation.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/Comm/Comm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::comm;

#include "dmc/Dialect/Comm/CollectiveInterface.cpp.inc"
#include "dmc/Dialect/Comm/CommDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dmc/Dialect/Comm/CommTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dmc/Dialect/Comm/CommOps.cpp.inc"

void CommDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dmc/Dialect/Comm/CommTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dmc/Dialect/Comm/CommOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static constexpr StringLiteral streamAttr = "comm.stream";

int64_t dmc::comm::getStream(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return launch.getStream();
  auto stream = op->getAttrOfType<IntegerAttr>(streamAttr);
  return stream ? stream.getInt() : 0;
}

void dmc::comm::setStream(Operation *op, int64_t stream) {
  op->setAttr(streamAttr, Builder(op).getI64IntegerAttr(stream));
}

LogicalResult CommDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (attr.getName() != streamAttr)
    return op->emitOpError("unknown attribute ") << attr.getName() << " of the comm dialect";
  // comm_c1
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  bool isOnMemory = collective && op->getNumResults() == 0;
  if (!isOnMemory && !isa<memref::CopyOp>(op))
    return op->emitOpError("expected ")
           << attr.getName()
           << " on a collective on memrefs without a token or on a copy of memrefs";
  auto stream = dyn_cast<IntegerAttr>(attr.getValue());
  if (!stream || !stream.getType().isSignlessInteger(64) || stream.getInt() < 0)
    return op->emitOpError("expected ")
           << attr.getName() << " to be a non-negative 64-bit integer, found " << attr.getValue();
  return success();
}

//===----------------------------------------------------------------------===//
// What all collectives share: C1, C2, C3 and effects
//===----------------------------------------------------------------------===//

/// C2 of listed groups.
template <typename Op>
static LogicalResult verifyGroups(Op op) {
  DenseIntElementsAttr groups = op.getGroupsAttr();
  if (!groups)
    return success();
  if (!op.getAxes().empty())
    return op.emitOpError("expected either axes or listed groups, found both");
  ShapedType type = groups.getType();
  if (type.getRank() != 2 || type.getNumElements() == 0)
    return op.emitOpError("expected a matrix of groups, found ") << type;
  int64_t numRanks = op.getMesh().getNumRanks();
  llvm::SmallSet<int64_t, 16> seen;
  for (int64_t rank : groups.getValues<int64_t>()) {
    if (rank < 0 || rank >= numRanks)
      return op.emitOpError("group member ") << rank << " is not a rank of " << numRanks;
    if (!seen.insert(rank).second)
      return op.emitOpError("rank ") << rank << " is twice in the groups";
  }
  return success();
}

template <typename Op>
static LogicalResult verifyCollective(Op op) {
  auto operand = cast<ShapedType>(op.getOperand().getType());
  auto init = cast<ShapedType>(op.getInit().getType());
  // c1
  if (isa<RankedTensorType>(operand) != isa<RankedTensorType>(init))
    return op.emitOpError("expected operand and destination to be both tensors or both memrefs");
  if (!operand.hasStaticShape() || !init.hasStaticShape() ||
      operand.getElementType() != init.getElementType())
    return op.emitOpError("expected static shapes of one element type, found ")
           << operand << " and " << init;
  // c2
  if (failed(verifyAxes([&]() { return op.emitOpError(); }, op.getMesh(), op.getAxes())) ||
      failed(verifyGroups(op)))
    return failure();
  // c3
  Value result = op.getResult();
  if (isa<RankedTensorType>(init)) {
    if (!result || result.getType() != init)
      return op.emitOpError("expected a result of the destination's type ") << init;
  } else if (result && !isa<TokenType>(result.getType())) {
    return op.emitOpError("expected no result on memrefs, or a token");
  }
  return success();
}

/// Collectives on tensors have no memory effect (so equal ones merge), but are
/// not speculatable: every rank must execute them.
template <typename Op>
static void
getCollectiveEffects(Op op,
                     SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!isa<BaseMemRefType>(op.getInit().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &op.getOperandMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &op.getInitMutable());
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

template <typename Op>
static int64_t groupSizeOf(Op op) {
  return cast<CollectiveOpInterface>(op.getOperation()).getGroupSize();
}

/// C4 of all_reduce, permute and broadcast.
template <typename Op>
static LogicalResult verifySameShape(Op op) {
  if (shapeOf(op.getOperand()) != shapeOf(op.getInit()))
    return op.emitOpError("expected a destination of the operand's shape, found ")
           << op.getInit().getType() << " for " << op.getOperand().getType();
  return success();
}

/// C4 of all_gather and reduce_scatter: `longer` is the group's size times
/// `shorter` in the dimension.
static LogicalResult verifyScaled(Operation *op, ArrayRef<int64_t> shorter,
                                  ArrayRef<int64_t> longer, int64_t dim, int64_t groupSize) {
  if (dim < 0 || dim >= static_cast<int64_t>(shorter.size()) || shorter.size() != longer.size())
    return op->emitOpError("dimension ") << dim << " does not exist in both shapes";
  for (int64_t d = 0, e = shorter.size(); d < e; ++d) {
    int64_t expected = d == dim ? shorter[d] * groupSize : shorter[d];
    if (longer[d] != expected)
      return op->emitOpError("expected dimension ")
             << d << " to have sizes " << shorter[d] << " and " << expected << " for a group of "
             << groupSize << ", found " << longer[d];
  }
  return success();
}

#define DMC_COMM_EFFECTS(OpType)                                                                   \
  void OpType::getEffects(                                                                         \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {              \
    getCollectiveEffects(*this, effects);                                                          \
  }
DMC_COMM_EFFECTS(AllReduceOp)
DMC_COMM_EFFECTS(AllGatherOp)
DMC_COMM_EFFECTS(ReduceScatterOp)
DMC_COMM_EFFECTS(AllToAllOp)
DMC_COMM_EFFECTS(comm::PermuteOp)
DMC_COMM_EFFECTS(BroadcastOp)
#undef DMC_COMM_EFFECTS

//===----------------------------------------------------------------------===//
// Each collective
//===----------------------------------------------------------------------===//

CollectiveKind AllReduceOp::getKind() { return CollectiveKind::AllReduce; }
CollectiveKind AllGatherOp::getKind() { return CollectiveKind::AllGather; }
CollectiveKind ReduceScatterOp::getKind() { return CollectiveKind::ReduceScatter; }
CollectiveKind AllToAllOp::getKind() { return CollectiveKind::AllToAll; }
CollectiveKind comm::PermuteOp::getKind() { return CollectiveKind::Permute; }
CollectiveKind BroadcastOp::getKind() { return CollectiveKind::Broadcast; }

LogicalResult AllReduceOp::verify() {
  // all_reduce_c1, all_reduce_c2, all_reduce_c3
  if (failed(verifyCollective(*this)))
    return failure();
  return verifySameShape(*this); // all_reduce_c4
}

LogicalResult AllGatherOp::verify() {
  // all_gather_c1, all_gather_c2, all_gather_c3
  if (failed(verifyCollective(*this)))
    return failure();
  return verifyScaled(*this, shapeOf(getOperand()), shapeOf(getInit()), getDim(), // all_gather_c4
                      groupSizeOf(*this));
}

LogicalResult ReduceScatterOp::verify() {
  // reduce_scatter_c1, reduce_scatter_c2, reduce_scatter_c3
  if (failed(verifyCollective(*this)))
    return failure();
  // reduce_scatter_c4
  return verifyScaled(*this, shapeOf(getInit()), shapeOf(getOperand()), getDim(),
                      groupSizeOf(*this));
}

LogicalResult AllToAllOp::verify() {
  // all_to_all_c1, all_to_all_c2, all_to_all_c3
  if (failed(verifyCollective(*this)))
    return failure();
  // all_to_all_c4
  SmallVector<int64_t> expected(shapeOf(getOperand()));
  int64_t split = getSplitDim(), concat = getConcatDim(), rank = expected.size();
  if (split < 0 || split >= rank || concat < 0 || concat >= rank)
    return emitOpError("dimensions ")
           << split << " and " << concat << " do not both exist in a tensor of rank " << rank;
  int64_t groupSize = groupSizeOf(*this);
  if (expected[split] % groupSize != 0)
    return emitOpError("a group of ")
           << groupSize << " does not divide dimension " << split << " of size " << expected[split];
  expected[split] /= groupSize;
  expected[concat] *= groupSize;
  if (shapeOf(getInit()) != ArrayRef<int64_t>(expected))
    return emitOpError("expected a destination of shape ")
           << expected << ", found " << shapeOf(getInit());
  return success();
}

LogicalResult comm::PermuteOp::verify() {
  // permute_c1, permute_c2, permute_c3
  if (failed(verifyCollective(*this)) || failed(verifySameShape(*this))) // permute_c4
    return failure();
  // permute_c5
  int64_t groupSize = groupSizeOf(*this);
  if (getPairs().size() % 2 != 0)
    return emitOpError("expected pairs of positions, found ") << getPairs().size() << " numbers";
  llvm::SmallSet<int64_t, 16> sources, targets;
  for (size_t i = 0; i < getPairs().size(); ++i) {
    int64_t position = getPairs()[i];
    if (position < 0 || position >= groupSize)
      return emitOpError("position ") << position << " is outside of a group of " << groupSize;
    if (!(i % 2 == 0 ? sources : targets).insert(position).second)
      return emitOpError("position ")
             << position << " is twice a " << (i % 2 == 0 ? "source" : "target");
  }
  return success();
}

LogicalResult BroadcastOp::verify() {
  // broadcast_c1, broadcast_c2, broadcast_c3
  if (failed(verifyCollective(*this)) || failed(verifySameShape(*this))) // broadcast_c4
    return failure();
  // broadcast_c5
  int64_t groupSize = groupSizeOf(*this);
  if (static_cast<int64_t>(getRoot()) < 0 || static_cast<int64_t>(getRoot()) >= groupSize)
    return emitOpError("root ") << getRoot() << " is outside of a group of " << groupSize;
  return success();
}

LogicalResult AxisIndexOp::verify() { // axis_index_c1
  return verifyAxes([&]() { return emitOpError(); }, getMesh(), getAxes());
}
