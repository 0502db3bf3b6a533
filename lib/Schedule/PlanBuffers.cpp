//===- PlanBuffers.cpp - The entry from tensors to memory -----------------===//
//
// Rewrites the entry as its buffer plan says.
//
//===----------------------------------------------------------------------===//
#include "BufferPlan.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
/// Turns the entry into its form on memory.
class Rewriter {
public:
  Rewriter(func::FuncOp entry, BufferPlan plan)
      : entry(entry), plan(std::move(plan)), block(entry.getBody().front()),
        builder(entry.getContext()), constants(entry.getContext()),
        numArguments(block.getNumArguments()) {}

  void run() {
    addArguments();
    builder.setInsertionPointToStart(&block);
    // Constants stand in front of everything else.
    Operation *marker =
        memref::AllocaOp::create(builder, entry.getLoc(), MemRefType::get({}, builder.getI8Type()));
    constants.setInsertionPoint(marker);
    SmallVector<Operation *> old;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (&op == marker || isa<arith::ConstantOp>(op))
        continue;
      builder.setInsertionPoint(&op);
      if (rewrite(&op))
        old.push_back(&op);
    }
    for (Operation *op : llvm::reverse(old))
      op->erase();
    marker->erase();
    block.eraseArguments(0, numArguments);
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

  /// What the value's producer writes. A value that takes over a buffer gets a
  /// view of its own, so that the two can be told apart.
  Value makeMemref(Value value) {
    const PlannedBuffer &buffer = plan.buffers[plan.bufferOf.lookup(value)];
    MemRefType type = toMemRef(value.getType());
    Value memref;
    switch (buffer.home) {
    case PlannedBuffer::Arena:
      memref = makeView(value.getLoc(), buffer, type);
      break;
    case PlannedBuffer::Result:
      memref = reshape(builder, value.getLoc(), results[buffer.index], type);
      break;
    case PlannedBuffer::Argument: {
      unsigned result = llvm::find(plan.donor, static_cast<int>(buffer.index)) - plan.donor.begin();
      memref = reshape(builder, value.getLoc(), results[result], type);
      break;
    }
    }
    memrefs[value] = memref;
    return memref;
  }

  /// What is read as the value; null for one that has no elements defined.
  Value getMemref(Value value) {
    if (Value memref = memrefs.lookup(value))
      return memref;
    return plan.bufferOf.contains(value) ? makeMemref(value) : Value();
  }

  /// True if the operation is replaced.
  bool rewrite(Operation *op) {
    if (isa<tensor::EmptyOp>(op))
      return true;
    if (getViewSource(op)) {
      rewriteView(op);
      return true;
    }
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      rewriteLaunch(launch);
      return true;
    }
    if (isa<comm::CollectiveOpInterface>(op)) {
      rewriteCollective(cast<comm::CollectiveOpInterface>(op));
      return true;
    }
    if (isa<func::ReturnOp>(op)) {
      copyResults(op);
      op->setOperands({});
    }
    return false;
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
    comm::WaitOp::create(builder, collective->getLoc(), start->getResult(0));
  }

  void copyResults(Operation *terminator) {
    auto copy = [&](Value from, Value to) {
      Location loc = terminator->getLoc();
      if (cast<MemRefType>(from.getType()).getNumElements() > 0)
        memref::CopyOp::create(builder, loc,
                               reshape(builder, loc, from, cast<MemRefType>(to.getType())), to);
    };
    std::vector<std::pair<Value, Value>> last;
    for (const ResultCopy &entry : plan.copies) {
      Value from = getMemref(entry.source), to = results[entry.result];
      if (entry.through >= 0) {
        Value through = makeView(terminator->getLoc(), plan.buffers[entry.through],
                                 cast<MemRefType>(to.getType()));
        copy(from, through);
        last.push_back({through, to});
        continue;
      }
      copy(from, to);
    }
    for (auto [from, to] : last)
      copy(from, to);
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
};

struct PlanBuffers : dmc::impl::PlanBuffersBase<PlanBuffers> {
  using PlanBuffersBase::PlanBuffersBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ProgramAttr program = ProgramAttr::of(module);
    FailureOr<func::FuncOp> entry = findEntry(module, program);
    if (failed(entry))
      return signalPassFailure();
    FailureOr<BufferPlan> plan = BufferPlan::compute(*entry, program);
    if (failed(plan))
      return signalPassFailure();
    numBuffers += llvm::count_if(plan->buffers, [](const PlannedBuffer &buffer) {
      return buffer.home == PlannedBuffer::Arena;
    });
    numInPlace += plan->numInPlace;
    numCopies += plan->copies.size();
    Builder builder(&getContext());
    module->setAttr("dmc.arena_bytes", builder.getI64IntegerAttr(plan->arenaBytes));
    Rewriter(*entry, std::move(*plan)).run();
    if (program)
      module->setAttr("dmc.program", program.withLevel(Level::scheduled));
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
};
} // namespace
