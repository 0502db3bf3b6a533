//===- VerifyStreams.cpp - Whatever order streams take --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of dmc-verify-schedule on streams; numbers are those of the pass.
//
//===----------------------------------------------------------------------===//
#include "VerifyStreams.h"
#include "Streams.h"

using namespace mlir;
using namespace dmc;

LogicalResult StreamVerifier::visitAccesses(Operation *op, ArrayRef<Access> reads,
                                            ArrayRef<Access> writes) {
  int64_t stream = comm::getStream(op);
  LogicalResult result = success();
  auto check = [&](const Access &access, bool isWrite) { // verify_c9
    order.visitUnordered(stream, access, isWrite, [&](const StreamUse &use, bool isUseWrite) {
      if (failed(result))
        return;
      result = failure();
      InFlightDiagnostic diag = op->emitOpError(isWrite ? "writes" : "reads")
                                << " bytes that stream " << use.stream << " may still be "
                                << (isUseWrite ? "writing: " : "reading: ") << access.buffer;
      diag.attachNote(use.op->getLoc()) << "by this operation, which no event orders before it";
    });
  };
  for (const Access &access : reads)
    check(access, /*isWrite=*/false);
  for (const Access &access : writes)
    check(access, /*isWrite=*/true);
  if (failed(result))
    return failure();
  StreamUse use = order.run(stream, op, ++time);
  for (const Access &access : reads)
    order.add(access, /*isWrite=*/false, use);
  for (const Access &access : writes)
    order.add(access, /*isWrite=*/true, use);
  return success();
}

void StreamVerifier::visitEvent(Operation *op) {
  if (auto record = dyn_cast<comm::RecordOp>(op))
    events[record.getEvent()] = order.getClock(record.getStream());
  else if (auto await = dyn_cast<comm::AwaitOp>(op))
    order.await(await.getStream(), events.lookup(await.getEvent()));
}

void StreamVerifier::setOrder(const StreamVerifier &other) {
  order = other.order;
  time = std::max(time, other.time);
}

void StreamVerifier::meet(const StreamVerifier &other) {
  order.meet(other.order);
  time = std::max(time, other.time);
}

//===----------------------------------------------------------------------===//
// The order of collectives
//===----------------------------------------------------------------------===//

LogicalResult dmc::verifyCollectiveOrder(func::FuncOp entry) {
  llvm::DenseMap<Attribute, Operation *> firsts;
  auto visit = [&](comm::CollectiveOpInterface collective) -> WalkResult { // verify_c10
    Operation *first = firsts.try_emplace(getGroupKey(collective), collective).first->second;
    if (comm::getStream(first) == comm::getStream(collective))
      return WalkResult::advance();
    InFlightDiagnostic diag =
        collective->emitOpError("runs on stream ")
        << comm::getStream(collective) << ", and another collective of its groups on stream "
        << comm::getStream(first) << ": ranks could execute them in different orders";
    diag.attachNote(first->getLoc()) << "the other collective";
    return WalkResult::interrupt();
  };
  return success(!entry.walk(visit).wasInterrupted());
}
