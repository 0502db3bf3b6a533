//===- WriteDecisions.cpp - Decided layouts in the program ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "WriteDecisions.h"

#include "ProgramCost.h"

using namespace mlir;
using namespace dmc;

void dmc::removeBoundaryRequests(func::FuncOp entry) {
  for (StringRef name : {"dmc.priorities", "dmc.open", "dmc.replicated", "dmc.requests"}) {
    auto key = StringAttr::get(entry.getContext(), name);
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      entry.removeArgAttr(i, key);
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      entry.removeResultAttr(i, key);
  }
}

/// The layout in which a use takes a tensor, where decisions say it.
static LayoutAttr getWanted(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<func::ReturnOp>(user)) {
    ProgramAttr program = ProgramAttr::of(user->getParentOfType<ModuleOp>());
    return program.getResults()[use.getOperandNumber()].getLayout();
  }
  auto layouts = user->getAttrOfType<OpLayoutsAttr>("dmc.layouts");
  auto operands = getTensorOperands(user);
  auto operand = llvm::find(operands, &use);
  return layouts && operand != operands.end() ? layouts.getOperands()[operand - operands.begin()]
                                              : LayoutAttr();
}

/// Where all uses behind a barrier take the tensor in the layout in which it is kept, moves are the
/// same without it.
static void removeIdleBarriers(func::FuncOp target) {
  SmallVector<OptimizationBarrierOp> barriers;
  target->walk([&](OptimizationBarrierOp op) {
    if (op->hasAttr("dmc.tactic"))
      barriers.push_back(op);
  });
  for (OptimizationBarrierOp op : llvm::reverse(barriers)) {
    LayoutAttr kept = op->getAttrOfType<OpLayoutsAttr>("dmc.layouts").getOperands().front();
    if (llvm::any_of(op->getUses(), [&](OpOperand &use) { return getWanted(use) != kept; }))
      continue;
    op.replaceAllUsesWith(op.getOperand());
    op.erase();
  }
}

void DecisionWriter::writeTo(Propagation &graph, func::FuncOp target, const IRMapping *mapping) {
  writeOperations(graph, mapping);
  target->getParentOfType<ModuleOp>()->setAttr("dmc.program", complete(graph));
  writeKept(graph, mapping);
  removeIdleBarriers(target);
  removeBoundaryRequests(target);
}

ProgramAttr DecisionWriter::complete(Propagation &propagation) {
  // A layout that was asked for stays, but where it may be split further.
  auto extends = [](const Layout &layout, const Layout &asked) {
    return layout.partial.empty() &&
           std::equal(asked.dims.begin(), asked.dims.end(), layout.dims.begin(), isPrefix);
  };
  auto completed = [&](ValueRange values, ArrayRef<ValueAttr> attributes, auto isOpen) {
    SmallVector<ValueAttr> result;
    for (auto [number, value, original] : llvm::enumerate(values, attributes)) {
      ValueAttr attribute = original;
      Layout layout = propagation.has(value)
                          ? propagation.getValue(propagation.getNumber(value)).base
                          : Layout::replicated(attribute.getType().getRank());
      if (!attribute.getLayout() ||
          (isOpen(number) && extends(layout, cache.get(attribute.getLayout()))))
        attribute = attribute.withLayout(cache.get(layout));
      result.push_back(attribute);
    }
    return result;
  };
  Operation *terminator = entry.getBody().front().getTerminator();
  auto isArgumentOpen = [&](unsigned i) { return bool(entry.getArgAttr(i, "dmc.open")); };
  auto isResultOpen = [&](unsigned i) { return bool(entry.getResultAttr(i, "dmc.open")); };
  SmallVector<ValueAttr> arguments =
      completed(entry.getArguments(), program.getArguments(), isArgumentOpen);
  SmallVector<ValueAttr> results =
      completed(terminator->getOperands(), program.getResults(), isResultOpen);
  // A result lies where the argument does whose buffer it takes over.
  for (auto [argument, original] : llvm::zip_equal(arguments, program.getArguments())) {
    if (!argument.isDonated())
      continue;
    unsigned number = argument.getDonates();
    ValueAttr &result = results[number];
    LayoutAttr asked = program.getResults()[number].getLayout();
    if ((!asked || (isResultOpen(number) && asked == original.getLayout())) &&
        result.getType().getShape() == argument.getType().getShape())
      result = result.withLayout(argument.getLayout());
  }
  return ProgramAttr::get(program.getContext(), program.getLevel(), program.getName(),
                          program.getMesh(), arguments, results);
}

void DecisionWriter::writeOperations(Propagation &propagation, const IRMapping *mapping) {
  auto toAttrs = [&](ArrayRef<Layout> layouts) {
    return llvm::map_to_vector(layouts, [&](const Layout &layout) { return cache.get(layout); });
  };
  auto write = [&](Operation *op, ArrayRef<LayoutAttr> operands, ArrayRef<LayoutAttr> results) {
    Operation *target = mapping ? mapping->lookup(op) : op;
    target->setAttr("dmc.layouts", OpLayoutsAttr::get(op->getContext(), operands, results));
  };
  // Control flow collects the layouts of what it forwards.
  DenseMap<Operation *, SmallVector<LayoutAttr>> forwarded;
  for (Node &node : propagation.getNodes()) {
    SmallVector<LayoutAttr> operands = toAttrs(node.operandLayouts);
    if (!node.forwarded) {
      write(node.op, operands, toAttrs(node.resultLayouts));
      continue;
    }
    SmallVector<LayoutAttr> &all = forwarded[node.op];
    all.resize(getTensorOperands(node.op).size());
    all[*node.forwarded] = operands.front();
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
      if (!results.empty() || forwarded.contains(op))
        write(op, forwarded.lookup(op), results);
    } else if (forwarded.contains(op)) {
      write(op, forwarded.lookup(op), {});
    }
    return WalkResult::advance();
  });
}

/// Uses of what is kept in another layout take it from there: a constraint says so.
void DecisionWriter::writeKept(Propagation &propagation, const IRMapping *mapping) {
  ProgramCost cost(propagation);
  auto keep = [&](Value value) {
    const TensorInfo &info = propagation.getValue(propagation.getNumber(value));
    if (!info.kept)
      return;
    Value target = mapping ? mapping->lookup(value) : value;
    OpBuilder builder(entry.getContext());
    builder.setInsertionPointAfterValue(target);
    LayoutAttr layout = cache.get(*info.kept);
    auto kept = ConstrainOp::create(builder, target.getLoc(), target, layout);
    kept->setAttr("dmc.tactic", builder.getUnitAttr());
    kept->setAttr("dmc.layouts", OpLayoutsAttr::get(builder.getContext(), layout, layout));
    target.replaceUsesWithIf(kept.getResult(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (user == kept)
        return false;
      auto layouts = user->getAttrOfType<OpLayoutsAttr>("dmc.layouts");
      auto operands = getTensorOperands(user);
      auto operand = llvm::find(operands, &use);
      return !layouts || operand == operands.end() ||
             !cost.isNearer(info, cache.get(layouts.getOperands()[operand - operands.begin()]));
    });
  };
  for (BlockArgument argument : entry.getArguments())
    if (propagation.has(argument))
      keep(argument);
  for (Node &node : propagation.getNodes())
    if (!node.forwarded)
      for (auto [number, result] : llvm::zip(node.results, getTensorResults(node.op)))
        if (propagation.getNumber(result) == number)
          keep(result);
}
