//===- ValueForms.cpp - Local forms of constants and fills ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant of any layout denotes the global value: each rank makes the part
// that it holds.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"

#include "dmc/Ranks/LocalTensors.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace dmc;

static LogicalResult lowerConstant(arith::ConstantOp op, RankBuilder &b) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    b.setLocal(op.getResult(), b.getConstant(op.getValue()));
    return success();
  }
  LayoutAttr layout = LayoutAttr::of(type);
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  RankedTensorType local = RankBuilder::getLocalType(type);
  if (elements && elements.isSplat()) {
    Attribute scalar = elements.getSplatValue<Attribute>();
    auto value = DenseElementsAttr::get(local, scalar);
    Value constant = arith::ConstantOp::create(b, local, value);
    if (layout.isPartial() && !isIdempotent(layout.getCombiner(), scalar))
      constant = toPartials(b, constant, layout);
    b.setLocal(op.getResult(), constant);
    return success();
  }
  RankedTensorType global = withLayout(type, {});
  TypedAttr value;
  if (elements)
    value = elements.reshape(global);
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
    value = DenseResourceElementsAttr::get(global, resource.getRawHandle());
  else
    return op.emitOpError("is unsupported: expected a dense constant, found ") << op.getValue();
  Value constant = arith::ConstantOp::create(b, global, value);
  for (auto [dim, axes] : llvm::enumerate(layout.getDims()))
    if (!axes.empty())
      constant = takeBlock(b, constant, dim, axes);
  b.setLocal(op.getResult(), toPartials(b, constant, layout));
  return success();
}

static LogicalResult lowerFill(linalg::FillOp op, RankBuilder &b) {
  Value filled = b.cloneLocal(op)->getResult(0);
  LayoutAttr layout = layoutOf(op.getResult(0));
  Attribute scalar;
  if (!matchPattern(op.getInputs()[0], m_Constant(&scalar)))
    scalar = {};
  if (layout.isPartial() && !isIdempotent(layout.getCombiner(), scalar))
    filled = toPartials(b, filled, layout);
  b.setLocal(op.getResult(0), filled);
  return success();
}

static LogicalResult lowerEmpty(tensor::EmptyOp op, RankBuilder &b) {
  b.setLocal(op.getResult(), createEmpty(b, RankBuilder::getLocalType(op.getType())));
  return success();
}

/// Of scalars that all ranks share.
static LogicalResult lowerFromElements(tensor::FromElementsOp op, RankBuilder &b) {
  LayoutAttr layout = layoutOf(op.getResult());
  auto elements =
      tensor::FromElementsOp::create(b, withLayout(op.getType(), {}), b.getLocal(op.getElements()));
  Value result = elements.getResult();
  for (auto [dim, axes] : llvm::enumerate(layout.getDims()))
    if (!axes.empty())
      result = takeBlock(b, result, dim, axes);
  b.setLocal(op.getResult(), toPartials(b, result, layout));
  return success();
}

static LogicalResult lowerSplat(tensor::SplatOp op, RankBuilder &b) {
  Value splat = b.cloneLocal(op)->getResult(0);
  b.setLocal(op.getResult(), toPartials(b, splat, layoutOf(op.getResult())));
  return success();
}

/// Only of a tensor that all ranks hold: the scalar is everywhere.
static LogicalResult lowerExtract(tensor::ExtractOp op, RankBuilder &b) {
  if (!layoutOf(op.getTensor()).isReplicated())
    return op.emitOpError("expects a replicated operand, found ") << op.getTensor().getType();
  b.cloneLocal(op);
  return success();
}

/// Operand and result have one layout.
static LogicalResult lowerBarrier(OptimizationBarrierOp op, RankBuilder &b) {
  b.cloneLocal(op);
  return success();
}

void dmc::populateValueForms(LocalForms &forms) {
  forms.insert<OptimizationBarrierOp, lowerBarrier>();
  forms.insert<arith::ConstantOp, lowerConstant>();
  forms.insert<linalg::FillOp, lowerFill>();
  forms.insert<tensor::EmptyOp, lowerEmpty>();
  forms.insert<tensor::ExtractOp, lowerExtract>();
  forms.insert<tensor::FromElementsOp, lowerFromElements>();
  forms.insert<tensor::SplatOp, lowerSplat>();
}
