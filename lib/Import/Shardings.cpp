//===- Shardings.cpp - Shardings of sdy as layouts ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of the mesh, and axes of other meshes on it.
//
//===----------------------------------------------------------------------===//
#include "Shardings.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dmc;

static std::string toText(sdy::MeshAttr mesh) {
  std::string text;
  llvm::raw_string_ostream(text) << mesh;
  return text;
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// All meshes with axes that shardings of the entry are over, in order; `ordered` gets those whose
/// order of devices the program can tell: of arguments, results and manual computations.
static llvm::SetVector<sdy::MeshAttr> getNamedMeshes(func::FuncOp entry,
                                                     llvm::SetVector<sdy::MeshAttr> &ordered) {
  llvm::SetVector<sdy::MeshAttr> meshes;
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isOrdered = op == entry || isa<sdy::ManualComputationOp>(op) ||
                     op->getParentOfType<sdy::ManualComputationOp>();
    op->getAttrDictionary().walk([&](sdy::TensorShardingAttr sharding) {
      sdy::MeshAttr mesh = sharding.getMesh(op);
      if (!mesh || mesh.getAxes().empty())
        return;
      meshes.insert(mesh);
      if (isOrdered)
        ordered.insert(mesh);
    });
  });
  return meshes;
}

LogicalResult ShardingReader::chooseMesh() {
  llvm::SetVector<sdy::MeshAttr> ordered;
  llvm::SetVector<sdy::MeshAttr> meshes = getNamedMeshes(entry, ordered);
  if (meshes.empty())
    for (auto op : entry->getParentOfType<ModuleOp>().getOps<sdy::MeshOp>())
      if (!op.getMesh().getAxes().empty())
        meshes.insert(op.getMesh());
  if (meshes.empty())
    return success();
  // The more axes, the fewer parts of axes are needed for those of other meshes; of equals, devices
  // in their own order.
  auto getRank = [](sdy::MeshAttr mesh) {
    auto isUseful = [](sdy::MeshAxisAttr axis) { return axis.getSize() > 1; };
    return std::make_pair(llvm::count_if(mesh.getAxes(), isUseful), mesh.getDeviceIds().empty());
  };
  SmallVector<sdy::MeshAttr> candidates = meshes.takeVector();
  // The first of the best, then the others as they are: few.
  auto best =
      std::max_element(candidates.begin(), candidates.end(),
                       [&](sdy::MeshAttr x, sdy::MeshAttr y) { return getRank(x) < getRank(y); });
  std::rotate(candidates.begin(), best, best + 1);
  sdy::MeshAttr unlike; // that the first candidate cannot say
  for (sdy::MeshAttr candidate : candidates) {
    if (failed(adopt(candidate, entry.getLoc())))
      return failure();
    auto isUnlike = [&](sdy::MeshAttr other) {
      return !getAxisMap(other, /*isOrdered=*/ordered.contains(other));
    };
    auto found = llvm::find_if(candidates, isUnlike);
    if (found == candidates.end())
      return success();
    if (!unlike)
      unlike = *found;
  }
  return entry.emitError() << "unsupported: several meshes, " << toText(candidates.front())
                           << " and " << toText(unlike)
                           << "; expected meshes of the same devices, each axis of one a part "
                              "of the other's axes";
}

LogicalResult ShardingReader::adopt(sdy::MeshAttr source, Location loc) {
  SmallVector<dmc::MeshAxisAttr> axes;
  for (sdy::MeshAxisAttr axis : source.getAxes())
    axes.push_back(dmc::MeshAxisAttr::get(axis.getContext(), axis.getName(), axis.getSize()));
  mesh = dmc::MeshAttr::getChecked([&] { return emitError(loc) << "mesh: "; }, source.getContext(),
                                   ArrayRef<dmc::MeshAxisAttr>(axes));
  if (!mesh)
    return failure();
  chosen = source;
  axisMaps.clear();
  devices.clear();
  if (!llvm::equal(source.getDeviceIds(), llvm::seq<int64_t>(0, source.getTotalSize())))
    devices.assign(source.getDeviceIds().begin(), source.getDeviceIds().end());
  return success();
}

/// The digits of which `steps` is the sum, minor to major, as pairs of weight and size.
static std::optional<SmallVector<std::pair<int64_t, int64_t>>> getDigits(ArrayRef<int64_t> steps) {
  SmallVector<std::pair<int64_t, int64_t>> digits;
  auto size = static_cast<int64_t>(steps.size());
  for (int64_t stride = 1; stride < size;) {
    int64_t weight = steps[stride], count = 1;
    for (int64_t i = 2; stride * i <= size; ++i) {
      if (stride * (i - 1) < size && steps[stride * (i - 1)] != weight * (i - 1))
        break;
      if (size % (stride * i) == 0)
        count = i;
    }
    if (weight <= 0 || count == 1)
      return std::nullopt;
    digits.push_back({weight, count});
    stride *= count;
  }
  // Two steps of each digit decide what it is, all of them whether there are digits at all: none of
  // devices in reverse.
  for (int64_t i = 0; i < size; ++i) {
    int64_t sum = 0, rest = i;
    for (auto [weight, count] : digits) {
      sum += rest % count * weight;
      rest /= count;
    }
    if (sum != steps[i])
      return std::nullopt;
  }
  return digits;
}

/// Axes and parts of them whose coordinates have this weight in a rank's number, minor to major.
static bool appendAxes(const Mesh &mesh, int64_t weight, int64_t count,
                       std::vector<AxisRef> &axes) {
  while (count > 1) {
    int64_t stride = mesh.numRanks();
    bool isFound = false;
    for (uint32_t i = 0; i < mesh.size() && !isFound; ++i) {
      int64_t size = mesh.axis(i).size;
      int64_t end = stride;
      stride /= size;
      if (size == 1 || weight < stride || weight >= end || weight % stride != 0 ||
          size % (weight / stride) != 0)
        continue;
      int64_t room = size / (weight / stride);
      int64_t taken = count % room == 0 ? room : count;
      if (room % taken != 0)
        return false;
      axes.push_back({i, room / taken, taken});
      weight *= taken;
      count /= taken;
      isFound = true;
    }
    if (!isFound)
      return false;
  }
  return true;
}

std::optional<ShardingReader::AxisMap> ShardingReader::makeAxisMap(sdy::MeshAttr source,
                                                                   bool isOrdered) const {
  int64_t total = chosen.getTotalSize();
  if (source.getTotalSize() != total)
    return std::nullopt;
  std::vector<int64_t> rankOf(total);
  for (int64_t rank = 0; rank < total; ++rank)
    rankOf[chosen.getDevice(rank)] = rank;
  auto getRank = [&](int64_t position) {
    return isOrdered ? rankOf[source.getDevice(position)] : position;
  };

  // A rank's number must be the sum of what each coordinate adds to it.
  Mesh target = mesh.toMesh();
  AxisMap map;
  std::vector<int64_t> sum(total, 0);
  int64_t stride = total;
  for (sdy::MeshAxisAttr axis : source.getAxes()) {
    stride /= axis.getSize();
    SmallVector<int64_t> steps;
    for (int64_t i = 0; i < axis.getSize(); ++i)
      steps.push_back(getRank(i * stride));
    auto digits = getDigits(steps);
    std::vector<AxisRef> axes;
    if (!digits || !llvm::all_of(*digits, [&](std::pair<int64_t, int64_t> digit) {
          return appendAxes(target, digit.first, digit.second, axes);
        }))
      return std::nullopt;
    std::reverse(axes.begin(), axes.end());
    map[axis.getName().str()] = std::move(axes);
    for (int64_t position = 0; position < total; ++position)
      sum[position] += steps[position / stride % axis.getSize()];
  }
  for (int64_t position = 0; position < total; ++position)
    if (sum[position] != getRank(position))
      return std::nullopt;
  return map;
}

const ShardingReader::AxisMap *ShardingReader::getAxisMap(sdy::MeshAttr source, bool isOrdered) {
  auto [entry, isNew] = axisMaps.try_emplace(source);
  if (isNew) {
    entry->second = makeAxisMap(source, /*isOrdered=*/true);
    if (!entry->second && !isOrdered)
      entry->second = makeAxisMap(source, /*isOrdered=*/false);
  }
  return entry->second ? &*entry->second : nullptr;
}

FailureOr<SmallVector<AxisAttr>> ShardingReader::getAxes(sdy::MeshAttr source,
                                                         sdy::AxisRefAttr axis, Location loc) {
  const AxisMap *map = getAxisMap(source);
  assert(map && "all meshes of shardings were checked");
  if (!source.getAxisSize(axis.getName()))
    return emitError(loc) << "sharding names the axis \"" << axis.getName() << "\", which the mesh "
                          << toText(source) << " does not have";
  SmallVector<AxisAttr> axes;
  int64_t begin = axis.isSubAxis() ? axis.getPreSize() : 1;
  int64_t end = axis.isSubAxis() ? begin * axis.getSize() : *source.getAxisSize(axis.getName());
  int64_t before = 1;
  for (const AxisRef &part : map->at(axis.getName().str())) {
    int64_t from = std::max(before, begin), to = std::min(before * part.size, end);
    if (from < to) {
      if (from % before != 0 || to % from != 0 || part.size % (to / before) != 0)
        return emitError(loc) << "unsupported: part (" << begin << ")" << end / begin
                              << " of axis \"" << axis.getName() << "\" of the mesh "
                              << toText(source) << "; expected one that is of parts of the axes of "
                              << toText(chosen);
      AxisRef ref{part.axis, part.preSize * (from / before), to / from};
      bool isFullAxis = ref.isFullAxis(mesh.toMesh());
      axes.push_back(AxisAttr::get(mesh.getContext(), mesh.getAxes()[ref.axis].getName(),
                                   isFullAxis ? 0 : ref.preSize, isFullAxis ? 0 : ref.size));
    }
    before *= part.size;
  }
  // An axis of one device is one of the mesh, too, where both are the same.
  if (axes.empty() && source == chosen)
    axes.push_back(AxisAttr::get(mesh.getContext(), axis.getName()));
  return axes;
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

FailureOr<ShardingRequest> ShardingReader::read(sdy::TensorShardingAttr sharding,
                                                RankedTensorType type, Location loc,
                                                const Twine &what) {
  sdy::MeshAttr source = sharding.getMesh(entry);
  if (!source)
    return emitError(loc) << "sharding of " << what << " names the mesh " << sharding.getMeshOrRef()
                          << ", which the module does not have";
  if (source.isOneDevice() && (source.getDevice(0) != 0 || (mesh && mesh.getNumRanks() > 1)))
    return emitError(loc) << "unsupported: sharding of " << what << " on device "
                          << source.getDevice(0)
                          << " alone; expected a mesh with axes, over which the tensor may be "
                             "replicated";
  if (sharding.getRank() != type.getRank() && !source.isOneDevice())
    return emitError(loc) << "sharding of " << what << " has " << sharding.getRank()
                          << " dimensions, but the tensor has " << type.getRank();
  ShardingRequest request;
  if (!mesh)
    return request;
  MLIRContext *context = mesh.getContext();
  if (source.getAxes().empty()) { // a place holder, or the only device
    request.layout = LayoutAttr::getReplicated(mesh, type.getRank());
    for (auto [i, dim] : llvm::enumerate(sharding.getDimShardings()))
      if (!dim.getIsClosed())
        request.open.push_back(i);
    return request;
  }
  auto convert = [&](ArrayRef<sdy::AxisRefAttr> list) -> FailureOr<AxesAttr> {
    SmallVector<AxisAttr> axes;
    for (sdy::AxisRefAttr axis : list) {
      FailureOr<SmallVector<AxisAttr>> parts = getAxes(source, axis, loc);
      if (failed(parts))
        return failure();
      llvm::append_range(axes, *parts);
    }
    return AxesAttr::get(context, axes);
  };
  SmallVector<AxesAttr> dims;
  bool hasPriority = false;
  for (auto [i, dim] : llvm::enumerate(sharding.getDimShardings())) {
    FailureOr<AxesAttr> axes = convert(dim.getAxes());
    if (failed(axes))
      return failure();
    dims.push_back(*axes);
    if (!dim.getIsClosed())
      request.open.push_back(i);
    request.priorities.push_back(dim.getPriority().value_or(0));
    hasPriority |= request.priorities.back() != 0;
  }
  if (!hasPriority)
    request.priorities.clear();
  FailureOr<AxesAttr> replicated = convert(sharding.getReplicatedAxes());
  FailureOr<AxesAttr> partial = convert(sharding.getUnreducedAxes());
  if (failed(replicated) || failed(partial))
    return failure();
  if (!replicated->empty())
    request.replicated = *replicated;
  CombinerKind combiner = sharding.getReduction() == sdy::ReductionOp::SUM   ? CombinerKind::sum
                          : sharding.getReduction() == sdy::ReductionOp::MAX ? CombinerKind::max
                                                                             : CombinerKind::min;
  request.layout = LayoutAttr::getChecked(
      [&] { return emitError(loc) << "sharding of " << what << ": "; }, context, mesh,
      ArrayRef<AxesAttr>(dims), combiner, *partial, ArrayRef<PlacedAttr>());
  if (!request.layout)
    return failure();
  return request;
}

FailureOr<ShardingRequest> ShardingReader::read(DictionaryAttr attrs, RankedTensorType type,
                                                Location loc, const Twine &what) {
  Attribute attr = attrs ? attrs.get(sdy::kShardingAttrName) : Attribute();
  if (!attr) {
    ShardingRequest none;
    // Others were refused (FrameworkAttributes.h).
    if (mesh && attrs && attrs.getAs<StringAttr>("mhlo.sharding"))
      none.layout = LayoutAttr::getReplicated(mesh, type.getRank());
    return none;
  }
  auto sharding = dyn_cast<sdy::TensorShardingAttr>(attr);
  if (!sharding)
    return emitError(loc) << "expected the sharding of " << what
                          << " to be an #sdy.sharding attribute, found " << attr;
  if (!sharding.getUnreducedAxes().empty())
    return emitError(loc) << "unsupported: sharding of " << what
                          << " has unreduced axes; expected arguments and results to be whole "
                             "or split";
  return read(sharding, type, loc, what);
}

Value dmc::createConstraint(OpBuilder &builder, Location loc, Value value,
                            const ShardingRequest &request) {
  if (request.isVoid())
    return value;
  auto op = ConstrainOp::create(builder, loc, value, request.layout, request.open);
  if (!request.priorities.empty())
    op.setPriorities(request.priorities);
  if (request.replicated)
    op.setReplicatedAttr(request.replicated);
  return op.getResult();
}
