//===- ReduceExtrema.cpp - Maxima and minima of loops ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// arith.maximumf gives NaN where an operand is one, and tells the zeros apart. A processor whose
// instruction does neither takes a comparison and two or three blends beside it, for each vector. A
// loop takes the instruction alone and, in integers, the largest magnitude, which tells whether it
// met a NaN: where it did not, and where the result is not a zero, no order of the operands gives
// another result. Else the loop runs again, as it was.
//
//===----------------------------------------------------------------------===//

#include "CPU/ReduceExtrema.h"

#include "Math/ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

/// The maximum or minimum that a loop carries at a position, and nothing else of the loop reads.
static Operation *findExtremum(scf::ForOp loop, unsigned position) {
  Value yielded = loop.getYieldedValues()[position];
  BlockArgument carried = loop.getRegionIterArg(position);
  Operation *op = yielded.getDefiningOp();
  bool isExtremum = isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(op) &&
                    op->getBlock() == loop.getBody() && op->hasOneUse() && carried.hasOneUse() &&
                    *carried.user_begin() == op;
  Type type = yielded.getType();
  return isExtremum && (type.isF32() || type.isF64()) ? op : nullptr;
}

static Value otherOperand(Operation *op, Value carried) {
  return op->getOperand(op->getOperand(0) == carried ? 1 : 0);
}

/// The bits of a value without its sign: as an integer larger than those of infinity where it is
/// NaN. A vector of comparisons instead would be narrowed to one of bits.
static Value magnitudeOf(ImplicitLocOpBuilder &b, Value value) {
  auto type = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
  Value bits = arith::BitcastOp::create(b, type, value);
  Value mask = arith::ConstantOp::create(
      b, b.getIntegerAttr(type, APInt::getSignedMaxValue(type.getWidth())));
  return arith::AndIOp::create(b, bits, mask);
}

/// The loop without what it carries at a position told apart; returns the result there and the
/// largest magnitude of its operands.
static std::pair<Value, Value> reducePlainly(scf::ForOp loop, unsigned position) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(magnitudeOf(b, inits[position]));
  auto plain =
      scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
  plain->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = plain.getBody();
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  IRMapping mapping;
  mapping.map(loop.getBody()->getArguments(), body->getArguments().drop_back());
  b.setInsertionPointToEnd(body);
  Operation *extremum = findExtremum(loop, position);
  for (Operation &op : loop.getBody()->without_terminator())
    if (&op != extremum)
      b.clone(op, mapping);
  Value carried = body->getArgument(1 + position);
  Value value = mapping.lookupOrDefault(otherOperand(extremum, loop.getRegionIterArg(position)));
  auto flags = arith::FastMathFlags::nnan | arith::FastMathFlags::nsz;
  Value next = isa<arith::MaximumFOp>(extremum)
                   ? arith::MaxNumFOp::create(b, carried, value, flags).getResult()
                   : arith::MinNumFOp::create(b, carried, value, flags).getResult();
  mapping.map(extremum->getResult(0), next);
  Value largest = arith::MaxSIOp::create(b, body->getArguments().back(), magnitudeOf(b, value));
  SmallVector<Value> yielded;
  for (Value old : loop.getYieldedValues())
    yielded.push_back(mapping.lookupOrDefault(old));
  yielded.push_back(largest);
  scf::YieldOp::create(b, yielded);
  for (auto [old, result] : llvm::zip(loop.getResults(), plain.getResults()))
    if (old.getResultNumber() != position)
      old.replaceAllUsesWith(result);
  return {plain.getResult(position), plain.getResults().back()};
}

static void splitReduction(scf::ForOp loop, unsigned position) {
  auto [result, largest] = reducePlainly(loop, position);
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  b.setInsertionPointAfter(loop);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(result.getType()));
  APFloat infinity = APFloat::getInf(cast<FloatType>(result.getType()).getFloatSemantics());
  Value most =
      arith::ConstantOp::create(b, b.getIntegerAttr(largest.getType(), infinity.bitcastToAPInt()));
  Value hasNaN = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, largest, most);
  // The comparison with zero has a value where there is no NaN alone.
  Value isZero = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, result, zero);
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Value isSpecial = arith::SelectOp::create(b, hasNaN, yes, isZero);
  auto choice = scf::IfOp::create(b, TypeRange{result.getType()}, isSpecial, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  loop.getResult(position).replaceAllUsesWith(choice.getResult(0));
  auto yield = [&](Block *block, Value value) {
    if (block->mightHaveTerminator())
      block->getTerminator()->erase();
    auto end = OpBuilder::atBlockEnd(block);
    scf::YieldOp::create(end, loop.getLoc(), value);
  };
  yield(choice.elseBlock(), result);
  yield(choice.thenBlock(), loop.getResult(position));
  loop->moveBefore(choice.thenBlock()->getTerminator());
}

void dmc::codegen::reduceExtrema(ModuleOp module) {
  SmallVector<std::pair<scf::ForOp, unsigned>> found;
  module.walk([&](scf::ForOp loop) {
    auto annotation = loop->getAttrOfType<LLVM::LoopAnnotationAttr>(loopAnnotation);
    if (annotation && annotation.getUnroll()) // becomes a few operations
      return;
    // The innermost, which may run twice.
    bool isPlain = llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
      return op.getNumRegions() == 0 && !hasEffect<MemoryEffects::Write>(&op);
    });
    if (!isPlain)
      return;
    for (unsigned position = 0; position < loop.getNumRegionIterArgs(); ++position)
      if (findExtremum(loop, position))
        return found.push_back({loop, position}); // one for each loop
  });
  for (auto [loop, position] : found)
    splitReduction(loop, position);
}
