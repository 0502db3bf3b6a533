//===- MaterializeMoves.cpp - dmc-materialize-moves -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One sweep in program order: sets all types and inserts a reshard where a use
// wants another layout than its value has.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Passes.h"
#include "dmc/Parallelize/ReshardPlan.h"

#include "Factors.h"
#include "MachineOption.h"
#include "MoveSources.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-materialize-moves"

namespace dmc {
#define GEN_PASS_DEF_MATERIALIZEMOVES
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

static OpLayoutsAttr getLayouts(Operation *op) {
  return op->getAttrOfType<OpLayoutsAttr>("dmc.layouts");
}

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool hasTensors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

namespace {
class Materializer {
public:
  Materializer(func::FuncOp entry, ProgramAttr program, const RankRates &rates)
      : entry(entry), program(program), cache(program.getMesh()), plans(cache.getMesh(), rates) {}
  LogicalResult run();

private:
  /// A value in some layout.
  struct Version {
    LayoutAttr layout;
    Value value;
  };

  /// What constraints make of a value, and where their uses take it from.
  struct Constrained {
    MoveSources sources;
    /// The value, and the results of the constraints; a version that is made is what it was moved
    /// to, once it is.
    SmallVector<Value, 4> results;
    SmallVector<Value, 4> made;
    llvm::SmallDenseMap<Value, unsigned, 4> numbers;
  };

  LogicalResult checkDecisions();
  void collectWanted();
  void forEachUse(Operation *op, llvm::function_ref<void(OpOperand &, LayoutAttr)> visit);
  void provideCaptures(Operation *op);
  void setTypes(Operation *op);
  void processBlock(Block &block);
  void provide(OpOperand &use, LayoutAttr wanted);
  Value copyFree(Operation *op, LayoutAttr layout, Operation *user);
  void addVersions(Constrained &constrained, Value value, unsigned version);
  Constrained &getConstrained(Value value);
  Value getRoot(Value value) const;
  void makeVersion(ConstrainOp op);
  Value getVersion(Constrained &known, unsigned number, Operation *user);
  Value moveFromSource(Value value, LayoutAttr layout, Operation *user);
  Value move(Value value, LayoutAttr layout, Operation *user);
  Value reshard(Value value, Value from, LayoutAttr layout, Operation *user);
  double getSeconds(Value value, const Layout &from, const Layout &to);

  func::FuncOp entry;
  ProgramAttr program;
  LayoutCache cache;
  ReshardPlans plans;
  DenseMap<Value, SmallVector<LayoutAttr, 2>> wanted;
  /// The constraints of which a value has versions.
  DenseMap<Value, SmallVector<ConstrainOp, 1>> constraints;
  /// What the constraints are on that make such versions.
  DenseMap<Value, Value> sources;
  DenseMap<Value, std::unique_ptr<Constrained>> constrained;
  DenseMap<Value, SmallVector<Version, 2>> versions;
  DenseMap<std::pair<Operation *, LayoutAttr>, Value> copies;
};
} // namespace

LogicalResult Materializer::checkDecisions() {
  auto check = [](Operation *op) -> LogicalResult {
    if (!getLayouts(op))
      return op->emitOpError("has no dmc.layouts; dmc-propagate-layouts writes them");
    return success();
  };
  WalkResult result = entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<func::FuncOp, func::ReturnOp>(op) || isLayoutAgnostic(op))
      return isa<linalg::FillOp>(op) ? WalkResult::skip() : WalkResult::advance();
    if (hasTensors(op) && failed(check(op)))
      return WalkResult::interrupt();
    return isa<RegionBranchOpInterface>(op) ? WalkResult::advance() : WalkResult::skip();
  });
  return failure(result.wasInterrupted());
}

void Materializer::forEachUse(Operation *op,
                              llvm::function_ref<void(OpOperand &, LayoutAttr)> visit) {
  if (isa<func::ReturnOp>(op)) {
    for (auto [operand, value] : llvm::zip_equal(op->getOpOperands(), program.getResults()))
      visit(operand, value.getLayout());
    return;
  }
  OpLayoutsAttr layouts = getLayouts(op);
  if (!layouts)
    return;
  for (auto [operand, layout] : llvm::zip_equal(getTensorOperands(op), layouts.getOperands()))
    visit(*operand, layout);
}

void Materializer::collectWanted() {
  entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<func::FuncOp>(op) || isLayoutAgnostic(op))
      return;
    if (auto constrain = dyn_cast<ConstrainOp>(op); constrain && hasMoveSource(constrain)) {
      constraints[constrain.getOperand()].push_back(constrain);
      sources[constrain.getResult()] = constrain.getOperand();
      return;
    }
    forEachUse(op, [&](OpOperand &operand, LayoutAttr layout) {
      SmallVector<LayoutAttr, 2> &layouts = wanted[operand.get()];
      if (!llvm::is_contained(layouts, layout))
        layouts.push_back(layout);
    });
  });
}

/// Constants, fills and empty tensors denote the global value in any layout.
Value Materializer::copyFree(Operation *op, LayoutAttr layout, Operation *user) {
  auto type = withLayout(tensorType(op->getResult(0)), layout);
  if (isa<tensor::EmptyOp>(op)) {
    OpBuilder builder(user);
    return tensor::EmptyOp::create(builder, user->getLoc(), type.getShape(), type.getElementType(),
                                   layout);
  }
  Value &copy = copies[{op, layout}];
  if (copy)
    return copy;
  OpBuilder builder(op);
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    Value empty = tensor::EmptyOp::create(builder, fill.getLoc(), type.getShape(),
                                          type.getElementType(), layout);
    copy = linalg::FillOp::create(builder, fill.getLoc(), fill.getInputs(), ValueRange{empty})
               .getResult(0);
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = cast<ElementsAttr>(constant.getValue());
    if (auto dense = dyn_cast<DenseElementsAttr>(elements))
      elements = dense.reshape(type);
    else if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
      elements = DenseResourceElementsAttr::get(type, resource.getRawHandle());
    copy = arith::ConstantOp::create(builder, constant.getLoc(), type, cast<TypedAttr>(elements));
  } else {
    Operation *clone = builder.clone(*op);
    clone->getResult(0).setType(type);
    copy = clone->getResult(0);
  }
  return copy;
}

Value Materializer::reshard(Value value, Value from, LayoutAttr layout, Operation *user) {
  // In the value's own block, that all later uses see it.
  Operation *anchor = value.getParentBlock()->findAncestorOpInBlock(*user);
  OpBuilder builder(anchor);
  Value result =
      ReshardOp::create(builder, user->getLoc(), withLayout(tensorType(from), layout), from);
  LDBG() << "moved for " << user->getName() << ": " << from.getType() << " to " << layout;
  versions[value].push_back({layout, result});
  return result;
}

void Materializer::addVersions(Constrained &constrained, Value value, unsigned version) {
  constrained.results.push_back(value);
  constrained.numbers[value] = version;
  for (LayoutAttr layout : wanted[value])
    constrained.sources.addUse(version, cache.get(layout));
  for (ConstrainOp op : constraints.lookup(value))
    addVersions(constrained, op.getResult(),
                constrained.sources.add(cache.get(getLayouts(op).getOperands().front()), version));
}

/// Of a value that has its type.
Materializer::Constrained &Materializer::getConstrained(Value value) {
  std::unique_ptr<Constrained> &known = constrained[value];
  if (known)
    return *known;
  known = std::make_unique<Constrained>();
  Constrained &result = *known;
  addVersions(result, value, result.sources.add(cache.get(LayoutAttr::of(value.getType()))));
  result.made.resize(result.sources.size());
  result.made.front() = value;
  result.sources.decide(
      [&](const Layout &from, const Layout &to) { return getSeconds(value, from, to); });
  SmallVector<LayoutAttr, 2> &layouts = wanted[value];
  layouts.clear();
  for (const MoveSources::Want &want : result.sources.getWanted(0))
    layouts.push_back(cache.get(*want.layout));
  return result;
}

double Materializer::getSeconds(Value value, const Layout &from, const Layout &to) {
  auto type = tensorType(value);
  return plans.getSeconds(from, to, type.getShape(),
                          std::max<int64_t>(1, type.getElementTypeBitWidth() / 8));
}

/// What the first of the constraints is on that make a value.
Value Materializer::getRoot(Value value) const {
  while (Value source = sources.lookup(value))
    value = source;
  return value;
}

/// A version of a value, made here if it is not there yet.
Value Materializer::getVersion(Constrained &known, unsigned number, Operation *user) {
  if (!known.made[number]) {
    LayoutAttr layout = cache.get(known.sources.getLayout(number));
    Value from = getVersion(known, known.sources.getParent(number), user);
    known.made[number] = move(from, layout, user);
  }
  return known.made[number];
}

/// Moves a value, or what a constraint is on instead of what it makes.
Value Materializer::moveFromSource(Value value, LayoutAttr layout, Operation *user) {
  Value root = getRoot(value);
  if (!constraints.contains(root))
    return move(value, layout, user);
  Constrained &known = getConstrained(root);
  unsigned source = known.sources.getSource(known.numbers.lookup(value), cache.get(layout));
  return move(getVersion(known, source, user), layout, user);
}

Value Materializer::move(Value value, LayoutAttr layout, Operation *user) {
  LayoutAttr own = LayoutAttr::of(value.getType());
  if (own == layout)
    return value;
  for (const Version &version : versions[value])
    if (version.layout == layout)
      return version.value;

  // Partial values are combined once, whatever layouts the uses need.
  if (own.isPartial() && !layout.isPartial()) {
    auto layouts =
        llvm::map_to_vector(wanted[value], [&](LayoutAttr other) { return &cache.get(other); });
    if (std::optional<Layout> shared = getCommonLayout(layouts)) {
      LayoutAttr common = cache.get(*shared);
      Value reduced;
      for (const Version &version : versions[value])
        if (version.layout == common)
          reduced = version.value;
      if (!reduced)
        reduced = reshard(value, value, common, user);
      return common == layout ? reduced : reshard(value, reduced, layout, user);
    }
  }

  // What is there already may be nearer than the value itself.
  auto getCost = [&](LayoutAttr from) {
    return getSeconds(value, cache.get(from), cache.get(layout));
  };
  Value best = value;
  if (!versions[value].empty()) {
    double bestCost = getCost(own);
    for (const Version &version : versions[value])
      if (double cost = getCost(version.layout); cost < bestCost) {
        bestCost = cost;
        best = version.value;
      }
  }
  return reshard(value, best, layout, user);
}

/// Makes what a constraint asks for, unless its uses take another version.
void Materializer::makeVersion(ConstrainOp op) {
  Constrained &known = getConstrained(getRoot(op.getResult()));
  unsigned version = known.sources.getMerged(known.numbers.lookup(op.getResult()));
  if (known.sources.isMade(version))
    getVersion(known, version, op);
}

void Materializer::provide(OpOperand &use, LayoutAttr layout) {
  Value value = use.get();
  if (Operation *op = value.getDefiningOp(); op && isLayoutAgnostic(op))
    use.set(copyFree(op, layout, use.getOwner()));
  else
    use.set(moveFromSource(value, layout, use.getOwner()));
}

/// A body may read any element of a tensor that is not an operand.
void Materializer::provideCaptures(Operation *op) {
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(region, [&](OpOperand *use) {
      if (auto type = dyn_cast<RankedTensorType>(use->get().getType()))
        provide(*use, LayoutAttr::getReplicated(program.getMesh(), type.getRank()));
    });
}

void Materializer::setTypes(Operation *op) {
  OpLayoutsAttr layouts = getLayouts(op);
  if (!layouts)
    return;
  auto set = [](Value value, LayoutAttr layout) {
    value.setType(withLayout(tensorType(value), layout));
  };
  auto setArguments = [&](Block &block, ArrayRef<LayoutAttr> layouts) {
    size_t next = 0;
    for (BlockArgument argument : block.getArguments())
      if (isa<RankedTensorType>(argument.getType()))
        set(argument, layouts[next++]);
  };
  for (auto [result, layout] : llvm::zip_equal(getTensorResults(op), layouts.getResults()))
    set(result, layout);
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    setArguments(*loop.getBeforeBody(), layouts.getOperands());
    setArguments(*loop.getAfterBody(), layouts.getResults());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    setArguments(*loop.getBody(), layouts.getResults());
  }
  op->removeAttr("dmc.layouts");
}

void Materializer::processBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isLayoutAgnostic(&op))
      continue;
    if (auto constrain = dyn_cast<ConstrainOp>(op);
        constrain && sources.contains(constrain.getResult())) {
      makeVersion(constrain);
      continue;
    }
    forEachUse(&op, [&](OpOperand &use, LayoutAttr layout) { provide(use, layout); });
    if (!isa<RegionBranchOpInterface>(op))
      provideCaptures(&op);
    setTypes(&op);
    if (isa<RegionBranchOpInterface>(op))
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          processBlock(nested);
    if (auto constrain = dyn_cast<ConstrainOp>(op)) {
      constrain.replaceAllUsesWith(constrain.getOperand());
      constrain.erase();
    }
  }
}

LogicalResult Materializer::run() {
  if (failed(checkDecisions()))
    return failure();
  collectWanted();

  for (auto [argument, value] : llvm::zip_equal(entry.getArguments(), program.getArguments()))
    argument.setType(withLayout(tensorType(argument), value.getLayout()));
  processBlock(entry.getBody().front());

  // Nothing takes what these make; what they are on may be one of them.
  entry->walk<WalkOrder::PostOrder, ReverseIterator>([](ConstrainOp op) {
    op.replaceAllUsesWith(op.getOperand());
    op.erase();
  });
  // The originals of what was copied.
  entry->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isLayoutAgnostic(op) && op->use_empty())
      op->erase();
  });
  entry.setType(FunctionType::get(entry.getContext(), entry.getBody().front().getArgumentTypes(),
                                  entry.getBody().front().getTerminator()->getOperandTypes()));
  return success();
}

namespace {
struct MaterializeMoves : dmc::impl::MaterializeMovesBase<MaterializeMoves> {
  using MaterializeMovesBase::MaterializeMovesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ProgramAttr program = ProgramAttr::of(module);
    if (!program) {
      module.emitError("expected a module with a dmc.program");
      return signalPassFailure();
    }
    if (program.getLevel() != Level::tensor)
      return;
    FailureOr<func::FuncOp> entry = getEntryFunction(module);
    if (failed(entry))
      return signalPassFailure();
    auto lacksLayout = [](ValueAttr value) { return !value.getLayout(); };
    if (!program.getMesh() || llvm::any_of(program.getArguments(), lacksLayout) ||
        llvm::any_of(program.getResults(), lacksLayout)) {
      module.emitError("expected layouts of all arguments and results in dmc.program");
      return signalPassFailure();
    }
    if (program.getArguments().size() != entry->getNumArguments() ||
        program.getResults().size() != entry->getNumResults()) {
      module.emitError("expected as many arguments and results in dmc.program as the entry has");
      return signalPassFailure();
    }
    FailureOr<RankRates> rates = parseMachineOption(*this, module, machine);
    if (failed(rates) || failed(Materializer(*entry, program, *rates).run()))
      return signalPassFailure();
    module->setAttr("dmc.program", program.withLevel(Level::parallel));
  }
};
} // namespace
