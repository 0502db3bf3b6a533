//===- BufferPlan.cpp - Which buffer holds which value --------------------===//
//
// Aliases, live ranges and homes of buffers, then offsets.
//
//===----------------------------------------------------------------------===//
#include "BufferPlan.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Schedule/Arena.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The value of which `value` is a reshape.
static Value getBase(Value value) {
  while (Value source = getViewSource(value.getDefiningOp()))
    value = source;
  return value;
}

static bool isUndefined(Value value) {
  return isa_and_nonnull<tensor::EmptyOp>(getBase(value).getDefiningOp());
}

namespace {
class Planner {
public:
  Planner(func::FuncOp entry, ProgramAttr program)
      : entry(entry), block(entry.getBody().front()), program(program) {}

  FailureOr<BufferPlan> run() {
    numberOperations();
    readDonations();
    for (BlockArgument argument : block.getArguments())
      makeBuffer(argument, PlannedBuffer::Argument, argument.getArgNumber(), -1);
    for (Operation &op : block)
      if (failed(visit(&op)))
        return failure();
    if (failed(placeResults()))
      return failure();
    return assignOffsets();
  }

private:
  void numberOperations() {
    int64_t step = 0;
    for (Operation &op : block)
      steps[&op] = step++;
    end = step - 1;
  }

  void readDonations() {
    unsigned numResults = entry.getNumResults();
    plan.donor.assign(numResults, -1);
    donatedTo.assign(block.getNumArguments(), -1);
    if (!program)
      return;
    for (auto [i, value] : llvm::enumerate(program.getArguments())) {
      // A buffer of another type cannot be taken over.
      if (!value.isDonated() ||
          entry.getArgumentTypes()[i] != entry.getResultTypes()[value.getDonates()])
        continue;
      donatedTo[i] = value.getDonates();
      plan.donor[value.getDonates()] = i;
    }
    // The values that could become a result step by step in one buffer.
    for (auto [r, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
      Value current = value;
      while (true) {
        current = getBase(current);
        chainOf.try_emplace(current, r);
        auto launch = current.getDefiningOp<LaunchOp>();
        if (!launch || !launch.getInPlace())
          break;
        int64_t input = (*launch.getInPlace())[cast<OpResult>(current).getResultNumber()];
        if (input < 0)
          break;
        current = launch.getInputs()[input];
      }
    }
  }

  unsigned makeBuffer(Value value, PlannedBuffer::Home home, unsigned index, int64_t first) {
    PlannedBuffer buffer;
    buffer.home = home;
    buffer.index = index;
    buffer.bytes = getBufferBytes(cast<ShapedType>(value.getType()));
    buffer.first = buffer.last = first;
    plan.buffers.push_back(buffer);
    share(value, plan.buffers.size() - 1);
    return plan.buffers.size() - 1;
  }

  void share(Value value, unsigned index) {
    plan.bufferOf[value] = index;
    PlannedBuffer &buffer = plan.buffers[index];
    for (Operation *user : value.getUsers())
      buffer.last = std::max(buffer.last, steps.lookup(user));
  }

  LogicalResult visit(Operation *op) {
    if (isa<tensor::EmptyOp, func::ReturnOp>(op))
      return success();
    if (Value source = getViewSource(op)) {
      if (!isUndefined(source))
        share(op->getResult(0), plan.bufferOf.lookup(source));
      return success();
    }
    if (auto launch = dyn_cast<LaunchOp>(op))
      return visitLaunch(launch);
    if (auto collective = dyn_cast<comm::CollectiveOpInterface>(op)) {
      if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
        return op->emitOpError("expected a collective on tensors");
      if (failed(checkDefined(op, collective.getOperandValue())))
        return failure();
      makeBuffer(op->getResult(0), PlannedBuffer::Arena, 0, steps[op]);
      return success();
    }
    auto isScalar = [](Type type) { return !isa<ShapedType>(type); };
    if (op->getNumRegions() == 0 && llvm::all_of(op->getOperandTypes(), isScalar) &&
        llvm::all_of(op->getResultTypes(), isScalar))
      return success();
    return op->emitOpError("cannot be scheduled: expected launches, collectives, reshapes and "
                           "index arithmetic");
  }

  LogicalResult checkDefined(Operation *op, Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isUndefined(value))
      return success();
    if (type.getNumElements() > 0)
      return op->emitOpError("reads a tensor that is empty and never written");
    if (!plan.bufferOf.contains(value))
      makeBuffer(value, PlannedBuffer::Arena, 0, steps[op]);
    return success();
  }

  LogicalResult visitLaunch(LaunchOp launch) {
    int64_t step = steps[launch];
    for (Value input : launch.getInputs())
      if (failed(checkDefined(launch, input)))
        return failure();
    for (auto [i, result] : llvm::enumerate(launch.getResults())) {
      // A destination with a value is copied to the result's buffer first.
      Value init = launch.getInits()[i];
      int64_t input = launch.getInPlace() ? (*launch.getInPlace())[i] : -1;
      if (input >= 0 && isUndefined(init) && canTakeOver(launch, input, result)) {
        share(result, plan.bufferOf.lookup(launch.getInputs()[input]));
        ++plan.numInPlace;
        continue;
      }
      makeBuffer(result, PlannedBuffer::Arena, 0, step);
    }
    return success();
  }

  bool canTakeOver(LaunchOp launch, unsigned input, Value result) {
    Value value = launch.getInputs()[input];
    auto found = plan.bufferOf.find(value);
    if (found == plan.bufferOf.end() || value.getType() != result.getType())
      return false;
    const PlannedBuffer &buffer = plan.buffers[found->second];
    if (buffer.last > steps[launch])
      return false;
    for (auto [i, other] : llvm::enumerate(launch->getOperands())) {
      auto shared = plan.bufferOf.find(other);
      if (i != input && shared != plan.bufferOf.end() && shared->second == found->second)
        return false;
    }
    // Another result of this launch has it already.
    for (Value other : launch.getResults())
      if (other != result && plan.bufferOf.contains(other) &&
          plan.bufferOf.lookup(other) == found->second)
        return false;
    if (buffer.home == PlannedBuffer::Arena)
      return true;
    // An argument's buffer is the caller's, unless it is to become the result.
    auto chain = chainOf.find(result);
    return donatedTo[buffer.index] >= 0 && chain != chainOf.end() &&
           static_cast<int>(chain->second) == donatedTo[buffer.index];
  }

  /// Gives every result its home, or notes a copy.
  LogicalResult placeResults() {
    Operation *terminator = block.getTerminator();
    std::vector<ResultCopy> late;
    for (auto [r, value] : llvm::enumerate(terminator->getOperands())) {
      if (failed(checkDefined(terminator, value)))
        return failure();
      PlannedBuffer &buffer = plan.buffers[plan.bufferOf.lookup(value)];
      int donor = plan.donor[r];
      if (buffer.home == PlannedBuffer::Argument && static_cast<int>(buffer.index) == donor)
        continue;
      if (buffer.home == PlannedBuffer::Arena && donor < 0) {
        buffer.home = PlannedBuffer::Result;
        buffer.index = r;
        continue;
      }
      if (buffer.home == PlannedBuffer::Arena) {
        // The old value must have been read for the last time before.
        PlannedBuffer &old = plan.buffers[plan.bufferOf.lookup(block.getArgument(donor))];
        if (old.last < buffer.first) {
          buffer.home = PlannedBuffer::Argument;
          buffer.index = donor;
          continue;
        }
      }
      bool isEarly = buffer.home == PlannedBuffer::Argument;
      (isEarly ? plan.copies : late).push_back({value, static_cast<unsigned>(r), -1});
    }
    // First what is in arguments' buffers, which copies to donated arguments
    // could overwrite; through the arena where they are such copies themselves.
    for (ResultCopy &copy : plan.copies) {
      if (plan.donor[copy.result] < 0)
        continue;
      PlannedBuffer through;
      through.bytes = getBufferBytes(cast<ShapedType>(copy.source.getType()));
      through.first = end;
      through.last = end + 1;
      copy.through = plan.buffers.size();
      plan.buffers.push_back(through);
    }
    for (const ResultCopy &copy : late) {
      PlannedBuffer &buffer = plan.buffers[plan.bufferOf.lookup(copy.source)];
      buffer.last = end + 1;
      plan.copies.push_back(copy);
    }
    return success();
  }

  FailureOr<BufferPlan> assignOffsets() {
    ArenaProblem problem;
    SmallVector<unsigned> inArena;
    for (auto [i, buffer] : llvm::enumerate(plan.buffers)) {
      if (buffer.home != PlannedBuffer::Arena)
        continue;
      inArena.push_back(i);
      problem.buffers.push_back({buffer.first, buffer.last, buffer.bytes});
    }
    if (std::string error = problem.check(); !error.empty())
      return entry.emitError("buffers cannot be planned: ") << error;
    ArenaPlan arena = planArena(problem);
    if (std::string error = arena.verify(problem); !error.empty())
      return entry.emitError("the arena's plan is wrong: ") << error;
    for (auto [i, offset] : llvm::zip(inArena, arena.offsets))
      plan.buffers[i].offset = offset;
    plan.arenaBytes = arena.bytes;
    return std::move(plan);
  }

  func::FuncOp entry;
  Block &block;
  ProgramAttr program;
  BufferPlan plan;
  llvm::DenseMap<Operation *, int64_t> steps;
  int64_t end = 0;
  std::vector<int> donatedTo;
  llvm::DenseMap<Value, unsigned> chainOf;
};
} // namespace

FailureOr<BufferPlan> BufferPlan::compute(func::FuncOp entry, ProgramAttr program) {
  return Planner(entry, program).run();
}
