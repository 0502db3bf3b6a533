//===- TensorForms.cpp - Local forms of reshapes and slices ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshapes whose block tables coincide, and slices, pads and concatenations that
// leave split dimensions whole.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"

#include "dmc/Layout/Halo.h"
#include "dmc/Ranks/LocalTensors.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Checks that a merged dimension is cut as its parts are: the parts' axes in order,
/// parts before a split one cut down to single elements, and equal blocks.
static LogicalResult checkReshape(Operation *op, Value merged, Value parts,
                                  ArrayRef<ReassociationIndices> groups, RankBuilder &b) {
  RankedTensorType whole = tensorType(merged), split = tensorType(parts);
  Layout wholeLayout = layoutOf(merged).toLayout(), splitLayout = layoutOf(parts).toLayout();
  for (auto [dim, group] : llvm::enumerate(groups)) {
    AxesAttr axes = axesOf(merged, dim);
    const std::vector<AxisRef> &ofWhole = wholeLayout.dims[dim];
    std::vector<AxisRef> ofParts;
    // Local elements per step of the part, and whether earlier parts are single.
    int64_t local = 1, inner = 1;
    bool isSingle = true, isKept = true;
    for (int64_t part : group)
      inner *= split.getDimSize(part);
    for (int64_t part : group) {
      int64_t size = split.getDimSize(part);
      AxesAttr own = axesOf(parts, part);
      inner = size ? inner / size : 0;
      SmallVector<int64_t> sizes = b.getAxisSizes(own);
      if (!own.empty()) {
        isKept &= isSingle && mergeKeepsSplit(size, inner, {sizes.begin(), sizes.end()});
        size = b.getBlockSizes(size, own).back();
      }
      isSingle &= size == 1;
      local *= size;
      llvm::append_range(ofParts, splitLayout.dims[part]);
    }
    int64_t wanted =
        axes.empty() ? whole.getDimSize(dim) : b.getBlockSizes(whole.getDimSize(dim), axes).back();
    // A part of an axis on each of two parts is the axis where nothing is left over.
    bool isSame = ofParts == ofWhole || (mergeParts(ofParts) == mergeParts(ofWhole) &&
                                         whole.getDimSize(dim) % groupSize(ofWhole) == 0);
    if (!isSame)
      return op->emitOpError("is unsupported: expected the axes that split dimension ")
             << dim << " of the merged side on its parts, found " << split << " and " << whole;
    if (!isKept || local != wanted)
      return op->emitOpError("is unsupported: the blocks of merged dimension ")
             << dim << " are not those of its parts, " << split << " and " << whole;
  }
  return success();
}

static LogicalResult lowerExpand(tensor::ExpandShapeOp op, RankBuilder &b) {
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  if (failed(checkReshape(op, op.getSrc(), op.getResult(), groups, b)))
    return failure();
  b.setLocal(op.getResult(),
             tensor::ExpandShapeOp::create(b, RankBuilder::getLocalType(op.getResultType()),
                                           b.getLocal(op.getSrc()), groups));
  return success();
}

static LogicalResult lowerCollapse(tensor::CollapseShapeOp op, RankBuilder &b) {
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  if (failed(checkReshape(op, op.getResult(), op.getSrc(), groups, b)))
    return failure();
  b.setLocal(op.getResult(),
             tensor::CollapseShapeOp::create(b, RankBuilder::getLocalType(op.getResultType()),
                                             b.getLocal(op.getSrc()), groups));
  return success();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// True if a slice takes the first elements of a dimension and both are cut into blocks of one
/// size: each rank has its block already.
static bool isFirstOfBlocks(OffsetSizeAndStrideOpInterface op, Value sliced, int64_t dim,
                            AxesAttr axes, RankBuilder &b) {
  if (!isa<tensor::ExtractSliceOp>(op) || op.isDynamicOffset(dim) || op.isDynamicSize(dim) ||
      op.isDynamicStride(dim) || op.getStaticOffset(dim) != 0 || op.getStaticStride(dim) != 1)
    return false;
  SmallVector<int64_t> parts = b.getAxisSizes(axes);
  return cutsAlike(tensorType(sliced).getDimSize(dim), op.getStaticSize(dim),
                   {parts.begin(), parts.end()});
}

/// Sizes with those of split dimensions, which must be whole, made local. The stride
/// of a whole dimension of more than one element is 1.
static FailureOr<SmallVector<OpFoldResult>> localSizes(OffsetSizeAndStrideOpInterface op,
                                                       Value sliced, RankBuilder &b) {
  RankedTensorType type = tensorType(sliced);
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    AxesAttr axes = axesOf(sliced, dim);
    if (axes.empty())
      continue;
    if (isFirstOfBlocks(op, sliced, dim, axes, b)) {
      sizes[dim] = b.getIndexAttr(b.getBlockSizes(type.getDimSize(dim), axes).back());
      continue;
    }
    if (op.isDynamicOffset(dim) || op.isDynamicSize(dim) || op.isDynamicStride(dim) ||
        op.getStaticOffset(dim) != 0 || op.getStaticSize(dim) != type.getDimSize(dim))
      return unsupported(op, dim, axes) << " and is sliced";
    sizes[dim] = b.getIndexAttr(b.getBlockSizes(type.getDimSize(dim), axes).back());
  }
  for (OpFoldResult &size : sizes)
    if (auto value = dyn_cast<Value>(size))
      size = b.getLocal(value);
  return sizes;
}

static SmallVector<OpFoldResult> localScalars(ArrayRef<OpFoldResult> scalars, RankBuilder &b) {
  return llvm::map_to_vector(scalars, [&](OpFoldResult scalar) -> OpFoldResult {
    if (auto value = dyn_cast<Value>(scalar))
      return b.getLocal(value);
    return scalar;
  });
}

/// True if what is left of a slice on a rank takes all that the rank has.
static bool isWholeLocally(tensor::ExtractSliceOp op, RankedTensorType type,
                           RankedTensorType source) {
  auto isOne = [](int64_t stride) { return stride == 1; };
  auto isZero = [](int64_t offset) { return offset == 0; };
  return type == source && llvm::all_of(op.getStaticStrides(), isOne) &&
         llvm::all_of(op.getStaticOffsets(), isZero);
}

static LogicalResult lowerExtractSlice(tensor::ExtractSliceOp op, RankBuilder &b) {
  auto sizes = localSizes(op, op.getSource(), b);
  if (failed(sizes))
    return failure();
  RankedTensorType type = RankBuilder::getLocalType(op.getResultType());
  if (isWholeLocally(op, type, RankBuilder::getLocalType(op.getSourceType()))) {
    b.setLocal(op.getResult(), b.getLocal(op.getSource()));
    return success();
  }
  auto slice = tensor::ExtractSliceOp::create(b, type, b.getLocal(op.getSource()),
                                              localScalars(op.getMixedOffsets(), b), *sizes,
                                              localScalars(op.getMixedStrides(), b));
  b.setLocal(op.getResult(), slice);
  return success();
}

static LogicalResult lowerInsertSlice(tensor::InsertSliceOp op, RankBuilder &b) {
  auto sizes = localSizes(op, op.getDest(), b);
  if (failed(sizes))
    return failure();
  auto slice = tensor::InsertSliceOp::create(
      b, b.getLocal(op.getSource()), b.getLocal(op.getDest()),
      localScalars(op.getMixedOffsets(), b), *sizes, localScalars(op.getMixedStrides(), b));
  b.setLocal(op.getResult(), slice);
  return success();
}

static LogicalResult lowerPad(tensor::PadOp op, RankBuilder &b) {
  LayoutAttr layout = layoutOf(op.getResult());
  for (int64_t dim = 0; dim < op.getResultType().getRank(); ++dim) {
    AxesAttr axes = layout.getDims()[dim];
    bool isPadded = !isConstantIntValue(op.getMixedLowPad()[dim], 0) ||
                    !isConstantIntValue(op.getMixedHighPad()[dim], 0);
    if (!axes.empty() && isPadded)
      return unsupported(op, dim, axes) << " and is padded";
  }
  if (layout.isPartial()) {
    Attribute scalar;
    Value padding = op.getConstantPaddingValue();
    if (!padding || !matchPattern(padding, m_Constant(&scalar)) ||
        !isIdempotent(layout.getCombiner(), scalar))
      return op.emitOpError("expects a constant padding that combined with itself stays, since "
                            "its result is partial under ")
             << stringifyCombinerKind(layout.getCombiner());
  }
  b.cloneLocal(op);
  return success();
}

static LogicalResult lowerConcat(tensor::ConcatOp op, RankBuilder &b) {
  int64_t dim = op.getDim();
  if (AxesAttr axes = axesOf(op.getResult(), dim); !axes.empty())
    return unsupported(op, dim, axes) << " and is concatenated";
  b.cloneLocal(op);
  return success();
}

/// Between types that differ in nothing but how dynamic they are.
static LogicalResult lowerCast(tensor::CastOp op, RankBuilder &b) {
  if (op.getSource().getType() != op.getType())
    return op.emitOpError("is unsupported: expected equal types, found ")
           << op.getSource().getType() << " and " << op.getType();
  b.setLocal(op.getResult(), b.getLocal(op.getSource()));
  return success();
}

void dmc::populateTensorForms(LocalForms &forms) {
  forms.insert<tensor::CastOp, lowerCast>();
  forms.insert<tensor::CollapseShapeOp, lowerCollapse>();
  forms.insert<tensor::ConcatOp, lowerConcat>();
  forms.insert<tensor::ExpandShapeOp, lowerExpand>();
  forms.insert<tensor::ExtractSliceOp, lowerExtractSlice>();
  forms.insert<tensor::InsertSliceOp, lowerInsertSlice>();
  forms.insert<tensor::PadOp, lowerPad>();
}
