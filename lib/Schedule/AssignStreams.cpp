//===- AssignStreams.cpp - What a device may do at one time ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts collectives and copies on streams of their own and orders streams by as
// few events as their accesses to memory need.
//
//===----------------------------------------------------------------------===//
#include "StreamOrder.h"
#include "Streams.h"

#include "dmc/Schedule/Passes.h"
#include "dmc/Schedule/Verify.h"

#include "llvm/ADT/MapVector.h"

namespace dmc {
#define GEN_PASS_DEF_ASSIGNSTREAMS
#include "dmc/Schedule/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// Of launches, and of everything that has no reason to be elsewhere.
static constexpr int64_t computeStream = 0;

static bool hasRegions(Operation *op) { return op->getNumRegions() > 0; }

/// The same collective without token, and nothing that waits for it.
static Operation *dropToken(comm::CollectiveOpInterface collective) {
  for (Operation *wait : llvm::make_early_inc_range(collective->getResult(0).getUsers()))
    wait->erase();
  OpBuilder builder(collective);
  OperationState state(collective->getLoc(), collective->getName(), collective->getOperands(), {},
                       collective->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = collective->getPropertiesAsAttribute();
  Operation *other = builder.create(state);
  collective->erase();
  return other;
}

namespace {
class Assigner {
public:
  Assigner(func::FuncOp entry, ProgramAttr program)
      : entry(entry), memory(entry, program), order(memory.getNumMemories()), clocks(1) {}

  void run() {
    chooseStreams();
    placeEvents(entry.getBody().front());
  }

private:
  using Accesses = SmallVector<std::pair<Access, bool>>; // true: written

  //===--- Streams --------------------------------------------------------===//

  /// A stream for the collectives of each groups, and one for copies that need not be between
  /// launches.
  void chooseStreams() {
    llvm::DenseMap<Attribute, int64_t> streamOf;
    SmallVector<comm::CollectiveOpInterface> collectives;
    entry.walk([&](comm::CollectiveOpInterface op) { collectives.push_back(op); });
    int64_t next = computeStream + 1;
    for (comm::CollectiveOpInterface collective : collectives) {
      auto [stream, isNew] = streamOf.try_emplace(getGroupKey(collective), next);
      next += isNew;
      bool hasToken = collective->getNumResults() > 0;
      comm::setStream(hasToken ? dropToken(collective) : collective, stream->second);
    }
    for (auto copy : entry.getBody().front().getOps<memref::CopyOp>())
      if (canOverlap(copy))
        comm::setStream(copy, next);
  }

  /// Whether a launch or a loop stands before what has to follow the copy.
  bool canOverlap(memref::CopyOp copy) {
    Accesses mine = getAccesses(copy);
    for (Operation *op = copy->getNextNode(); op; op = op->getNextNode()) {
      Accesses others = getAccesses(op);
      for (const auto &[access, isWritten] : mine)
        for (const auto &[other, isOtherWritten] : others)
          if ((isWritten || isOtherWritten) && access.overlaps(other))
            return false;
      if (isa<LaunchOp>(op) || hasRegions(op))
        return true;
    }
    return false;
  }

  /// With those of operations within.
  Accesses getAccesses(Operation *op) {
    Accesses accesses;
    op->walk([&](Operation *inner) {
      std::optional<AccessedBuffers> accessed = getAccessedBuffers(inner);
      if (!accessed)
        return;
      for (Value value : accessed->reads)
        accesses.push_back({*memory.find(value), false});
      for (Value value : accessed->writes)
        accesses.push_back({*memory.find(value), true});
    });
    return accesses;
  }

  //===--- Events ---------------------------------------------------------===//

  void placeEvents(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (hasRegions(&op) && usesOtherStreams(&op)) {
        placeEventsWithin(&op);
        continue;
      }
      if (Accesses accesses = getAccesses(&op); !accesses.empty())
        placeEvents(&op, accesses);
    }
  }

  static bool usesOtherStreams(Operation *op) {
    auto visit = [](Operation *inner) {
      return WalkResult(success(comm::getStream(inner) == computeStream));
    };
    return op->walk(visit).wasInterrupted();
  }

  /// Where control flow leaves open what comes before, and other streams have a part in it, all
  /// that was before is before what follows.
  void placeEventsWithin(Operation *op) {
    joinStreams(op);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        restart(&block, block.begin());
        placeEvents(block);
        joinStreams(block.getTerminator());
      }
    restart(op->getBlock(), std::next(op->getIterator()));
  }

  /// Lets the compute stream wait for all others.
  void joinStreams(Operation *place) {
    llvm::MapVector<int64_t, StreamUse> last;
    for (const StreamUse &use : lastUses)
      if (use.stream != computeStream && order.getClock(computeStream).get(use.stream) < use.time)
        last[use.stream] = use;
    await(computeStream, std::move(last), place);
  }

  /// Forgets what is known of streams, but that the compute stream is behind everything.
  void restart(Block *block, Block::iterator place) {
    order = StreamOrder(memory.getNumMemories());
    lastUses.clear();
    startBlock = block;
    startPlace = place == block->begin() ? nullptr : &*std::prev(place);
    StreamUse start = run(computeStream, nullptr);
    for (unsigned i = 0; i < memory.getNumMemories(); ++i)
      order.add({i, 0, std::numeric_limits<int64_t>::max(), Value()}, /*isWrite=*/true, start);
  }

  StreamUse run(int64_t stream, Operation *op) {
    StreamUse use = order.run(stream, op, static_cast<int64_t>(clocks.size()));
    clocks.push_back(order.getClock(stream));
    return use;
  }

  void placeEvents(Operation *op, const Accesses &accesses) {
    int64_t stream = comm::getStream(op);
    llvm::MapVector<int64_t, StreamUse> needed;
    for (const auto &[access, isWritten] : accesses)
      order.visitUnordered(stream, access, isWritten, [&](const StreamUse &use, bool) {
        StreamUse &last = needed[use.stream];
        if (last.time < use.time)
          last = use;
      });
    await(stream, std::move(needed), op);
    StreamUse use = run(stream, op);
    for (const auto &[access, isWritten] : accesses)
      order.add(access, isWritten, use);
    lastUses.push_back(use);
  }

  /// Lets the stream wait, in front of `place`, for the last of these uses of each other stream.
  void await(int64_t stream, llvm::MapVector<int64_t, StreamUse> needed, Operation *place) {
    OpBuilder builder(place);
    for (const auto &[other, use] : needed) {
      // What another of them has waited for needs no event.
      bool isImplied = llvm::any_of(needed, [&, other = other, time = use.time](const auto &entry) {
        return entry.first != other && clocks[entry.second.time].get(other) >= time;
      });
      if (isImplied)
        continue;
      comm::AwaitOp::create(builder, place->getLoc(), getEvent(use), stream);
      order.await(stream, clocks[use.time]);
    }
  }

  Value getEvent(const StreamUse &use) {
    Value &event = events[use.time];
    if (event)
      return event;
    OpBuilder builder(entry.getContext());
    Operation *previous = use.op ? use.op : startPlace;
    if (previous)
      builder.setInsertionPointAfter(previous);
    else
      builder.setInsertionPointToStart(startBlock);
    Location loc = previous ? previous->getLoc() : startBlock->getParentOp()->getLoc();
    return event = comm::RecordOp::create(builder, loc, use.stream);
  }

  func::FuncOp entry;
  EntryMemory memory;
  StreamOrder order;
  /// By time: what had ended before the end of the operation of that time.
  std::vector<Clock> clocks;
  /// Since the start of this stretch of operations.
  std::vector<StreamUse> lastUses;
  /// Where it starts: after an operation, or at the start of a block.
  Operation *startPlace = nullptr;
  Block *startBlock = nullptr;
  llvm::DenseMap<int64_t, Value> events;
};

struct AssignStreams : dmc::impl::AssignStreamsBase<AssignStreams> {
  using AssignStreamsBase::AssignStreamsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!TargetAttr::of(module).isDevice())
      return;
    ProgramAttr program = ProgramAttr::of(module);
    if (failed(verifySchedule(module)))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic())
        Assigner(function, program).run();
  }
};
} // namespace
