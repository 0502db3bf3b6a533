//===- MoveForms.cpp - Moves to collectives and local slices --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each move over several axes is one collective: blocks are packed to equal ones
// in group order before it and unpacked after it.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Layout/Reshard.h"
#include "dmc/Ranks/LocalTensors.h"

using namespace mlir;
using namespace dmc;

PartitionOp dmc::getScatteringPartition(ReduceOp op) {
  if (!op.getResult().hasOneUse())
    return {};
  auto partition = dyn_cast<PartitionOp>(*op.getResult().user_begin());
  if (!partition || partition->getBlock() != op->getBlock() ||
      partition.getAxes().size() != op.getAxes().size() ||
      !llvm::all_of(partition.getAxes(),
                    [&](AxisAttr axis) { return llvm::is_contained(op.getAxes(), axis); }))
    return {};
  auto sizeOf = [](Value value) {
    return RankBuilder::getLocalType(tensorType(value)).getNumElements();
  };
  bool isScattered =
      isReduceScatter(sizeOf(op.getOperand()), sizeOf(partition.getResult()),
                      op.getAxes().getGroupSize(layoutOf(op.getOperand()).getMesh()));
  return isScattered ? partition : PartitionOp();
}

/// The form of a move, but for axes of one position: there what is there is the result.
template <typename OpT, LogicalResult (*form)(OpT, RankBuilder &)>
static LogicalResult lowerAlong(OpT op, RankBuilder &b) {
  if (op.getAxes().getGroupSize(b.getMesh()) > 1)
    return form(op, b);
  b.setLocal(op.getResult(), b.getLocal(op.getOperand()));
  return success();
}

static LogicalResult lowerReduce(ReduceOp op, RankBuilder &b) {
  Value x = b.getLocal(op.getOperand());
  if (getScatteringPartition(op)) {
    b.setLocal(op.getResult(), x);
    return success();
  }
  Value init = createEmpty(b, tensorType(x));
  auto reduced = comm::AllReduceOp::create(b, x.getType(), layoutOf(op.getOperand()).getCombiner(),
                                           x, init, op.getAxes(), b.getMesh(), /*groups=*/nullptr);
  b.setLocal(op.getResult(), reduced.getResult());
  return success();
}

static LogicalResult lowerPartition(PartitionOp op, RankBuilder &b) {
  Value x = b.getLocal(op.getOperand());
  int64_t dim = op.getDim();
  auto reduce = op.getOperand().getDefiningOp<ReduceOp>();
  if (!reduce || getScatteringPartition(reduce) != op) {
    b.setLocal(op.getResult(), takeBlock(b, x, dim, op.getAxes()));
    return success();
  }
  x = packBlocks(b, x, dim, op.getAxes());
  RankedTensorType type = RankBuilder::getLocalType(op.getResult().getType());
  Value init = createEmpty(b, type);
  auto scattered =
      comm::ReduceScatterOp::create(b, type, layoutOf(reduce.getOperand()).getCombiner(), x, init,
                                    op.getDim(), op.getAxes(), b.getMesh(), /*groups=*/nullptr);
  b.setLocal(op.getResult(), scattered.getResult());
  return success();
}

static LogicalResult lowerCombine(CombineOp op, RankBuilder &b) {
  Value x = b.getLocal(op.getOperand());
  int64_t dim = op.getDim(), group = op.getAxes().getGroupSize(b.getMesh());
  RankedTensorType type = withSize(tensorType(x), dim, tensorType(x).getDimSize(dim) * group);
  Value init = createEmpty(b, type);
  Value gathered = comm::AllGatherOp::create(b, type, x, init, op.getDim(), op.getAxes(),
                                             b.getMesh(), /*groups=*/nullptr)
                       .getResult();
  int64_t size = RankBuilder::getLocalType(op.getResult().getType()).getDimSize(dim);
  b.setLocal(op.getResult(), unpackBlocks(b, gathered, dim, op.getAxes(), size));
  return success();
}

static LogicalResult lowerExchange(ExchangeOp op, RankBuilder &b) {
  int64_t source = op.getSourceDim(), target = op.getTargetDim();
  int64_t group = op.getAxes().getGroupSize(b.getMesh());
  Value x = packBlocks(b, b.getLocal(op.getOperand()), target, op.getAxes());
  RankedTensorType result = RankBuilder::getLocalType(op.getResult().getType());
  RankedTensorType type = withSize(result, source, tensorType(x).getDimSize(source) * group);
  Value init = createEmpty(b, type);
  // Both dimensions change: one is split among the group, the other concatenated.
  Value exchanged = comm::AllToAllOp::create(b, type, x, init, target, source, op.getAxes(),
                                             b.getMesh(), /*groups=*/nullptr)
                        .getResult();
  b.setLocal(op.getResult(),
             unpackBlocks(b, exchanged, source, op.getAxes(), result.getDimSize(source)));
  return success();
}

static std::vector<AxisRef> toReferences(RankBuilder &b, AxesAttr axes) {
  return LayoutAttr::get(b.getMesh(), {axes}).toLayout().dims.front();
}

static LogicalResult lowerReplicate(ReplicateOp op, RankBuilder &b) {
  // The operand's layout says which position of the axes holds it.
  Layout from = layoutOf(op.getOperand()).toLayout();
  int64_t root = 0;
  for (const AxisRef &axis : toReferences(b, op.getAxes()))
    root = root * axis.size + placedCoordinate(from, axis).value_or(0);
  Value x = b.getLocal(op.getOperand()), init = createEmpty(b, tensorType(x));
  b.setLocal(op.getResult(), comm::BroadcastOp::create(b, x.getType(), x, init, root, op.getAxes(),
                                                       b.getMesh(), /*groups=*/nullptr)
                                 .getResult());
  return success();
}

/// The block in a tensor of the dimension's size that is neutral elsewhere.
static Value insertBlock(RankBuilder &b, Value x, int64_t dim, AxesAttr axes, int64_t size,
                         TypedAttr neutral) {
  SmallVector<int64_t> blocks = b.getBlockSizes(size, axes), parts = b.getAxisSizes(axes);
  int64_t reach = blocks.back();
  for (auto [block, p] : llvm::zip_equal(blocks, parts))
    reach += (p - 1) * block;
  reach = std::max(reach, size);
  RankedTensorType type = tensorType(x);
  Value whole = createFill(b, withSize(type, dim, reach), neutral);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  offsets[dim] = b.getBlockOffset(size, axes);
  Value inserted = tensor::InsertSliceOp::create(b, x, whole, offsets, sizes, strides);
  return cutTo(b, inserted, dim, size);
}

static LogicalResult lowerSpread(SpreadOp op, RankBuilder &b) {
  LayoutAttr from = layoutOf(op.getOperand()), to = layoutOf(op.getResult());
  RankedTensorType global = tensorType(op.getResult());
  RankedTensorType result = RankBuilder::getLocalType(global);
  TypedAttr neutral = getNeutralElement(to.getCombiner(), global.getElementType());
  bool isTotal = to.getCombiner() == CombinerKind::max || to.getCombiner() == CombinerKind::min;
  Value x = b.getLocal(op.getOperand());

  SmallVector<AxisAttr> replicated(op.getAxes().begin(), op.getAxes().end());
  SmallVector<Position> positions;
  for (auto [dim, axes] : llvm::enumerate(from.getDims())) {
    size_t kept = to.getDims()[dim].size();
    ArrayRef<AxisAttr> moved = axes.getAxes().drop_front(kept);
    if (moved.empty())
      continue;
    auto movedAxes = AxesAttr::get(b.getContext(), moved);
    llvm::erase_if(replicated, [&](AxisAttr axis) { return llvm::is_contained(moved, axis); });
    // A block's padding may lie where another block is: it must be neutral.
    if (!b.isEven(global.getDimSize(dim), axes))
      x = maskBeyond(
          b, x,
          {ValidPart{static_cast<int64_t>(dim), b.getBlockValid(global.getDimSize(dim), axes)}},
          neutral);
    x = insertBlock(b, x, dim, movedAxes, result.getDimSize(dim), neutral);
  }
  for (PlacedAttr placed : from.getPlaced()) {
    if (llvm::is_contained(to.getPlaced(), placed))
      continue;
    positions.push_back({AxesAttr::get(b.getContext(), ArrayRef<AxisAttr>(placed.getAxis())),
                         placed.getCoordinate()});
  }
  llvm::erase_if(replicated, [&](AxisAttr axis) {
    auto one = AxesAttr::get(b.getContext(), ArrayRef<AxisAttr>(axis));
    return isUsed(from.toLayout(), toReferences(b, one).front());
  });
  if (!replicated.empty() && !isTotal)
    positions.push_back({AxesAttr::get(b.getContext(), replicated), 0});
  b.setLocal(op.getResult(), keepAt(b, x, positions, neutral));
  return success();
}

static LogicalResult lowerPlace(PlaceOp op, RankBuilder &b) {
  b.setLocal(op.getResult(), b.getLocal(op.getOperand()));
  return success();
}

static LogicalResult lowerReshard(ReshardOp op, RankBuilder &) {
  return op.emitOpError("expects dmc-expand-reshards to have run before dmc-to-ranks");
}

static LogicalResult lowerConstrain(ConstrainOp op, RankBuilder &) {
  return op.emitOpError("is a request of level 0 and is unsupported in a parallel program");
}

void dmc::populateMoveForms(LocalForms &forms) {
  forms.insert<CombineOp, lowerAlong<CombineOp, lowerCombine>>();
  forms.insert<ConstrainOp, lowerConstrain>();
  forms.insert<ExchangeOp, lowerAlong<ExchangeOp, lowerExchange>>();
  forms.insert<PartitionOp, lowerAlong<PartitionOp, lowerPartition>>();
  forms.insert<PlaceOp, lowerPlace>();
  forms.insert<ReduceOp, lowerAlong<ReduceOp, lowerReduce>>();
  forms.insert<ReplicateOp, lowerAlong<ReplicateOp, lowerReplicate>>();
  forms.insert<ReshardOp, lowerReshard>();
  forms.insert<SpreadOp, lowerAlong<SpreadOp, lowerSpread>>();
}
