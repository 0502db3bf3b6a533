//===- KernelTasks.cpp - The loop nests of a kernel -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/KernelTasks.h"

#include "Kernel/Buffers.h"
#include "Kernel/CollapseDimensions.h"
#include "Kernel/ContractionPlan.h"
#include "Kernel/NestFunctions.h"

#include "dmc/Dialect/DMC/SparseUpdate.h"
#include "dmc/Dialect/DMC/SplitReduction.h"
#include "dmc/Dialect/DMC/SumOfProducts.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

func::FuncOp LibraryCalls::get(DictionaryAttr description, FunctionType type, Location loc) {
  func::FuncOp &function = known[{description, type}];
  if (!function) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    function = func::FuncOp::create(builder, loc, "dmc_contract", type);
    function.setPrivate();
    function->setAttr("dmc.contraction", description);
    symbols.insert(function);
  }
  return function;
}

Operation *codegen::reshapedFrom(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// The shape of what a launch passes: different ones may have become the same, but not what may be
/// written in place while another root is computed.
static ArrayRef<int64_t> launchedShape(func::FuncOp kernel, const Root &root) {
  unsigned number = cast<BlockArgument>(root.dest).getArgNumber();
  return cast<MemRefType>(kernel.getArgumentTypes()[number]).getShape();
}

/// Cuts the written values into tasks. Roots that one operation computes, and
/// elementwise ones of equal shape, are one task.
static SmallVector<Task> makeTasks(func::FuncOp kernel, ArrayRef<Root> roots) {
  SmallVector<Task> tasks;
  if (auto kind = kernel->getAttrOfType<StringAttr>("dmc.kernel_kind"); kind && kind == "row") {
    // The roots share the loops over rows.
    Task task;
    task.kind = Task::Rows;
    task.roots.append(roots.begin(), roots.end());
    return {task};
  }
  for (const Root &root : roots) {
    Task task;
    Operation *op = producerOf(root.value);
    auto structured = dyn_cast_or_null<linalg::LinalgOp>(op);
    if (structured && matchContraction(structured)) {
      task.kind = Task::Contraction;
    } else if (op = reshapedFrom(root.value); isReduction(dyn_cast_or_null<linalg::LinalgOp>(op))) {
      task.kind = Task::Reduction;
    } else if (op = root.value.getDefiningOp(); isa_and_nonnull<ScatterOp>(op)) {
      task.kind = Task::Scatter;
    } else if (isa_and_nonnull<SortOp>(op)) {
      task.kind = Task::Sort;
    } else if (isa_and_nonnull<DynamicUpdateSliceOp>(op)) {
      task.kind = Task::Update;
    } else {
      op = nullptr;
    }
    task.op = op;
    Task *same = llvm::find_if(tasks, [&](const Task &other) {
      if (other.kind != task.kind || other.op != task.op)
        return false;
      if (task.kind == Task::Elements)
        return launchedShape(kernel, other.roots.front()) == launchedShape(kernel, root);
      return task.kind == Task::Reduction || task.kind == Task::Scatter || task.kind == Task::Sort;
    });
    if (same == tasks.end()) {
      tasks.push_back(task);
      same = &tasks.back();
    }
    same->roots.push_back(root);
  }
  return tasks;
}

/// Memory for a kernel's own use: destinations that are written with what they hold already. They
/// are taken out of the roots.
static SmallVector<Value> takeScratch(SmallVector<Root> &roots) {
  SmallVector<Value> buffers;
  llvm::erase_if(roots, [&](const Root &root) {
    auto read = root.value.getDefiningOp<bufferization::ToTensorOp>();
    bool isScratch = read && read.getBuffer() == root.dest;
    if (isScratch)
      buffers.push_back(root.dest);
    return isScratch;
  });
  return buffers;
}

/// The task of a kernel whose root is computed where a scatter changes its target; nothing if it is
/// another kernel.
static FailureOr<std::optional<Task>> findScatterUpdate(func::FuncOp kernel, ArrayRef<Root> roots,
                                                        ArrayRef<Value> scratch) {
  auto scatters = kernel.getBody().front().getOps<ScatterOp>();
  if (scratch.empty() || scatters.empty())
    return std::optional<Task>();
  auto scatter = *scatters.begin();
  if (!llvm::hasSingleElement(scatters) || scratch.size() != 1 || roots.size() != 1 ||
      scratch.front().getType() != MemRefType::get(scatter.getTargetType().getShape(),
                                                   scatter.getTargetType().getElementType()) ||
      !getUnscattered(roots.front().value, scatter))
    return kernel.emitError("expected a value that differs from one of its operands only where the "
                            "scatter changes its target, and a buffer for the scatter");
  Task task;
  task.kind = Task::ScatterUpdate;
  task.op = scatter;
  task.roots = {roots.front()};
  task.scratch = scratch.front();
  return std::optional(task);
}

/// The reductions of a kernel that are computed by blocks, and the buffers of the blocks' results.
static FailureOr<SmallVector<Split>> findSplits(func::FuncOp kernel, ArrayRef<Value> buffers) {
  SmallVector<Split> splits;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (op->hasAttr(partialsAttr))
      splits.push_back({op, {}});
  if (splits.size() != buffers.size())
    return kernel.emitError("expected a buffer for each reduction by blocks: ")
           << splits.size() << ", found " << buffers.size();
  for (auto [split, buffer] : llvm::zip_equal(splits, buffers)) {
    split.partials = buffer;
    SmallVector<int64_t> shape = {split.op->getAttrOfType<IntegerAttr>(partialsAttr).getInt()};
    llvm::append_range(shape, shapeOf(split.op->getResult(0)));
    if (!countReducedLeadingLoops(split.op) || shape.front() < 1 ||
        ArrayRef(shape) != cast<MemRefType>(buffer.getType()).getShape())
      return split.op.emitError(
          "expected a reduction over leading loops, and a buffer of its result "
          "for each block");
  }
  return splits;
}

/// Whether a value is computed from the result of an operation.
static bool follows(Value value, Operation *op) {
  llvm::SetVector<Operation *> producers;
  auto add = [&](Value operand) {
    if (Operation *producer = operand.getDefiningOp())
      producers.insert(producer);
  };
  add(value);
  for (size_t i = 0; i < producers.size() && producers[i] != op; ++i)
    llvm::for_each(producers[i]->getOperands(), add);
  return producers.contains(op);
}

/// Combinations of as many blocks into results of one shape become one: a launch less.
static void mergeCombinations(SmallVectorImpl<Task> &tasks) {
  for (size_t i = 0; i < tasks.size(); ++i)
    for (size_t j = tasks.size(); tasks[i].kind == Task::Combination && --j > i;) {
      Task &other = tasks[j];
      auto typeOf = [](const Task &task) {
        return cast<MemRefType>(task.splits.front().partials.getType()).getShape();
      };
      if (typeOf(other) != typeOf(tasks[i]))
        continue;
      tasks[i].roots.append(other.roots.begin(), other.roots.end());
      tasks[i].splits.append(other.splits.begin(), other.splits.end());
      tasks.erase(&other);
    }
}

/// A kernel with reductions by blocks: one nest for the blocks and all other roots, and one for
/// each reduction that combines its blocks and computes what follows from them.
static SmallVector<Task> makeSplitTasks(ArrayRef<Root> roots, ArrayRef<Split> splits,
                                        bool isDevice) {
  SmallVector<Task> tasks(1);
  tasks.front().kind = Task::Rows;
  tasks.front().splits.assign(splits.begin(), splits.end());
  for (const Root &root : roots) {
    const auto *split =
        llvm::find_if(splits, [&](const Split &s) { return follows(root.value, s.op); });
    if (split == splits.end()) {
      tasks.front().roots.push_back(root);
      continue;
    }
    Task *same = llvm::find_if(tasks, [&](const Task &task) { return task.op == split->op; });
    if (same != tasks.end()) {
      same->roots.push_back(root);
      continue;
    }
    Task task;
    task.kind = Task::Combination;
    task.op = split->op;
    task.splits = {*split};
    task.roots = {root};
    tasks.push_back(task);
  }
  if (isDevice)
    mergeCombinations(tasks);
  return tasks;
}

bool codegen::isRead(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.payloadUsesValueFromOperand(&operand);
  return !isa<GatherOp, DynamicSliceOp, SortOp>(op) ||
         !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
}

/// The buffers that a value is computed from.
static void collectReads(Value value, SmallVectorImpl<Value> &reads,
                         llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(op).second)
    return;
  if (auto read = dyn_cast<bufferization::ToTensorOp>(op))
    reads.push_back(read.getBuffer());
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (isRead(operand))
        collectReads(operand.get(), reads, seen);
  });
}

/// Orders tasks: the reader of a buffer comes before the task that writes it in place.
static LogicalResult orderTasks(func::FuncOp kernel, SmallVector<Task> &tasks,
                                const IRMapping &arguments) {
  SmallVector<Task> ordered;
  auto writes = [&](const Task &task, Value buffer) {
    return llvm::any_of(task.roots, [&](const Root &root) {
      return arguments.lookup(root.dest) == arguments.lookup(buffer);
    });
  };
  while (!tasks.empty()) {
    Task *next = llvm::find_if(tasks, [&](const Task &task) {
      return llvm::none_of(tasks, [&](const Task &other) {
        return &other != &task &&
               llvm::any_of(other.reads, [&](Value buffer) { return writes(task, buffer); });
      });
    });
    if (next == tasks.end())
      return kernel.emitError("expected in-place results that no other result of the kernel "
                              "needs, found two that need each other's old value");
    ordered.push_back(std::move(*next));
    tasks.erase(next);
  }
  tasks = std::move(ordered);
  return success();
}

//===--- Emission ---------------------------------------------------------===//

/// Neighbours of an update that a thread of a device stores at once: where all of a row is updated,
/// and so begins where rows do.
static int64_t countUpdateLanes(const Scalarizer &s, const Task &task, DynamicUpdateSliceOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getUpdate());
  if (!s.target.isDevice() || shape.empty() || shape.back() != shapeOf(op.getOperand()).back())
    return 1;
  int64_t widest = elementBytes(getElementTypeOrSelf(task.roots.front().dest));
  for (Value read : task.reads)
    if (auto type = cast<MemRefType>(read.getType());
        type.getNumElements() >= llvm::product_of(shape))
      widest = std::max(widest, elementBytes(type.getElementType()));
  int64_t lanes = std::max<int64_t>(1, s.target.getVectorBytes() / widest);
  while (shape.back() % lanes)
    lanes /= 2;
  return lanes;
}

void codegen::emitUpdate(Scalarizer &s, const Task &task) {
  auto op = cast<DynamicUpdateSliceOp>(task.op);
  Value dest = s.arguments.lookup(task.roots.front().dest);
  Indices starts = s.readScalarStarts(op.getStarts(), shapeOf(op.getOperand()),
                                      shapeOf(op.getUpdate()), op.getStartsAreUnsigned());
  int64_t lanes = countUpdateLanes(s, task, op);
  SmallVector<int64_t> chunks(shapeOf(op.getUpdate()));
  if (lanes > 1) {
    chunks.back() /= lanes;
    s.loadVectors();
    s.limitVectors(dest, lanes);
  }
  s.divide(chunks, lanes, /*isContiguous=*/true, [&](ArrayRef<Index> chunk) {
    Indices first(chunk), at;
    if (lanes > 1) {
      first.back() = s.scale(first.back(), lanes);
      s.recordCopies({{LoopExecutor::lanes, lanes}});
    }
    for (auto [start, index] : llvm::zip_equal(starts, first))
      at.push_back(s.add(start, index));
    SmallVector<Value> values;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Indices indices(first);
      if (lane)
        indices.back().constant += lane;
      values.push_back(s.element(op.getUpdate(), indices));
    }
    s.storeVector(values, dest, at);
  });
}

SmallVector<Value> codegen::resultBuffers(Scalarizer &s, const Task &task) {
  SmallVector<Value> buffers(task.op->getNumResults());
  for (const Root &root : task.roots)
    buffers[cast<OpResult>(root.value).getResultNumber()] = s.arguments.lookup(root.dest);
  if (llvm::is_contained(buffers, Value())) {
    s.unsupported(task.op) << "'" << task.op->getName() << "' of which not all results are written";
    return {};
  }
  return buffers;
}

//===--- The kernel -------------------------------------------------------===//

/// What an update or a scatter starts from, and where: it is copied there, unless it is there.
static SmallVector<Root> initialValues(const Task &task, const IRMapping &arguments,
                                       TargetAttr target) {
  SmallVector<Root> copies;
  if (isTeamScatter(task, target))
    return copies;
  auto add = [&](Value initial, Value dest) {
    auto read = initial.getDefiningOp<bufferization::ToTensorOp>();
    if (!read || arguments.lookup(read.getBuffer()) != arguments.lookup(dest))
      copies.push_back({initial, dest});
  };
  if (task.kind == Task::ScatterUpdate)
    add(getUnscattered(task.roots.front().value, cast<ScatterOp>(task.op)),
        task.roots.front().dest);
  else if (auto update = dyn_cast_or_null<DynamicUpdateSliceOp>(task.op))
    add(update.getOperand(), task.roots.front().dest);
  else if (auto scatter = dyn_cast_or_null<ScatterOp>(task.op))
    for (const Root &root : task.roots)
      add(scatter.getTargets()[cast<OpResult>(root.value).getResultNumber()], root.dest);
  return copies;
}

static NestKind kindOf(const Task &task) {
  switch (task.kind) {
  case Task::Elements:
    return llvm::any_of(task.roots,
                        [](const Root &root) { return root.value.getDefiningOp<GatherOp>(); })
               ? NestKind::gather
               : NestKind::elements;
  case Task::Rows:
    return task.splits.empty() ? NestKind::rows : NestKind::blocks;
  case Task::Combination:
    return NestKind::combination;
  case Task::Reduction:
    return NestKind::reduction;
  case Task::Update:
    return NestKind::update;
  case Task::Scatter:
    return NestKind::scatter;
  case Task::ScatterUpdate:
    return NestKind::scatter_update;
  case Task::Sort:
    return NestKind::sort;
  case Task::Contraction:
    return NestKind::contraction;
  }
  llvm_unreachable("all kinds are listed");
}

static void emit(Scalarizer &s, const Task &task) {
  s.plan.kind = kindOf(task);
  switch (task.kind) {
  case Task::Elements:
    return emitElements(s, task);
  case Task::Rows:
    return emitRows(s, task);
  case Task::Combination:
    return emitCombination(s, task);
  case Task::Reduction:
    return emitReduction(s, task);
  case Task::Update:
    return emitUpdate(s, task);
  case Task::Scatter:
    return emitScatter(s, task);
  case Task::ScatterUpdate:
    return emitScatterUpdate(s, task);
  case Task::Sort:
    return emitSort(s, task);
  case Task::Contraction:
    return ContractionPlan::of(task, s.target).emit(s, task);
  }
  llvm_unreachable("all kinds are listed");
}

/// The writes of a kernel, whose contractions are counted.
static FailureOr<SmallVector<Root>> findRoots(func::FuncOp kernel) {
  int64_t flops = 0;
  if (!llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitError("expected a kernel of one block");
  SmallVector<Root> roots;
  for (Operation &op : kernel.getBody().front()) {
    if (auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
      if (!isa<BlockArgument>(write.getDest()) || !isa<MemRefType>(write.getDest().getType()) ||
          shapeOf(write.getSource()) != cast<MemRefType>(write.getDest().getType()).getShape())
        return op.emitError("expected the kernel to write an argument of the same shape");
      roots.push_back({write.getSource(), write.getDest()});
    } else if (auto read = dyn_cast<bufferization::ToTensorOp>(op)) {
      if (!isa<BlockArgument>(read.getBuffer()))
        return op.emitError("expected the kernel to read its arguments");
    } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      if (llvm::any_of(structured.getStaticLoopRanges(), ShapedType::isDynamic))
        return op.emitError("expected static shapes");
      flops += countProductFlops(structured);
    }
  }
  if (flops)
    kernel->setAttr("dmc.flops", OpBuilder(kernel).getI64IntegerAttr(flops));
  return roots;
}

/// The buffers that the arguments of a kernel are: `dmc.shares` names the argument that is the
/// same.
static IRMapping mapArguments(func::FuncOp kernel, Block::BlockArgListType to) {
  IRMapping mapping;
  for (BlockArgument argument : kernel.getArguments()) {
    unsigned target = argument.getArgNumber();
    if (auto shares = kernel.getArgAttrOfType<IntegerAttr>(target, "dmc.shares"))
      target = shares.getInt();
    mapping.map(argument, to[target]);
  }
  return mapping;
}

/// Whether indices of a kernel of a device may be numbers of 32 bits: no tensor has so many
/// elements that twice as many were not, the program does no arithmetic of its own on indices, and
/// none lie in memory, where they have 64 bits.
static bool isNarrow(func::FuncOp kernel) {
  constexpr int64_t most = int64_t(1) << 30;
  auto isSmall = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || (shaped.hasStaticShape() && shaped.getNumElements() < most &&
                       !shaped.getElementType().isIndex());
  };
  if (!TargetAttr::of(kernel).isDevice() || !llvm::all_of(kernel.getArgumentTypes(), isSmall))
    return false;
  WalkResult walk = kernel.walk([&](Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    bool isLoopSmall = !structured || llvm::all_of(structured.getStaticLoopRanges(),
                                                   [](int64_t size) { return size < most; });
    bool computesIndex = !isa<linalg::IndexOp, arith::ConstantOp, arith::IndexCastOp,
                              arith::IndexCastUIOp, arith::SelectOp>(op) &&
                         llvm::any_of(op->getResultTypes(), llvm::IsaPred<IndexType>);
    return isLoopSmall && !computesIndex && llvm::all_of(op->getResultTypes(), isSmall)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

LogicalResult codegen::lowerKernel(func::FuncOp kernel, SymbolTable &symbols,
                                   ConstantPool &constants, LibraryCalls &calls,
                                   const CacheSizes &caches, ArrayRef<int64_t> divisors) {
  collapseDimensions(kernel);
  FailureOr<SmallVector<Root>> roots = findRoots(kernel);
  if (failed(roots))
    return failure();
  IRMapping buffers = mapArguments(kernel, kernel.getArguments());
  SmallVector<Value> scratch = takeScratch(*roots);
  FailureOr<std::optional<Task>> update = findScatterUpdate(kernel, *roots, scratch);
  if (failed(update))
    return failure();
  FailureOr<SmallVector<Split>> splits = SmallVector<Split>();
  if (!*update)
    splits = findSplits(kernel, scratch);
  if (failed(splits))
    return failure();
  SmallVector<Task> tasks =
      *update           ? SmallVector<Task>{**update}
      : splits->empty() ? makeTasks(kernel, *roots)
                        : makeSplitTasks(*roots, *splits, TargetAttr::of(kernel).isDevice());
  for (Task &task : tasks) {
    llvm::SmallPtrSet<Operation *, 16> seen;
    for (const Root &root : task.roots)
      collectReads(root.value, task.reads, seen);
    for (const Split &split : task.splits)
      collectReads(split.op->getResult(0), task.reads, seen);
  }
  // Blocks are combined when all are there.
  if (splits->empty() && failed(orderTasks(kernel, tasks, buffers)))
    return failure();

  NestFunctions nests(kernel, symbols);
  bool hasNarrowIndices = isNarrow(kernel);
  auto emitNest = [&](const Task &task, llvm::function_ref<void(Scalarizer &)> fill) {
    Location loc = task.op               ? task.op->getLoc()
                   : task.splits.empty() ? task.roots.front().value.getLoc()
                                         : linalg::LinalgOp(task.splits.front().op).getLoc();
    Block *body = nests.open(loc);
    Scalarizer s(loc, body, constants, caches);
    s.hasNarrowIndices = hasNarrowIndices;
    for (auto [argument, divisor] : llvm::zip(kernel.getArguments(), divisors))
      s.divisors[argument] = divisor;
    s.setRange(body->getArgument(kernel.getNumArguments()),
               body->getArgument(kernel.getNumArguments() + 1));
    s.arguments = mapArguments(kernel, body->getArguments());
    fill(s);
    nests.close(s);
    if (hasNarrowIndices)
      body->getParentOp()->setAttr("dmc.narrow_indices", UnitAttr::get(kernel.getContext()));
    return success(!s.failed());
  };
  for (const Task &task : tasks) {
    Task copy; // of one shape
    copy.roots = initialValues(task, buffers, TargetAttr::of(kernel));
    auto emitCopy = [&](Scalarizer &s) {
      s.plan.kind = NestKind::copy;
      emitElements(s, copy);
    };
    if (!copy.roots.empty() && failed(emitNest(copy, emitCopy)))
      return failure();
    if (task.kind == Task::Contraction)
      if (auto plan = ContractionPlan::of(task, TargetAttr::of(kernel)); plan.callsLibrary()) {
        bool fills = plan.fillsResult(task, buffers);
        auto emitInitial = [&](Scalarizer &s) {
          s.plan.kind = NestKind::copy;
          plan.emitInitial(s, task);
        };
        if (fills && failed(emitNest(task, emitInitial)))
          return failure();
        auto [callee, operands] = plan.getCall(calls, buffers);
        nests.addCall(task.op->getLoc(), callee, operands);
        continue;
      }
    if (failed(emitNest(task, [&](Scalarizer &s) { emit(s, task); })))
      return failure();
  }
  nests.callAll();
  return success();
}
