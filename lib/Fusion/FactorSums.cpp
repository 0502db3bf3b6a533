//===- FactorSums.cpp - Factors of sums over rows -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A factor that is the same for all rows is applied to their sum.
//
//===----------------------------------------------------------------------===//
#include "dmc/Fusion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace dmc {
#define GEN_PASS_DEF_FACTORSUMS
#include "dmc/Fusion/Passes.h.inc"
} // namespace dmc

using namespace mlir;

/// Whether the body is one operation of this kind on the arguments, in order.
template <typename Op>
static bool maps(linalg::MapOp map) {
  Block *body = map.getBlock();
  auto op = dyn_cast<Op>(body->front());
  return op && llvm::hasNItems(*body, 2) &&
         body->getTerminator()->getOperand(0) == op->getResult(0) &&
         llvm::equal(op->getOperands(), body->getArguments().take_front(op->getNumOperands()));
}

/// The sum over leading dimensions of floats, from zero.
static bool isSumOverRows(linalg::ReduceOp op) {
  if (op.getInputs().size() != 1 || !isa<FloatType>(getElementTypeOrSelf(op.getInputs()[0])))
    return false;
  for (auto [position, dim] : llvm::enumerate(op.getDimensions()))
    if (dim != static_cast<int64_t>(position))
      return false;
  if (op.getDimensions().size() ==
      size_t(cast<RankedTensorType>(op.getInputs()[0].getType()).getRank()))
    return false;
  Block *body = op.getBlock();
  auto add = dyn_cast<arith::AddFOp>(body->front());
  auto fill = op.getInits()[0].getDefiningOp<linalg::FillOp>();
  return add && llvm::hasNItems(*body, 2) &&
         body->getTerminator()->getOperand(0) == add.getResult() &&
         llvm::is_contained(add->getOperands(), body->getArgument(0)) &&
         llvm::is_contained(add->getOperands(), body->getArgument(1)) && fill &&
         matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

/// Longer products stay: what is computed again costs less than reading an element.
static constexpr size_t mostFactors = 8;

namespace {

struct Factor : public OpRewritePattern<linalg::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::ReduceOp op, PatternRewriter &rewriter) const override {
    if (!isSumOverRows(op))
      return failure();
    // What is the same for all rows, as one row.
    auto asRow = [&](Value value) -> Value {
      auto broadcast = value.getDefiningOp<linalg::BroadcastOp>();
      return broadcast && broadcast.getDimensions() == op.getDimensions() ? broadcast.getInput()
                                                                          : Value();
    };
    // The factors of a product: those of a row, and the others, in order.
    SmallVector<Value> factors, others, work = {op.getInputs()[0]};
    bool isNegated = false;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      auto map = value.getDefiningOp<linalg::MapOp>();
      if (Value row = asRow(value)) {
        factors.push_back(row);
      } else if (map && maps<arith::NegFOp>(map)) {
        isNegated = !isNegated;
        work.push_back(map.getInputs()[0]);
      } else if (map && maps<arith::MulFOp>(map)) {
        work.push_back(map.getInputs()[1]);
        work.push_back(map.getInputs()[0]);
      } else {
        others.push_back(value);
      }
      if (factors.size() + others.size() + work.size() > mostFactors)
        return failure();
    }
    if (factors.empty() || others.empty())
      return failure();
    Location loc = op.getLoc();
    auto build = [&](ValueRange inputs,
                     function_ref<Value(OpBuilder &, ValueRange)> body) -> Value {
      auto type = cast<RankedTensorType>(inputs[0].getType());
      Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
      return linalg::MapOp::create(rewriter, loc, inputs, empty,
                                   [&](OpBuilder &b, Location loc, ValueRange arguments) {
                                     linalg::YieldOp::create(b, loc, body(b, arguments));
                                   })
          ->getResult(0);
    };
    auto multiply = [&](Value a, Value b) {
      return build({a, b}, [&](OpBuilder &builder, ValueRange arguments) -> Value {
        return arith::MulFOp::create(builder, loc, arguments[0], arguments[1]);
      });
    };
    rewriter.setInsertionPoint(op);
    Value input = others.front();
    for (Value other : ArrayRef(others).drop_front())
      input = multiply(input, other);
    rewriter.setInsertionPointAfter(op);
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable()[0].set(input); });
    Value sum = op->getResult(0);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : sum.getUses())
      uses.push_back(&use);
    for (Value factor : factors)
      sum = multiply(sum, factor);
    if (isNegated)
      sum = build({sum}, [&](OpBuilder &b, ValueRange arguments) -> Value {
        return arith::NegFOp::create(b, loc, arguments[0]);
      });
    for (OpOperand *use : uses)
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(sum); });
    return success();
  }
};

struct FactorSums : public dmc::impl::FactorSumsBase<FactorSums> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<Factor>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
