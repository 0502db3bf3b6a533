//===- HoistMoves.cpp - dmc-hoist-moves -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves that a loop need not repeat: of what it does not change, of what the next
// iteration undoes, and of partial values that are only added up.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Passes.h"

#include "LiveBytes.h"
#include "LoopInvariants.h"
#include "MachineOption.h"

#include "dmc/Sharding/ShardingRule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-hoist-moves"

namespace dmc {
#define GEN_PASS_DEF_HOISTMOVES
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// A move to another layout of the same value, which another move can undo.
static bool isIdentityMove(Operation *op) {
  auto move = dyn_cast_or_null<MoveOpInterface>(op);
  return move && move.isIdentity();
}

static bool isCommunication(Operation *op) {
  auto move = dyn_cast<MoveOpInterface>(op);
  return move && move.isCommunication();
}

//===----------------------------------------------------------------------===//
// What a loop does not change
//===----------------------------------------------------------------------===//

namespace {
/// Moves of one loop's body whose operands come from outside.
class Invariants {
public:
  /// Of each value at most `maxBytes` on a rank if that is not 0, and of all together at most
  /// `roomBytes`.
  Invariants(LoopLikeOpInterface loop, int64_t maxBytes, int64_t roomBytes)
      : loop(loop), maxBytes(maxBytes), roomBytes(roomBytes) {}

  unsigned hoist() {
    unsigned hoisted = 0;
    for (Region *region : loop.getLoopRegions())
      for (Operation &op : llvm::make_early_inc_range(region->front())) {
        if (!isCommunication(&op))
          continue;
        int64_t bytes = getLocalBytes(op.getResult(0));
        if ((maxBytes > 0 && bytes > maxBytes) || bytes > roomBytes) {
          LDBG() << "left " << op.getName() << " of " << bytes
                 << " bytes in the loop: there is room "
                 << "for " << roomBytes;
          continue;
        }
        llvm::SetVector<Operation *> chain;
        if (!collect(&op, chain))
          continue;
        for (Operation *needed : chain)
          needed->moveBefore(loop);
        LDBG() << "hoisted " << op.getName() << " of " << bytes << " bytes with "
               << chain.size() - 1 << " operations";
        roomBytes -= bytes;
        ++hoisted;
      }
    return hoisted;
  }

private:
  /// What has to be hoisted for the operation, in order; false if the loop changes
  /// what it needs.
  bool collect(Operation *op, llvm::SetVector<Operation *> &chain) {
    if (chain.contains(op))
      return true;
    if (!isHoistable(op) || chain.size() >= kMaxHoistedOps)
      return false;
    for (Value operand : getUsedValues(op)) {
      if (loop.isDefinedOutsideOfLoop(operand))
        continue;
      Operation *producer = operand.getDefiningOp();
      if (!producer || producer->getParentOp() != loop || !collect(producer, chain))
        return false;
    }
    chain.insert(op);
    return true;
  }

  LoopLikeOpInterface loop;
  int64_t maxBytes, roomBytes;
};
} // namespace

//===----------------------------------------------------------------------===//
// What a loop carries
//===----------------------------------------------------------------------===//

namespace {
/// One value that a loop carries, in one layout now and in another one after.
class Carried {
public:
  Carried(scf::ForOp loop, unsigned number)
      : loop(loop), number(number), argument(loop.getRegionIterArgs()[number]),
        yielded(loop.getBody()->getTerminator()->getOpOperand(number)) {}

  /// Carries what one iteration moves to one layout and the next moves back.
  bool keepMoved() {
    Operation *back = yielded.get().getDefiningOp();
    if (!isIdentityMove(back) || back->getParentOp() != loop || !yielded.get().hasOneUse())
      return false;
    Type type = back->getOperand(0).getType();
    SmallVector<Operation *> moves;
    bool isMovedOnly = true, saves = false;
    for (Operation *user : argument.getUsers()) {
      if (isIdentityMove(user) && user->getResult(0).getType() == type) {
        moves.push_back(user);
        saves |= isCommunication(user);
      } else {
        isMovedOnly = false;
      }
    }
    // Other users move back in each iteration, as now, which must send nothing.
    if (moves.empty() ||
        (isMovedOnly ? !saves && !isCommunication(back) : !saves || isCommunication(back)))
      return false;

    SmallVector<OpOperand *> others, after = getUses(loop.getResult(number));
    for (OpOperand *use : getUses(argument))
      if (!llvm::is_contained(moves, use->getOwner()))
        others.push_back(use);
    OpBuilder builder(loop);
    Value init = move(builder, moves.front(), loop.getInitArgs()[number]);
    for (Operation *user : moves) {
      user->getResult(0).replaceAllUsesWith(argument);
      user->erase();
    }
    yielded.set(back->getOperand(0));
    setType(init, type);
    builder.setInsertionPointToStart(loop.getBody());
    moveUses(builder, back, argument, others);
    builder.setInsertionPointAfter(loop);
    moveUses(builder, back, loop.getResult(number), after);
    if (back->use_empty())
      back->erase();
    return true;
  }

  /// Carries partial values where they are reduced only to be added to what is carried.
  bool keepPartials() {
    if (!argument.hasOneUse() || !yielded.get().hasOneUse())
      return false;
    Operation *join = yielded.get().getDefiningOp();
    if (!isa_and_nonnull<linalg::MapOp>(join) || join != *argument.user_begin() ||
        join->getParentOp() != loop)
      return false;
    auto map = cast<linalg::MapOp>(join);
    if (map.getInputs().size() != 2 || !map.getInit().getDefiningOp<tensor::EmptyOp>())
      return false;
    unsigned other = map.getInputs()[0] == argument ? 1 : 0;
    auto reduce = map.getInputs()[other].getDefiningOp<ReduceOp>();
    if (!reduce || !reduce.getResult().hasOneUse() || reduce->getParentOp() != loop ||
        reduce.getResult().getType() != argument.getType())
      return false;
    auto type = cast<RankedTensorType>(reduce.getOperand().getType());
    LayoutAttr layout = LayoutAttr::of(type);
    // Of what is partial already the accumulator has no spread form.
    if (!layout || LayoutAttr::of(argument.getType()).isPartial())
      return false;
    llvm::BitVector operands(map->getNumOperands());
    operands.set(0, 2);
    std::optional<PartialResults> results = getPartialResults(map, operands, layout.getCombiner());
    if (!results || results->front() != layout.getCombiner())
      return false;

    OpBuilder builder(loop);
    Value init = SpreadOp::create(builder, reduce.getLoc(), type, loop.getInitArgs()[number],
                                  reduce.getAxes());
    SmallVector<OpOperand *> after = getUses(loop.getResult(number));
    map->setOperand(other, reduce.getOperand());
    builder.setInsertionPoint(map);
    Value empty = tensor::EmptyOp::create(builder, map.getLoc(), type.getShape(),
                                          type.getElementType(), type.getEncoding());
    map.getDpsInitsMutable()[0].set(empty);
    map->getResult(0).setType(type);
    setType(init, type);
    builder.setInsertionPointAfter(loop);
    moveUses(builder, reduce, loop.getResult(number), after);
    reduce->erase();
    return true;
  }

private:
  static Value move(OpBuilder &builder, Operation *like, Value operand) {
    IRMapping mapping;
    mapping.map(like->getOperand(0), operand);
    return builder.clone(*like, mapping)->getResult(0);
  }

  void setType(Value init, Type type) {
    loop.getInitArgsMutable()[number].set(init);
    argument.setType(type);
    loop.getResult(number).setType(type);
  }

  static SmallVector<OpOperand *> getUses(Value value) {
    return llvm::map_to_vector(value.getUses(), [](OpOperand &use) { return &use; });
  }

  /// Lets these uses find the value moved as `like` does.
  static void moveUses(OpBuilder &builder, Operation *like, Value value,
                       ArrayRef<OpOperand *> uses) {
    if (uses.empty())
      return;
    Value moved = move(builder, like, value);
    for (OpOperand *use : uses)
      use->set(moved);
  }

  scf::ForOp loop;
  unsigned number;
  BlockArgument argument;
  OpOperand &yielded;
};

struct HoistMoves : dmc::impl::HoistMovesBase<HoistMoves> {
  using HoistMovesBase::HoistMovesBase;

  void runOnOperation() override {
    auto run = [&](ProgramAttr program, const RankRates &rates) { runOn(program, rates); };
    if (failed(runOnParallel(*this, getOperation(), machine, run)))
      signalPassFailure();
  }

private:
  void runOn(ProgramAttr program, const RankRates &rates) {
    // What is kept in front of a loop is needed as long as the loop runs.
    auto getRoom = [&](Operation *loop) {
      if (rates.capacity == 0)
        return std::numeric_limits<int64_t>::max();
      return static_cast<int64_t>(rates.capacity) -
             getPeakBytesWithin(loop->getParentOfType<func::FuncOp>(), program, loop);
    };
    SmallVector<LoopLikeOpInterface> loops;
    getOperation().walk([&](LoopLikeOpInterface loop) {
      if (isa<scf::ForOp, scf::WhileOp>(loop.getOperation()))
        loops.push_back(loop);
    });
    // Inner loops first: what leaves them may leave those around them.
    for (LoopLikeOpInterface loop : loops) {
      Invariants(loop, maxBytes, getRoom(loop)).hoist();
      auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
      for (unsigned i = 0; counted && i < counted.getNumRegionIterArgs(); ++i) {
        if (!isa<RankedTensorType>(counted.getRegionIterArgs()[i].getType()))
          continue;
        Carried carried(counted, i);
        if (carried.keepMoved())
          LDBG() << "loop carries value " << i << " in the layout of its uses";
        else if (carried.keepPartials())
          LDBG() << "loop carries value " << i << " as partial sums";
      }
    }
  }
};
} // namespace
