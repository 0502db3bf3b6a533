//===- HaloForm.cpp - Windows to transfers --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where windows lie alike around all blocks, pieces of neighbours' blocks are joined;
// else boxes are put where they belong, as of a redistribution.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"
#include "Transfers.h"

#include "dmc/Layout/Halo.h"
#include "dmc/Ranks/LocalTensors.h"

using namespace mlir;
using namespace dmc;

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

namespace {
/// Where all windows lie alike around their position's block: what of the blocks around it
/// they take, and whether parts of windows are padding.
struct Aligned {
  struct Piece {
    int64_t shift, begin, end;
    SmallVector<int64_t> pairs;
  };
  SmallVector<Piece> pieces;
  /// From a block's beginning to that of its window.
  int64_t offset = 0;
  bool isMasked = false;
};
} // namespace

static std::optional<Aligned> align(const Windows &windows, const std::vector<int64_t> &parts,
                                    const HaloPlan &plan) {
  if (parts.empty() || windows.size == 0 || !cutsUniformly(windows.size, parts))
    return std::nullopt;
  int64_t block = localSize(windows.size, parts);
  if (windows.step != block * windows.dilation)
    return std::nullopt;
  Aligned result;
  result.offset = windows.firstElement(0);
  int64_t begin = result.offset, rest = windows.length - windows.phase(0);
  int64_t end = begin + (rest + windows.dilation - 1) / windows.dilation;
  if (rest < 1)
    return std::nullopt;
  auto floorDiv = [](int64_t a, int64_t b) { return a / b - (a % b < 0); };
  for (int64_t shift = floorDiv(begin, block); shift * block < end; ++shift) {
    Aligned::Piece piece{shift,
                         std::max<int64_t>(0, begin - shift * block),
                         std::min(block, end - shift * block),
                         {}};
    for (int64_t target = 0; target < windows.count; ++target) {
      int64_t source = target + shift;
      if (source >= 0 && source < windows.count && source * block + piece.begin < windows.size)
        piece.pairs.append({source, target});
    }
    result.pieces.push_back(std::move(piece));
  }
  // On a ring of few positions, one round may serve neighbours on both sides.
  int64_t sent = 0;
  for (const Aligned::Piece &piece : result.pieces)
    if (piece.shift != 0 && !piece.pairs.empty())
      sent += piece.end - piece.begin;
  if (sent > plan.elements())
    return std::nullopt;
  result.isMasked = begin < 0 || (windows.count - 1) * block + end > windows.size;
  return result;
}

/// Pieces of neighbours' blocks one after the other, padding beyond the dimension.
static Value joinPieces(RankBuilder &b, Value x, int64_t dim, const Windows &windows,
                        const Aligned &aligned, AxesAttr axes, TypedAttr padding) {
  RankedTensorType type = tensorType(x);
  SmallVector<Value> pieces;
  for (const Aligned::Piece &piece : aligned.pieces) {
    RankedTensorType cut = withSize(type, dim, piece.end - piece.begin);
    if (piece.pairs.empty()) {
      pieces.push_back(createFill(b, cut, padding));
      continue;
    }
    Value value = x;
    if (cut != type) {
      SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
      SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
      offsets[dim] = b.getIndexAttr(piece.begin);
      value = tensor::ExtractSliceOp::create(
          b, cut, x, offsets, getAsIndexOpFoldResult(b.getContext(), cut.getShape()), strides);
    }
    pieces.push_back(piece.shift == 0 ? value : send(b, value, piece.pairs, axes));
  }
  Value joined = pieces.size() == 1 ? pieces.front()
                                    : Value(tensor::ConcatOp::create(b, dim, pieces).getResult());
  if (!aligned.isMasked)
    return joined;
  // The element's place in the dimension.
  Value size = b.getConstantIndex(localSize(windows.size, {windows.count}));
  Value start = arith::MulIOp::create(b, b.getAxisIndex(axes), size);
  Value first = arith::AddIOp::create(b, start, b.getConstantIndex(aligned.offset));
  Value zero = b.getConstantIndex(0), end = b.getConstantIndex(windows.size);
  Value otherwise = b.getConstant(padding);
  RankedTensorType joinedType = tensorType(joined);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, TypeRange{joinedType}, ValueRange{joined}, ValueRange{createEmpty(b, joinedType)},
             ArrayRef<AffineMap>{identity, identity}, loops,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               Value place = arith::AddIOp::create(nested, loc, first,
                                                   linalg::IndexOp::create(nested, loc, dim));
               Value isAfter =
                   arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::sge, place, zero);
               Value isBefore =
                   arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::slt, place, end);
               Value kept = arith::SelectOp::create(
                   nested, loc, conjoin(nested, loc, isAfter, isBefore), args[0], otherwise);
               linalg::YieldOp::create(nested, loc, kept);
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
  HaloPlan halo = planHalo(windows, {parts.begin(), parts.end()});
  if (auto aligned = align(windows, {parts.begin(), parts.end()}, halo)) {
    x = joinPieces(b, x, dim, windows, *aligned, axes, op.getPadding());
  } else {
    Redistribution plan = extend(halo, dim, type.getShape());
    plan.axes = LayoutAttr::get(b.getMesh(), {axes}).toLayout().dims.front();
    x = lowerToRounds(b, x, plan, axes, withSize(type, dim, windows.maxElements()),
                      op.getPadding());
  }
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

void dmc::populateHaloForm(LocalForms &forms) { forms.insert<HaloOp, lowerHalo>(); }
