//===- PermuteForm.cpp - Permutes and redistributions to transfers --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A permute is one round of point-to-point transfers of whole shards. A redistribution
// takes as many rounds as its plan has; each sends a box and puts it where it belongs.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"
#include "Transfers.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Layout/Reshard.h"
#include "dmc/Ranks/LocalTensors.h"

#include <numeric>

using namespace mlir;
using namespace dmc;

namespace {
/// Some transfers that happen at once, and the columns of their numbers.
struct Batch {
  SmallVector<int64_t> shape;
  SmallVector<int64_t> pairs;
  /// Sizes that the local arrays need for boxes of the shape anywhere.
  SmallVector<int64_t> sourceReach, targetReach;
  SmallVector<size_t> sourceBegin, targetBegin, targetSize;
  /// 1 for who receives a box, 0 for the others.
  size_t receives;
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
  for (size_t column = 0; column < columns.size(); ++column) {
    places.push_back(getConstant(column) ? -1 : width++);
    int64_t divisor = 0;
    for (const std::optional<int64_t> &number : columns[column])
      divisor = std::gcd(divisor, number.value_or(0));
    divisors.push_back(std::max<int64_t>(divisor, 1));
  }
  if (width == 0)
    return;
  SmallVector<int64_t> numbers;
  for (int64_t position = 0; position < positions; ++position)
    for (auto [column, place, divisor] : llvm::zip_equal(columns, places, divisors))
      if (place >= 0)
        numbers.push_back(column[position].value_or(0) / divisor);
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
  Value index = arith::IndexCastOp::create(b, b.getIndexType(), number);
  if (divisors[column] == 1)
    return index;
  return arith::MulIOp::create(b, index, b.getConstantIndex(divisors[column]));
}

static Batch makeBatch(PositionTable &table, int64_t positions, ArrayRef<Transfer> transfers,
                       RankedTensorType source, RankedTensorType target) {
  Batch batch;
  batch.shape.assign(source.getRank(), 0);
  std::vector<std::optional<int64_t>> receives(positions, 0);
  for (const Transfer &transfer : transfers) {
    receives[transfer.target] = 1;
    batch.pairs.append({transfer.source, transfer.target});
    for (auto [size, other] : llvm::zip_equal(batch.shape, transfer.size))
      size = std::max(size, other);
  }
  batch.receives = table.add(receives);
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    std::vector<std::optional<int64_t>> from(positions), begin(positions);
    std::vector<std::optional<int64_t>> size(positions);
    int64_t sourceReach = source.getDimSize(dim), targetReach = target.getDimSize(dim);
    for (const Transfer &transfer : transfers) {
      from[transfer.source] = transfer.sourceOffset[dim];
      begin[transfer.target] = transfer.targetOffset[dim];
      size[transfer.target] = transfer.size[dim];
      sourceReach = std::max(sourceReach, transfer.sourceOffset[dim] + batch.shape[dim]);
      targetReach = std::max(targetReach, transfer.targetOffset[dim] + batch.shape[dim]);
    }
    batch.sourceReach.push_back(sourceReach);
    batch.targetReach.push_back(targetReach);
    batch.sourceBegin.push_back(table.add(from));
    batch.targetBegin.push_back(table.add(begin));
    batch.targetSize.push_back(table.add(size));
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

/// The elements of `box` that this rank gets, those of `result` from the offsets on in place of the
/// others.
static Value keepReceived(RankBuilder &b, Value box, Value result, ArrayRef<OpFoldResult> offsets,
                          const Batch &batch, PositionTable &table) {
  SmallVector<std::pair<unsigned, Value>> bounds;
  for (auto [dim, size] : llvm::enumerate(batch.targetSize))
    if (table.getConstant(size) != batch.shape[dim])
      bounds.push_back({dim, table.get(size)});
  bool isReceivedByAll = table.getConstant(batch.receives) == 1;
  if (bounds.empty() && isReceivedByAll)
    return box;
  Value receives = isReceivedByAll ? Value() : table.get(batch.receives);
  Value none = b.getConstantIndex(0);
  RankedTensorType type = tensorType(box);
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  Value before = tensor::ExtractSliceOp::create(b, type, result, offsets, sizes, strides);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &nested, Location loc, ValueRange args) {
    Value isReceived;
    if (receives)
      isReceived = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ne, receives, none);
    for (auto [dim, size] : bounds) {
      Value index = linalg::IndexOp::create(nested, loc, dim);
      Value isWithin = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::slt, index, size);
      isReceived = conjoin(nested, loc, isReceived, isWithin);
    }
    Value value = arith::SelectOp::create(nested, loc, isReceived, args[0], args[1]);
    linalg::YieldOp::create(nested, loc, value);
  };
  return linalg::GenericOp::create(b, TypeRange{type}, ValueRange{box, before},
                                   ValueRange{createEmpty(b, type)},
                                   ArrayRef<AffineMap>{identity, identity, identity}, loops, body)
      .getResult(0);
}

/// The result so far with the box where it belongs on this rank. Only what the box covers is
/// read and written: the result has room for it anywhere.
static Value putBox(RankBuilder &b, Value box, Value result, const Batch &batch,
                    PositionTable &table) {
  SmallVector<OpFoldResult> offsets;
  for (size_t begin : batch.targetBegin)
    offsets.push_back(table.get(begin));
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), batch.shape);
  Value put = keepReceived(b, box, result, offsets, batch, table);
  return tensor::InsertSliceOp::create(b, put, result, offsets, sizes, strides);
}

Value dmc::send(RankBuilder &b, Value x, ArrayRef<int64_t> pairs, AxesAttr axes) {
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

Value dmc::lowerToRounds(RankBuilder &b, Value x, const Redistribution &plan, AxesAttr axes,
                         RankedTensorType type, TypedAttr padding) {
  int64_t positions = groupSize(plan.axes);
  PositionTable table(b, axes, positions);
  Batch kept = makeBatch(table, positions, plan.kept, tensorType(x), type);
  std::vector<Batch> rounds;
  rounds.reserve(plan.rounds.size());
  for (const TransferRound &round : plan.rounds)
    rounds.push_back(makeBatch(table, positions, round.transfers, tensorType(x), type));
  table.finish();

  SmallVector<int64_t> reach = kept.targetReach;
  for (const Batch &round : rounds)
    for (auto [size, other] : llvm::zip_equal(reach, round.targetReach))
      size = std::max(size, other);
  Value result = createFill(b, RankedTensorType::get(reach, type.getElementType()), padding);
  if (!plan.kept.empty())
    result = putBox(b, takeBox(b, x, kept, table), result, kept, table);
  for (const Batch &round : rounds)
    result =
        putBox(b, send(b, takeBox(b, x, round, table), round.pairs, axes), result, round, table);
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    result = cutTo(b, result, dim, size);
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
  assert(plan && "the verifier asks for the same partial axes before and after");
  AxesAttr axes = LayoutAttr::get(b.getMesh(), Layout{{plan->axes}, {}, {}, {}}).getDims().front();
  Value x = b.getLocal(op.getOperand());
  RankedTensorType type = RankBuilder::getLocalType(tensorType(op.getResult()));
  b.setLocal(op.getResult(),
             isPermutation(mesh, from, to, shape)
                 ? lowerToPermute(b, x, *plan, axes)
                 : lowerToRounds(b, x, *plan, axes, type, b.getZeroAttr(type.getElementType())));
  return success();
}

void dmc::populatePermuteForm(LocalForms &forms) {
  forms.insert<PermuteOp, lowerTransfers<PermuteOp>>();
  forms.insert<RedistributeOp, lowerTransfers<RedistributeOp>>();
}
