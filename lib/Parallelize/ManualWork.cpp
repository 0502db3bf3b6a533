//===- ManualWork.cpp - What a manual computation takes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ManualWork.h"

#include "dmc/Dialect/Comm/Volume.h"
#include "dmc/Dialect/DMC/SumOfProducts.h"
#include "dmc/Sharding/ShardingRule.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dmc;

/// Bytes of the tensors that an operation reads and writes: not of those without values of their
/// own, as empty ones and constants.
static double getBytes(Operation *op) {
  double bytes = 0;
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    Operation *maker = value.getDefiningOp();
    if (type && !type.getElementType().isIndex() && !(maker && isLayoutAgnostic(maker)))
      bytes += static_cast<double>(type.getNumElements()) *
               static_cast<double>(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  };
  llvm::for_each(op->getOperands(), add);
  llvm::for_each(op->getResults(), add);
  return bytes;
}

ManualWork::ManualWork(ManualOp manual, const RankRates &rates) {
  manual.walk([&](Operation *op) {
    auto times = static_cast<double>(comm::countExecutions(op, manual).value_or(1));
    if (auto collective = dyn_cast<comm::CollectiveOpInterface>(op)) {
      Traffic sent{comm::getWireBytes(collective), 0};
      if (sent.bytes == 0)
        return;
      sent.messages = messageCount(collective.getKind(), collective.getGroupSize());
      LayoutAttr group = LayoutAttr::get(collective.getGroupMesh(), {collective.getGroupAxes()});
      TrafficByCollective row;
      row.add(collective.getKind(), group.toLayout().dims.front(), sent);
      traffic += row * times;
      return;
    }
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      if (double own = times * static_cast<double>(countProductFlops(structured)); own > 0) {
        flops += own;
        computed += own / rates.getFlops(getElementTypeOrSelf(op->getOperand(0)));
        return;
      }
    // Regions are passed through what they consist of.
    if (op == manual || isLayoutAgnostic(op) ||
        (op->getNumRegions() > 0 && !isa<linalg::LinalgOp>(op)) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return;
    computed += times * getBytes(op) / rates.memory;
  });
}

double ManualWork::getSeconds(const RankRates &rates) const {
  double seconds = computed;
  for (const CollectiveTraffic &row : traffic.getRows())
    seconds += rates.getSeconds({row.bytes, static_cast<int64_t>(row.messages)}, row.axes);
  return seconds;
}
