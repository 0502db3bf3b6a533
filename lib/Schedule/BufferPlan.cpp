//===- BufferPlan.cpp - Which buffer holds which value --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aliases, live ranges and homes of buffers, then offsets.
//
//===----------------------------------------------------------------------===//
#include "BufferPlan.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Schedule/Arena.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dmc;

int64_t dmc::getBufferBytes(ShapedType type) {
  Type element = type.getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return type.getNumElements() * ((bits + 7) / 8);
}

Value dmc::getViewSource(Operation *op) {
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return op->getOperand(0);
  return {};
}

Value dmc::getBase(Value value) {
  while (Value source = getViewSource(value.getDefiningOp()))
    value = source;
  return value;
}

static bool isUndefined(Value value) {
  return isa_and_nonnull<tensor::EmptyOp>(getBase(value).getDefiningOp());
}

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

Value dmc::getInPlaceInput(OpResult result) {
  if (auto reduce = dyn_cast<comm::AllReduceOp>(result.getOwner()))
    return reduce.getOperand();
  auto launch = dyn_cast<LaunchOp>(result.getOwner());
  int64_t input =
      launch && launch.getInPlace() ? (*launch.getInPlace())[result.getResultNumber()] : -1;
  return input < 0 ? Value() : launch.getInputs()[input];
}

/// What a result may be computed in place of: an input of its operation, or what
/// its loop starts from.
static Value getInPlaceSource(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return loop.getInitArgs()[number];
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
    return number < loop.getInits().size() ? loop.getInits()[number] : Value();
  return getInPlaceInput(result);
}

/// The first operation of its block that uses the result of a collective, or the block's end.
static Operation *findFirstUse(Operation *collective) {
  Block *block = collective->getBlock();
  Operation *first = block->getTerminator();
  SmallVector<Value> values(collective->getResults());
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (getViewSource(user)) {
        values.push_back(user->getResult(0));
        continue;
      }
      Operation *place = block->findAncestorOpInBlock(*user);
      if (place->isBeforeInBlock(first))
        first = place;
    }
  return first;
}

namespace {
class Planner {
public:
  Planner(func::FuncOp entry, ProgramAttr program, BufferPlan::Waits waits, int64_t comparisons)
      : entry(entry), block(entry.getBody().front()), program(program), waits(waits),
        comparisons(comparisons) {}

  FailureOr<BufferPlan> run() {
    int64_t step = 0;
    numberOperations(block, step);
    readDonations();
    for (BlockArgument argument : block.getArguments()) {
      unsigned index = makeBuffer(argument, -1);
      plan.buffers[index].location = PlannedBuffer::Argument;
      plan.buffers[index].index = argument.getArgNumber();
      // An argument's buffer is the caller's, unless it is to become the result.
      plan.buffers[index].chain = donatedTo[argument.getArgNumber()];
    }
    if (failed(visit(block)) || failed(placeResults()))
      return failure();
    return assignOffsets();
  }

private:
  /// Four steps an operation: copies at its place take some of them.
  void numberOperations(Block &current, int64_t &step) {
    for (Operation &op : current) {
      begins[&op] = step;
      step += 4;
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          numberOperations(inner, step);
      ends[&op] = op.getNumRegions() ? step : begins[&op];
      step += op.getNumRegions() ? 4 : 0;
    }
  }

  void readDonations() {
    unsigned numResults = entry.getNumResults();
    plan.donor.assign(numResults, -1);
    donatedTo.assign(block.getNumArguments(), noChain);
    numChains = numResults;
    if (program) {
      for (size_t i = 0; i < program.getArguments().size(); ++i) {
        int64_t result = program.getResultInBufferOf(i);
        if (result < 0)
          continue;
        donatedTo[i] = result;
        plan.donor[result] = i;
      }
    }
    for (auto [r, value] : llvm::enumerate(block.getTerminator()->getOperands()))
      markChain(value, r);
  }

  /// Notes the values that could become this one step by step in one buffer.
  void markChain(Value value, int chain) {
    while (value) {
      value = getBase(value);
      chainOf.try_emplace(value, chain);
      value = getInPlaceSource(value);
    }
  }

  unsigned makeBuffer(Value value, int64_t first) {
    PlannedBuffer buffer;
    buffer.type = cast<RankedTensorType>(value.getType());
    buffer.bytes = getBufferBytes(buffer.type);
    buffer.first = buffer.last = first;
    plan.buffers.push_back(buffer);
    share(value, plan.buffers.size() - 1);
    return plan.buffers.size() - 1;
  }

  void share(Value value, unsigned index) {
    plan.bufferOf[value] = index;
    PlannedBuffer &buffer = plan.buffers[index];
    for (Operation *user : value.getUsers()) {
      // Within a loop or a choice: as long as that.
      Operation *ancestor = value.getParentBlock()->findAncestorOpInBlock(*user);
      buffer.last =
          std::max(buffer.last, ancestor == user ? begins.lookup(user) : ends.lookup(ancestor));
    }
  }

  unsigned getBuffer(Value value) const { return plan.bufferOf.lookup(value); }

  LogicalResult visit(Block &current) {
    for (Operation &op : current)
      if (failed(visit(&op)))
        return failure();
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (isa<tensor::EmptyOp, func::ReturnOp, scf::YieldOp, scf::ConditionOp>(op))
      return success();
    if (Value source = getViewSource(op)) {
      if (!isUndefined(source))
        share(op->getResult(0), getBuffer(source));
      return success();
    }
    if (auto launch = dyn_cast<LaunchOp>(op))
      return visitLaunch(launch);
    if (auto collective = dyn_cast<comm::CollectiveOpInterface>(op);
        collective && op->getNumResults() == 1) {
      if (failed(checkDefined(op, collective.getOperandValue())))
        return failure();
      Value result = op->getResult(0), source = getInPlaceInput(op->getResult(0));
      if (source && isFree(op, source, result))
        share(result, getBuffer(source));
      else
        makeBuffer(result, begins[op]);
      placeWait(op, collective.getOperandValue());
      return success();
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return visitWhile(loop);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitFor(loop);
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
      return visitChoice(op);
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return checkDefined(op, extract.getTensor());
    auto isScalar = [](Type type) { return !isa<ShapedType>(type); };
    if (op->getNumRegions() == 0 && llvm::all_of(op->getOperandTypes(), isScalar) &&
        llvm::all_of(op->getResultTypes(), isScalar))
      return success();
    return op->emitOpError("cannot be scheduled: expected launches, collectives, reshapes, control "
                           "flow and index arithmetic");
  }

  /// Until it is waited for, a collective reads its operand and writes its result.
  void placeWait(Operation *op, Value operand) {
    Operation *&place = plan.waitPlace[op];
    place = op->getNextNode();
    if (waits == BufferPlan::Waits::AtOnce)
      return;
    place = findFirstUse(op);
    for (Value value : {operand, Value(op->getResult(0))})
      extend(getBuffer(value), begins[place] - 1);
  }

  LogicalResult checkDefined(Operation *op, Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isUndefined(value))
      return success();
    if (type.getNumElements() > 0)
      return op->emitOpError("reads a tensor that is empty and never written");
    if (!plan.bufferOf.contains(value))
      makeBuffer(value, begins[op]);
    return success();
  }

  LogicalResult visitLaunch(LaunchOp launch) {
    for (Value input : launch.getInputs())
      if (failed(checkDefined(launch, input)))
        return failure();
    for (auto [i, result] : llvm::enumerate(launch.getResults())) {
      // A destination with a value is copied to the result's buffer first.
      Value source = getInPlaceSource(result);
      if (source && isUndefined(launch.getInits()[i]) && canTakeOver(launch, source, result)) {
        share(result, getBuffer(source));
        continue;
      }
      makeBuffer(result, begins[launch]);
    }
    return success();
  }

  /// Whether nothing needs the value's buffer after the operation, and `result`
  /// may have it.
  bool isFree(Operation *op, Value value, Value result) {
    auto found = plan.bufferOf.find(value);
    if (found == plan.bufferOf.end() || value.getType() != result.getType())
      return false;
    const PlannedBuffer &buffer = plan.buffers[found->second];
    if (buffer.last > begins[op])
      return false;
    // Another result of this operation has it already.
    for (Value other : op->getResults())
      if (other != result && plan.bufferOf.contains(other) && getBuffer(other) == found->second)
        return false;
    auto chain = chainOf.find(result);
    return buffer.chain < 0 ? buffer.chain == -1
                            : chain != chainOf.end() && chain->second == buffer.chain;
  }

  bool canTakeOver(LaunchOp launch, Value source, Value result) {
    if (!isFree(launch, source, result))
      return false;
    // The kernel reads the other inputs anywhere.
    unsigned count = 0;
    for (Value other : launch->getOperands())
      count += plan.bufferOf.contains(other) && getBuffer(other) == getBuffer(source);
    return count == 1;
  }

  //===--- Control flow ---------------------------------------------------===//

  LogicalResult visitWhile(scf::WhileOp loop) {
    auto condition = loop.getConditionOp();
    Block &before = *loop.getBeforeBody(), &after = *loop.getAfterBody();
    BufferPlan::Carried carried;
    // What the condition forwards as it is stays in its buffer.
    auto isForwarded = [&](unsigned i) {
      return i < before.getNumArguments() && i < condition.getArgs().size() &&
             condition.getArgs()[i] == before.getArgument(i);
    };
    for (unsigned i = 0, e = loop.getInits().size(); i < e; ++i) {
      SmallVector<Value> olds = {before.getArgument(i)};
      if (isForwarded(i))
        olds.push_back(after.getArgument(i));
      carried.carried.push_back(carry(loop, loop.getInits()[i], olds,
                                      isForwarded(i) ? loop.getResult(i) : Value(),
                                      loop.getYieldOp().getOperand(i)));
    }
    for (unsigned i = 0, e = loop.getNumResults(); i < e; ++i) {
      if (isForwarded(i)) {
        carried.results.push_back(carried.carried[i]);
        continue;
      }
      if (!isTensor(loop.getResult(i))) {
        carried.results.push_back(-1);
        continue;
      }
      int memory = makeBuffer(loop.getResult(i), begins[loop]);
      extend(memory, ends[loop]);
      share(after.getArgument(i), makeWithin(after.getArgument(i), memory));
      carried.results.push_back(memory);
    }
    plan.carried[loop] = carried;
    if (failed(visit(before)))
      return failure();
    for (unsigned i = 0, e = loop.getNumResults(); i < e; ++i)
      if (isTensor(loop.getResult(i)) && !isForwarded(i) &&
          failed(deliver(condition, condition.getArgs()[i], carried.results[i], /*old=*/-1)))
        return failure();
    sequence(condition);
    if (failed(visit(after)))
      return failure();
    return deliverNext(loop, loop.getYieldOp(), loop.getYieldOp().getOperands(), carried.carried,
                       before.getArguments());
  }

  LogicalResult visitFor(scf::ForOp loop) {
    BufferPlan::Carried carried;
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
      carried.results.push_back(
          carry(loop, init, {loop.getRegionIterArgs()[i]}, loop.getResult(i), yield.getOperand(i)));
    plan.carried[loop] = carried;
    if (failed(visit(*loop.getBody())))
      return failure();
    return deliverNext(loop, yield, yield.getOperands(), carried.results, loop.getRegionIterArgs());
  }

  /// Finds the memory of what a loop carries from iteration to iteration; -1 for a scalar.
  /// `olds` is one iteration's value, `next` the next iteration's.
  int carry(Operation *loop, Value init, ArrayRef<Value> olds, Value result, Value next) {
    if (!isTensor(init))
      return -1;
    int memory = -1;
    if (llvm::is_contained(olds, getBase(next)) && getBase(next).getType() == next.getType() &&
        result && !isUndefined(init)) {
      // It never changes: one buffer for all, which nobody writes meanwhile.
      memory = getBuffer(init);
      share(result, memory);
      extend(memory, ends[loop]);
      for (Value old : olds) {
        share(old, memory);
        extend(memory, ends[loop]);
      }
      return memory;
    }
    if (result && !isUndefined(init) && isFree(loop, init, result) && !isInitTwice(loop, init)) {
      memory = getBuffer(init);
      share(result, memory);
    } else {
      memory = makeBuffer(result ? result : olds.front(), begins[loop]);
      if (!isUndefined(init))
        plan.copies[loop].push_back({init, static_cast<unsigned>(memory), -1});
    }
    extend(memory, ends[loop]);
    unsigned carried = makeWithin(olds.front(), memory);
    plan.buffers[carried].chain = numChains;
    for (Value old : olds)
      share(old, carried);
    markChain(next, numChains++);
    return memory;
  }

  bool isInitTwice(Operation *loop, Value init) {
    unsigned count = 0;
    for (Value operand : loop->getOperands())
      count += plan.bufferOf.contains(operand) && getBuffer(operand) == getBuffer(init);
    return count > 1;
  }

  void extend(unsigned buffer, int64_t last) {
    plan.buffers[buffer].last = std::max(plan.buffers[buffer].last, last);
  }

  unsigned makeWithin(Value value, unsigned memory) {
    PlannedBuffer buffer;
    buffer.location = PlannedBuffer::Within;
    buffer.index = memory;
    buffer.bytes = getBufferBytes(cast<ShapedType>(value.getType()));
    buffer.first = buffer.last = begins[value.getParentBlock()->getParentOp()];
    plan.buffers.push_back(buffer);
    return plan.buffers.size() - 1;
  }

  LogicalResult deliverNext(Operation *loop, Operation *terminator, OperandRange values,
                            ArrayRef<int> memories, ValueRange olds) {
    for (auto [value, memory, old] : llvm::zip(values, memories, olds))
      if (memory >= 0 && failed(deliver(terminator, value, memory, getBuffer(old))))
        return failure();
    sequence(terminator);
    return success();
  }

  LogicalResult visitChoice(Operation *op) {
    BufferPlan::Carried carried;
    for (Value result : op->getResults()) {
      carried.results.push_back(isTensor(result) ? makeBuffer(result, begins[op]) : -1);
      if (isTensor(result))
        extend(carried.results.back(), ends[op]);
    }
    plan.carried[op] = carried;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      Operation *yield = region.front().getTerminator();
      if (failed(visit(region.front())))
        return failure();
      for (auto [value, memory] : llvm::zip(yield->getOperands(), carried.results))
        if (memory >= 0 && failed(deliver(yield, value, memory, /*old=*/-1)))
          return failure();
    }
    return success();
  }

  /// Lets the value be computed in that memory, whose old content is in buffer
  /// `old` (-1: none), or notes a copy in front of the terminator.
  LogicalResult deliver(Operation *terminator, Value value, unsigned memory, int old) {
    if (isUndefined(value) && cast<RankedTensorType>(value.getType()).getNumElements() > 0)
      return success(); // any value will do
    if (failed(checkDefined(terminator, value)))
      return failure();
    unsigned index = getBuffer(value);
    if (static_cast<int>(index) == old || index == memory)
      return success();
    PlannedBuffer &buffer = plan.buffers[index];
    bool isInside = buffer.first > begins[terminator->getParentOp()];
    if (buffer.location == PlannedBuffer::Arena && isInside &&
        (old < 0 || plan.buffers[old].last < buffer.first)) {
      buffer.location = PlannedBuffer::Within;
      buffer.index = memory;
      return success();
    }
    plan.copies[terminator].push_back({value, memory, -1});
    return success();
  }

  /// Orders the copies of one place: those whose source another overwrites go
  /// through a buffer of their own.
  void sequence(Operation *place) {
    auto found = plan.copies.find(place);
    if (found == plan.copies.end())
      return;
    std::vector<BufferCopy> &copies = found->second;
    llvm::DenseMap<unsigned, unsigned> targets;
    // Memory is known by now except where an arena buffer finds another location
    // later, together with all that is in it.
    for (const BufferCopy &copy : copies)
      ++targets[getMemoryKey(copy.target)];
    for (BufferCopy &copy : copies) {
      extend(plan.getMemoryIndex(getBuffer(copy.source)), begins[place] + 2);
      if (!targets.contains(getMemoryKey(getBuffer(copy.source))))
        continue;
      PlannedBuffer through;
      through.bytes = getBufferBytes(cast<ShapedType>(copy.source.getType()));
      through.first = begins[place];
      through.last = begins[place] + 2;
      copy.through = plan.buffers.size();
      plan.buffers.push_back(through);
    }
  }

  unsigned getMemoryKey(unsigned buffer) const {
    unsigned memory = plan.getMemoryIndex(buffer);
    const PlannedBuffer &found = plan.buffers[memory];
    // The buffers of an argument or result are one memory.
    if (found.location == PlannedBuffer::Argument)
      return ~0u - 2 - 2 * found.index;
    if (found.location == PlannedBuffer::Result)
      return ~0u - 3 - 2 * found.index;
    return memory;
  }

  //===--- Results --------------------------------------------------------===//

  /// Gives every result its location, or notes a copy.
  LogicalResult placeResults() {
    Operation *terminator = block.getTerminator();
    for (auto [r, value] : llvm::enumerate(terminator->getOperands())) {
      if (failed(checkDefined(terminator, value)))
        return failure();
      PlannedBuffer &buffer = plan.buffers[getBuffer(value)];
      int donor = plan.donor[r];
      if (buffer.location == PlannedBuffer::Argument && static_cast<int>(buffer.index) == donor)
        continue;
      if (buffer.location == PlannedBuffer::Arena && donor < 0) {
        buffer.location = PlannedBuffer::Result;
        buffer.index = r;
        continue;
      }
      // The old value must have been read for the last time before.
      if (buffer.location == PlannedBuffer::Arena &&
          plan.buffers[getBuffer(block.getArgument(donor))].last < buffer.first) {
        buffer.location = PlannedBuffer::Argument;
        buffer.index = donor;
        continue;
      }
      PlannedBuffer target;
      target.location = donor < 0 ? PlannedBuffer::Result : PlannedBuffer::Argument;
      target.index = donor < 0 ? r : donor;
      plan.copies[terminator].push_back({value, static_cast<unsigned>(plan.buffers.size()), -1});
      plan.buffers.push_back(target);
    }
    sequence(terminator);
    return success();
  }

  FailureOr<BufferPlan> assignOffsets() {
    plan.borrowResults();
    ArenaProblem problem;
    SmallVector<unsigned> inArena;
    for (auto [i, buffer] : llvm::enumerate(plan.buffers)) {
      if (buffer.location != PlannedBuffer::Arena)
        continue;
      inArena.push_back(i);
      problem.buffers.push_back({buffer.first, buffer.last, buffer.bytes});
    }
    if (std::string error = problem.check(); !error.empty())
      return entry.emitError("buffers cannot be planned: ") << error;
    ArenaPlan arena = planArena(problem, comparisons);
    if (std::string error = arena.verify(problem); !error.empty())
      return entry.emitError("the arena's plan is wrong: ") << error;
    for (auto [i, offset] : llvm::zip(inArena, arena.offsets))
      plan.buffers[i].offset = offset;
    plan.arenaBytes = arena.bytes;
    plan.liveBytes = problem.getLowerBound(&plan.peakStep);
    plan.steps = std::move(begins);
    return std::move(plan);
  }

  /// The chain of an argument that is never written.
  static constexpr int noChain = -2;

  func::FuncOp entry;
  Block &block;
  ProgramAttr program;
  BufferPlan::Waits waits;
  int64_t comparisons;
  BufferPlan plan;
  llvm::DenseMap<Operation *, int64_t> begins, ends;
  std::vector<int> donatedTo;
  llvm::DenseMap<Value, int> chainOf;
  int numChains = 0;
};
} // namespace

int64_t BufferPlan::getArgumentBytes(func::FuncOp entry) const {
  int64_t bytes = 0;
  for (Type type : entry.getArgumentTypes())
    bytes += getBufferBytes(cast<ShapedType>(type));
  return bytes;
}

int64_t BufferPlan::getResultBytes(func::FuncOp entry) const {
  int64_t bytes = 0;
  for (auto [type, argument] : llvm::zip_equal(entry.getResultTypes(), donor))
    bytes += argument < 0 ? getBufferBytes(cast<ShapedType>(type)) : 0;
  return bytes;
}

BufferPlan::Waits BufferPlan::getWaits(func::FuncOp entry) {
  bool isForDevice = TargetAttr::of(entry->getParentOfType<ModuleOp>()).isDevice();
  return isForDevice ? Waits::BeforeUse : Waits::AtOnce;
}

FailureOr<BufferPlan> BufferPlan::compute(func::FuncOp entry, ProgramAttr program, Waits waits,
                                          int64_t comparisons) {
  return Planner(entry, program, waits, comparisons).run();
}
