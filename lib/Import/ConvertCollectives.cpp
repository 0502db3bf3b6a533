//===- ConvertCollectives.cpp - Communication between processes -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives become those of comm: over mesh axes where their groups are such,
// over listed groups where not. Manual computations keep their bodies.
//
//===----------------------------------------------------------------------===//
#include "Collectives.h"
#include "Conversion.h"

#include "dmc/Dialect/Comm/Comm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <map>

using namespace mlir;
using namespace dmc;

namespace {
using Ranks = std::vector<int64_t>;

/// The processes around a collective.
struct Processes {
  MeshAttr mesh;
  int64_t replicas = 1, partitions = 1;
  bool isManual = false;
  /// The device that each rank is; empty if rank r is device r.
  ArrayRef<int64_t> devices = {};
};

/// The groups of a collective, as comm has them.
struct Groups {
  AxesAttr axes;
  DenseIntElementsAttr listed;
};
} // namespace

static FailureOr<Processes> getProcessesAround(Operation *op) {
  if (auto manual = op->getParentOfType<ManualOp>()) {
    auto devices = op->getParentOfType<ModuleOp>()->getAttrOfType<DenseI64ArrayAttr>("dmc.devices");
    return Processes{manual.getMesh(), 1, manual.getMesh().getNumRanks(), true,
                     devices ? devices.asArrayRef() : ArrayRef<int64_t>()};
  }
  ProgramAttr program = ProgramAttr::of(op->getParentOfType<ModuleOp>());
  if (!program || program.getLevel() != Level::ranks || !program.getMesh())
    return unsupported(op) << "communicates in a program on global tensors; expected it in "
                              "a program of ranks or in a manual computation";
  MeshAttr mesh = program.getMesh();
  return Processes{mesh, mesh.getAxisSize("replica"), mesh.getAxisSize("partition")};
}

/// The groups of processes; pairs are groups of two.
static FailureOr<std::vector<Ranks>> getProcessGroups(Operation *op, const Processes &p) {
  DenseIntElementsAttr attr = getProcesses(op);
  ProcessMode mode = getProcessMode(op);
  int64_t count = mode == ProcessMode::Flattened        ? p.replicas * p.partitions
                  : mode == ProcessMode::CrossPartition ? p.partitions
                                                        : p.replicas;
  std::vector<Ranks> rows;
  if (attr.getNumElements() == 0 && !isa<stablehlo::CollectivePermuteOp>(op)) {
    rows.emplace_back();
    for (int64_t i = 0; i < count; ++i)
      rows.back().push_back(i);
  }
  int64_t columns = attr.getNumElements() ? attr.getType().getDimSize(1) : 1;
  for (auto [i, process] : llvm::enumerate(attr.getValues<int64_t>())) {
    if (static_cast<int64_t>(i) % columns == 0)
      rows.emplace_back();
    if (process == -1 && isa<stablehlo::AllReduceOp>(op))
      continue; // fills up a group that is smaller than others
    if (process < 0 || process >= count)
      return op->emitError() << "'" << op->getName() << "' names process " << process
                             << ", but there are " << count;
    rows.back().push_back(process);
  }
  std::vector<Ranks> groups;
  auto toRank = [&](int64_t replica, int64_t partition) {
    return replica * p.partitions + partition;
  };
  switch (mode) {
  case ProcessMode::Flattened:
    return rows;
  case ProcessMode::CrossReplica:
    for (int64_t partition = 0; partition < p.partitions; ++partition)
      for (const Ranks &row : rows) {
        groups.emplace_back();
        for (int64_t replica : row)
          groups.back().push_back(toRank(replica, partition));
      }
    return groups;
  case ProcessMode::CrossPartition:
    for (int64_t replica = 0; replica < p.replicas; ++replica)
      for (const Ranks &row : rows) {
        groups.emplace_back();
        for (int64_t partition : row)
          groups.back().push_back(toRank(replica, partition));
      }
    return groups;
  case ProcessMode::CrossReplicaAndPartition:
    for (const Ranks &row : rows) {
      groups.emplace_back();
      for (int64_t partition = 0; partition < p.partitions; ++partition)
        for (int64_t replica : row)
          groups.back().push_back(toRank(replica, partition));
    }
    return groups;
  }
  return groups;
}

/// The same of ranks: groups name devices.
static FailureOr<std::vector<Ranks>> getRankGroups(Operation *op, const Processes &p) {
  FailureOr<std::vector<Ranks>> groups = getProcessGroups(op, p);
  if (succeeded(groups) && !p.devices.empty())
    for (Ranks &group : *groups)
      for (int64_t &process : group)
        process = llvm::find(p.devices, process) - p.devices.begin();
  return groups;
}

static AxesAttr getAxes(MeshAttr mesh, ArrayRef<uint32_t> chosen) {
  SmallVector<AxisAttr> axes;
  for (uint32_t axis : chosen)
    axes.push_back(AxisAttr::get(mesh.getContext(), mesh.getAxes()[axis].getName()));
  return AxesAttr::get(mesh.getContext(), axes);
}

static AxesAttr getAllAxes(MeshAttr mesh) {
  SmallVector<uint32_t> all;
  for (uint32_t axis = 0; axis < mesh.getAxes().size(); ++axis)
    if (mesh.getAxes()[axis].getSize() > 1)
      all.push_back(axis);
  return getAxes(mesh, all);
}

/// Over axes, if each group is what the axes give, in their order.
static Groups toGroups(const std::vector<Ranks> &groups, MeshAttr attr) {
  Mesh mesh = attr.toMesh();
  auto numAxes = static_cast<uint32_t>(mesh.size());
  size_t members = 0;
  for (const Ranks &group : groups)
    members += group.size();
  bool coversAll = static_cast<int64_t>(members) == mesh.numRanks();
  for (uint32_t subset = 0; coversAll && numAxes < 10 && subset < 1u << numAxes; ++subset) {
    SmallVector<uint32_t> chosen;
    std::vector<AxisRef> refs;
    bool isUseful = true;
    for (uint32_t axis = 0; axis < numAxes; ++axis)
      if (subset >> axis & 1) {
        isUseful &= mesh.axis(axis).size > 1;
        chosen.push_back(axis);
        refs.push_back({axis, 1, mesh.axis(axis).size});
      }
    if (isUseful && llvm::all_of(groups, [&](const Ranks &ranks) {
          return group(mesh, refs, ranks.front()) == ranks;
        }))
      return {getAxes(attr, chosen), {}};
  }
  SmallVector<int64_t> flat;
  for (const Ranks &group : groups)
    llvm::append_range(flat, group);
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(groups.size()), static_cast<int64_t>(groups.front().size())},
      IntegerType::get(attr.getContext(), 64));
  return {getAxes(attr, {}), DenseIntElementsAttr::get(type, ArrayRef<int64_t>(flat))};
}

/// The combiner that a computation on two scalars is.
static std::optional<CombinerKind> getCombiner(Region &computation, Type elementType) {
  Block &block = computation.front();
  if (block.getOperations().size() != 2 || block.getNumArguments() != 2)
    return std::nullopt;
  Operation &op = block.front();
  Value x = block.getArgument(0), y = block.getArgument(1);
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (op.getNumResults() != 1 || op.getNumOperands() != 2 ||
      block.getTerminator()->getOperands() != op.getResults() || !type ||
      type.getElementType() != elementType)
    return std::nullopt;
  if (!(op.getOperand(0) == x && op.getOperand(1) == y) &&
      !(op.getOperand(0) == y && op.getOperand(1) == x))
    return std::nullopt;
  // On i1 a sum is a disjunction, and a product a conjunction.
  bool isBool = elementType.isInteger(1);
  StringRef name = op.getName().getStringRef();
  if (name == "stablehlo.add")
    return isBool ? CombinerKind::max : CombinerKind::sum;
  if (name == "stablehlo.multiply")
    return isBool ? CombinerKind::min : CombinerKind::prod;
  if (name == "stablehlo.maximum" || (isBool && name == "stablehlo.or"))
    return CombinerKind::max;
  if (name == "stablehlo.minimum" || (isBool && name == "stablehlo.and"))
    return CombinerKind::min;
  return std::nullopt;
}

/// On the ranks that groups name the one value, elsewhere the other.
static Value selectMembers(Converter &c, Location loc, const std::vector<Ranks> &groups,
                           MeshAttr mesh, Value inside, Value outside) {
  Value rank = comm::AxisIndexOp::create(c.b, loc, getAllAxes(mesh), mesh);
  Value inputs[] = {inside, outside};
  return c.elementwise(loc, inputs, cast<RankedTensorType>(inside.getType()),
                       [&](OpBuilder &b, ValueRange elements) -> Value {
                         Value isMember = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
                         for (const Ranks &group : groups)
                           for (int64_t member : group) {
                             Value number = arith::ConstantIndexOp::create(b, loc, member);
                             Value isIt = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                                                rank, number);
                             isMember = arith::OrIOp::create(b, loc, isMember, isIt);
                           }
                         return arith::SelectOp::create(b, loc, isMember, elements[0], elements[1]);
                       });
}

/// Converts each operand of a collective; groups of several sizes one size after the
/// other.
static LogicalResult convertEach(
    Converter &c, Operation *op,
    function_ref<Operation *(Value operand, Value init, const Groups &groups, MeshAttr mesh)>
        build) {
  FailureOr<Processes> processes = getProcessesAround(op);
  if (failed(processes))
    return failure();
  FailureOr<std::vector<Ranks>> ranks = getRankGroups(op, *processes);
  if (failed(ranks))
    return failure();
  std::map<size_t, std::vector<Ranks>> bySize;
  for (const Ranks &group : *ranks)
    if (!group.empty())
      bySize[group.size()].push_back(group);
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults())) {
    Value total;
    for (auto &[size, groups] : bySize) {
      Value init = c.empty(op->getLoc(), c.typeOf(result));
      Operation *collective =
          build(c[operand], init, toGroups(groups, processes->mesh), processes->mesh);
      if (!collective)
        return failure();
      Value value = collective->getResult(0);
      total = total ? selectMembers(c, op->getLoc(), groups, processes->mesh, value, total) : value;
    }
    c.map(result, total);
  }
  return success();
}

/// The runtime tells unsigned maxima and minima by an attribute.
static void markUnsigned(Operation *collective, Type type) {
  if (isUnsigned(type) && !cast<RankedTensorType>(type).getElementType().isInteger(1))
    collective->setAttr("unsigned", UnitAttr::get(collective->getContext()));
}

static std::optional<CombinerKind> getCombiner(Operation *op) {
  Type element = cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  return getCombiner(op->getRegion(0), element);
}

static int64_t getSize(const Groups &groups, MeshAttr mesh) {
  return groups.listed ? cast<RankedTensorType>(groups.listed.getType()).getDimSize(1)
                       : groups.axes.getGroupSize(mesh);
}

/// Combines the equal blocks along a dimension by the computation, one after
/// another in group order; null after an error.
static Operation *foldBlocks(Converter &c, Operation *op, Value blocks, int64_t dim,
                             int64_t numBlocks) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(blocks.getType());
  SmallVector<int64_t> sizes(type.getShape()), offsets(sizes.size(), 0), ones(sizes.size(), 1);
  sizes[dim] /= numBlocks;
  Value total;
  for (int64_t i = 0; i < numBlocks; ++i) {
    offsets[dim] = i * sizes[dim];
    Value block = c.slice(loc, blocks, offsets, sizes, ones);
    bool failedBody = false;
    total = !total ? block
                   : c.elementwise(loc, {total, block}, type.clone(sizes),
                                   [&](OpBuilder &body, ValueRange arguments) -> Value {
                                     SmallVector<Value> results;
                                     if (failed(buildScalarRegion(body, op->getRegion(0), arguments,
                                                                  results)))
                                       return failedBody = true, arguments[0];
                                     return results.front();
                                   });
    if (failedBody)
      return nullptr;
  }
  auto result = cast<RankedTensorType>(c.typeOf(op->getResult(0)));
  return c.reshape(loc, total, result.getShape()).getDefiningOp();
}

/// A computation that is not a combiner: every rank gets all partial values and combines
/// them itself.
static LogicalResult convertGeneralAllReduce(Converter &c, Operation *op) {
  return convertEach(c, op, [&](Value operand, Value, const Groups &groups, MeshAttr mesh) {
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> shape = {1};
    llvm::append_range(shape, type.getShape());
    Value addend = c.reshape(loc, operand, shape);
    shape[0] = getSize(groups, mesh);
    Value init = c.empty(loc, type.clone(shape));
    auto gather = comm::AllGatherOp::create(c.b, loc, init.getType(), addend, init, /*dim=*/0,
                                            groups.axes, mesh, groups.listed);
    return foldBlocks(c, op, gather.getResult(), 0, shape[0]);
  });
}

/// The same for one block each: the partial values of a rank's block are exchanged.
static LogicalResult convertGeneralReduceScatter(Converter &c, Operation *op) {
  int64_t dim = cast<stablehlo::ReduceScatterOp>(op).getScatterDimension();
  return convertEach(c, op, [&](Value operand, Value, const Groups &groups, MeshAttr mesh) {
    Location loc = op->getLoc();
    Value init = c.empty(loc, cast<RankedTensorType>(operand.getType()));
    auto exchange = comm::AllToAllOp::create(c.b, loc, init.getType(), operand, init, dim, dim,
                                             groups.axes, mesh, groups.listed);
    return foldBlocks(c, op, exchange.getResult(), dim, getSize(groups, mesh));
  });
}

static LogicalResult convertAllReduce(Converter &c, Operation *op) {
  Type type = op->getOperand(0).getType();
  std::optional<CombinerKind> combiner = getCombiner(op);
  if (!combiner)
    return convertGeneralAllReduce(c, op);
  return convertEach(c, op, [&](Value operand, Value init, const Groups &groups, MeshAttr mesh) {
    auto collective = comm::AllReduceOp::create(c.b, op->getLoc(), init.getType(), *combiner,
                                                operand, init, groups.axes, mesh, groups.listed);
    markUnsigned(collective, type);
    return collective.getOperation();
  });
}

static LogicalResult convertReduceScatter(Converter &c, Operation *op) {
  auto source = cast<stablehlo::ReduceScatterOp>(op);
  Type type = op->getOperand(0).getType();
  std::optional<CombinerKind> combiner = getCombiner(op);
  if (!combiner)
    return convertGeneralReduceScatter(c, op);
  return convertEach(c, op, [&](Value operand, Value init, const Groups &groups, MeshAttr mesh) {
    auto collective = comm::ReduceScatterOp::create(c.b, op->getLoc(), init.getType(), *combiner,
                                                    operand, init, source.getScatterDimension(),
                                                    groups.axes, mesh, groups.listed);
    markUnsigned(collective, type);
    return collective.getOperation();
  });
}

static LogicalResult convertAllGather(Converter &c, Operation *op) {
  int64_t dim = cast<stablehlo::AllGatherOp>(op).getAllGatherDim();
  return convertEach(c, op, [&](Value operand, Value init, const Groups &groups, MeshAttr mesh) {
    return comm::AllGatherOp::create(c.b, op->getLoc(), init.getType(), operand, init, dim,
                                     groups.axes, mesh, groups.listed)
        .getOperation();
  });
}

static LogicalResult convertAllToAll(Converter &c, Operation *op) {
  auto source = cast<stablehlo::AllToAllOp>(op);
  return convertEach(c, op, [&](Value operand, Value init, const Groups &groups, MeshAttr mesh) {
    return comm::AllToAllOp::create(c.b, op->getLoc(), init.getType(), operand, init,
                                    source.getSplitDimension(), source.getConcatDimension(),
                                    groups.axes, mesh, groups.listed)
        .getOperation();
  });
}

static LogicalResult convertBroadcast(Converter &c, Operation *op) {
  return convertEach(c, op, [&](Value operand, Value init, const Groups &groups, MeshAttr mesh) {
    return comm::BroadcastOp::create(c.b, op->getLoc(), init.getType(), operand, init, /*root=*/0,
                                     groups.axes, mesh, groups.listed)
        .getOperation();
  });
}

/// One group of all ranks: pairs are pairs of ranks.
static LogicalResult convertPermute(Converter &c, Operation *op) {
  FailureOr<Processes> processes = getProcessesAround(op);
  if (failed(processes))
    return failure();
  FailureOr<std::vector<Ranks>> pairs = getRankGroups(op, *processes);
  if (failed(pairs))
    return failure();
  SmallVector<int64_t> flat;
  for (const Ranks &pair : *pairs)
    llvm::append_range(flat, pair);
  Value operand = c[op->getOperand(0)];
  Value init = c.empty(op->getLoc(), c.typeOf(op->getResult(0)));
  auto permute =
      comm::PermuteOp::create(c.b, op->getLoc(), init.getType(), operand, init, flat,
                              getAllAxes(processes->mesh), processes->mesh, DenseIntElementsAttr());
  c.map(op->getResult(0), permute.getResult());
  return success();
}

/// This rank's position over the axes as a tensor of rank 0.
static LogicalResult convertId(Converter &c, Operation *op) {
  FailureOr<Processes> processes = getProcessesAround(op);
  if (failed(processes))
    return failure();
  bool isReplica = isa<stablehlo::ReplicaIdOp>(op);
  MeshAttr mesh = processes->mesh;
  AxesAttr axes = processes->isManual ? isReplica ? getAxes(mesh, {}) : getAllAxes(mesh)
                                      : getAxes(mesh, {isReplica ? 0u : 1u});
  RankedTensorType type = c.typeOf(op->getResult(0));
  Value index = comm::AxisIndexOp::create(c.b, op->getLoc(), axes, mesh);
  if (!processes->devices.empty() && !isReplica) {
    auto table = arith::ConstantOp::create(
        c.b, op->getLoc(),
        DenseIntElementsAttr::get(RankedTensorType::get({mesh.getNumRanks()}, c.b.getIndexType()),
                                  processes->devices));
    index = tensor::ExtractOp::create(c.b, op->getLoc(), table, ValueRange{index});
  }
  c.map(op->getResult(0),
        c.elementwise(op->getLoc(), {}, type, [&](OpBuilder &body, ValueRange) -> Value {
          return arith::IndexCastOp::create(body, op->getLoc(), type.getElementType(), index);
        }));
  return success();
}

static LogicalResult convertManual(Converter &c, Operation *op) {
  auto source = cast<ManualOp>(op);
  SmallVector<Value> inputs;
  for (Value input : source.getInputs())
    inputs.push_back(c[input]);
  SmallVector<Type> types;
  for (Value result : source.getResults())
    types.push_back(c.typeOf(result));
  auto manual = ManualOp::create(c.b, op->getLoc(), types, inputs, source.getInLayouts(),
                                 source.getOutLayouts(), source.getMesh());
  OpBuilder::InsertionGuard guard(c.b);
  Block *body = c.b.createBlock(&manual.getBody());
  for (BlockArgument argument : source.getBody().front().getArguments())
    c.map(argument, body->addArgument(c.typeOf(argument), argument.getLoc()));
  for (Operation &nested : source.getBody().front())
    if (failed(c.convertOp(&nested)))
      return failure();
  c.map(op, manual.getResults());
  return success();
}

void dmc::registerCollectiveConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["dmc.manual"] = convertManual;
  conversions["stablehlo.all_gather"] = convertAllGather;
  conversions["stablehlo.all_reduce"] = convertAllReduce;
  conversions["stablehlo.all_to_all"] = convertAllToAll;
  conversions["stablehlo.collective_broadcast"] = convertBroadcast;
  conversions["stablehlo.collective_permute"] = convertPermute;
  conversions["stablehlo.partition_id"] = convertId;
  conversions["stablehlo.reduce_scatter"] = convertReduceScatter;
  conversions["stablehlo.replica_id"] = convertId;
}
