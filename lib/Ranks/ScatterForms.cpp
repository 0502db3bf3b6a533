//===- ScatterForms.cpp - Local forms of scatter, sort and kernels ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of split rows each rank keeps what falls into its block, since updates outside
// are dropped; updates in padding are sent outside.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"
#include "IndexVectors.h"
#include "dmc/Dialect/DMC/CustomCall.h"

using namespace mlir;
using namespace dmc;

namespace {
/// Split rows of the operand and the size of the windows that are written there.
struct UpdatedRows : SplitRows {
  int64_t dim, window;
};
/// How index components change: less an offset, outside in padding and where the rank does
/// not have what is updated.
struct Change {
  SmallVector<std::pair<int64_t, Value>> offsets;
  SmallVector<ValidPart> valid;
  Value isHere;         // null: everywhere
  int64_t outside = -1; // a start from which no window reaches the operand
};
} // namespace

/// The rows that are split, and the split dimensions that stay whole.
static FailureOr<SmallVector<UpdatedRows>> getSplitRows(ScatterOp op) {
  SmallVector<UpdatedRows> rows;
  RankedTensorType operand = op.getTargetType(), updates = op.getUpdateType();
  Value target = op.getTargets().front(), update = op.getUpdates().front();
  unsigned nextWindow = 0;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    bool isBatching = llvm::is_contained(op.getInputBatchingDims(), dim);
    bool isWindow = !isBatching && !llvm::is_contained(op.getInsertedWindowDims(), dim);
    int64_t updateDim = isWindow ? op.getUpdateWindowDims()[nextWindow++] : -1;
    AxesAttr axes = axesOf(target, dim);
    if (isBatching || axes.empty())
      continue;
    ArrayRef<int64_t> addressed = op.getScatterDimsToOperandDims();
    const auto *component = llvm::find(addressed, dim);
    bool isAddressed = component != addressed.end();
    bool isSplitAlike = isWindow && axesOf(update, updateDim) == axes;
    if (isSplitAlike && !isAddressed && updates.getDimSize(updateDim) == operand.getDimSize(dim))
      continue;
    // An inserted dimension without an index is updated at 0: by the rank that has it.
    if (!isAddressed && !isWindow && !addressed.empty()) {
      rows.push_back({{std::nullopt, operand.getDimSize(dim), axes}, dim, 1});
      continue;
    }
    if (!isAddressed || isSplitAlike)
      return unsupported(op, dim, axes) << " and windows of it are updated";
    int64_t window = isWindow ? updates.getDimSize(updateDim) : 1;
    rows.push_back({{component - addressed.begin(), operand.getDimSize(dim), axes}, dim, window});
  }
  return rows;
}

static Value localIndices(ScatterOp op, const Change &change, IntegerType type, RankBuilder &b) {
  return mapIndices(
      b, b.getLocal(op.getIndices()), op.getIndexVectorDim(), type,
      [&](OpBuilder &nested, Location loc, Value component, Value start) {
        Value result = start;
        if (start.getType() != type) {
          if (op.getIndicesAreUnsigned())
            result = arith::ExtUIOp::create(nested, loc, type, start);
          else
            result = arith::ExtSIOp::create(nested, loc, type, start);
        }
        for (auto [number, offset] : change.offsets) {
          Value shift = arith::IndexCastOp::create(nested, loc, type, offset);
          Value moved = arith::SubIOp::create(nested, loc, result, shift);
          if (component) {
            Value wanted = arith::ConstantIndexOp::create(nested, loc, number);
            Value isIt =
                arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::eq, component, wanted);
            moved = arith::SelectOp::create(nested, loc, isIt, moved, result);
          }
          result = moved;
        }
        Value isValid = conjoin(nested, loc, isWithin(nested, loc, change.valid), change.isHere);
        if (isValid) {
          Value outside =
              arith::ConstantOp::create(nested, loc, nested.getIntegerAttr(type, change.outside));
          result = arith::SelectOp::create(nested, loc, isValid, result, outside);
        }
        return result;
      });
}

static LogicalResult lowerScatter(ScatterOp op, RankBuilder &b) {
  FailureOr<SmallVector<UpdatedRows>> rows = getSplitRows(op);
  if (failed(rows))
    return failure();
  Change change;
  for (const UpdatedRows &entry : *rows) {
    Value offset = b.getBlockOffset(entry.size, entry.axes);
    if (entry.component)
      change.offsets.push_back({*entry.component, offset});
    else
      change.isHere = conjoin(b, b.getLoc(), change.isHere,
                              arith::CmpIOp::create(b, b.getLoc(), arith::CmpIPredicate::eq, offset,
                                                    b.getConstantIndex(0)));
  }
  RankedTensorType indices = tensorType(op.getIndices());
  for (int64_t dim = 0; dim < indices.getRank(); ++dim) {
    AxesAttr axes = axesOf(op.getIndices(), dim);
    if (b.isEven(indices.getDimSize(dim), axes) ||
        llvm::is_contained(op.getScatterIndicesBatchingDims(), dim))
      continue;
    change.valid.push_back({dim, b.getBlockValid(indices.getDimSize(dim), axes)});
  }
  for (int64_t dim : op.getUpdateWindowDims())
    change.outside = std::min(change.outside, -op.getUpdateType().getDimSize(dim));
  if (rows->empty() && change.valid.empty()) {
    b.cloneLocal(op);
    return success();
  }

  // Wide enough that no difference wraps into the block, and signed for what is outside.
  unsigned width = cast<IntegerType>(indices.getElementType()).getWidth();
  bool isWide = width > 32 || (width == 32 && op.getIndicesAreUnsigned());
  SmallVector<Value> operands = b.getLocal(op->getOperands());
  operands[0] = localIndices(op, change, b.getIntegerType(isWide ? 64 : 32), b);
  // A window may be larger than the block: what falls beyond is cut off again.
  unsigned firstTarget = 1 + op.getUpdates().size();
  auto targets = MutableArrayRef<Value>(operands).drop_front(firstTarget);
  for (const UpdatedRows &entry : *rows)
    for (Value &target : targets)
      target = padTo(b, target, entry.dim,
                     std::max(entry.window, tensorType(target).getDimSize(entry.dim)));
  auto local = cast<ScatterOp>(b.cloneLocal(op, operands));
  for (auto [global, copy, target] :
       llvm::zip_equal(op.getResults(), local.getResults(), targets)) {
    copy.setType(tensorType(target));
    Value result = copy;
    for (const UpdatedRows &entry : *rows)
      result = cutTo(b, result, entry.dim, b.getBlockSizes(entry.size, entry.axes).back());
    b.setLocal(global, result);
  }
  local.setIndicesAreUnsigned(false);
  // Several updates now fall outside alike.
  local.setUniqueIndices(false);
  return success();
}

/// Lines are sorted whole, wherever they are: only other dimensions are split.
static LogicalResult lowerSort(SortOp op, RankBuilder &b) {
  for (Value value : op->getOperands())
    if (AxesAttr axes = axesOf(value, op.getDimension()); !axes.empty())
      return unsupported(op, op.getDimension(), axes) << " and sorted along";
  b.cloneLocal(op);
  return success();
}

/// Each rank calls the kernel on its blocks, which are of one size.
static LogicalResult lowerCustomCall(CustomCallOp op, RankBuilder &b) {
  for (ValueRange values : {ValueRange(op.getInputs()), ValueRange(op.getResults())})
    for (Value value : values)
      for (auto [dim, size] : llvm::enumerate(tensorType(value).getShape()))
        if (AxesAttr axes = axesOf(value, dim); !b.isEven(size, axes))
          return unsupported(op, dim, axes)
                 << " into blocks of different sizes, and the kernel sees no padding";
  cast<CustomCallOp>(b.cloneLocal(op)).removeRuleAttr();
  return success();
}

void dmc::populateScatterForms(LocalForms &forms) {
  forms.insert<CustomCallOp, lowerCustomCall>();
  forms.insert<ScatterOp, lowerScatter>();
  forms.insert<SortOp, lowerSort>();
}
