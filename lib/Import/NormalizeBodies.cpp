//===- NormalizeBodies.cpp - Bodies of linalg operations ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices become selects; tensors that a body reads become operands, gathered
// where the positions are computed: only operands have layouts.
//
//===----------------------------------------------------------------------===//
#include "Normalize.h"
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Makes an operation of a branch safe to compute where the branch is not taken.
static LogicalResult makeSafe(RewriterBase &rewriter, Operation *op, Value isTaken) {
  rewriter.setInsertionPoint(op);
  auto guard = [&](OpOperand &operand, int64_t otherwise) {
    Value value = operand.get();
    Value constant = arith::ConstantOp::create(rewriter, op->getLoc(),
                                               rewriter.getIntegerAttr(value.getType(), otherwise));
    operand.set(arith::SelectOp::create(rewriter, op->getLoc(), isTaken, value, constant));
  };
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp, arith::FloorDivSIOp>(op)) {
    guard(op->getOpOperand(1), 1);
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    for (OpOperand &index : extract.getIndicesMutable())
      guard(index, 0);
    return success();
  }
  if (op->getNumRegions() == 0 && isPure(op))
    return success();
  return op->emitError() << "unsupported: '" << op->getName()
                         << "' in a branch within the body of a linalg operation; expected "
                            "scalar operations without effects";
}

/// Computes both branches of a choice between scalars, and selects.
static LogicalResult flattenChoice(RewriterBase &rewriter, scf::IfOp choice) {
  Location loc = choice.getLoc();
  Value condition = choice.getCondition();
  if (choice.getNumResults() == 0 || choice.getElseRegion().empty()) {
    rewriter.eraseOp(choice);
    return success();
  }
  rewriter.setInsertionPoint(choice);
  Value isFalse = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  isFalse = arith::XOrIOp::create(rewriter, loc, condition, isFalse);
  SmallVector<Value> values[2];
  for (auto [i, region] : llvm::enumerate(choice->getRegions())) {
    Block &branch = region.front();
    for (Operation &op : llvm::make_early_inc_range(branch.without_terminator())) {
      rewriter.moveOpBefore(&op, choice);
      if (failed(makeSafe(rewriter, &op, i == 0 ? condition : isFalse)))
        return failure();
    }
    values[i] = SmallVector<Value>(branch.getTerminator()->getOperands());
  }
  rewriter.setInsertionPoint(choice);
  SmallVector<Value> selected;
  for (auto [then, otherwise] : llvm::zip_equal(values[0], values[1]))
    selected.push_back(arith::SelectOp::create(rewriter, loc, condition, then, otherwise));
  rewriter.replaceOp(choice, selected);
  return success();
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// The operations of the body that compute a value, in order; false if it depends
/// on an accumulator.
static bool collectSlice(Value value, linalg::GenericOp op, llvm::SetVector<Operation *> &slice) {
  Block *body = op.getBlock();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() != body || argument.getArgNumber() < op.getNumDpsInputs() ||
           op.getNumReductionLoops() == 0;
  Operation *producer = value.getDefiningOp();
  if (producer->getBlock() != body || slice.contains(producer))
    return true;
  for (Value operand : producer->getOperands())
    if (!collectSlice(operand, op, slice))
      return false;
  slice.insert(producer);
  return true;
}

namespace {
/// One read of a tensor from a body, on the way to be an operand.
class Read {
public:
  Read(RewriterBase &rewriter, linalg::GenericOp op, tensor::ExtractOp extract)
      : b(rewriter), op(op), extract(extract), loc(extract.getLoc()),
        sizes(op.getStaticLoopRanges()), isComputed(extract.getIndices().size(), false) {}

  /// The operand and its map.
  FailureOr<std::pair<Value, AffineMap>> makeOperand() {
    for (auto [dim, index] : llvm::enumerate(extract.getIndices()))
      isComputed[dim] = !getExpr(index);
    if (isComputed.none()) {
      SmallVector<AffineExpr> exprs;
      for (Value index : extract.getIndices())
        exprs.push_back(getExpr(index));
      return std::pair<Value, AffineMap>(extract.getTensor(),
                                         AffineMap::get(sizes.size(), 0, exprs, op.getContext()));
    }
    if (failed(findLoops()))
      return failure();
    return gather(makePositions());
  }

private:
  /// A loop or a constant; null for what is computed.
  AffineExpr getExpr(Value index) {
    IntegerAttr constant;
    if (matchPattern(index, m_Constant(&constant)))
      return b.getAffineConstantExpr(constant.getInt());
    if (auto loop = index.getDefiningOp<linalg::IndexOp>();
        loop && loop->getBlock() == op.getBlock())
      return b.getAffineDimExpr(loop.getDim());
    return {};
  }

  /// Finds what computes the positions, and the loops that they depend on.
  LogicalResult findLoops() {
    llvm::SmallBitVector found(sizes.size());
    auto addOperand = [&](Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getOwner() != op.getBlock())
        return;
      AffineMap map = op.getIndexingMapsArray()[argument.getArgNumber()];
      for (unsigned loop = 0; loop < sizes.size(); ++loop)
        if (map.isFunctionOfDim(loop))
          found.set(loop);
      operands.insert(argument.getArgNumber());
    };
    for (unsigned dim : isComputed.set_bits()) {
      Value index = extract.getIndices()[dim];
      if (!collectSlice(index, op, slice))
        return extract.emitError("unsupported: 'tensor.extract' at a position that is computed "
                                 "from what a reduction accumulates");
      addOperand(index);
    }
    for (Operation *nested : slice) {
      if (auto loop = dyn_cast<linalg::IndexOp>(nested))
        found.set(loop.getDim());
      for (Value operand : nested->getOperands())
        addOperand(operand);
    }
    llvm::append_range(loops, found.set_bits());
    return success();
  }

  AffineMap toPositionLoops(AffineMap map) {
    SmallVector<AffineExpr> dims(sizes.size(), b.getAffineConstantExpr(0));
    for (auto [position, loop] : llvm::enumerate(loops))
      dims[loop] = b.getAffineDimExpr(position);
    return map.replaceDimsAndSymbols(dims, {}, loops.size() + 1, 0);
  }

  /// A tensor of position vectors, one for each iteration of the loops.
  Value makePositions() {
    SmallVector<int64_t> shape;
    for (unsigned loop : loops)
      shape.push_back(sizes[loop]);
    shape.push_back(isComputed.count());
    auto type = RankedTensorType::get(shape, b.getI64Type());
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (unsigned operand : operands) {
      inputs.push_back(op->getOperand(operand));
      maps.push_back(toPositionLoops(op.getIndexingMapsArray()[operand]));
    }
    maps.push_back(b.getMultiDimIdentityMap(shape.size()));
    b.setInsertionPoint(op);
    Value init = tensor::EmptyOp::create(b, loc, shape, b.getI64Type());
    SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
    auto body = [&](OpBuilder &nested, Location loc, ValueRange elements) {
      IRMapping mapping;
      for (auto [element, operand] : llvm::zip(elements, operands))
        mapping.map(op.getBlock()->getArgument(operand), element);
      for (Operation *computes : slice) {
        if (auto loop = dyn_cast<linalg::IndexOp>(computes)) {
          int64_t position = llvm::find(loops, loop.getDim()) - loops.begin();
          mapping.map(loop.getResult(), linalg::IndexOp::create(nested, loc, position));
        } else {
          nested.clone(*computes, mapping);
        }
      }
      Value component = linalg::IndexOp::create(nested, loc, loops.size());
      Value chosen;
      for (auto [number, dim] : llvm::enumerate(isComputed.set_bits())) {
        Value index = mapping.lookupOrDefault(extract.getIndices()[dim]);
        index = arith::IndexCastOp::create(nested, loc, nested.getI64Type(), index);
        if (!chosen) {
          chosen = index;
          continue;
        }
        Value here = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::eq, component,
            arith::ConstantIndexOp::create(nested, loc, static_cast<int64_t>(number)));
        chosen = arith::SelectOp::create(nested, loc, here, index, chosen);
      }
      linalg::YieldOp::create(nested, loc, chosen);
    };
    return linalg::GenericOp::create(b, loc, type, inputs, init, maps, iterators, body)
        .getResult(0);
  }

  std::pair<Value, AffineMap> gather(Value positions) {
    auto source = cast<RankedTensorType>(extract.getTensor().getType());
    SmallVector<int64_t> shape, sliceSizes, collapsed, offsets;
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops) {
      shape.push_back(sizes[loop]);
      exprs.push_back(b.getAffineDimExpr(loop));
    }
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      if (isComputed.test(dim)) {
        collapsed.push_back(dim);
        sliceSizes.push_back(1);
        continue;
      }
      offsets.push_back(shape.size());
      shape.push_back(source.getDimSize(dim));
      sliceSizes.push_back(source.getDimSize(dim));
      exprs.push_back(getExpr(extract.getIndices()[dim]));
    }
    b.setInsertionPoint(op);
    Value init = tensor::EmptyOp::create(b, loc, shape, source.getElementType());
    Value gathered = GatherOp::create(b, loc, cast<RankedTensorType>(init.getType()),
                                      extract.getTensor(), positions, init, offsets, collapsed,
                                      ArrayRef<int64_t>(), ArrayRef<int64_t>(), collapsed,
                                      static_cast<uint64_t>(loops.size()), sliceSizes,
                                      /*indices_are_unsigned=*/false);
    return {gathered, AffineMap::get(sizes.size(), 0, exprs, op.getContext())};
  }

  RewriterBase &b;
  linalg::GenericOp op;
  tensor::ExtractOp extract;
  Location loc;
  SmallVector<int64_t> sizes;
  llvm::SmallBitVector isComputed;
  llvm::SetVector<Operation *> slice;
  llvm::SetVector<unsigned> operands;
  SmallVector<unsigned> loops;
};
} // namespace

/// The operation with one more input, whose element takes the place of a value.
static linalg::GenericOp addInput(RewriterBase &b, linalg::GenericOp op, Value input, AffineMap map,
                                  Value replaced) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(maps.begin() + inputs.size(), map);
  Block *body = op.getBlock();
  BlockArgument element =
      body->insertArgument(inputs.size(), replaced.getType(), replaced.getLoc());
  inputs.push_back(input);
  replaced.replaceUsesWithIf(element,
                             [&](OpOperand &use) { return use.getOwner()->getBlock() == body; });
  b.setInsertionPoint(op);
  auto extended = linalg::GenericOp::create(b, op.getLoc(), op->getResultTypes(), inputs,
                                            op.getOutputs(), maps, op.getIteratorTypesArray());
  b.inlineRegionBefore(op.getRegion(), extended.getRegion(), extended.getRegion().end());
  b.replaceOp(op, extended);
  return extended;
}

/// Operands for the tensors that the body reads, and for the scalars that are a
/// tensor's only element.
static LogicalResult readByOperands(RewriterBase &b, linalg::GenericOp op) {
  while (true) {
    auto reads = op.getBlock()->getOps<tensor::ExtractOp>();
    auto outside = llvm::find_if(reads, [&](tensor::ExtractOp extract) {
      return extract.getTensor().getParentBlock() != op.getBlock();
    });
    if (outside == reads.end())
      break;
    tensor::ExtractOp extract = *outside;
    auto operand = Read(b, op, extract).makeOperand();
    if (failed(operand))
      return failure();
    op = addInput(b, op, operand->first, operand->second, extract.getResult());
    b.eraseOp(extract);
  }
  llvm::SetVector<Value> elements;
  for (Operation &nested : *op.getBlock())
    for (Value operand : nested.getOperands())
      if (auto extract = operand.getDefiningOp<tensor::ExtractOp>())
        if (extract->getBlock() != op.getBlock() && extract.getIndices().empty())
          elements.insert(operand);
  for (Value element : elements)
    op = addInput(b, op, element.getDefiningOp<tensor::ExtractOp>().getTensor(),
                  AffineMap::get(op.getNumLoops(), 0, b.getContext()), element);
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Several results of which a reduction accumulates some and indexes others would
/// show what is accumulated on the way.
static LogicalResult checkReductions(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (type != utils::IteratorType::reduction)
      continue;
    unsigned indexed = 0;
    for (OpOperand &init : op.getDpsInitsMutable())
      indexed += maps[init.getOperandNumber()].isFunctionOfDim(loop);
    if (indexed != 0 && indexed != op.getNumDpsInits())
      return op.emitError() << "unsupported: 'linalg.generic' with reduction loop " << loop
                            << " in the indices of some results and not of others; expected all "
                               "or none";
  }
  return success();
}

static LogicalResult normalizeBody(RewriterBase &b, Operation *operation) {
  auto needsWork = [](Operation *nested) {
    return nested->getNumRegions() != 0 || isa<tensor::ExtractOp>(nested);
  };
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op) {
    auto named = cast<linalg::LinalgOp>(operation);
    if (llvm::none_of(*named.getBlock(), [&](Operation &nested) { return needsWork(&nested); }))
      return success();
    FailureOr<linalg::GenericOp> generic = linalg::generalizeNamedOp(b, named);
    if (failed(generic))
      return operation->emitError() << "unsupported: '" << operation->getName()
                                    << "' with such a body; expected 'linalg.generic'";
    op = *generic;
  }
  SmallVector<scf::IfOp> choices;
  op->walk([&](scf::IfOp choice) { choices.push_back(choice); });
  // Inner ones first.
  for (scf::IfOp choice : choices)
    if (failed(flattenChoice(b, choice)))
      return failure();
  for (Operation &nested : *op.getBlock())
    if (nested.getNumRegions() != 0)
      return nested.emitError() << "unsupported: '" << nested.getName()
                                << "' in the body of a linalg operation; expected scalar "
                                   "operations and 'scf.if'";
  if (!op.hasPureTensorSemantics())
    return success(); // refused by its types
  if (failed(checkReductions(op)))
    return failure();
  return readByOperands(b, op);
}

void dmc::registerBodyNormalizations(Normalizations &table) {
  table["linalg.generic"] = normalizeBody;
  table["linalg.map"] = normalizeBody;
  table["linalg.reduce"] = normalizeBody;
}
