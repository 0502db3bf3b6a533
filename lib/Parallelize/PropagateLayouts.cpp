//===- PropagateLayouts.cpp - dmc-propagate-layouts -----------------------===//
//
// Seeds the propagation from the boundary and the constraints, and writes what it
// decides as attributes.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Passes.h"

#include "Propagation.h"

namespace dmc {
#define GEN_PASS_DEF_PROPAGATELAYOUTS
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// A program that says nothing about devices runs on one.
static ProgramAttr withTrivialMesh(ProgramAttr program) {
  MLIRContext *context = program.getContext();
  auto mesh = MeshAttr::get(context, {std::pair<std::string, int64_t>("rank", 1)});
  auto replicate = [&](ArrayRef<ValueAttr> values) {
    SmallVector<ValueAttr> result;
    for (ValueAttr value : values)
      result.push_back(
          value.withLayout(LayoutAttr::getReplicated(mesh, value.getType().getRank())));
    return result;
  };
  return ProgramAttr::get(context, program.getLevel(), program.getName(), mesh,
                          replicate(program.getArguments()), replicate(program.getResults()));
}

static LogicalResult checkSignature(func::FuncOp entry, ProgramAttr program) {
  auto check = [&](ArrayRef<Type> types, ArrayRef<ValueAttr> values, StringRef what) {
    if (types.size() != values.size())
      return LogicalResult(entry.emitError("expected ")
                           << values.size() << " " << what << "s as dmc.program says, found "
                           << types.size());
    for (auto [number, type, value] : llvm::enumerate(types, values)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || tensor.getShape() != value.getType().getShape())
        return LogicalResult(entry.emitError("expected ")
                             << what << " " << number << " (" << value.getName()
                             << ") to have the shape of " << value.getType() << ", found " << type);
      if (tensor.getEncoding())
        return LogicalResult(entry.emitError("expected ")
                             << what << " " << number << " of a tensor program without layout, "
                             << "found " << type);
    }
    return success();
  };
  return success(succeeded(check(entry.getArgumentTypes(), program.getArguments(), "argument")) &&
                 succeeded(check(entry.getResultTypes(), program.getResults(), "result")));
}

namespace {
struct PropagateLayouts : dmc::impl::PropagateLayoutsBase<PropagateLayouts> {
  using PropagateLayoutsBase::PropagateLayoutsBase;

  void runOnOperation() override;
  void seed(Propagation &propagation, LayoutCache &cache, func::FuncOp entry, ProgramAttr program);
  void writeDecisions(Propagation &propagation, LayoutCache &cache, func::FuncOp entry);
  ProgramAttr complete(Propagation &propagation, LayoutCache &cache, func::FuncOp entry,
                       ProgramAttr program);
};
} // namespace

void PropagateLayouts::seed(Propagation &propagation, LayoutCache &cache, func::FuncOp entry,
                            ProgramAttr program) {
  std::map<int64_t, SmallVector<ConstrainOp>> constraints;
  entry->walk([&](ConstrainOp op) { constraints[op.getPriority()].push_back(op); });

  // The boundary is a contract, but arguments join in one after the other.
  auto seedArguments = [&](llvm::function_ref<bool(ValueAttr)> isTurn) {
    for (auto [argument, value] : llvm::zip_equal(entry.getArguments(), program.getArguments()))
      if (value.getLayout() && isTurn(value))
        propagation.seed(propagation.getNumber(argument), cache.get(value.getLayout()),
                         /*isFixed=*/true);
  };
  // Those that wait must not be given a home by their uses meanwhile.
  for (auto [argument, value] : llvm::zip_equal(entry.getArguments(), program.getArguments()))
    if (value.getLayout())
      propagation.getValue(propagation.getNumber(argument)).isReserved = true;

  for (auto &[priority, ops] : constraints) {
    for (ConstrainOp op : ops)
      propagation.constrain(op, cache.get(op.getLayout()));
    propagation.propagate();
  }
  seedArguments([](ValueAttr value) { return !value.isDonated(); });
  propagation.propagate();
  seedArguments([](ValueAttr value) { return value.isDonated(); });
  propagation.propagate();
  Operation *terminator = entry.getBody().front().getTerminator();
  for (auto [operand, value] : llvm::zip_equal(terminator->getOperands(), program.getResults()))
    if (value.getLayout() && propagation.has(operand))
      propagation.seed(propagation.getNumber(operand), cache.get(value.getLayout()),
                       /*isFixed=*/false);
  propagation.propagate();
}

ProgramAttr PropagateLayouts::complete(Propagation &propagation, LayoutCache &cache,
                                       func::FuncOp entry, ProgramAttr program) {
  auto completed = [&](ValueRange values, ArrayRef<ValueAttr> attributes) {
    SmallVector<ValueAttr> result;
    for (auto [value, original] : llvm::zip_equal(values, attributes)) {
      ValueAttr attribute = original;
      if (!attribute.getLayout()) {
        Layout layout = propagation.has(value)
                            ? propagation.getValue(propagation.getNumber(value)).base
                            : Layout::replicated(attribute.getType().getRank());
        attribute = attribute.withLayout(cache.get(layout));
      }
      result.push_back(attribute);
    }
    return result;
  };
  Operation *terminator = entry.getBody().front().getTerminator();
  SmallVector<ValueAttr> arguments = completed(entry.getArguments(), program.getArguments());
  SmallVector<ValueAttr> results = completed(terminator->getOperands(), program.getResults());
  // A result lies where the argument does whose buffer it takes over.
  for (ValueAttr argument : arguments) {
    if (!argument.isDonated())
      continue;
    ValueAttr &result = results[argument.getDonates()];
    if (!program.getResults()[argument.getDonates()].getLayout() &&
        result.getType().getShape() == argument.getType().getShape())
      result = result.withLayout(argument.getLayout());
  }
  return ProgramAttr::get(program.getContext(), program.getLevel(), program.getName(),
                          program.getMesh(), arguments, results);
}

void PropagateLayouts::writeDecisions(Propagation &propagation, LayoutCache &cache,
                                      func::FuncOp entry) {
  auto toAttrs = [&](ArrayRef<Layout> layouts) {
    return llvm::map_to_vector(layouts, [&](const Layout &layout) { return cache.get(layout); });
  };
  auto write = [&](Operation *op, ArrayRef<LayoutAttr> operands, ArrayRef<LayoutAttr> results) {
    op->setAttr("dmc.layouts", OpLayoutsAttr::get(&getContext(), operands, results));
  };
  // Control flow collects the layouts of what it hands on.
  DenseMap<Operation *, SmallVector<LayoutAttr>> handedOn;
  for (Node &node : propagation.getNodes()) {
    SmallVector<LayoutAttr> operands = toAttrs(node.operandLayouts);
    if (!node.handedOn) {
      write(node.op, operands, toAttrs(node.resultLayouts));
      continue;
    }
    SmallVector<LayoutAttr> &all = handedOn[node.op];
    all.resize(getTensorOperands(node.op).size());
    all[*node.handedOn] = operands.front();
  }
  entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // What ranks do with their parts has no layouts.
    if (isa<ManualOp>(op))
      return WalkResult::skip();
    if (isa<func::FuncOp>(op))
      return WalkResult::advance();
    if (isa<RegionBranchOpInterface>(op)) {
      SmallVector<LayoutAttr> results;
      for (OpResult result : getTensorResults(op))
        results.push_back(cache.get(propagation.getValue(propagation.getNumber(result)).base));
      if (!results.empty() || handedOn.contains(op))
        write(op, handedOn.lookup(op), results);
    } else if (handedOn.contains(op)) {
      write(op, handedOn.lookup(op), {});
    }
    return WalkResult::advance();
  });
}

/// Arguments without a layout lie where the result does that takes their buffer.
static ProgramAttr withDonatedLayouts(ProgramAttr program) {
  auto arguments = llvm::map_to_vector(program.getArguments(), [&](ValueAttr argument) {
    if (!argument.isDonated() || argument.getLayout())
      return argument;
    ValueAttr result = program.getResults()[argument.getDonates()];
    bool fits = result.getType().getShape() == argument.getType().getShape();
    return fits && result.getLayout() ? argument.withLayout(result.getLayout()) : argument;
  });
  return ProgramAttr::get(program.getContext(), program.getLevel(), program.getName(),
                          program.getMesh(), arguments, program.getResults());
}

void PropagateLayouts::runOnOperation() {
  ModuleOp module = getOperation();
  ProgramAttr program = ProgramAttr::of(module);
  if (!program) {
    module.emitError("expected a module with a dmc.program");
    return signalPassFailure();
  }
  if (program.getLevel() != Level::tensor)
    return;
  FailureOr<func::FuncOp> entry = getEntryFunction(module);
  if (failed(entry) || failed(checkSignature(*entry, program)))
    return signalPassFailure();
  if (!program.getMesh())
    program = withTrivialMesh(program);
  program = withDonatedLayouts(program);
  WalkResult foreign = entry->walk([&](ConstrainOp op) {
    if (op.getLayout().getMesh() == program.getMesh())
      return WalkResult::advance();
    op.emitOpError("expected a layout on the program's mesh ")
        << program.getMesh() << ", found " << op.getLayout();
    return WalkResult::interrupt();
  });
  if (foreign.wasInterrupted())
    return signalPassFailure();

  LayoutCache cache(program.getMesh());
  Propagation propagation(cache.getMesh());
  if (failed(propagation.build(*entry)))
    return signalPassFailure();
  seed(propagation, cache, *entry, program);
  propagation.decide();
  propagation.deferReductions();

  writeDecisions(propagation, cache, *entry);
  module->setAttr("dmc.program", complete(propagation, cache, *entry, program));
}
