//===- HoistTransposes.cpp - dmc-hoist-transposes -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes of all-reduced values, before the all-reduce.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Ranks/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dmc {
#define GEN_PASS_DEF_HOISTTRANSPOSES
#include "dmc/Ranks/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// The all-reduce that a transpose can change places with: nothing else uses its result or its
/// operand, which an operation computes that may as well write it in another order.
static comm::AllReduceOp getReduction(linalg::TransposeOp transpose) {
  auto reduce = transpose.getInput().getDefiningOp<comm::AllReduceOp>();
  if (!reduce || reduce->getBlock() != transpose->getBlock() || !reduce->hasOneUse() ||
      !transpose.hasPureTensorSemantics())
    return nullptr;
  Value operand = reduce.getOperand();
  auto maker = operand.getDefiningOp<linalg::LinalgOp>();
  bool computes = maker && !isa<linalg::FillOp>(maker) && operand.hasOneUse();
  return computes ? reduce : nullptr;
}

namespace {
struct HoistTransposes : dmc::impl::HoistTransposesBase<HoistTransposes> {
  void runOnOperation() override {
    SmallVector<linalg::TransposeOp> transposes;
    getOperation()->walk([&](linalg::TransposeOp op) { transposes.push_back(op); });
    for (linalg::TransposeOp transpose : transposes)
      if (comm::AllReduceOp reduce = getReduction(transpose))
        exchange(transpose, reduce);
  }

private:
  static void exchange(linalg::TransposeOp transpose, comm::AllReduceOp reduce) {
    OpBuilder builder(reduce);
    auto type = cast<RankedTensorType>(transpose->getResult(0).getType());
    auto empty = [&](Location loc) -> Value {
      return tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
    };
    auto before =
        linalg::TransposeOp::create(builder, transpose.getLoc(), reduce.getOperand(),
                                    empty(transpose.getLoc()), transpose.getPermutation());
    auto after = comm::AllReduceOp::create(
        builder, reduce.getLoc(), type, reduce.getCombiner(), before->getResult(0),
        empty(reduce.getLoc()), reduce.getAxes(), reduce.getMesh(), reduce.getGroupsAttr());
    after->setDiscardableAttrs(reduce->getDiscardableAttrDictionary());
    transpose->getResult(0).replaceAllUsesWith(after->getResult(0));
    transpose->erase();
    reduce->erase();
  }
};
} // namespace
