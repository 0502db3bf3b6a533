//===- NormalizeTensorOps.cpp - Tensor operations in forms of level 0 -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements made by a body become linalg.generic, run-time positions the dmc
// operations.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"
#include "Normalize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dmc;

static Value createEmpty(RewriterBase &b, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
}

static Value createFill(RewriterBase &b, Location loc, Value scalar, RankedTensorType type) {
  return linalg::FillOp::create(b, loc, scalar, createEmpty(b, loc, type)).getResult(0);
}

static LogicalResult normalizeSplat(RewriterBase &b, Operation *op) {
  auto splat = cast<tensor::SplatOp>(op);
  b.replaceOp(op, createFill(b, op->getLoc(), splat.getInput(), splat.getType()));
  return success();
}

static LogicalResult normalizeGenerate(RewriterBase &b, Operation *op) {
  auto generate = cast<tensor::GenerateOp>(op);
  auto type = cast<RankedTensorType>(generate.getType());
  Location loc = op->getLoc();
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(b, loc, type, ValueRange(), createEmpty(b, loc, type),
                                           b.getMultiDimIdentityMap(type.getRank()), iterators);
  Block *body = b.createBlock(&generic.getRegion(), {}, type.getElementType(), loc);
  SmallVector<Value> indices;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    indices.push_back(linalg::IndexOp::create(b, loc, dim));
  Operation *end = generate.getBody().front().getTerminator();
  b.inlineBlockBefore(&generate.getBody().front(), body, body->end(), indices);
  b.setInsertionPoint(end);
  b.replaceOpWithNewOp<linalg::YieldOp>(end, end->getOperand(0));
  b.replaceOp(op, generic);
  return success();
}

/// The tensor with one element replaced: a choice by the position.
static LogicalResult normalizeInsert(RewriterBase &b, Operation *op) {
  auto insert = cast<tensor::InsertOp>(op);
  RankedTensorType type = insert.getType();
  Location loc = op->getLoc();
  auto body = [&](OpBuilder &nested, Location loc, ValueRange elements) {
    Value isHere = arith::ConstantIntOp::create(nested, loc, 1, 1);
    for (auto [dim, index] : llvm::enumerate(insert.getIndices())) {
      Value position = linalg::IndexOp::create(nested, loc, dim);
      Value same = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::eq, position, index);
      isHere = arith::AndIOp::create(nested, loc, isHere, same);
    }
    Value element =
        arith::SelectOp::create(nested, loc, isHere, insert.getScalar(), elements.front());
    linalg::YieldOp::create(nested, loc, element);
  };
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto generic =
      linalg::GenericOp::create(b, loc, type, insert.getDest(), createEmpty(b, loc, type),
                                ArrayRef<AffineMap>{identity, identity}, iterators, body);
  b.replaceOp(op, generic);
  return success();
}

static LogicalResult normalizeReshape(RewriterBase &b, Operation *op) {
  auto reshape = cast<tensor::ReshapeOp>(op);
  auto type = dyn_cast<RankedTensorType>(reshape.getType());
  auto from = dyn_cast<RankedTensorType>(reshape.getSource().getType());
  if (!type || !from || !type.hasStaticShape() || !from.hasStaticShape())
    return success();                                              // refused by its type
  Converter converter(op->getContext(), /*narrowPartials=*/false); // makes no dots
  converter.b.setInsertionPoint(op);
  b.replaceOp(op, converter.reshape(op->getLoc(), reshape.getSource(), type.getShape()));
  return success();
}

static LogicalResult normalizePad(RewriterBase &b, Operation *op) {
  auto pad = cast<tensor::PadOp>(op);
  RankedTensorType type = pad.getResultType();
  if (!type.hasStaticShape() || !pad.getSourceType().hasStaticShape())
    return success();
  pad.setNofold(false);
  Location loc = op->getLoc();
  Value padding = pad.getConstantPaddingValue();
  Attribute constant;
  if (padding && matchPattern(padding, m_Constant(&constant))) {
    SmallVector<OpFoldResult> low = pad.getMixedLowPad(), high = pad.getMixedHighPad();
    if (pad.getLow().empty() && pad.getHigh().empty())
      return success();
    // Amounts that are constants, but operands.
    (void)foldDynamicIndexList(low);
    (void)foldDynamicIndexList(high);
    auto isConstant = [](OpFoldResult amount) { return isa<Attribute>(amount); };
    if (llvm::all_of(low, isConstant) && llvm::all_of(high, isConstant)) {
      Value scalar = arith::ConstantOp::create(b, loc, cast<TypedAttr>(constant));
      b.replaceOpWithNewOp<tensor::PadOp>(op, type, pad.getSource(), low, high, scalar);
      return success();
    }
  }
  Value whole;
  if (padding) {
    whole = createFill(b, loc, padding, type);
  } else {
    auto generate = tensor::GenerateOp::create(b, loc, type, ValueRange());
    b.inlineRegionBefore(pad.getRegion(), generate.getBody(), generate.getBody().end());
    b.setInsertionPoint(generate);
    whole = generate;
  }
  b.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes, strides;
  for (int64_t size : pad.getSourceType().getShape()) {
    sizes.push_back(b.getIndexAttr(size));
    strides.push_back(b.getIndexAttr(1));
  }
  Value padded = tensor::InsertSliceOp::create(b, loc, pad.getSource(), whole, pad.getMixedLowPad(),
                                               sizes, strides);
  b.replaceOp(op, padded);
  if (auto generate = whole.getDefiningOp<tensor::GenerateOp>()) {
    b.setInsertionPoint(generate);
    return normalizeGenerate(b, generate);
  }
  return success();
}

/// Positions as integers that the dmc operations take.
static Value toIntegers(RewriterBase &b, Location loc, Value indices) {
  auto type = cast<RankedTensorType>(indices.getType());
  if (!type.getElementType().isIndex())
    return indices;
  return arith::IndexCastOp::create(b, loc, type.clone(b.getI64Type()), indices);
}

/// Positions 0, 1, ... of the result's dimensions behind the batch.
static SmallVector<int64_t> getWindowDims(int64_t batch, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(batch, rank));
}

static LogicalResult normalizeGather(RewriterBase &b, Operation *op) {
  auto gather = cast<tensor::GatherOp>(op);
  RankedTensorType type = gather.getResultType(), source = gather.getSourceType();
  Location loc = op->getLoc();
  SmallVector<int64_t> sizes(source.getShape());
  for (int64_t dim : gather.getGatherDims())
    sizes[dim] = 1;
  int64_t batch = gather.getIndicesType().getRank() - 1;
  bool isReduced = type.getRank() != batch + source.getRank();
  ArrayRef<int64_t> collapsed = isReduced ? gather.getGatherDims() : ArrayRef<int64_t>();
  b.replaceOpWithNewOp<GatherOp>(
      op, type, gather.getSource(), toIntegers(b, loc, gather.getIndices()),
      createEmpty(b, loc, type), getWindowDims(batch, type.getRank()), collapsed,
      ArrayRef<int64_t>(), ArrayRef<int64_t>(), gather.getGatherDims(), batch, sizes,
      /*indices_are_unsigned=*/false);
  return success();
}

/// Each position of the indices has a slice of its own.
static LogicalResult normalizeScatter(RewriterBase &b, Operation *op) {
  auto scatter = cast<tensor::ScatterOp>(op);
  RankedTensorType type = scatter.getDestType(), source = scatter.getSourceType();
  Location loc = op->getLoc();
  int64_t batch = scatter.getIndicesType().getRank() - 1;
  bool isReduced = source.getRank() != batch + type.getRank();
  ArrayRef<int64_t> dropped = isReduced ? scatter.getScatterDims() : ArrayRef<int64_t>();
  Value indices = toIntegers(b, loc, scatter.getIndices());
  OperationState state(loc, ScatterOp::getOperationName());
  state.addOperands({indices, scatter.getSource(), scatter.getDest()});
  state.addTypes(type);
  state.addAttribute("update_window_dims",
                     b.getDenseI64ArrayAttr(getWindowDims(batch, source.getRank())));
  state.addAttribute("inserted_window_dims", b.getDenseI64ArrayAttr(dropped));
  state.addAttribute("scatter_dims_to_operand_dims",
                     b.getDenseI64ArrayAttr(scatter.getScatterDims()));
  state.addAttribute("index_vector_dim", b.getI64IntegerAttr(batch));
  Type element = type.getElementType();
  Block *body = b.createBlock(state.addRegion(), {}, {element, element}, {loc, loc});
  YieldOp::create(b, loc, body->getArgument(1));
  b.setInsertionPoint(op);
  b.replaceOp(op, b.create(state));
  return success();
}

/// Of one width: the same bits in another type.
static LogicalResult normalizeBitcast(RewriterBase &b, Operation *op) {
  b.replaceOpWithNewOp<arith::BitcastOp>(op, op->getResult(0).getType(), op->getOperand(0));
  return success();
}

/// What is read of an empty tensor may be anything, but must be something.
static LogicalResult defineEmpty(RewriterBase &b, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : op->getUses()) {
    auto structured = dyn_cast<linalg::LinalgOp>(use.getOwner());
    bool isDestination =
        structured
            ? structured.isDpsInit(&use) && !structured.payloadUsesValueFromOperand(&use)
            : isa<GatherOp, DynamicSliceOp, linalg::SoftmaxOp, linalg::PackOp, linalg::UnPackOp>(
                  use.getOwner());
    // A fill of a fill, and other dialects' destinations, are their own affair.
    if (!isDestination && use.getOwner()->getName().getDialectNamespace() != "dmc")
      reads.push_back(&use);
  }
  if (reads.empty() || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return success();
  b.setInsertionPointAfter(op);
  Value zero = arith::ConstantOp::create(b, op->getLoc(), b.getZeroAttr(type.getElementType()));
  Value filled = createFill(b, op->getLoc(), zero, type);
  for (OpOperand *use : reads)
    use->set(filled);
  return success();
}

LogicalResult dmc::readResource(Operation *op) {
  auto resource = op->getAttrOfType<DenseResourceElementsAttr>("value");
  if (!resource)
    return success();
  auto type = cast<RankedTensorType>(resource.getType());
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return op->emitError() << "unsupported: '" << op->getName() << "' of the resource '"
                           << resource.getRawHandle().getKey()
                           << "', which the file does not have; expected its elements";
  DenseElementsAttr value;
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bits;
    for (char byte : blob->getData())
      bits.push_back(byte != 0);
    if (static_cast<int64_t>(bits.size()) == type.getNumElements())
      value = DenseElementsAttr::get(type, bits);
  } else if (bool isSplat = false;
             DenseElementsAttr::isValidRawBuffer(type, blob->getData(), isSplat)) {
    value = DenseElementsAttr::getFromRawBuffer(type, blob->getData());
  }
  if (!value)
    return op->emitError() << "expected the resource '" << resource.getRawHandle().getKey()
                           << "' to hold the elements of " << type << ", found "
                           << blob->getData().size() << " bytes";
  op->setAttr("value", value);
  return success();
}

static LogicalResult foldDim(RewriterBase &b, Operation *op) {
  SmallVector<OpFoldResult> results;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    Attribute attribute;
    operands.push_back(matchPattern(operand, m_Constant(&attribute)) ? attribute : Attribute());
  }
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return success();
  Value value = dyn_cast<Value>(results.front());
  if (!value)
    value = arith::ConstantOp::create(b, op->getLoc(),
                                      cast<TypedAttr>(cast<Attribute>(results.front())));
  b.replaceOp(op, value);
  return success();
}

void dmc::registerTensorNormalizations(Normalizations &table) {
  auto read = [](RewriterBase &, Operation *op) { return readResource(op); };
  table["arith.constant"] = read;
  table["stablehlo.constant"] = read;
  table["tensor.bitcast"] = normalizeBitcast;
  table["tensor.dim"] = foldDim;
  table["tensor.empty"] = defineEmpty;
  table["tensor.gather"] = normalizeGather;
  table["tensor.generate"] = normalizeGenerate;
  table["tensor.insert"] = normalizeInsert;
  table["tensor.pad"] = normalizePad;
  table["tensor.rank"] = foldDim;
  table["tensor.reshape"] = normalizeReshape;
  table["tensor.scatter"] = normalizeScatter;
  table["tensor.splat"] = normalizeSplat;
}
