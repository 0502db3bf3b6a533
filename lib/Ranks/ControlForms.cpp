//===- ControlForms.cpp - Local forms of structured control flow ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions are lowered in place; conditions are scalars that all ranks share.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dmc;

template <typename OpT>
static LogicalResult lowerRegions(OpT op, RankBuilder &b) {
  return b.cloneWithRegions(op);
}

template <typename OpT>
static LogicalResult lowerTerminator(OpT op, RankBuilder &b) {
  b.cloneLocal(op);
  return success();
}

/// The body is what each rank does already.
static LogicalResult lowerManual(ManualOp op, RankBuilder &b) {
  Block &body = op.getBody().front();
  for (auto [argument, input] : llvm::zip_equal(body.getArguments(), op.getInputs()))
    b.setLocal(argument, b.getLocal(input));
  for (Operation &nested : body.without_terminator())
    b.cloneLocal(&nested);
  for (auto [result, value] : llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands()))
    b.setLocal(result, b.getLocal(value));
  return success();
}

void dmc::populateControlForms(LocalForms &forms) {
  forms.insert<ManualOp, lowerManual>();
  forms.insert<func::ReturnOp, lowerTerminator<func::ReturnOp>>();
  forms.insert<scf::ConditionOp, lowerTerminator<scf::ConditionOp>>();
  forms.insert<scf::ForOp, lowerRegions<scf::ForOp>>();
  forms.insert<scf::IfOp, lowerRegions<scf::IfOp>>();
  forms.insert<scf::IndexSwitchOp, lowerRegions<scf::IndexSwitchOp>>();
  forms.insert<scf::WhileOp, lowerRegions<scf::WhileOp>>();
  forms.insert<scf::YieldOp, lowerTerminator<scf::YieldOp>>();
}
