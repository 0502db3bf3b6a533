//===- PlannedLayouts.cpp - What a plan says of StableHLO values ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations are found by the numbers in their locations. Of what an operation
// became, its results are the values that others use.
//
//===----------------------------------------------------------------------===//
#include "PlannedLayouts.h"

#include "dmc/Import/StableHLO/Dialect.h"
#include "dmc/Sharding/ShardingRule.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Numbers of operations
//===----------------------------------------------------------------------===//

static constexpr StringLiteral numberKey = "dmc.operation";

Location dmc::withNumber(Location loc, int64_t number) {
  MLIRContext *context = loc.getContext();
  auto attr = IntegerAttr::get(IntegerType::get(context, 64), number);
  return FusedLoc::get(context, {loc},
                       DictionaryAttr::get(context, {NamedAttribute(numberKey, attr)}));
}

static std::optional<int64_t> getNumber(Location loc) {
  std::optional<int64_t> number;
  loc->walk([&](Location inner) {
    auto fused = dyn_cast<FusedLoc>(inner);
    auto tags = fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()) : DictionaryAttr();
    auto attr = tags ? tags.getAs<IntegerAttr>(numberKey) : IntegerAttr();
    if (!attr)
      return WalkResult::advance();
    number = attr.getInt();
    return WalkResult::interrupt();
  });
  return number;
}

Operation *PlannedLayouts::findSource(Operation *op) const {
  std::optional<int64_t> number = getNumber(op->getLoc());
  return number ? operations[*number] : nullptr;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// A move of a tensor as it is, or where the plan splits its live range; a halo makes windows.
static bool isMove(Operation *op) {
  if (isa_and_nonnull<OptimizationBarrierOp>(op))
    return op->hasAttr("dmc.tactic");
  auto move = dyn_cast_or_null<MoveOpInterface>(op);
  return move && move.isIdentity();
}

/// The value that was moved.
static Value getOrigin(Value value) {
  while (isMove(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Visits the uses behind moves; `whole` is the first value on the way that is not partial.
static void forEachUse(Value value, Value whole,
                       llvm::function_ref<void(OpOperand &, Value)> visit) {
  if (!whole && !LayoutAttr::of(value.getType()).isPartial())
    whole = value;
  for (OpOperand &use : value.getUses()) {
    if (isMove(use.getOwner()))
      forEachUse(use.getOwner()->getResult(0), whole, visit);
    else
      visit(use, whole);
  }
}

/// The layout in which a value is kept: where it is made of partial values that are reduced at
/// once, that of the reduced value, and if all uses take it in one layout, this.
/// No sharding says what is carried on without being reduced: XLA takes `unreduced` for what an
/// operation does by itself, which is not so for what dmc makes partial, as gathers.
static LayoutAttr getKept(Value value) {
  LayoutAttr own = LayoutAttr::of(value.getType());
  if (!own.isPartial())
    return own;
  LayoutAttr kept, reduced;
  bool isUsedPartial = false, isUsedAlike = true;
  forEachUse(value, {}, [&](OpOperand &use, Value whole) {
    LayoutAttr layout = LayoutAttr::of(use.get().getType());
    isUsedPartial |= layout.isPartial();
    isUsedAlike &= !kept || kept == layout;
    kept = layout;
    if (whole && !reduced)
      reduced = LayoutAttr::of(whole.getType());
  });
  if (isUsedPartial || !kept)
    return own.withoutPartial();
  return isUsedAlike ? kept : reduced;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> getShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

static bool isComplex(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<ComplexType>(type.getElementType());
}

void PlannedLayouts::pair(Value sourceValue, Value plannedValue) {
  sources.try_emplace(plannedValue, sourceValue);
  layouts.try_emplace(sourceValue, getKept(plannedValue));
}

LogicalResult dmc::refuseLayout(LayoutAttr layout, Location loc) {
  return emitError(loc) << "unsupported: " << layout
                        << " in --emit=sdy, which no sharding says; expected tensors whole, split, "
                           "real and imaginary parts alike";
}

/// Finds what of each operation others use.
void PlannedLayouts::collectResults() {
  planned->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // What is within rank programs has no layouts.
    if (op != planned && !isa<RegionBranchOpInterface>(op->getParentOp()) &&
        op->getParentOp() != planned)
      return WalkResult::skip();
    Operation *from =
        op == planned || isMove(op) || isLayoutAgnostic(op) ? nullptr : findSource(op);
    if (!from)
      return WalkResult::advance();
    if (isa<LoopLikeOpInterface>(op) && isa<stablehlo::WhileOp>(from)) {
      loops[from] = op;
      return WalkResult::advance();
    }
    for (OpResult result : op->getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      bool isUsedByOthers = false;
      forEachUse(result, {}, [&](OpOperand &use, Value) {
        Operation *user = use.getOwner();
        if (user->hasTrait<OpTrait::IsTerminator>() && user->getParentOp() != planned)
          user = user->getParentOp();
        isUsedByOthers |= findSource(user) != from;
      });
      if (isUsedByOthers)
        results[from].push_back(result);
    }
    return WalkResult::advance();
  });
}

/// A complex value is two tensors of the plan.
LogicalResult PlannedLayouts::matchResults(Operation *op, ArrayRef<Value> made) {
  for (OpResult result : op->getResults()) {
    SmallVector<Value> fitting;
    llvm::copy_if(made, std::back_inserter(fitting),
                  [&](Value value) { return getShape(value) == getShape(result); });
    if (fitting.empty())
      continue;
    auto isAlike = [&](Value value) { return getKept(value) == getKept(fitting.back()); };
    if (isComplex(result) && !llvm::all_of(fitting, isAlike))
      return refuseLayout(getKept(fitting.front()), op->getLoc());
    if (op->getNumResults() == 1 || llvm::all_of(fitting, isAlike)) {
      // The last one is the result; those before it are parts of it that others compute, too.
      pair(result, fitting.back());
      if (isComplex(result))
        for (Value part : fitting)
          pair(result, part);
      continue;
    }
    // Those of equal shape, in order.
    auto isPeer = [&](Value other) { return getShape(other) == getShape(result); };
    auto before = llvm::count_if(op->getResults().take_front(result.getResultNumber()), isPeer);
    if (llvm::count_if(op->getResults(), isPeer) == static_cast<int64_t>(fitting.size()))
      pair(result, fitting[before]);
  }
  return success();
}

/// The values of a loop lose those that nobody uses and counters, so they are found by where they
/// come from.
void PlannedLayouts::matchLoop(Operation *op, Operation *loop) {
  auto whileOp = cast<stablehlo::WhileOp>(op);
  Block &cond = whileOp->getRegion(0).front(), &body = whileOp->getRegion(1).front();
  Operation *end = body.getTerminator();
  auto loopLike = cast<LoopLikeOpInterface>(loop);
  auto inits = loopLike.getInits();
  auto yields = loopLike.getYieldedValues();
  auto arguments = loopLike.getRegionIterArgs();
  llvm::SmallBitVector isTaken(whileOp->getNumOperands());

  auto known = [&](Value value) { return sources.lookup(getOrigin(value)); };
  for (unsigned j = 0; j < inits.size(); ++j) {
    if (!isa<RankedTensorType>(inits[j].getType()))
      continue;
    Value init = known(inits[j]), yield = j < yields.size() ? known(yields[j]) : Value();
    int best = -1, bestScore = 0;
    for (unsigned i = 0; i < whileOp->getNumOperands(); ++i) {
      Value given = whileOp->getOperand(i), next = end->getOperand(i);
      if (isTaken[i] || getShape(given) != getShape(inits[j]))
        continue;
      auto score = [](Value found, Value expected) {
        return !found ? 0 : found == expected ? 1 : -2;
      };
      int total = score(init, given) + score(yield, next);
      if (total > bestScore) {
        best = static_cast<int>(i);
        bestScore = total;
      }
    }
    if (best < 0)
      continue;
    isTaken.set(best);
    // A while loop's results need not be its arguments.
    Value argument = arguments[j], result;
    SmallVector<Value> others;
    if (auto scfWhile = dyn_cast<scf::WhileOp>(loop)) {
      for (auto [r, value] : llvm::enumerate(scfWhile.getConditionOp().getArgs()))
        if (getOrigin(value) == argument && !result) {
          result = scfWhile.getResult(r);
          others.push_back(scfWhile.getAfterArguments()[r]);
        }
    } else {
      result = loop->getResult(j);
    }
    for (Value of : {Value(cond.getArgument(best)), Value(body.getArgument(best))}) {
      pair(of, argument);
      for (Value other : others)
        pair(of, other);
    }
    // In the map of the planned argument, the body's argument is what uses in the body have.
    sources[argument] = body.getArgument(best);
    for (Value other : others)
      sources[other] = body.getArgument(best);
    if (result)
      pair(whileOp->getResult(best), result);
    else
      layouts.try_emplace(whileOp->getResult(best), getKept(argument));
  }
}

/// What operations take in another layout than their operand is kept in.
LogicalResult PlannedLayouts::matchUses() {
  planned->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op) || isMove(op) || isLayoutAgnostic(op))
      return;
    Operation *user = op == planned ? nullptr : findSource(op);
    if (!user)
      return;
    for (OpOperand *operand : getTensorOperands(op)) {
      Value value = sources.lookup(getOrigin(operand->get()));
      LayoutAttr kept = value ? layouts.lookup(value) : LayoutAttr();
      LayoutAttr wanted = LayoutAttr::of(operand->get().getType());
      if (!kept || !wanted)
        continue;
      if (wanted.isPartial() && !carried)
        carried = {user, wanted};
      wanted = wanted.withoutPartial();
      if (kept == wanted)
        continue;
      for (OpOperand &use : user->getOpOperands())
        if (use.get() == value && !moved.count(&use)) {
          moved[&use] = wanted;
          break;
        }
    }
  });
  return success();
}

LogicalResult PlannedLayouts::read() {
  collectResults();
  for (auto [argument, value] : llvm::zip_equal(source.getArguments(), planned.getArguments()))
    pair(argument, value);
  for (Operation *op : operations)
    if (auto found = results.find(op); op && found != results.end())
      if (failed(matchResults(op, found->second)))
        return failure();
  for (Operation *op : operations)
    if (Operation *loop = op ? loops.lookup(op) : nullptr)
      matchLoop(op, loop);
  return matchUses();
}
