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

  LogicalResult checkDecisions();
  void collectWanted();
  void forEachUse(Operation *op, llvm::function_ref<void(OpOperand &, LayoutAttr)> visit);
  void provideCaptures(Operation *op);
  void setTypes(Operation *op);
  void processBlock(Block &block);
  void provide(OpOperand &use, LayoutAttr wanted);
  Value copyFree(Operation *op, LayoutAttr layout, Operation *user);
  Value move(Value value, LayoutAttr layout, Operation *user);
  Value reshard(Value value, Value from, LayoutAttr layout, Operation *user);
  LayoutAttr getCommon(ArrayRef<LayoutAttr> layouts);

  func::FuncOp entry;
  ProgramAttr program;
  LayoutCache cache;
  ReshardPlans plans;
  DenseMap<Value, SmallVector<LayoutAttr, 2>> wanted;
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
  entry->walk([&](Operation *op) {
    if (isa<func::FuncOp>(op) || isLayoutAgnostic(op))
      return;
    forEachUse(op, [&](OpOperand &operand, LayoutAttr layout) {
      SmallVector<LayoutAttr, 2> &layouts = wanted[operand.get()];
      if (!llvm::is_contained(layouts, layout))
        layouts.push_back(layout);
    });
  });
}

/// The most that is split alike in all of the layouts, nothing partial.
LayoutAttr Materializer::getCommon(ArrayRef<LayoutAttr> layouts) {
  Layout common = cache.get(layouts.front());
  common.partial.clear();
  common.combiner.reset();
  common.placed.clear();
  for (LayoutAttr layout : layouts.drop_front())
    for (auto [axes, others] : llvm::zip_equal(common.dims, cache.get(layout).dims)) {
      auto end = std::mismatch(axes.begin(), axes.end(), others.begin(), others.end()).first;
      axes.erase(end, axes.end());
    }
  return cache.get(common);
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

Value Materializer::move(Value value, LayoutAttr layout, Operation *user) {
  LayoutAttr own = LayoutAttr::of(value.getType());
  if (own == layout)
    return value;
  for (const Version &version : versions[value])
    if (version.layout == layout)
      return version.value;

  // Partial values are combined once, whatever layouts the uses need.
  if (own.isPartial() && !layout.isPartial()) {
    SmallVector<LayoutAttr, 2> whole;
    llvm::copy_if(wanted[value], std::back_inserter(whole),
                  [](LayoutAttr other) { return !other.isPartial(); });
    if (whole.size() > 1) {
      LayoutAttr common = getCommon(whole);
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
  auto type = tensorType(value);
  auto getCost = [&](LayoutAttr from) {
    return plans.getSeconds(cache.get(from), cache.get(layout), type.getShape(),
                            std::max<int64_t>(1, type.getElementTypeBitWidth() / 8));
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

void Materializer::provide(OpOperand &use, LayoutAttr layout) {
  Value value = use.get();
  if (Operation *op = value.getDefiningOp(); op && isLayoutAgnostic(op))
    use.set(copyFree(op, layout, use.getOwner()));
  else
    use.set(move(value, layout, use.getOwner()));
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
