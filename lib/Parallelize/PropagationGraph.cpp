//===- PropagationGraph.cpp - Nodes and values of a program ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations become nodes with their rules; what control flow forwards becomes
// one value with identities around it.
//
//===----------------------------------------------------------------------===//
#include "Propagation.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace dmc;

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

unsigned Propagation::addValue(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  TensorInfo info;
  info.shape = type.getShape();
  info.elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  info.sharding.resize(type.getRank());
  info.holds.resize(type.getRank());
  info.repeats = repeats;
  values.push_back(std::move(info));
  numbers[value] = values.size() - 1;
  return values.size() - 1;
}

void Propagation::addNode(Node node) {
  unsigned number = nodes.size();
  node.assignment.resize(node.rule.factors.size());
  node.closedFactors.resize(node.rule.factors.size());
  node.isDirty = true;
  node.repeats = repeats;
  for (unsigned i = 0; i < node.getNumValues(); ++i)
    if (unsigned value = node.getValue(i); value != Node::kLayoutAgnostic)
      if (values[value].nodes.empty() || values[value].nodes.back() != number)
        values[value].nodes.push_back(number);
  for (unsigned operand : node.operands)
    if (operand != Node::kLayoutAgnostic)
      ++values[operand].numUses;
  for (unsigned result : node.results)
    if (!node.forwarded)
      producers[result] = number;
  nodes.push_back(std::move(node));
}

static bool isLoopResult(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isHoistingLoop(op);
}

/// Which of an operation's tensor operands are results of loops.
static llvm::BitVector findLoopResults(ArrayRef<OpOperand *> operands) {
  llvm::BitVector found(operands.size());
  for (auto [i, operand] : llvm::enumerate(operands))
    if (isLoopResult(operand->get()))
      found.set(i);
  return found;
}

/// Moves of what a loop does not change are hoisted with the operations that produce it.
void Propagation::setRepeats(Operation &op, TensorInfo &value) {
  value.hoistedFrom = invariants.getOutermostLoop(&op);
  if (value.hoistedFrom)
    value.repeats = loopRepeats.lookup(value.hoistedFrom);
}

/// An identity from an operand to the value that control flow makes of it.
void Propagation::addHandOver(Operation *op, unsigned operand, unsigned target) {
  Node node;
  node.op = op;
  node.forwarded = operand;
  ValueFactors factors;
  for (int64_t size : values[target].shape)
    factors.push_back({node.rule.addFactor(size)});
  node.rule.operands = {factors};
  node.rule.results = {factors};
  Value value = getTensorOperands(op)[operand]->get();
  node.areLoopResults.resize(1, isLoopResult(value));
  node.operands = {has(value) ? getNumber(value) : Node::kLayoutAgnostic};
  node.results = {target};
  addNode(std::move(node));
}

/// The addition that alone reads a carried value and alone produces what is yielded for it.
static linalg::MapOp findJoin(BlockArgument argument, Value yielded) {
  auto join = yielded.getDefiningOp<linalg::MapOp>();
  bool joins = join && argument.hasOneUse() && yielded.hasOneUse() &&
               join == *argument.user_begin() && join->getBlock() == argument.getOwner() &&
               join.getInputs().size() == 2;
  return joins ? join : linalg::MapOp();
}

void Propagation::addCarried(scf::ForOp loop) {
  auto add = [&](unsigned value, unsigned index) { carriedBy[value].push_back(index); };
  for (auto [argument, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    if (!isTensor(argument) || !has(yielded) || getNumber(yielded) == getNumber(argument))
      continue;
    unsigned index = carriedValues.size();
    CarriedValue carried{getNumber(argument), getNumber(yielded), nullptr, std::nullopt};
    if (linalg::MapOp join = findJoin(argument, yielded)) {
      Value addend = join.getInputs()[join.getInputs()[0] == argument ? 1 : 0];
      if (has(addend) && addend.hasOneUse() && addend.getParentBlock() == argument.getOwner()) {
        carried.join = join;
        carried.addend = getNumber(addend);
        add(*carried.addend, index);
      }
    }
    add(carried.value, index);
    add(carried.yielded, index);
    carriedValues.push_back(carried);
  }
}

LogicalResult Propagation::addControlFlow(Operation &op, double outerRepeats) {
  // The result of a loop: what it carries, read once behind it.
  auto share = [&](Value value, unsigned number) {
    numbers[value] = number;
    values[number].resultRepeats = outerRepeats;
  };
  auto tensorsOf = [](ValueRange range) {
    SmallVector<Value> tensors;
    llvm::copy_if(range, std::back_inserter(tensors), isTensor);
    return tensors;
  };
  SmallVector<Value> results = tensorsOf(op.getResults());

  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    SmallVector<unsigned> carried, handed;
    for (Value argument : tensorsOf(loop.getBeforeArguments()))
      carried.push_back(addValue(argument));
    for (auto [argument, result] : llvm::zip_equal(tensorsOf(loop.getAfterArguments()), results)) {
      handed.push_back(addValue(argument));
      share(result, handed.back());
    }
    for (auto [i, target] : llvm::enumerate(carried))
      addHandOver(&op, i, target);
    if (failed(addBlock(*loop.getBeforeBody())))
      return failure();
    for (auto [i, target] : llvm::enumerate(handed))
      addHandOver(loop.getConditionOp(), i, target);
    if (failed(addBlock(*loop.getAfterBody())))
      return failure();
    for (auto [i, target] : llvm::enumerate(carried))
      addHandOver(loop.getYieldOp(), i, target);
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    SmallVector<unsigned> carried;
    for (auto [argument, result] : llvm::zip_equal(tensorsOf(loop.getRegionIterArgs()), results)) {
      carried.push_back(addValue(argument));
      share(result, carried.back());
      addHandOver(&op, carried.size() - 1, carried.back());
    }
    if (failed(addBlock(*loop.getBody())))
      return failure();
    for (auto [i, target] : llvm::enumerate(carried))
      addHandOver(loop.getBody()->getTerminator(), i, target);
    addCarried(loop);
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Value result : results)
      addValue(result);
    for (Region &region : branch->getRegions()) {
      if (region.empty())
        continue;
      if (failed(addBlock(region.front())))
        return failure();
      for (auto [i, result] : llvm::enumerate(results))
        addHandOver(region.front().getTerminator(), i, getNumber(result));
    }
    return success();
  }
  return op.emitOpError("is control flow for which no layouts can be propagated");
}

/// How often a body is executed; a loop that does not say counts as eight.
static double getRepeats(Operation &op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return 1;
  std::optional<APInt> trips = loop.getStaticTripCount();
  return trips ? trips->roundToDouble() : 8;
}

/// True if all uses make windows of what is behind a pad, dilation or slice.
static bool isLookedThrough(Operation &op) {
  if (!isa<tensor::PadOp, tensor::InsertSliceOp, tensor::ExtractSliceOp>(op) ||
      getWindowSources(op.getResult(0)).size() == 1)
    return false;
  return llvm::all_of(op.getUses(), [](OpOperand &use) {
    if (isa<tensor::PadOp, tensor::InsertSliceOp, tensor::ExtractSliceOp>(use.getOwner()))
      return isLookedThrough(*use.getOwner());
    FailureOr<WindowRule> rule = getWindowRule(use.getOwner());
    SmallVector<OpOperand *> operands = getTensorOperands(use.getOwner());
    return succeeded(rule) && llvm::any_of(rule->windows, [&](const WindowAccess &access) {
             return operands[access.operand] == &use;
           });
  });
}

static FailureOr<WindowRule> getStrictRule(Operation *op) {
  FailureOr<ShardingRule> rule = getShardingRule(op);
  if (failed(rule))
    return failure();
  return WindowRule{std::move(*rule), {}};
}

LogicalResult Propagation::addOp(Operation &op) {
  if (isLayoutAgnostic(&op) || op.hasTrait<OpTrait::IsTerminator>())
    return success();
  if (isa<RegionBranchOpInterface>(op)) {
    double outer = repeats;
    loopRepeats[&op] = outer;
    repeats *= getRepeats(op);
    LogicalResult result = addControlFlow(op, outer);
    repeats = outer;
    return result;
  }
  SmallVector<OpOperand *> operands = getTensorOperands(&op);
  SmallVector<OpResult> results = getTensorResults(&op);
  if (operands.empty() && results.empty())
    return success();
  Node node;
  node.op = &op;
  FailureOr<WindowRule> rule = withWindows ? getWindowRule(&op) : getStrictRule(&op);
  if (failed(rule))
    return op.emitOpError("expected tensors of static shape");
  node.rule = std::move(rule->rule);
  node.windows = std::move(rule->windows);
  node.isLookedThrough = !node.windows.empty() && isLookedThrough(op);
  for (const WindowAccess &access : node.windows) {
    // A pad makes its windows of what it pads.
    Value read = isa<tensor::PadOp, tensor::InsertSliceOp>(op) ? op.getResult(0)
                                                               : operands[access.operand]->get();
    SmallVector<WindowSource> sources = getWindowSources(read);
    if (sources.size() == 1 || node.windowSources.count(access.operand))
      continue;
    for (const WindowSource &source : ArrayRef(sources).drop_front())
      if (source.value != operands[access.operand]->get() && has(source.value))
        values[getNumber(source.value)].windowUses.push_back(
            {static_cast<unsigned>(nodes.size()), access.operand, isLoopResult(source.value)});
    node.windowSources[access.operand] = {
        std::move(sources), llvm::to_vector(cast<RankedTensorType>(read.getType()).getShape())};
  }
  for (OpOperand *operand : operands)
    node.operands.push_back(has(operand->get()) ? getNumber(operand->get())
                                                : Node::kLayoutAgnostic);
  node.areLoopResults = findLoopResults(operands);
  if (auto constrain = dyn_cast<ConstrainOp>(op)) {
    addConstraint(constrain, std::move(node));
    return success();
  }
  for (OpResult result : results) {
    node.results.push_back(addValue(result));
    setRepeats(op, values.back());
  }
  node.destinations = getDestinations(&op);
  addNode(std::move(node));
  if (auto manual = dyn_cast<ManualOp>(op))
    constrain(manual);
  return success();
}

LogicalResult Propagation::addBlock(Block &block) {
  for (Operation &op : block)
    if (failed(addOp(op)))
      return failure();
  return success();
}

LogicalResult Propagation::build(func::FuncOp entry) {
  // Nodes and values are large: they stay where they are made.
  size_t numOps = 0;
  entry->walk([&](Operation *) { ++numOps; });
  nodes.reserve(numOps);
  values.reserve(numOps + entry.getNumArguments());
  for (BlockArgument argument : entry.getArguments())
    if (isTensor(argument))
      addValue(argument);
  if (failed(addBlock(entry.getBody().front())))
    return failure();
  for (Value value : entry.getBody().front().getTerminator()->getOperands())
    if (has(value))
      ++values[getNumber(value)].numUses;
  return success();
}
