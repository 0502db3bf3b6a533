//===- ScalarWork.cpp - What an operation on scalars costs ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Dialect/DMC/ScalarWork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dmc;

unsigned dmc::getScalarWork(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  bool isSimpleMath = isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp, math::FloorOp,
                          math::CeilOp, math::RoundEvenOp, math::IsNaNOp, math::IsFiniteOp>(op);
  bool isSlow = isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                    arith::RemUIOp>(op) ||
                (isa<math::MathDialect>(op->getDialect()) && !isSimpleMath);
  return isSlow ? slowScalarWork : 1;
}

unsigned dmc::getElementWork(Operation *op) {
  if (op->hasTrait<OpTrait::Elementwise>())
    return getScalarWork(op);
  unsigned work = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        work += getScalarWork(&inner);
  return work;
}
