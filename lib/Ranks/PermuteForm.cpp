//===- PermuteForm.cpp - Permutes and redistributions to transfers --------===//
//
// A permute is one round of point-to-point transfers of whole shards. A redistribution
// takes as many rounds as its plan has; each sends a box and puts it where it belongs.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Layout/Halo.h"
#include "dmc/Ranks/LocalTensors.h"

using namespace mlir;
using namespace dmc;

namespace {
/// Numbers that depend on a rank's position in a group, looked up in one constant.
class PositionTable {
public:
  PositionTable(RankBuilder &b, AxesAttr axes, int64_t positions)
      : b(b), axes(axes), positions(positions) {}

  /// The column of one number for every position; positions without one may get any.
  size_t add(const std::vector<std::optional<int64_t>> &column) {
    columns.push_back(column);
    return columns.size() - 1;
  }
  /// Makes the table; then `get` yields the numbers as index values.
  void finish();
  Value get(size_t column);

private:
  std::optional<int64_t> getConstant(size_t column) const;

  RankBuilder &b;
  AxesAttr axes;
  int64_t positions;
  std::vector<std::vector<std::optional<int64_t>>> columns;
  /// Of columns that are not constant, where they stand in the row.
  SmallVector<int64_t> places;
  Value row;
};

/// Some transfers that happen at once, and the columns of their numbers.
struct Batch {
  SmallVector<int64_t> shape;
  SmallVector<int64_t> pairs;
  /// Sizes that the local arrays need for boxes of the shape anywhere.
  SmallVector<int64_t> sourceReach, targetReach;
  SmallVector<size_t> sourceBegin, targetBegin, targetEnd;
};
} // namespace

std::optional<int64_t> PositionTable::getConstant(size_t column) const {
  std::optional<int64_t> value;
  for (const std::optional<int64_t> &number : columns[column]) {
    if (number && value && *number != *value)
      return std::nullopt;
    value = number ? number : value;
  }
  return value.value_or(0);
}

void PositionTable::finish() {
  int64_t width = 0;
  for (size_t column = 0; column < columns.size(); ++column)
    places.push_back(getConstant(column) ? -1 : width++);
  if (width == 0)
    return;
  SmallVector<int64_t> numbers;
  for (int64_t position = 0; position < positions; ++position)
    for (auto [column, place] : llvm::zip_equal(columns, places))
      if (place >= 0)
        numbers.push_back(column[position].value_or(0));
  Type i64 = b.getI64Type();
  auto type = RankedTensorType::get({positions, width}, i64);
  Value table = arith::ConstantOp::create(b, DenseIntElementsAttr::get(type, numbers));
  SmallVector<OpFoldResult> offsets{b.getAxisIndex(axes), b.getIndexAttr(0)};
  SmallVector<OpFoldResult> sizes{b.getIndexAttr(1), b.getIndexAttr(width)};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  row = tensor::ExtractSliceOp::create(b, RankedTensorType::get({width}, i64), table, offsets,
                                       sizes, strides);
}

Value PositionTable::get(size_t column) {
  if (places[column] < 0)
    return b.getConstantIndex(*getConstant(column));
  Value number = tensor::ExtractOp::create(b, row, ValueRange{b.getConstantIndex(places[column])});
  return arith::IndexCastOp::create(b, b.getIndexType(), number);
}

static Batch makeBatch(PositionTable &table, int64_t positions, ArrayRef<Transfer> transfers,
                       RankedTensorType source, RankedTensorType target) {
  Batch batch;
  batch.shape.assign(source.getRank(), 0);
  for (const Transfer &transfer : transfers) {
    batch.pairs.append({transfer.source, transfer.target});
    for (auto [size, other] : llvm::zip_equal(batch.shape, transfer.size))
      size = std::max(size, other);
  }
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    std::vector<std::optional<int64_t>> from(positions), begin(positions);
    // Who receives nothing has an empty box.
    std::vector<std::optional<int64_t>> end(positions, 0);
    int64_t sourceReach = source.getDimSize(dim), targetReach = target.getDimSize(dim);
    for (const Transfer &transfer : transfers) {
      from[transfer.source] = transfer.sourceOffset[dim];
      begin[transfer.target] = transfer.targetOffset[dim];
      end[transfer.target] = transfer.targetOffset[dim] + transfer.size[dim];
      sourceReach = std::max(sourceReach, transfer.sourceOffset[dim] + batch.shape[dim]);
      targetReach = std::max(targetReach, transfer.targetOffset[dim] + batch.shape[dim]);
    }
    batch.sourceReach.push_back(sourceReach);
    batch.targetReach.push_back(targetReach);
    batch.sourceBegin.push_back(table.add(from));
    batch.targetBegin.push_back(table.add(begin));
    batch.targetEnd.push_back(table.add(end));
  }
  return batch;
}

static Value takeBox(RankBuilder &b, Value x, const Batch &batch, PositionTable &table) {
  SmallVector<OpFoldResult> offsets;
  for (auto [dim, reach] : llvm::enumerate(batch.sourceReach)) {
    x = padTo(b, x, dim, reach);
    offsets.push_back(table.get(batch.sourceBegin[dim]));
  }
  RankedTensorType type = RankedTensorType::get(batch.shape, tensorType(x).getElementType());
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), batch.shape);
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, type, x, offsets, sizes, strides);
}

/// The result so far with the box where it belongs on this rank.
static Value putBox(RankBuilder &b, Value box, Value result, const Batch &batch,
                    PositionTable &table) {
  RankedTensorType type = tensorType(result);
  SmallVector<Value> begins, ends;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    begins.push_back(table.get(batch.targetBegin[dim]));
    ends.push_back(table.get(batch.targetEnd[dim]));
  }
  auto whole = RankedTensorType::get(batch.targetReach, type.getElementType());
  Value spread = createFill(b, whole, b.getZeroAttr(type.getElementType()));
  SmallVector<OpFoldResult> offsets(begins.begin(), begins.end());
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), batch.shape);
  spread = tensor::InsertSliceOp::create(b, box, spread, offsets, sizes, strides);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    spread = cutTo(b, spread, dim, type.getDimSize(dim));

  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &nested, Location loc, ValueRange args) {
    Value isHere;
    for (auto [dim, begin, end] : llvm::enumerate(begins, ends)) {
      Value index = linalg::IndexOp::create(nested, loc, dim);
      Value after = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::sge, index, begin);
      Value before = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::slt, index, end);
      isHere = conjoin(nested, loc, isHere, conjoin(nested, loc, after, before));
    }
    Value value =
        isHere ? arith::SelectOp::create(nested, loc, isHere, args[0], args[1]) : Value(args[0]);
    linalg::YieldOp::create(nested, loc, value);
  };
  return linalg::GenericOp::create(b, TypeRange{type}, ValueRange{spread, result},
                                   ValueRange{createEmpty(b, type)},
                                   ArrayRef<AffineMap>{identity, identity, identity}, loops, body)
      .getResult(0);
}

static Value send(RankBuilder &b, Value x, ArrayRef<int64_t> pairs, AxesAttr axes) {
  Value init = createEmpty(b, tensorType(x));
  return comm::PermuteOp::create(b, x.getType(), x, init, b.getDenseI64ArrayAttr(pairs), axes,
                                 b.getMesh(), /*groups=*/nullptr)
      .getResult();
}

/// Whole shards, those that stay among them.
static Value lowerToPermute(RankBuilder &b, Value x, const Redistribution &plan, AxesAttr axes) {
  if (plan.rounds.empty())
    return x;
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (const Transfer &transfer : plan.kept)
    pairs.push_back({transfer.source, transfer.target});
  for (const Transfer &transfer : plan.rounds.front().transfers)
    pairs.push_back({transfer.source, transfer.target});
  llvm::sort(pairs);
  SmallVector<int64_t> flat;
  for (auto [source, target] : pairs)
    flat.append({source, target});
  return send(b, x, flat, axes);
}

/// `padding` stands where no transfer puts anything.
static Value lowerToRounds(RankBuilder &b, Value x, const Redistribution &plan, AxesAttr axes,
                           RankedTensorType type, TypedAttr padding) {
  int64_t positions = groupSize(plan.axes);
  PositionTable table(b, axes, positions);
  Batch kept = makeBatch(table, positions, plan.kept, tensorType(x), type);
  std::vector<Batch> rounds;
  for (const TransferRound &round : plan.rounds)
    rounds.push_back(makeBatch(table, positions, round.transfers, tensorType(x), type));
  table.finish();

  Value result = createFill(b, type, padding);
  if (!plan.kept.empty())
    result = putBox(b, takeBox(b, x, kept, table), result, kept, table);
  for (const Batch &round : rounds)
    result =
        putBox(b, send(b, takeBox(b, x, round, table), round.pairs, axes), result, round, table);
  return result;
}

/// Of a permute or a redistribute.
template <typename OpT>
static LogicalResult lowerTransfers(OpT op, RankBuilder &b) {
  Layout from = layoutOf(op.getOperand()).toLayout(), to = layoutOf(op.getResult()).toLayout();
  Mesh mesh = b.getMesh().toMesh();
  std::vector<int64_t> shape = tensorType(op.getOperand()).getShape().vec();
  std::optional<Redistribution> plan =
      planRedistribution(mesh, from, to, shape, std::numeric_limits<int64_t>::max());
  if (!plan)
    return op.emitOpError("expects the same partial axes before and after");
  AxesAttr axes = LayoutAttr::get(b.getMesh(), Layout{{plan->axes}, {}, {}, {}}).getDims().front();
  Value x = b.getLocal(op.getOperand());
  RankedTensorType type = RankBuilder::getLocalType(tensorType(op.getResult()));
  b.setLocal(op.getResult(),
             isPermutation(mesh, from, to, shape)
                 ? lowerToPermute(b, x, *plan, axes)
                 : lowerToRounds(b, x, *plan, axes, type, b.getZeroAttr(type.getElementType())));
  return success();
}

/// Transfers of one dimension, of all of the others.
static Transfer extend(const Transfer &transfer, int64_t dim, ArrayRef<int64_t> shape) {
  std::vector<int64_t> zeros(shape.size(), 0);
  Transfer result{transfer.source, transfer.target, zeros, zeros, shape.vec()};
  result.sourceOffset[dim] = transfer.sourceOffset.front();
  result.targetOffset[dim] = transfer.targetOffset.front();
  result.size[dim] = transfer.size.front();
  return result;
}

static Redistribution extend(const HaloPlan &plan, int64_t dim, ArrayRef<int64_t> shape) {
  Redistribution result;
  for (const Transfer &transfer : plan.kept)
    result.kept.push_back(extend(transfer, dim, shape));
  for (const TransferRound &round : plan.rounds) {
    result.rounds.push_back({shape.vec(), {}});
    result.rounds.back().shape[dim] = round.shape.front();
    for (const Transfer &transfer : round.transfers)
      result.rounds.back().transfers.push_back(extend(transfer, dim, shape));
  }
  return result;
}

/// Spreads a window's elements over its positions: a stride, from a phase that depends on
/// the window.
static Value dilate(RankBuilder &b, Value x, int64_t dim, const Windows &windows, AxesAttr axes,
                    TypedAttr padding) {
  RankedTensorType type = tensorType(x);
  PositionTable table(b, axes, windows.count);
  std::vector<std::optional<int64_t>> phases;
  for (int64_t window = 0; window < windows.count; ++window)
    phases.push_back(windows.phase(window));
  size_t column = table.add(phases);
  table.finish();
  int64_t reach = windows.dilation * windows.maxElements();
  Value spread = createFill(b, withSize(type, dim, std::max(reach, windows.length)), padding);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  offsets[dim] = table.get(column);
  strides[dim] = b.getIndexAttr(windows.dilation);
  spread = tensor::InsertSliceOp::create(b, x, spread, offsets, sizes, strides);
  return cutTo(b, spread, dim, windows.length);
}

/// All windows of a dimension that a rank has whole.
static Value cutWindows(RankBuilder &b, Value x, int64_t dim, const Windows &windows,
                        RankedTensorType result, TypedAttr padding) {
  if (windows.size == 0)
    return createFill(b, result, padding);
  RankedTensorType type = tensorType(x);
  int64_t end = (windows.size - 1) * windows.dilation + 1;
  int64_t first = std::min(windows.begin(0), windows.begin(windows.count - 1));
  int64_t last = std::max(windows.begin(0), windows.begin(windows.count - 1)) + windows.length;
  int64_t low = std::max<int64_t>(0, -first), high = std::max<int64_t>(0, last - end);
  Value padded = createFill(b, withSize(type, dim, low + end + high), padding);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  offsets[dim] = b.getIndexAttr(low);
  strides[dim] = b.getIndexAttr(windows.dilation);
  padded = tensor::InsertSliceOp::create(b, x, padded, offsets, sizes, strides);

  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < result.getRank(); ++d)
    exprs.push_back(b.getAffineDimExpr(d));
  exprs[dim] = exprs[dim] * windows.step + exprs[dim + 1] + (windows.offset + low);
  exprs.erase(exprs.begin() + dim + 1);
  AffineMap maps[] = {AffineMap::get(result.getRank(), 0, exprs, b.getContext()),
                      b.getMultiDimIdentityMap(result.getRank())};
  SmallVector<utils::IteratorType> loops(result.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, TypeRange{result}, ValueRange{padded},
                                   ValueRange{createEmpty(b, result)}, maps, loops,
                                   [](OpBuilder &nested, Location loc, ValueRange args) {
                                     linalg::YieldOp::create(nested, loc, args[0]);
                                   })
      .getResult(0);
}

/// The windows of every rank: what it has of them, then what others send.
static LogicalResult lowerHalo(HaloOp op, RankBuilder &b) {
  int64_t dim = op.getDim();
  AxesAttr axes = axesOf(op.getResult(), dim), operandAxes = axesOf(op.getOperand(), dim);
  Windows windows{tensorType(op.getOperand()).getDimSize(dim),
                  op.getCount(),
                  static_cast<int64_t>(op.getStep()),
                  static_cast<int64_t>(op.getOffset()),
                  op.getLength(),
                  static_cast<int64_t>(op.getDilation())};
  SmallVector<int64_t> parts = b.getAxisSizes(operandAxes);
  Value x = b.getLocal(op.getOperand());
  RankedTensorType type = tensorType(x);
  RankedTensorType result = RankBuilder::getLocalType(tensorType(op.getResult()));
  if (axes.empty()) {
    b.setLocal(op.getResult(), cutWindows(b, x, dim, windows, result, op.getPadding()));
    return success();
  }
  Redistribution plan =
      extend(planHalo(windows, {parts.begin(), parts.end()}), dim, type.getShape());
  plan.axes = LayoutAttr::get(b.getMesh(), {axes}).toLayout().dims.front();
  x = lowerToRounds(b, x, plan, axes, withSize(type, dim, windows.maxElements()), op.getPadding());
  if (windows.dilation != 1)
    x = dilate(b, x, dim, windows, axes, op.getPadding());
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0, next = 0; d < type.getRank(); ++d) {
    groups.push_back({next++});
    if (d == dim)
      groups.back().push_back(next++);
  }
  b.setLocal(op.getResult(), tensor::ExpandShapeOp::create(b, result, x, groups));
  return success();
}

void dmc::populatePermuteForm(LocalForms &forms) {
  forms.insert<HaloOp, lowerHalo>();
  forms.insert<PermuteOp, lowerTransfers<PermuteOp>>();
  forms.insert<RedistributeOp, lowerTransfers<RedistributeOp>>();
}
