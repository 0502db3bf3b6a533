//===- WriteShardings.cpp - A plan as shardings of Shardy -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings replace what the program said of them: on arguments and results, on
// operations, and as constraints on uses that take another layout.
//
//===----------------------------------------------------------------------===//
#include "PlannedLayouts.h"
#include "dmc/Export/Export.h"
#include "dmc/Import/StableHLO/Dialect.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace dmc;

/// The only public function.
static func::FuncOp getEntry(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      return function;
  llvm_unreachable("import has found one");
}

static constexpr StringLiteral expected = "expected a program of StableHLO on global tensors";

LogicalResult dmc::checkForShardings(ModuleOp program) {
  if (ProgramAttr attr = ProgramAttr::of(program))
    return program.emitError() << "unsupported: --emit=sdy of a program at level '"
                               << stringifyLevel(attr.getLevel()) << "'; " << expected;
  WalkResult result = program.walk([&](Operation *op) -> WalkResult {
    StringRef dialect = op->getName().getDialectNamespace();
    if (isa<ModuleOp>(op) || isa<func::FuncOp, func::ReturnOp>(op) ||
        llvm::is_contained({"stablehlo", "chlo", "sdy"}, dialect))
      return WalkResult::advance();
    return op->emitError() << "unsupported: --emit=sdy of a program with '" << op->getName()
                           << "'; " << expected;
  });
  return failure(result.wasInterrupted());
}

/// By number.
static SmallVector<Operation *> getOperations(func::FuncOp entry) {
  SmallVector<Operation *> operations;
  entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != entry)
      operations.push_back(op);
  });
  return operations;
}

void dmc::numberOperations(ModuleOp program) {
  for (auto [number, op] : llvm::enumerate(getOperations(getEntry(program))))
    op->setLoc(withNumber(op->getLoc(), number));
}

//===----------------------------------------------------------------------===//
// What the program said
//===----------------------------------------------------------------------===//

/// Operations that are their operand, for Shardy alone.
static bool isAnnotation(Operation *op) {
  if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::AllGatherOp, sdy::AllSliceOp,
          sdy::AllToAllOp, sdy::CollectivePermuteOp, sdy::AllReduceOp, sdy::ReduceScatterOp,
          sdy::ShardedToUnreducedOp, sdy::ReplicatedToUnreducedOp, sdy::DataFlowEdgeOp,
          sdy::FuncDataFlowEdgeOp, sdy::PropagationBarrierOp>(op))
    return true;
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return call && call.getCallTargetName() == "Sharding";
}

static bool isOfShardings(StringRef attribute) {
  return attribute == "mhlo.sharding" || attribute.starts_with("sdy.");
}

/// Sets operations that are removed to null.
static void removeShardings(func::FuncOp entry, MutableArrayRef<Operation *> operations) {
  for (Operation *&op : operations) {
    if (auto named = dyn_cast<sdy::NamedComputationOp>(op)) {
      named.removeInShardingsAttr();
      named.removeOutShardingsAttr();
    }
    for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
      if (isOfShardings(attr.getName()))
        op->removeDiscardableAttr(attr.getName());
    if (!isAnnotation(op) && !isa<sdy::ShardingGroupOp>(op))
      continue;
    if (op->getNumResults() == 1)
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
    op = nullptr;
  }
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    for (NamedAttribute attr : llvm::to_vector(function_interface_impl::getArgAttrs(entry, i)))
      if (isOfShardings(attr.getName()))
        entry.removeArgAttr(i, attr.getName());
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    for (NamedAttribute attr : llvm::to_vector(function_interface_impl::getResultAttrs(entry, i)))
      if (isOfShardings(attr.getName()))
        entry.removeResultAttr(i, attr.getName());
}

//===----------------------------------------------------------------------===//
// What the plan says
//===----------------------------------------------------------------------===//

namespace {
class ShardingWriter {
public:
  ShardingWriter(ModuleOp program, func::FuncOp entry, ModuleOp planned, PlannedLayouts &layouts)
      : program(program), entry(entry), planned(planned), layouts(layouts),
        context(program.getContext()), attr(ProgramAttr::of(planned)) {}
  LogicalResult write();

private:
  LogicalResult findMesh();
  FailureOr<sdy::TensorShardingAttr> convert(LayoutAttr layout, Type type, Location loc);
  sdy::TensorShardingAttr getOpen(Type type);
  LogicalResult writeBoundary();
  LogicalResult writeResults(Operation *op);
  LogicalResult writeUses();

  ModuleOp program;
  func::FuncOp entry;
  ModuleOp planned;
  PlannedLayouts &layouts;
  MLIRContext *context;
  ProgramAttr attr;
  FlatSymbolRefAttr mesh;
};
} // namespace

/// The program's own mesh where it is the plan's; else one of a new name.
LogicalResult ShardingWriter::findMesh() {
  SmallVector<sdy::MeshAxisAttr> axes;
  for (MeshAxisAttr axis : attr.getMesh().getAxes())
    axes.push_back(sdy::MeshAxisAttr::get(context, axis.getName(), axis.getSize()));
  ArrayRef<int64_t> devices;
  if (auto order = planned->getAttrOfType<DenseI64ArrayAttr>("dmc.devices"))
    devices = order;
  auto wanted = sdy::MeshAttr::get(context, axes, devices);
  WalkResult result = entry->walk([&](sdy::ManualComputationOp op) {
    for (sdy::TensorShardingAttr sharding : op.getInShardings().getShardings())
      if (sharding.getMesh(op) != wanted) {
        op.emitError() << "unsupported: a manual computation on another mesh than the plan's, "
                       << attr.getMesh() << "; expected the plan on the program's own mesh";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto op : llvm::make_early_inc_range(program.getOps<sdy::MeshOp>())) {
    if (op.getMesh() == wanted && !mesh)
      mesh = FlatSymbolRefAttr::get(op.getSymNameAttr());
    else if (op.getMesh() != wanted)
      op.erase();
  }
  if (mesh)
    return success();
  OpBuilder builder = OpBuilder::atBlockBegin(program.getBody());
  SymbolTable symbols(program);
  auto op = sdy::MeshOp::create(builder, program.getLoc(), "mesh", wanted);
  mesh = FlatSymbolRefAttr::get(symbols.insert(op));
  return success();
}

FailureOr<sdy::TensorShardingAttr> ShardingWriter::convert(LayoutAttr layout, Type type,
                                                           Location loc) {
  if (!layout.getPlaced().empty())
    return refuseLayout(layout, loc);
  auto toAxes = [&](AxesAttr given) {
    SmallVector<sdy::AxisRefAttr> axes;
    for (AxisAttr axis : given)
      axes.push_back(sdy::AxisRefAttr::get(context, axis.getName(),
                                           axis.isFullAxis() ? 0 : axis.getPreSize(),
                                           axis.isFullAxis() ? 0 : axis.getSubSize()));
    return axes;
  };
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (AxesAttr axes : layout.getDims())
    dims.push_back(
        sdy::DimensionShardingAttr::get(context, toAxes(axes), /*isClosed=*/true, std::nullopt));
  // Complex numbers at the boundary are pairs in the last dimension.
  auto rank = static_cast<size_t>(cast<RankedTensorType>(type).getRank());
  while (dims.size() > rank) {
    if (!dims.back().getAxes().empty())
      return refuseLayout(layout, loc);
    dims.pop_back();
  }
  return sdy::TensorShardingAttr::get(context, mesh, dims, {}, {}, sdy::ReductionOp::SUM);
}

sdy::TensorShardingAttr ShardingWriter::getOpen(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  SmallVector<sdy::DimensionShardingAttr> dims(
      tensor ? tensor.getRank() : 0,
      sdy::DimensionShardingAttr::get(context, {}, /*isClosed=*/false, std::nullopt));
  return sdy::TensorShardingAttr::get(context, mesh, dims, {}, {}, sdy::ReductionOp::SUM);
}

LogicalResult ShardingWriter::writeBoundary() {
  for (auto [i, value] : llvm::enumerate(attr.getArguments())) {
    BlockArgument argument = entry.getArgument(i);
    auto sharding = convert(value.getLayout(), argument.getType(), argument.getLoc());
    if (failed(sharding))
      return failure();
    entry.setArgAttr(i, sdy::kShardingAttrName, *sharding);
    // Buffers of different sizes cannot be shared.
    if (value.isDonated() && attr.getResultInBufferOf(i) < 0)
      entry.removeArgAttr(i, "tf.aliasing_output");
  }
  for (auto [i, value] : llvm::enumerate(attr.getResults())) {
    auto sharding = convert(value.getLayout(), entry.getResultTypes()[i], entry.getLoc());
    if (failed(sharding))
      return failure();
    entry.setResultAttr(i, sdy::kShardingAttrName, *sharding);
  }
  return success();
}

LogicalResult ShardingWriter::writeResults(Operation *op) {
  SmallVector<sdy::TensorShardingAttr> shardings;
  bool isKnown = false;
  for (Value result : op->getResults()) {
    LayoutAttr layout = layouts.getLayout(result);
    auto type = dyn_cast<RankedTensorType>(result.getType());
    // A scalar is the same on all devices.
    if (!layout || !type || type.getRank() == 0) {
      shardings.push_back(getOpen(result.getType()));
      continue;
    }
    auto sharding = convert(layout, type, op->getLoc());
    if (failed(sharding))
      return failure();
    shardings.push_back(*sharding);
    isKnown = true;
  }
  if (isKnown)
    op->setAttr(sdy::kShardingAttrName, sdy::TensorShardingPerValueAttr::get(context, shardings));
  return success();
}

/// One constraint for all uses of a value in one layout.
LogicalResult ShardingWriter::writeUses() {
  llvm::MapVector<std::pair<Value, LayoutAttr>, Value> constrained;
  for (auto [use, layout] : layouts.getMoved()) {
    Value value = use->get();
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == 0)
      continue;
    Value &copy = constrained[{value, layout}];
    if (!copy) {
      auto sharding = convert(layout, type, use->getOwner()->getLoc());
      if (failed(sharding))
        return failure();
      OpBuilder builder(context);
      builder.setInsertionPointAfterValue(value);
      copy = sdy::ShardingConstraintOp::create(builder, use->getOwner()->getLoc(), type, value,
                                               *sharding);
    }
    use->set(copy);
  }
  return success();
}

LogicalResult ShardingWriter::write() {
  if (failed(findMesh()) || failed(writeBoundary()))
    return failure();
  WalkResult result = entry->walk([&](Operation *op) {
    // Of a manual computation the program itself says the shardings.
    if (op == entry || isa<sdy::ManualComputationOp>(op))
      return WalkResult::advance();
    return failed(writeResults(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (result.wasInterrupted() || failed(writeUses()))
    return failure();
  Builder builder(context);
  program->setAttr("mhlo.num_partitions", builder.getI32IntegerAttr(attr.getMesh().getNumRanks()));
  program->setAttr("mhlo.num_replicas", builder.getI32IntegerAttr(1));
  return success();
}

LogicalResult dmc::writeShardings(ModuleOp program, ModuleOp planned) {
  if (ProgramAttr::of(planned).getLevel() != Level::parallel)
    return program.emitError() << "unsupported: --emit=sdy of a program of ranks; " << expected;
  func::FuncOp entry = getEntry(program);
  SmallVector<Operation *> operations = getOperations(entry);
  removeShardings(entry, operations);
  PlannedLayouts layouts(entry, operations, getEntry(planned));
  if (failed(layouts.read()))
    return failure();
  if (auto [user, layout] = layouts.getCarried(); user)
    user->emitWarning()
        << "the plan computes on partial values, " << layout
        << ", which no sharding says: --emit=sdy has them reduced where they are made";
  return ShardingWriter(program, entry, planned, layouts).write();
}
