//===- SumOfProducts.cpp - Contractions of floats -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Dialect/DMC/SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dmc;

static Value widened(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return value;
}

bool dmc::addsProducts(linalg::LinalgOp op, bool mayBeMasked) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op->getNumResults() != 1)
    return false;
  Block *body = op.getBlock();
  if (body->getNumArguments() != 3)
    return false;
  auto sum = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value accumulator = body->getArgument(2);
  Value addend = sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs();
  if (sum.getLhs() != accumulator && sum.getRhs() != accumulator)
    return false;
  if (mayBeMasked)
    if (auto select = addend.getDefiningOp<arith::SelectOp>();
        select && matchPattern(select.getFalseValue(), m_Constant()))
      addend = select.getTrueValue();
  auto product = addend.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  Value a = widened(product.getLhs()), b = widened(product.getRhs());
  Value first = body->getArgument(0), second = body->getArgument(1);
  return (a == first && b == second) || (a == second && b == first);
}

int64_t dmc::countProductFlops(linalg::LinalgOp op) {
  // Products that a mask replaces, where a loop is split unevenly, are computed, too.
  if (!addsProducts(op, /*mayBeMasked=*/true) || op.getNumReductionLoops() == 0)
    return 0;
  uint64_t flops = 2;
  for (int64_t size : op.getStaticLoopRanges())
    flops = llvm::SaturatingMultiply<uint64_t>(flops, size);
  return std::min<uint64_t>(flops, std::numeric_limits<int64_t>::max() >> 20);
}
