//===- HoistTransposes.cpp - dmc-hoist-transposes -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes of reduced values, before the reduction.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Ranks/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"

namespace dmc {
#define GEN_PASS_DEF_HOISTTRANSPOSES
#include "dmc/Ranks/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// Whether a reduction combines element by element, in any order of the dimensions.
static bool isReduction(Operation *op) {
  return isa_and_nonnull<comm::AllReduceOp, comm::ReduceScatterOp>(op);
}

/// Whether nothing else uses a value, and an operation computes it that may as well write it in
/// another order, before reductions of which the same holds.
static bool mayBeTransposed(Value value) {
  if (!value.hasOneUse())
    return false;
  Operation *op = value.getDefiningOp();
  if (isReduction(op))
    return mayBeTransposed(op->getOperand(0));
  return isa_and_nonnull<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op);
}

/// The reduction that a transpose can change places with, or null.
static Operation *getReduction(linalg::TransposeOp transpose) {
  Operation *reduction = transpose.getInput().getDefiningOp();
  bool isBehindOne = isReduction(reduction) && reduction->getBlock() == transpose->getBlock() &&
                     transpose.hasPureTensorSemantics();
  return isBehindOne && mayBeTransposed(transpose.getInput()) ? reduction : nullptr;
}

namespace {
struct HoistTransposes : dmc::impl::HoistTransposesBase<HoistTransposes> {
  void runOnOperation() override {
    SmallVector<linalg::TransposeOp> transposes;
    getOperation()->walk([&](linalg::TransposeOp op) { transposes.push_back(op); });
    for (linalg::TransposeOp transpose : transposes)
      while (Operation *reduction = getReduction(transpose))
        transpose = exchange(transpose, reduction);
  }

private:
  /// Returns the transpose that is now in front of the reduction.
  static linalg::TransposeOp exchange(linalg::TransposeOp transpose, Operation *reduction) {
    OpBuilder builder(reduction);
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    Value operand = reduction->getOperand(0);
    auto type = cast<RankedTensorType>(operand.getType());
    Value empty = tensor::EmptyOp::create(builder, transpose.getLoc(),
                                          applyPermutation(type.getShape(), permutation),
                                          type.getElementType());
    auto before =
        linalg::TransposeOp::create(builder, transpose.getLoc(), operand, empty, permutation);
    IRMapping mapping;
    mapping.map(operand, before->getResult(0));
    // The reduction stays where it was: what follows may overlap with it.
    auto result = cast<RankedTensorType>(transpose->getResult(0).getType());
    mapping.map(reduction->getOperand(1),
                tensor::EmptyOp::create(builder, reduction->getLoc(), result.getShape(),
                                        result.getElementType())
                    .getResult());
    Operation *after = builder.clone(*reduction, mapping);
    after->getResult(0).setType(result);
    if (auto scatter = dyn_cast<comm::ReduceScatterOp>(after))
      scatter.setDim(llvm::find(permutation, static_cast<int64_t>(scatter.getDim())) -
                     permutation.begin());
    transpose->getResult(0).replaceAllUsesWith(after->getResult(0));
    transpose->erase();
    reduction->erase();
    return before;
  }
};
} // namespace
