//===- MemoryMeter.cpp - What decided layouts need of memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion, the order of operations and buffers that take each other's place decide what a program
// needs. A clone of the program is taken through all of them; its locations say which tensor each
// buffer holds, since no pass drops them.
//
//===----------------------------------------------------------------------===//
#include "MemoryMeter.h"

using namespace mlir;
using namespace dmc;

/// Numbers of operations are positive, those of arguments negative.
using Tag = FusedLocWith<IntegerAttr>;

static Location withTag(Location location, int64_t number) {
  MLIRContext *context = location.getContext();
  return FusedLoc::get(context, {location}, Builder(context).getI64IntegerAttr(number));
}

/// Of a location that several operations share: all that have tags.
static SmallVector<int64_t> getTags(Location location) {
  SmallVector<int64_t> tags;
  location->walk([&](Location part) {
    if (auto tag = dyn_cast<Tag>(part))
      tags.push_back(tag.getMetadata().getInt());
    return WalkResult::advance();
  });
  return tags;
}

MemoryMeter::MemoryMeter(func::FuncOp entry, ProgramAttr program, LayoutCache &cache,
                         const PlanSearch &search)
    : entry(entry), writer(entry, program, cache), search(search) {
  if (!isExact())
    return;
  auto isTensor = [](Value value) { return isa<RankedTensorType>(value.getType()); };
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (llvm::any_of(op->getResults(), isTensor) || llvm::any_of(op->getOperands(), isTensor))
      operations.push_back(op);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (isTensor(argument))
          arguments.push_back(argument);
  });
}

void MemoryMeter::setTags(func::FuncOp clone, const IRMapping &mapping) const {
  for (auto [number, op] : llvm::enumerate(operations))
    mapping.lookup(op)->setLoc(withTag(op->getLoc(), static_cast<int64_t>(number) + 1));
  for (auto [number, argument] : llvm::enumerate(arguments))
    mapping.lookup(argument).setLoc(withTag(argument.getLoc(), -static_cast<int64_t>(number) - 1));
}

/// Of what a rank has, dimensions of one element apart.
static SmallVector<int64_t> getLocalShape(const TensorInfo &value, const Layout &layout) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(value.shape)) {
    int64_t local = size;
    for (const AxisRef &axis : layout.dims[dim])
      local = llvm::divideCeil(local, axis.size);
    if (local != 1)
      shape.push_back(local);
  }
  return shape;
}

static SmallVector<int64_t> getShape(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  llvm::erase(shape, 1);
  return shape;
}

/// Whether a dimension is one gathered from equal parts, of which the last is not full.
static bool isPadded(int64_t size, int64_t local, int64_t numRanks) {
  for (int64_t parts = 2; parts <= numRanks && local < size; ++parts)
    if (parts * llvm::divideCeilSigned(local, parts) == size)
      return true;
  return false;
}

/// How a buffer holds a tensor, the most certain first.
enum class Holding { SameShape, SameSize, Padded };

static bool holds(const MemoryUse::Buffer &buffer, const TensorInfo &value, const Layout &layout,
                  Holding holding, int64_t numRanks) {
  auto local = static_cast<int64_t>(getLocalBytes(value.shape, layout, value.elementBytes));
  if (holding == Holding::SameSize)
    return buffer.bytes == local;
  if (!buffer.type)
    return false;
  SmallVector<int64_t> shape = getLocalShape(value, layout), found = getShape(buffer.type);
  if (holding == Holding::SameShape)
    return buffer.bytes == local && shape == found;
  if (buffer.bytes <= local || shape.size() != found.size() ||
      buffer.type.getNumElements() * value.elementBytes != buffer.bytes)
    return false;
  return llvm::all_of(llvm::zip_equal(found, shape), [&](auto sizes) {
    auto [size, local] = sizes;
    return size == local || isPadded(size, local, numRanks);
  });
}

/// The tensor for which a buffer was made, in the layout in which it has the buffer's size, or what
/// that is padded to where parts of unequal sizes are gathered.
/// Moves have the location of the operation for which a tensor is moved.
std::optional<LiveVersion> MemoryMeter::find(Propagation &graph,
                                             const MemoryUse::Buffer &buffer) const {
  SmallVector<LiveVersion> made, read;
  auto addMade = [&](Value value) {
    if (!graph.has(value))
      return;
    unsigned number = graph.getNumber(value);
    const TensorInfo &info = graph.getValue(number);
    if (info.kept)
      made.push_back({number, *info.kept});
    made.push_back({number, info.produced});
    made.push_back({number, info.base});
  };
  for (int64_t tag : getTags(buffer.location)) {
    if (tag < 0) {
      addMade(arguments[-tag - 1]);
      continue;
    }
    Operation *op = operations[tag - 1];
    for (OpResult result : getTensorResults(op))
      addMade(result);
    for (unsigned number : nodes.lookup(op)) {
      const Node &node = graph.getNodes()[number];
      for (auto [operand, layout] : llvm::zip(node.operands, node.operandLayouts))
        if (operand != Node::kLayoutAgnostic)
          read.push_back({operand, layout});
    }
  }
  // What a collective makes was moved, more likely than computed.
  SmallVector<LiveVersion> candidates = buffer.isReceived ? read : made;
  llvm::append_range(candidates, buffer.isReceived ? made : read);
  for (Holding holding : {Holding::SameShape, Holding::SameSize, Holding::Padded})
    for (const LiveVersion &version : candidates)
      if (holds(buffer, graph.getValue(version.value), version.layout, holding,
                graph.getMesh().numRanks()))
        return version;
  return std::nullopt;
}

SmallVector<Operation *, 2> MemoryMeter::getOperations(Location location) const {
  SmallVector<Operation *, 2> ops;
  for (int64_t tag : getTags(location))
    if (tag > 0)
      ops.push_back(operations[tag - 1]);
  return ops;
}

void MemoryMeter::addVersions(Propagation &graph, const MemoryUse::Point &point,
                              PeakMemory &peak) const {
  for (const MemoryUse::Buffer &buffer : point.buffers)
    if (std::optional<LiveVersion> version = find(graph, buffer))
      peak.versions.push_back(std::move(*version));
  for (const BoundaryValue &value : graph.getBoundary())
    if (!value.given)
      peak.versions.push_back({*value.number, graph.getValue(*value.number).base});
  peak.ops = getOperations(point.location);
}

MeasuredMemory MemoryMeter::measure(Propagation &graph) {
  if (isExact()) {
    IRMapping mapping;
    OwningOpRef<ModuleOp> clone =
        cast<ModuleOp>(entry->getParentOfType<ModuleOp>()->clone(mapping));
    auto target = cast<func::FuncOp>(mapping.lookup(entry.getOperation()));
    setTags(target, mapping);
    writer.writeTo(graph, target, mapping);
    if (std::optional<MemoryUse> use = search.measure(*clone)) {
      nodes.clear();
      for (auto [number, node] : llvm::enumerate(graph.getNodes()))
        nodes[node.op].push_back(number);
      MeasuredMemory measured{static_cast<double>(use->getBytes()), {}, {}};
      for (const MemoryUse::Point &point : use->points) {
        PeakMemory &peak = measured.points.emplace_back();
        peak.bytes = static_cast<double>(use->boundaryBytes + point.liveBytes);
        addVersions(graph, point, peak);
      }
      for (const MemoryUse::Step &step : use->steps)
        measured.steps.push_back({static_cast<double>(use->boundaryBytes + step.liveBytes),
                                  getOperations(step.location)});
      return measured;
    }
  }
  PeakMemory peak = estimatePeak(graph);
  return {peak.bytes, {peak}, {}};
}
