//===- Volume.cpp - What collectives send ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/Comm/Volume.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace dmc;

std::optional<int64_t> comm::countExecutions(Operation *op, Operation *within) {
  int64_t count = 1;
  for (Operation *parent = op->getParentOp();
       parent && parent != within && !isa<FunctionOpInterface>(parent);
       parent = parent->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    std::optional<APInt> tripCount = loop ? loop.getStaticTripCount() : std::nullopt;
    if (!tripCount)
      return std::nullopt;
    count *= tripCount->getSExtValue();
  }
  return count;
}

int64_t comm::getBytes(CollectiveOpInterface op) {
  bool countsResult = op.getKind() == CollectiveKind::AllGather;
  Value counted = countsResult ? op.getDestination() : op.getOperandValue();
  auto type = cast<ShapedType>(counted.getType());
  return type.getNumElements() *
         static_cast<int64_t>(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

/// A permute in which no rank sends to another moves nothing.
static bool sendsNothing(Operation *op) {
  auto permute = dyn_cast<comm::PermuteOp>(op);
  if (!permute)
    return false;
  ArrayRef<int64_t> pairs = permute.getPairs();
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i] != pairs[i + 1])
      return false;
  return true;
}

double comm::getWireBytes(CollectiveOpInterface op) {
  return sendsNothing(op) ? 0 : wireBytes(op.getKind(), getBytes(op), op.getGroupSize());
}

double comm::getWireBytes(ModuleOp module) {
  double bytes = 0;
  module.walk([&](CollectiveOpInterface op) {
    bytes += getWireBytes(op) * static_cast<double>(countExecutions(op).value_or(1));
  });
  return bytes;
}
