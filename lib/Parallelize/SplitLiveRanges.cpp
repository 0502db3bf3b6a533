//===- SplitLiveRanges.cpp - Tensors kept otherwise meanwhile -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "SplitLiveRanges.h"

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Sharding/ShardingRule.h"
#include "dmc/Sharding/Windows.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;
using namespace dmc;

static bool isSplit(Operation *op) {
  return isa<OptimizationBarrierOp>(op) && op->hasAttr("dmc.tactic");
}

/// In the order of the program, without barriers that were inserted.
static void forEachOperation(func::FuncOp entry,
                             llvm::function_ref<void(unsigned, Operation *)> visit) {
  unsigned number = 0;
  entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isSplit(op))
      visit(number++, op);
  });
}

OperationRanges::OperationRanges(func::FuncOp entry, ArrayRef<Operation *> operations) {
  llvm::DenseSet<Operation *> all(operations.begin(), operations.end());
  forEachOperation(entry, [&](unsigned number, Operation *op) {
    if (!all.contains(op))
      return;
    if (!ranges.empty() && ranges.back().second + 1 == number)
      ranges.back().second = number;
    else
      ranges.push_back({number, number});
  });
}

std::optional<OperationRanges> OperationRanges::parse(StringRef text) {
  OperationRanges result;
  if (text == "none")
    return result;
  for (StringRef part : llvm::split(text, ',')) {
    auto [first, last] = part.split('-');
    if (!part.contains('-'))
      last = first;
    std::pair<unsigned, unsigned> range;
    bool isWrong = first.getAsInteger(10, range.first) || last.getAsInteger(10, range.second) ||
                   range.second < range.first ||
                   (!result.ranges.empty() && range.first <= result.ranges.back().second);
    if (isWrong)
      return std::nullopt;
    result.ranges.push_back(range);
  }
  return result;
}

std::string OperationRanges::toText() const {
  if (ranges.empty())
    return "none";
  return llvm::join(llvm::map_range(ranges,
                                    [](auto range) {
                                      std::string text = std::to_string(range.first);
                                      return range.first == range.second
                                                 ? text
                                                 : text + "-" + std::to_string(range.second);
                                    }),
                    ",");
}

SmallVector<Operation *> OperationRanges::find(func::FuncOp entry) const {
  SmallVector<Operation *> found;
  auto next = ranges.begin();
  forEachOperation(entry, [&](unsigned number, Operation *op) {
    while (next != ranges.end() && next->second < number)
      ++next;
    if (next != ranges.end() && next->first <= number)
      found.push_back(op);
  });
  return found;
}

namespace {
class Splitter {
public:
  Splitter(func::FuncOp entry, const OperationRanges &places);
  unsigned run(double ignoredBytes);

private:
  /// Where a tensor is taken next, behind one of the places.
  struct Split {
    Operation *last, *next;
  };
  struct Candidate {
    Value value;
    double bytes;
    SmallVector<Split, 1> splits;
  };
  void collect(Value value);
  bool isPlaceBetween(Operation *last, Operation *next) const;
  void split(const Candidate &candidate);

  llvm::DenseMap<Operation *, unsigned> order;
  /// The places and what they are nested in, by block, in order.
  llvm::DenseMap<Block *, std::vector<unsigned>> placesOf;
  std::vector<Candidate> candidates;
};
} // namespace

Splitter::Splitter(func::FuncOp entry, const OperationRanges &places) {
  forEachOperation(entry, [&](unsigned number, Operation *op) { order[op] = number; });
  for (Operation *place : places.find(entry))
    for (Operation *op = place; op != entry; op = op->getParentOp())
      placesOf[op->getBlock()].push_back(order.lookup(op));
  for (auto &[block, numbers] : placesOf)
    llvm::sort(numbers);

  for (BlockArgument argument : entry.getArguments())
    collect(argument);
  entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == entry)
      return WalkResult::advance();
    // What ranks do with their parts, and with elements, has no layouts.
    if (!isLayoutAgnostic(op))
      for (Value result : op->getResults())
        collect(result);
    return isa<RegionBranchOpInterface>(op) ? WalkResult::advance() : WalkResult::skip();
  });
}

bool Splitter::isPlaceBetween(Operation *last, Operation *next) const {
  auto found = placesOf.find(last->getBlock());
  if (found == placesOf.end())
    return false;
  auto place = llvm::upper_bound(found->second, order.lookup(last));
  return place != found->second.end() && *place < order.lookup(next);
}

/// Windows are taken from what is behind pads and slices, which a barrier would hide.
static bool isReadInWindows(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    FailureOr<WindowRule> rule = getWindowRule(use.getOwner());
    if (failed(rule) || rule->windows.empty())
      return false;
    SmallVector<OpOperand *> operands = getTensorOperands(use.getOwner());
    return llvm::any_of(rule->windows, [&](const WindowAccess &access) {
      return operands[access.operand] == &use;
    });
  });
}

void Splitter::collect(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0 || !type.hasStaticShape())
    return;
  Block *block = value.getParentBlock();
  SmallVector<Operation *> users;
  for (Operation *user : value.getUsers())
    users.push_back(block->findAncestorOpInBlock(*user));
  llvm::sort(users, [&](Operation *a, Operation *b) { return order.lookup(a) < order.lookup(b); });
  users.erase(llvm::unique(users), users.end());
  Candidate candidate{value, 0, {}};
  for (size_t i = 1; i < users.size(); ++i)
    if (isPlaceBetween(users[i - 1], users[i]))
      candidate.splits.push_back({users[i - 1], users[i]});
  if (candidate.splits.empty() || isReadInWindows(value))
    return;
  candidate.bytes = static_cast<double>(type.getNumElements()) *
                    static_cast<double>(std::max(1u, type.getElementTypeBitWidth() / 8));
  candidates.push_back(std::move(candidate));
}

void Splitter::split(const Candidate &candidate) {
  Value current = candidate.value;
  Block *block = current.getParentBlock();
  for (const Split &split : candidate.splits) {
    OpBuilder builder(split.last->getContext());
    builder.setInsertionPointAfter(split.last);
    auto barrier = OptimizationBarrierOp::create(builder, candidate.value.getLoc(), current);
    barrier->setAttr("dmc.tactic", builder.getUnitAttr());
    unsigned first = order.lookup(split.next);
    current.replaceUsesWithIf(barrier.getResult(), [&](OpOperand &use) {
      return use.getOwner() != barrier &&
             order.lookup(block->findAncestorOpInBlock(*use.getOwner())) >= first;
    });
    current = barrier.getResult();
  }
}

unsigned Splitter::run(double ignoredBytes) {
  std::vector<unsigned> bySize(candidates.size());
  std::iota(bySize.begin(), bySize.end(), 0);
  llvm::stable_sort(
      bySize, [&](unsigned a, unsigned b) { return candidates[a].bytes < candidates[b].bytes; });
  llvm::BitVector isIgnored(candidates.size());
  for (unsigned number : bySize) {
    ignoredBytes -= candidates[number].bytes;
    if (ignoredBytes < 0)
      break;
    isIgnored.set(number);
  }
  unsigned count = 0;
  for (auto [number, candidate] : llvm::enumerate(candidates))
    if (!isIgnored.test(number)) {
      split(candidate);
      count += candidate.splits.size();
    }
  return count;
}

unsigned dmc::splitLiveRanges(func::FuncOp entry, const OperationRanges &places,
                              double ignoredBytes) {
  return Splitter(entry, places).run(ignoredBytes);
}

void dmc::joinLiveRanges(func::FuncOp entry) {
  entry->walk([](Operation *op) {
    if (!isSplit(op))
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
}
