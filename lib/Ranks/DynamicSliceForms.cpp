//===- DynamicSliceForms.cpp - Local forms of slices at run-time starts ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole split dimensions are local. An update of split rows writes the part of the
// update that falls into the rank's block.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"
#include "IndexVectors.h"

using namespace mlir;
using namespace dmc;

static LogicalResult lowerDynamicSlice(DynamicSliceOp op, RankBuilder &b) {
  RankedTensorType operand = tensorType(op.getOperand()), result = tensorType(op.getResult());
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    AxesAttr axes = axesOf(op.getOperand(), dim);
    if (!axes.empty() && operand.getDimSize(dim) != result.getDimSize(dim))
      return unsupported(op, dim, axes) << " and is sliced";
  }
  b.cloneLocal(op);
  return success();
}

namespace {
/// A dimension whose rows are split while the update is whole. In a window of
/// `window` rows of the block, row j is row j + shift of the update.
struct UpdatedRows {
  int64_t dim, size, block, update, window;
  Value offset;
};
} // namespace

/// The start within the global dimension.
static Value clampStart(OpBuilder &b, Location loc, Value start, bool isUnsigned,
                        const UpdatedRows &rows) {
  Value index = toIndex(b, loc, start, isUnsigned);
  Value last = arith::ConstantIndexOp::create(b, loc, rows.size - rows.update);
  if (isUnsigned)
    return arith::MinUIOp::create(b, loc, index, last);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value positive = arith::MaxSIOp::create(b, loc, index, zero);
  return arith::MinSIOp::create(b, loc, positive, last);
}

/// The start of the window in the block, from a global start.
static Value windowStart(OpBuilder &b, Location loc, Value start, bool isUnsigned,
                         const UpdatedRows &rows) {
  Value relative =
      arith::SubIOp::create(b, loc, clampStart(b, loc, start, isUnsigned, rows), rows.offset);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value last = arith::ConstantIndexOp::create(b, loc, rows.block - rows.window);
  Value positive = arith::MaxSIOp::create(b, loc, relative, zero);
  return arith::MinSIOp::create(b, loc, positive, last);
}

/// The row of the update that belongs at row j of the window.
static Value updateRow(OpBuilder &b, Location loc, Value start, Value j, bool isUnsigned,
                       const UpdatedRows &rows) {
  Value window = windowStart(b, loc, start, isUnsigned, rows);
  Value global = arith::AddIOp::create(b, loc, window, rows.offset);
  Value row = arith::AddIOp::create(b, loc, global, j);
  return arith::SubIOp::create(b, loc, row, clampStart(b, loc, start, isUnsigned, rows));
}

/// The update's rows that belong into the window; any rows where none does.
static Value alignUpdate(DynamicUpdateSliceOp op, Value update, const UpdatedRows &rows,
                         RankBuilder &b) {
  Value start = b.getLocal(op.getStarts()[rows.dim]);
  auto indexType = RankedTensorType::get({rows.window}, b.getI32Type());
  Value empty = createEmpty(b, indexType);
  SmallVector<AffineMap> maps{AffineMap::get(1, 0, b.getContext()), b.getMultiDimIdentityMap(1)};
  Value indices =
      linalg::GenericOp::create(
          b, TypeRange{indexType}, ValueRange{start}, ValueRange{empty}, maps,
          ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
          [&](OpBuilder &nested, Location loc, ValueRange args) {
            Value j = linalg::IndexOp::create(nested, loc, 0);
            Value row = updateRow(nested, loc, args[0], j, op.getStartsAreUnsigned(), rows);
            Value cast = arith::IndexCastOp::create(nested, loc, nested.getI32Type(), row);
            linalg::YieldOp::create(nested, loc, cast);
          })
          .getResult(0);
  RankedTensorType type = tensorType(update);
  RankedTensorType result = withSize(type, rows.dim, rows.window);
  SmallVector<int64_t> offsetDims, slices(type.getShape());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != rows.dim)
      offsetDims.push_back(dim);
  slices[rows.dim] = 1;
  Value init = createEmpty(b, result);
  return GatherOp::create(b, result, update, indices, init,
                          /*offset_dims=*/offsetDims, /*collapsed_slice_dims=*/{rows.dim},
                          /*operand_batching_dims=*/{}, /*start_indices_batching_dims=*/{},
                          /*start_index_map=*/{rows.dim}, /*index_vector_dim=*/1, slices,
                          /*indices_are_unsigned=*/false);
}

/// The window with the rows of the update that fall into it.
static Value mergeUpdate(DynamicUpdateSliceOp op, Value window, Value update,
                         ArrayRef<UpdatedRows> rows, RankBuilder &b) {
  RankedTensorType type = tensorType(window);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<Value> inputs{window, update};
  SmallVector<AffineMap> maps{identity, identity};
  for (const UpdatedRows &entry : rows) {
    inputs.push_back(b.getLocal(op.getStarts()[entry.dim]));
    maps.push_back(AffineMap::get(type.getRank(), 0, b.getContext()));
  }
  maps.push_back(identity);
  Value empty = createEmpty(b, type);
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, TypeRange{type}, inputs, ValueRange{empty}, maps, loops,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               Value isUpdated;
               for (auto [i, entry] : llvm::enumerate(rows)) {
                 Value j = linalg::IndexOp::create(nested, loc, entry.dim);
                 Value row =
                     updateRow(nested, loc, args[2 + i], j, op.getStartsAreUnsigned(), entry);
                 Value count = arith::ConstantIndexOp::create(nested, loc, entry.update);
                 isUpdated = conjoin(
                     nested, loc, isUpdated,
                     arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ult, row, count));
               }
               Value merged = arith::SelectOp::create(nested, loc, isUpdated, args[1], args[0]);
               linalg::YieldOp::create(nested, loc, merged);
             })
      .getResult(0);
}

static LogicalResult lowerDynamicUpdateSlice(DynamicUpdateSliceOp op, RankBuilder &b) {
  RankedTensorType operand = tensorType(op.getOperand()), update = tensorType(op.getUpdate());
  RankedTensorType windowType = RankBuilder::getLocalType(update);
  SmallVector<UpdatedRows> rows;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    AxesAttr axes = axesOf(op.getOperand(), dim), own = axesOf(op.getUpdate(), dim);
    if (axes == own && (axes.empty() || operand.getDimSize(dim) == update.getDimSize(dim)))
      continue;
    if (!own.empty())
      return unsupported(op, dim, own) << " in the update, which the operand's dimension is not";
    int64_t size = operand.getDimSize(dim), block = b.getBlockSizes(size, axes).back();
    int64_t count = update.getDimSize(dim), window = std::min(block, count);
    rows.push_back({dim, size, block, count, window, b.getBlockOffset(size, axes)});
    windowType = withSize(windowType, dim, window);
  }
  if (rows.empty()) {
    b.cloneLocal(op);
    return success();
  }

  Value local = b.getLocal(op.getOperand()), updated = b.getLocal(op.getUpdate());
  SmallVector<Value> starts = b.getLocal(op.getStarts());
  for (const UpdatedRows &entry : rows) {
    Value start = starts[entry.dim], empty = createEmpty(b, tensorType(start));
    starts[entry.dim] =
        linalg::MapOp::create(
            b, ValueRange{start}, empty,
            [&](OpBuilder &nested, Location loc, ValueRange args) {
              Value position = windowStart(nested, loc, args[0], op.getStartsAreUnsigned(), entry);
              Value cast = arith::IndexCastOp::create(nested, loc, args[0].getType(), position);
              linalg::YieldOp::create(nested, loc, cast);
            })
            ->getResult(0);
    // A single row is in the window or not: nothing to align.
    if (entry.update > 1)
      updated = alignUpdate(op, updated, entry, b);
  }
  Value init = createEmpty(b, windowType);
  Value window =
      DynamicSliceOp::create(b, windowType, local, starts, init, op.getStartsAreUnsigned());
  Value merged = mergeUpdate(op, window, updated, rows, b);
  b.setLocal(op.getResult(), DynamicUpdateSliceOp::create(b, local.getType(), merged, starts, local,
                                                          op.getStartsAreUnsigned()));
  return success();
}

void dmc::populateDynamicSliceForms(LocalForms &forms) {
  forms.insert<DynamicSliceOp, lowerDynamicSlice>();
  forms.insert<DynamicUpdateSliceOp, lowerDynamicUpdateSlice>();
}
