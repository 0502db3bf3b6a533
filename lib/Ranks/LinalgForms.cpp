//===- LinalgForms.cpp - Local forms of linalg operations -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local shapes; block offsets for linalg.index; masks where a split dimension is
// uneven: of what a reduction combines, and of integer divisors, which could trap.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"

#include "dmc/Ranks/LocalTensors.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace dmc;

namespace {
struct SplitLoops {
  SmallVector<int64_t> sizes;
  /// Per loop the axes that split it; null before a dimension has said so.
  SmallVector<AxesAttr> axes;
  /// SplitLoops that are split unevenly.
  SmallVector<unsigned> uneven;
};
} // namespace

static std::string toText(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

/// Reads the split of every loop off the operands' layouts.
static FailureOr<SplitLoops> getLoops(linalg::LinalgOp op, RankBuilder &b) {
  SplitLoops loops;
  loops.sizes.resize(op.getNumLoops(), 0);
  loops.axes.resize(op.getNumLoops());
  SmallVector<std::pair<AffineExpr, OpOperand *>> compound;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || operand.getOperandNumber() >= op.getNumDpsInputs() + op.getNumDpsInits())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      AxesAttr axes = axesOf(operand.get(), dim);
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop) {
        if (!axes.empty())
          return unsupported(op, dim, axes) << " in operand " << operand.getOperandNumber()
                                            << ", which indexes it by " << toText(expr);
        compound.push_back({expr, &operand});
        continue;
      }
      AxesAttr &known = loops.axes[loop.getPosition()];
      loops.sizes[loop.getPosition()] = type.getDimSize(dim);
      if (!known)
        known = axes;
      if (known != axes)
        return op->emitOpError("expects all operands to split loop ")
               << loop.getPosition() << " alike, found dimension " << dim << " of operand "
               << operand.getOperandNumber() << " split over " << toText(axes)
               << " and another over " << toText(known);
    }
  }
  for (auto [i, axes] : llvm::enumerate(loops.axes)) {
    if (!axes || axes.empty())
      continue;
    for (auto [expr, operand] : compound)
      if (expr.isFunctionOfDim(i))
        return op->emitOpError("is unsupported: loop ")
               << i << " is split over " << toText(axes) << ", and operand "
               << operand->getOperandNumber() << " indexes a dimension by " << toText(expr);
    if (!b.isEven(loops.sizes[i], axes))
      loops.uneven.push_back(i);
  }
  return loops;
}

static bool isReduction(linalg::LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
}

static Value skipCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<CastOpInterface>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The inputs `a` and `b` of `acc + a * b`, casts aside; nothing for another body.
static SmallVector<OpOperand *, 2> getFactors(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return {};
  Block &body = *op.getBlock();
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!sum || !isa<arith::AddFOp, arith::AddIOp, arith::OrIOp>(sum))
    return {};
  BlockArgument accumulator = body.getArguments().back();
  Value addend = sum->getOperand(sum->getOperand(0) == accumulator ? 1 : 0);
  if (!accumulator.hasOneUse() || !llvm::is_contained(sum->getOperands(), accumulator))
    return {};
  Operation *product = skipCasts(addend).getDefiningOp();
  if (!product || !isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(product))
    return {};
  SmallVector<OpOperand *, 2> factors;
  for (Value value : product->getOperands()) {
    auto argument = dyn_cast<BlockArgument>(skipCasts(value));
    if (!argument || argument.getOwner() != &body)
      return {};
    factors.push_back(op.getMatchingOpOperand(argument));
  }
  return factors;
}

/// True if the padding of the loops contributes zero once each factor of a sum of
/// products is zero there. A factor that one of the loops does not index has its
/// value in the padding too, and infinity times zero is not zero.
static bool areMaskable(ArrayRef<OpOperand *> factors, linalg::LinalgOp op,
                        ArrayRef<unsigned> loops) {
  return !factors.empty() && llvm::all_of(factors, [&](OpOperand *factor) {
    AffineMap map = op.getMatchingIndexingMap(factor);
    return llvm::all_of(loops, [&](unsigned loop) {
      return llvm::is_contained(map.getResults(), getAffineDimExpr(loop, op.getContext()));
    });
  });
}

/// Sets both factors of a sum of products to zero beyond the valid part of uneven
/// reduction loops: zero times what padding may hold (NaN) is not zero.
static SmallVector<Value> maskFactors(linalg::LinalgOp op, const SplitLoops &loops,
                                      RankBuilder &b) {
  SmallVector<Value> operands = b.getLocal(op->getOperands());
  for (OpOperand *operand : op.getDpsInputOperands()) {
    SmallVector<ValidPart> parts;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (unsigned loop : loops.uneven) {
      if (!isReduction(op, loop))
        continue;
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (expr == b.getAffineDimExpr(loop))
          parts.push_back(
              {static_cast<int64_t>(dim), b.getBlockValid(loops.sizes[loop], loops.axes[loop])});
    }
    if (parts.empty())
      continue;
    Value &value = operands[operand->getOperandNumber()];
    value = maskBeyond(b, value, parts, b.getZeroAttr(getElementTypeOrSelf(value)));
  }
  return operands;
}

/// Makes the value that each iteration combines into the accumulator neutral beyond
/// the valid part.
static LogicalResult maskAddends(linalg::LinalgOp op, linalg::GenericOp local, Value isValid,
                                 unsigned loop, Builder &b) {
  Block &body = *local.getBlock();
  auto yield = cast<linalg::YieldOp>(body.getTerminator());
  for (auto [value, argument] : llvm::zip_equal(yield.getValues(), local.getRegionOutputArgs())) {
    Operation *combine = value.getDefiningOp();
    std::optional<TypedAttr> neutral;
    if (combine && combine->getNumOperands() == 2 && argument.hasOneUse() &&
        llvm::is_contained(combine->getOperands(), argument))
      // Of a difference, what is subtracted.
      neutral = isa<arith::SubFOp, arith::SubIOp>(combine) && combine->getOperand(0) == argument
                    ? std::optional(b.getZeroAttr(argument.getType()))
                    : arith::getNeutralElement(combine);
    if (!neutral)
      return op->emitOpError("expects a body that combines a value into its accumulator, since "
                             "reduction loop ")
             << loop << " is split unevenly";
    OpBuilder nested(combine);
    OpOperand &addend = combine->getOpOperand(combine->getOperand(0) == argument ? 1 : 0);
    Value otherwise = arith::ConstantOp::create(nested, combine->getLoc(), *neutral);
    addend.set(
        arith::SelectOp::create(nested, combine->getLoc(), isValid, addend.get(), otherwise));
  }
  return success();
}

static bool mayTrap(Operation &op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

static SmallVector<ValidPart> validParts(ArrayRef<unsigned> uneven, const SplitLoops &loops,
                                         RankBuilder &b) {
  return llvm::map_to_vector(uneven, [&](unsigned loop) {
    return ValidPart{static_cast<int64_t>(loop),
                     b.getBlockValid(loops.sizes[loop], loops.axes[loop])};
  });
}

/// What of a body depends on the block that the rank holds.
static LogicalResult adaptBody(linalg::LinalgOp op, linalg::LinalgOp local, const SplitLoops &loops,
                               ArrayRef<unsigned> maskedReductions, RankBuilder &b) {
  Block &body = *local.getBlock();
  SmallVector<Operation *> divisions;
  SmallVector<linalg::IndexOp> indices;
  for (Operation &inner : body) {
    if (!loops.uneven.empty() && mayTrap(inner))
      divisions.push_back(&inner);
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      indices.push_back(index);
  }
  for (linalg::IndexOp index : indices) {
    AxesAttr axes = loops.axes[index.getDim()];
    if (!axes || axes.empty())
      continue;
    Value offset = b.getBlockOffset(loops.sizes[index.getDim()], axes);
    OpBuilder nested(b.getContext());
    nested.setInsertionPointAfter(index);
    Value shifted = arith::AddIOp::create(nested, index.getLoc(), index, offset);
    index.getResult().replaceAllUsesExcept(shifted, shifted.getDefiningOp());
  }
  if (divisions.empty() && maskedReductions.empty())
    return success();

  auto generic = cast<linalg::GenericOp>(local);
  OpBuilder nested(&body, body.begin());
  if (!divisions.empty()) {
    Value isValid = isWithin(nested, op.getLoc(), validParts(loops.uneven, loops, b));
    for (Operation *division : divisions) {
      OpBuilder before(division);
      Value divisor = division->getOperand(1);
      Value one = arith::ConstantOp::create(before, division->getLoc(),
                                            before.getOneAttr(divisor.getType()));
      division->setOperand(
          1, arith::SelectOp::create(before, division->getLoc(), isValid, divisor, one));
    }
  }
  if (maskedReductions.empty())
    return success();
  Value isValid = isWithin(nested, op.getLoc(), validParts(maskedReductions, loops, b));
  return maskAddends(op, generic, isValid, maskedReductions.front(), b);
}

/// An operation without inputs denotes its global value in any layout.
static void toPartialsOfSource(linalg::LinalgOp op, RankBuilder &b) {
  if (op.getNumDpsInputs() != 0)
    return;
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    LayoutAttr layout = layoutOf(result);
    if (layout.isPartial() && op.getRegionOutputArgs()[i].use_empty())
      b.setLocal(result, toPartials(b, b.getLocal(result), layout));
  }
}

/// What a body reads beside its operands must be there whole: nothing moved it.
static LogicalResult checkCaptures(linalg::LinalgOp op) {
  WalkResult result = op.getBlock()->walk([&](Operation *nested) -> WalkResult {
    for (Value value : nested->getOperands())
      if (isa<RankedTensorType>(value.getType()) && !layoutOf(value).isReplicated())
        return nested->emitOpError("is unsupported: the body reads ")
               << value.getType() << "; expected a replicated tensor, or an operand";
    return success();
  });
  return failure(result.wasInterrupted());
}

LogicalResult dmc::lowerLinalg(Operation *operation, RankBuilder &b) {
  auto op = cast<linalg::LinalgOp>(operation);
  if (failed(checkCaptures(op)))
    return failure();
  FailureOr<SplitLoops> loops = getLoops(op, b);
  if (failed(loops))
    return failure();

  SmallVector<unsigned> masked = llvm::to_vector(
      llvm::make_filter_range(loops->uneven, [&](unsigned loop) { return isReduction(op, loop); }));
  SmallVector<Value> operands;
  if (!masked.empty() && areMaskable(getFactors(op), op, masked)) {
    operands = maskFactors(op, *loops, b);
    masked.clear();
  } else {
    operands = b.getLocal(op->getOperands());
  }

  auto local = cast<linalg::LinalgOp>(b.cloneLocal(op, operands));
  bool hasDivision = !loops->uneven.empty() && llvm::any_of(*local.getBlock(), mayTrap);
  if ((hasDivision || !masked.empty()) && !isa<linalg::GenericOp>(local.getOperation())) {
    IRRewriter rewriter(b);
    FailureOr<linalg::GenericOp> generic = linalg::generalizeNamedOp(rewriter, local);
    if (failed(generic))
      return op.emitOpError("cannot be written as linalg.generic, to be split unevenly");
    for (auto [from, to] : llvm::zip_equal(op->getResults(), (*generic)->getResults()))
      b.setLocal(from, to);
    local = *generic;
    b.setInsertionPointAfter(local);
  }
  if (failed(adaptBody(op, local, *loops, masked, b)))
    return failure();
  toPartialsOfSource(op, b);
  return success();
}

LogicalResult dmc::lowerElementwise(Operation *op, RankBuilder &b) {
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !mayTrap(*op))
      continue;
    for (auto [dim, axes] : llvm::enumerate(layoutOf(result).getDims()))
      if (!b.isEven(type.getDimSize(dim), axes))
        return unsupported(op, dim, axes) << " unevenly, and padding might trap; use linalg.map";
  }
  b.cloneLocal(op);
  return success();
}
