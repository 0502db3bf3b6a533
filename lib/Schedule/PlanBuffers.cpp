//===- PlanBuffers.cpp - The entry from tensors to memory -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites the entry as its buffer plan says.
//
//===----------------------------------------------------------------------===//
#include "BufferPlan.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Schedule/Arena.h"
#include "dmc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-plan-buffers"

namespace dmc {
#define GEN_PASS_DEF_PLANBUFFERS
#include "dmc/Schedule/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

static MemRefType toMemRef(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// The same bytes in another shape: by way of one dimension.
static Value reshape(OpBuilder &builder, Location loc, Value memref, MemRefType type) {
  auto from = cast<MemRefType>(memref.getType());
  if (from == type)
    return memref;
  auto flat = MemRefType::get({type.getNumElements()}, type.getElementType());
  auto allDims = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank > 0)
      groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  if (from.getRank() == 0)
    memref = memref::ExpandShapeOp::create(builder, loc, flat, memref, allDims(0));
  else if (from.getRank() > 1)
    memref = memref::CollapseShapeOp::create(builder, loc, flat, memref, allDims(from.getRank()));
  if (type.getRank() == 0)
    return memref::CollapseShapeOp::create(builder, loc, type, memref, allDims(0));
  if (type.getRank() > 1)
    return memref::ExpandShapeOp::create(builder, loc, type, memref, allDims(type.getRank()));
  return memref;
}

namespace {
/// Converts the entry to its form on memory.
class Rewriter {
public:
  Rewriter(func::FuncOp entry, BufferPlan plan)
      : entry(entry), plan(std::move(plan)), block(entry.getBody().front()),
        builder(entry.getContext()), constants(entry.getContext()),
        numArguments(block.getNumArguments()) {
    for (auto [collective, place] : this->plan.waitPlace)
      awaited[place].push_back(collective);
  }

  void run() {
    addArguments();
    builder.setInsertionPointToStart(&block);
    // Constants stand in front of everything else.
    Operation *marker =
        memref::AllocaOp::create(builder, entry.getLoc(), MemRefType::get({}, builder.getI8Type()));
    constants.setInsertionPoint(marker);
    rewrite(block);
    for (Operation *op : llvm::reverse(old))
      op->erase();
    marker->erase();
    for (Block *inner : blocks)
      inner->eraseArguments(
          [](BlockArgument argument) { return isa<RankedTensorType>(argument.getType()); });
    updateSignature();
  }

private:
  void addArguments() {
    for (unsigned i = 0; i < numArguments; ++i) {
      BlockArgument argument = block.getArgument(i);
      memrefs[argument] = block.addArgument(toMemRef(argument.getType()), argument.getLoc());
    }
    Operation *terminator = block.getTerminator();
    for (Value result : terminator->getOperands())
      results.push_back(block.addArgument(toMemRef(result.getType()), result.getLoc()));
    arena =
        block.addArgument(MemRefType::get({plan.arenaBytes}, builder.getI8Type()), entry.getLoc());
  }

  void updateSignature() {
    SmallVector<Attribute> attributes;
    for (unsigned i = 0; i < numArguments; ++i)
      attributes.push_back(entry.getArgAttrDict(i));
    for (unsigned r = 0; r < results.size(); ++r)
      attributes.push_back(entry.getResultAttrDict(r));
    attributes.push_back({});
    entry.removeResAttrsAttr();
    entry.removeArgAttrsAttr();
    entry.setType(builder.getFunctionType(block.getArgumentTypes(), {}));
    for (auto [i, dictionary] : llvm::enumerate(attributes))
      if (dictionary)
        entry.setArgAttrs(i, cast<DictionaryAttr>(dictionary));
  }

  Value getConstant(int64_t value) {
    Value &constant = constantOf[value];
    if (!constant)
      constant = arith::ConstantIndexOp::create(constants, entry.getLoc(), value);
    return constant;
  }

  Value makeView(Location loc, const PlannedBuffer &buffer, MemRefType type) {
    return memref::ViewOp::create(builder, loc, type, arena, getConstant(buffer.offset),
                                  ValueRange());
  }

  /// The memory of a buffer in the shape of the type. Of a carried buffer there
  /// is one view, for all iterations.
  Value makeMemref(Location loc, unsigned index, MemRefType type) {
    while (true) {
      if (Value shared = sharedViews.lookup(index))
        return reshape(builder, loc, shared, type);
      const PlannedBuffer &buffer = plan.buffers[index];
      switch (buffer.location) {
      case PlannedBuffer::Arena:
        return makeView(loc, buffer, type);
      case PlannedBuffer::Result:
        return reshape(builder, loc, results[buffer.index], type);
      case PlannedBuffer::Argument: {
        unsigned result =
            llvm::find(plan.donor, static_cast<int>(buffer.index)) - plan.donor.begin();
        return reshape(builder, loc, results[result], type);
      }
      case PlannedBuffer::Within:
        index = buffer.index;
        break;
      }
    }
  }

  /// What the value's producer writes. A value that takes over a buffer gets a
  /// view of its own, so that the two can be told apart.
  Value makeMemref(Value value) {
    Value memref =
        makeMemref(value.getLoc(), plan.bufferOf.lookup(value), toMemRef(value.getType()));
    memrefs[value] = memref;
    return memref;
  }

  /// One at a time: the table may grow, and a reference into it would be to what it was.
  void setMemref(Value value, Value memref) { memrefs[value] = memref; }

  /// What is read as the value; null for one that has no elements defined.
  Value getMemref(Value value) {
    if (Value memref = memrefs.lookup(value))
      return memref;
    return plan.bufferOf.contains(value) ? makeMemref(value) : Value();
  }

  void rewrite(Block &current) {
    blocks.push_back(&current);
    for (Operation &op : llvm::make_early_inc_range(current)) {
      // New operations stand in front of the one that they replace.
      if (isa<arith::ConstantOp, memref::AllocaOp>(op))
        continue;
      builder.setInsertionPoint(&op);
      emitWaits(&op);
      if (rewrite(&op))
        old.push_back(&op);
    }
  }

  /// True if the operation is replaced.
  bool rewrite(Operation *op) {
    if (isa<tensor::EmptyOp>(op))
      return true;
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      emitCopies(op);
      llvm::BitVector tensors(op->getNumOperands());
      for (OpOperand &operand : op->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()))
          tensors.set(operand.getOperandNumber());
      op->eraseOperands(tensors);
      return false;
    }
    return TypeSwitch<Operation *, bool>(op)
        .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto view) {
          rewriteView(view);
          return true;
        })
        .Case([&](LaunchOp launch) {
          rewriteLaunch(launch);
          return true;
        })
        .Case([&](comm::CollectiveOpInterface collective) {
          rewriteCollective(collective);
          return true;
        })
        .Case([&](tensor::ExtractOp extract) {
          Value load = memref::LoadOp::create(builder, op->getLoc(), getMemref(extract.getTensor()),
                                              extract.getIndices());
          extract.replaceAllUsesWith(load);
          return true;
        })
        .Case<scf::WhileOp, scf::ForOp, scf::IfOp, scf::IndexSwitchOp>([&](auto control) {
          rewriteControl(control);
          return true;
        })
        .Default([](Operation *) { return false; });
  }

  /// Values of tensor type leave loops and choices: their buffers stay.
  void rewriteControl(Operation *op) {
    const BufferPlan::Carried &carried = plan.carried[op];
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [i, buffer] : llvm::enumerate(carried.carried))
        if (buffer >= 0)
          memrefs[loop.getBeforeArguments()[i]] =
              enterLoop(buffer, loop.getInits()[i], loop.getBeforeArguments()[i]);
      for (auto [i, buffer] : llvm::enumerate(carried.results)) {
        if (buffer < 0)
          continue;
        bool isForwarded = i < carried.carried.size() && carried.carried[i] == buffer;
        Value memref = isForwarded ? memrefs.lookup(loop.getBeforeArguments()[i])
                                   : shareView(buffer, loop.getResult(i));
        setMemref(loop.getResult(i), memref);
        setMemref(loop.getAfterArguments()[i], memref);
      }
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [i, buffer] : llvm::enumerate(carried.results)) {
        if (buffer < 0)
          continue;
        Value memref = enterLoop(buffer, loop.getInitArgs()[i], loop.getRegionIterArgs()[i]);
        setMemref(loop.getResult(i), memref);
        setMemref(loop.getRegionIterArgs()[i], memref);
      }
    } else {
      for (auto [i, buffer] : llvm::enumerate(carried.results))
        if (buffer >= 0)
          memrefs[op->getResult(i)] = shareView(buffer, op->getResult(i));
    }
    emitCopies(op);
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        rewrite(inner);

    builder.setInsertionPoint(op);
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      if (!isa<RankedTensorType>(operand.getType()))
        state.operands.push_back(operand);
    for (Type type : op->getResultTypes())
      if (!isa<RankedTensorType>(type))
        state.types.push_back(type);
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    auto scalar = builder.create(state)->result_begin();
    for (Value result : op->getResults())
      if (!isa<RankedTensorType>(result.getType()))
        result.replaceAllUsesWith(*scalar++);
  }

  Value shareView(unsigned buffer, Value value) {
    Value memref = makeMemref(value.getLoc(), buffer, toMemRef(value.getType()));
    sharedViews[buffer] = memref;
    return memref;
  }

  /// The one view of what a loop carries.
  Value enterLoop(unsigned buffer, Value init, Value iterArg) {
    bool isInitial = plan.bufferOf.contains(init) && plan.bufferOf.lookup(init) == buffer;
    bool isWritten = plan.bufferOf.lookup(iterArg) != buffer;
    if (!isInitial || (isWritten && plan.getMemory(buffer).location == PlannedBuffer::Argument))
      return shareView(buffer, iterArg);
    Value memref = getMemref(init);
    if (isWritten)
      sharedViews[buffer] = memref;
    return memref;
  }

  void rewriteView(Operation *op) {
    Value source = getMemref(op->getOperand(0));
    if (!source)
      return; // of an empty tensor
    MemRefType type = toMemRef(op->getResult(0).getType());
    Value memref;
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      memref = memref::ExpandShapeOp::create(builder, op->getLoc(), type, source,
                                             expand.getReassociationIndices());
    else
      memref = memref::CollapseShapeOp::create(
          builder, op->getLoc(), type, source,
          cast<tensor::CollapseShapeOp>(op).getReassociationIndices());
    memrefs[op->getResult(0)] = memref;
  }

  void rewriteLaunch(LaunchOp launch) {
    SmallVector<Value> inputs, outputs;
    for (Value input : launch.getInputs())
      inputs.push_back(isa<RankedTensorType>(input.getType()) ? getMemref(input) : input);
    for (auto [result, init] : llvm::zip(launch.getResults(), launch.getInits())) {
      outputs.push_back(makeMemref(result));
      if (Value old = getMemref(init))
        memref::CopyOp::create(builder, launch.getLoc(), old, outputs.back());
    }
    LaunchOp::create(builder, launch.getLoc(), TypeRange(), launch.getCalleeAttr(), inputs, outputs,
                     launch.getInPlaceAttr(), launch.getStreamAttr());
  }

  void rewriteCollective(comm::CollectiveOpInterface collective) {
    Value source = getMemref(collective.getOperandValue());
    Value target = makeMemref(collective->getResult(0));
    Operation *start = builder.clone(*collective);
    auto destinationStyle = cast<DestinationStyleOpInterface>(start);
    for (OpOperand &operand : start->getOpOperands())
      operand.set(destinationStyle.isDpsInit(&operand) ? target : source);
    start->getResult(0).setType(comm::TokenType::get(builder.getContext()));
    tokens[collective] = start->getResult(0);
  }

  /// In the order in which the collectives started.
  void emitWaits(Operation *place) {
    auto found = awaited.find(place);
    if (found == awaited.end())
      return;
    llvm::sort(found->second, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *collective : found->second)
      comm::WaitOp::create(builder, collective->getLoc(), tokens.lookup(collective));
  }

  void emitCopies(Operation *place) {
    auto found = plan.copies.find(place);
    if (found == plan.copies.end())
      return;
    Location loc = place->getLoc();
    auto copy = [&](Value from, Value to) {
      if (cast<MemRefType>(from.getType()).getNumElements() > 0)
        memref::CopyOp::create(builder, loc, from, to);
    };
    for (const BufferCopy &entry : found->second)
      if (entry.through >= 0)
        copy(getMemref(entry.source), throughs[entry.through] = makeMemref(
                                          loc, entry.through, toMemRef(entry.source.getType())));
    for (int pass : {0, 1})
      for (const BufferCopy &entry : found->second)
        if ((entry.through >= 0) == (pass == 1))
          copy(pass == 0 ? getMemref(entry.source) : throughs.lookup(entry.through),
               makeMemref(loc, entry.target, toMemRef(entry.source.getType())));
  }

  func::FuncOp entry;
  BufferPlan plan;
  Block &block;
  OpBuilder builder, constants;
  unsigned numArguments;
  llvm::DenseMap<Value, Value> memrefs;
  SmallVector<Value> results;
  Value arena;
  llvm::DenseMap<int64_t, Value> constantOf;
  /// Of buffers that loops carry, and of those that copies go through.
  llvm::DenseMap<unsigned, Value> sharedViews, throughs;
  /// The collectives that are waited for before an operation, and those that have started.
  llvm::DenseMap<Operation *, SmallVector<Operation *>> awaited;
  llvm::DenseMap<Operation *, Value> tokens;
  SmallVector<Operation *> old;
  SmallVector<Block *> blocks;
};

/// Effort limit: of the points that are told, each of which whoever asks may bound.
constexpr size_t maxPoints = 32;

struct PlanBuffers : dmc::impl::PlanBuffersBase<PlanBuffers> {
  using PlanBuffersBase::PlanBuffersBase;
  PlanBuffers(const PlanBuffersOptions &options, MemoryUse *use)
      : PlanBuffersBase(options), use(use) {}

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ProgramAttr program = ProgramAttr::of(module);
    FailureOr<func::FuncOp> entry = findEntry(module, program);
    if (failed(entry))
      return signalPassFailure();
    auto compute = [&](BufferPlan::Waits waits) {
      return BufferPlan::compute(*entry, program, waits, finalComparisons);
    };
    FailureOr<BufferPlan> plan = compute(BufferPlan::getWaits(*entry));
    // Collectives run beside kernels where there is the memory for it.
    if (succeeded(plan) && capacity > 0 && plan->getRankBytes(*entry) > capacity)
      plan = compute(BufferPlan::Waits::AtOnce);
    if (failed(plan))
      return signalPassFailure();
    if (describePeak) {
      Operation *place = plan->getPeakPlace(*entry);
      InFlightDiagnostic remark = emitRemark(place->getLoc())
                                  << "the arena of " << plan->arenaBytes << " bytes holds at most "
                                  << plan->liveBytes << " at a time, here";
      plan->describePeak(remark, place->getLoc());
    }
    if (use) {
      *use = plan->getMemoryUse(*entry, maxPoints);
      return;
    }
    LDBG() << "arena of " << plan->arenaBytes << " bytes, " << plan->liveBytes
           << " alive at once at most";
    if (capacity > 0 && failed(checkCapacity(*entry, *plan)))
      return signalPassFailure();
    Builder builder(&getContext());
    module->setAttr("dmc.arena_bytes", builder.getI64IntegerAttr(plan->arenaBytes));
    Rewriter(*entry, std::move(*plan)).run();
    if (program)
      module->setAttr("dmc.program", program.withLevel(Level::scheduled));
  }

  LogicalResult checkCapacity(func::FuncOp entry, const BufferPlan &plan) {
    int64_t peak = plan.getRankBytes(entry);
    if (peak <= capacity)
      return success();
    Operation *place = plan.getPeakPlace(entry);
    InFlightDiagnostic error = emitError(place->getLoc())
                               << "expected at most " << capacity.getValue()
                               << " bytes of memory on a rank, found " << peak << ": "
                               << plan.getArgumentBytes(entry) << " of arguments, "
                               << plan.getResultBytes(entry) << " of results and "
                               << plan.arenaBytes << " in the arena, fullest here";
    plan.describePeak(error, place->getLoc());
    return error;
  }

  FailureOr<func::FuncOp> findEntry(ModuleOp module, ProgramAttr program) {
    func::FuncOp entry;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPublic())
        continue;
      if (entry)
        return function.emitError("expected one public function, found a second");
      entry = function;
    }
    if (!entry || !entry.getBody().hasOneBlock())
      return module.emitError("expected a public function with one block");
    if (program && program.getLevel() != Level::ranks)
      return module.emitError("expected a program at level ranks, found level ")
             << stringifyLevel(program.getLevel());
    if (program && (program.getArguments().size() != entry.getNumArguments() ||
                    program.getResults().size() != entry.getNumResults()))
      return entry.emitError("expected ")
             << program.getArguments().size() << " arguments and " << program.getResults().size()
             << " results as in 'dmc.program', found " << entry.getNumArguments() << " and "
             << entry.getNumResults();
    for (Type type : llvm::concat<const Type>(entry.getArgumentTypes(), entry.getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
          !(tensor.getElementType().isIntOrIndexOrFloat()))
        return entry.emitError("expected local tensors of static shape, found ") << type;
    }
    return entry;
  }

  /// What the caller wants to know; null: the program is rewritten.
  MemoryUse *use = nullptr;
};
} // namespace

std::unique_ptr<Pass> dmc::createMeasureMemory(int64_t capacity, MemoryUse &use) {
  PlanBuffersOptions options;
  options.capacity = capacity;
  return std::make_unique<PlanBuffers>(options, &use);
}
