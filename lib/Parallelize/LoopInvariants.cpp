//===- LoopInvariants.cpp - What leaves a loop with its moves -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "LoopInvariants.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace dmc;

bool dmc::isHoistingLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

bool dmc::isHoistable(Operation *op) { return isMemoryEffectFree(op) && isSpeculatable(op); }

llvm::SetVector<Value> dmc::getUsedValues(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

LoopInvariants::Result LoopInvariants::find(Operation *op) {
  if (auto it = known.find(op); it != known.end())
    return it->second;
  Result result;
  llvm::SetVector<Value> operands;
  if (isHoistable(op))
    operands = getUsedValues(op);
  for (Operation *loop = isHoistable(op) ? op->getParentOp() : nullptr;
       loop && isHoistingLoop(loop); loop = loop->getParentOp()) {
    unsigned numOps = 1;
    bool leaves = true;
    for (Value operand : operands) {
      if (cast<LoopLikeOpInterface>(loop).isDefinedOutsideOfLoop(operand))
        continue;
      Operation *producer = operand.getDefiningOp();
      Result found = producer ? find(producer) : Result();
      leaves &= found.loop && found.loop->isAncestor(loop);
      numOps += found.numOps;
    }
    if (!leaves || numOps > kMaxHoistedOps)
      break;
    result = {loop, numOps};
  }
  known[op] = result;
  return result;
}
