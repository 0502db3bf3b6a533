//===- LiveBytes.cpp - Bytes that a parallel program needs ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live ranges over the operations in order.
//
//===----------------------------------------------------------------------===//
#include "LiveBytes.h"

#include "dmc/Sharding/ShardingRule.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace dmc;

static int64_t getLocalBytes(RankedTensorType type, LayoutAttr layout) {
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size :
       layout ? layout.getLocalShape(type.getShape()) : SmallVector<int64_t>(type.getShape()))
    bytes *= size;
  return bytes;
}

int64_t dmc::getLocalBytes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return ::getLocalBytes(type, LayoutAttr::of(type));
}

static int64_t getBoundaryBytes(ProgramAttr program) {
  int64_t bytes = 0;
  auto add = [&](ValueAttr value) { bytes += getLocalBytes(value.getType(), value.getLayout()); };
  llvm::SmallDenseSet<int64_t> overwritten;
  for (ValueAttr argument : program.getArguments()) {
    add(argument);
    if (argument.isDonated())
      overwritten.insert(argument.getDonates());
  }
  for (auto [i, result] : llvm::enumerate(program.getResults()))
    if (!overwritten.contains(i))
      add(result);
  return bytes;
}

/// True if the value costs nothing: it is made where it is read, or lies in a result's memory.
static bool isFree(Operation *op, Value value) {
  if (isLayoutAgnostic(op))
    return true;
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  bool isFused = loops && loops.getNumReductionLoops() == 0 && value.hasOneUse() &&
                 isa<linalg::LinalgOp>(*value.user_begin());
  return isFused || llvm::any_of(value.getUsers(), llvm::IsaPred<func::ReturnOp>);
}

int64_t dmc::getPeakBytesWithin(func::FuncOp entry, ProgramAttr program, Operation *op) {
  // Where each operation begins and ends; bodies of compute operations hold scalars.
  struct Span {
    unsigned first, last;
  };
  DenseMap<Operation *, Span> spans;
  unsigned next = 0;
  auto number = [&](auto &self, Block &block) -> void {
    for (Operation &nested : block) {
      unsigned first = next++;
      if (isa<RegionBranchOpInterface>(nested))
        for (Region &region : nested.getRegions())
          for (Block &inner : region)
            self(self, inner);
      spans[&nested] = {first, next++};
    }
  };
  number(number, entry.getBody().front());

  std::vector<int64_t> changes(next + 1);
  auto add = [&](Value value, unsigned first) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    unsigned last = first;
    for (Operation *user : value.getUsers())
      if (Operation *around = value.getParentBlock()->findAncestorOpInBlock(*user))
        last = std::max(last, spans.lookup(around).last);
    int64_t bytes = getLocalBytes(value);
    changes[first] += bytes;
    changes[last + 1] -= bytes;
  };
  for (auto [nested, span] : spans) {
    for (OpResult result : nested->getResults())
      if (!isFree(nested, result))
        add(result, span.last);
    if (isa<RegionBranchOpInterface>(nested))
      for (Region &region : nested->getRegions())
        for (BlockArgument argument : region.getArguments())
          add(argument, span.first);
  }
  Span within = spans.lookup(op);
  int64_t live = 0, peak = 0;
  for (unsigned i = 0; i <= within.last; ++i) {
    live += changes[i];
    if (i >= within.first)
      peak = std::max(peak, live);
  }
  return peak + getBoundaryBytes(program);
}
