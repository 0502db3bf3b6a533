// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Meshes looked up, and shardings checked against meshes and types.
#include "dmc/Import/StableHLO/Sdy.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc::sdy;

//===--- Meshes
//--------------------------------------------------------------------------------===//

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                   int64_t size) {
  if (name.empty())
    return emitError() << "expected a name of a mesh axis that is not empty";
  if (size <= 0)
    return emitError() << "expected a positive size of axis \"" << name << "\", but got " << size;
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes, ArrayRef<int64_t> deviceIds) {
  llvm::StringSet<> names;
  int64_t total = 1;
  for (MeshAxisAttr axis : axes) {
    if (!names.insert(axis.getName()).second)
      return emitError() << "expected axes of different names, but got \"" << axis.getName()
                         << "\" twice";
    if (llvm::MulOverflow(total, axis.getSize(), total) || total > (int64_t(1) << 31))
      return emitError() << "expected a mesh of at most 2^31 devices";
  }
  if (deviceIds.empty())
    return success();
  if (axes.empty()) {
    if (deviceIds.size() != 1 || deviceIds[0] < 0)
      return emitError() << "expected one device of a mesh without axes";
    return success();
  }
  SmallVector<int64_t> sorted(deviceIds);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, total)))
    return emitError() << "expected device_ids to name each of the " << total << " devices once";
  return success();
}

std::optional<int64_t> MeshAttr::getAxisSize(StringRef name) const {
  for (MeshAxisAttr axis : getAxes())
    if (axis.getName() == name)
      return axis.getSize();
  return std::nullopt;
}

int64_t MeshAttr::getTotalSize() const {
  int64_t total = 1;
  for (MeshAxisAttr axis : getAxes())
    total *= axis.getSize();
  return total;
}

//===--- Shardings
//-----------------------------------------------------------------------------===//

FlatSymbolRefAttr TensorShardingAttr::getMeshSymbol() const {
  return dyn_cast<FlatSymbolRefAttr>(getMeshOrRef());
}

MeshAttr TensorShardingAttr::getMesh(Operation *op) const {
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef()))
    return mesh;
  auto mesh = SymbolTable::lookupNearestSymbolFrom<MeshOp>(op, getMeshSymbol());
  return mesh ? mesh.getMesh() : MeshAttr();
}

LogicalResult TensorShardingAttr::verifyFor(MeshAttr mesh, Type type,
                                            function_ref<InFlightDiagnostic()> emitError) const {
  if (type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return emitError() << "expected a ranked tensor to have a sharding, but got " << type;
    if (tensor.getRank() != getRank() && !mesh.isOneDevice())
      return emitError() << "expected a sharding of " << tensor.getRank() << " dimensions for "
                         << type << ", but got " << getRank();
  }

  // The parts of axes in use, as ranges of [size before, size before and with) of each axis.
  llvm::StringMap<SmallVector<std::pair<int64_t, int64_t>>> used;
  auto use = [&](AxisRefAttr axis) -> LogicalResult {
    std::optional<int64_t> size = mesh.getAxisSize(axis.getName());
    if (!size)
      return emitError() << "expected axes of the mesh, but it has no \"" << axis.getName() << "\"";
    std::pair<int64_t, int64_t> part(1, *size);
    if (axis.isSubAxis()) {
      int64_t end;
      if (llvm::MulOverflow(axis.getPreSize(), axis.getSize(), end) || *size % end != 0)
        return emitError() << "expected a part of axis \"" << axis.getName() << "\" of size "
                           << *size << ", but got (" << axis.getPreSize() << ")" << axis.getSize();
      part = {axis.getPreSize(), end};
    }
    auto &parts = used[axis.getName()];
    for (auto [begin, end] : parts)
      if ((part.first < end && begin < part.second) || part == std::make_pair(begin, end))
        return emitError() << "axis \"" << axis.getName() << "\" is used twice";
    parts.push_back(part);
    return success();
  };
  for (DimensionShardingAttr dim : getDimShardings())
    for (AxisRefAttr axis : dim.getAxes())
      if (failed(use(axis)))
        return failure();
  for (ArrayRef<AxisRefAttr> axes : {getReplicatedAxes(), getUnreducedAxes()})
    for (AxisRefAttr axis : axes)
      if (failed(use(axis)))
        return failure();
  return success();
}

LogicalResult dmc::sdy::verifySharding(Operation *op, TensorShardingAttr sharding, Type type,
                                       const Twine &what) {
  MeshAttr mesh = sharding.getMesh(op);
  if (!mesh)
    return op->emitOpError() << what << ": there is no mesh " << sharding.getMeshSymbol();
  return sharding.verifyFor(mesh, type, [&] { return op->emitOpError() << what << ": "; });
}

static LogicalResult verifyOne(Operation *op, NamedAttribute attribute, Type type,
                               const Twine &what) {
  if (attribute.getName() != kShardingAttrName)
    return success();
  auto sharding = dyn_cast<TensorShardingAttr>(attribute.getValue());
  if (!sharding)
    return op->emitOpError() << what << ": expected a #sdy.sharding, but got "
                             << attribute.getValue();
  return verifySharding(op, sharding, type, what);
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned index,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function && region == 0 && index < function.getNumArguments()
                  ? function.getArgumentTypes()[index]
                  : Type();
  return verifyOne(op, attribute, type, "sharding of argument " + Twine(index));
}

LogicalResult SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned region,
                                                      unsigned index, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function && region == 0 && index < function.getNumResults()
                  ? function.getResultTypes()[index]
                  : Type();
  return verifyOne(op, attribute, type, "sharding of result " + Twine(index));
}

static LogicalResult verifyAll(Operation *op, TensorShardingPerValueAttr shardings, TypeRange types,
                               StringRef what) {
  if (shardings.getShardings().size() != types.size())
    return op->emitOpError() << "expected " << types.size() << " " << what << " shardings, but got "
                             << shardings.getShardings().size();
  for (auto [i, entry] : llvm::enumerate(llvm::zip(shardings.getShardings(), types)))
    if (failed(verifySharding(op, std::get<0>(entry), std::get<1>(entry),
                              "sharding of " + what + " " + Twine(i))))
      return failure();
  return success();
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kShardingAttrName)
    return success();
  auto shardings = dyn_cast<TensorShardingPerValueAttr>(attribute.getValue());
  if (!shardings)
    return op->emitOpError() << "expected '" << kShardingAttrName
                             << "' to be a #sdy.sharding_per_value, but got "
                             << attribute.getValue();
  // An operation without results may still be bound to a device.
  if (op->getNumResults() == 0 && shardings.getShardings().size() == 1)
    return verifySharding(op, shardings.getShardings()[0], Type(), "sharding");
  return verifyAll(op, shardings, op->getResultTypes(), "result");
}

//===--- Operations
//----------------------------------------------------------------------------===//

LogicalResult NamedComputationOp::verifySymbolUses(SymbolTableCollection &) {
  if (getInShardings() && failed(verifyAll(*this, *getInShardings(), getOperandTypes(), "operand")))
    return failure(); // (C2)
  if (getOutShardings() && failed(verifyAll(*this, *getOutShardings(), getResultTypes(), "result")))
    return failure();
  return success();
}

LogicalResult NamedComputationOp::verifyRegions() {
  auto terminator = dyn_cast<ReturnOp>(getBody().front().back());
  if (!terminator || terminator.getOperandTypes() != getResultTypes() || // (C1)
      getBody().getArgumentTypes() != getOperandTypes())
    return emitOpError() << "expected a body of the operands' types that ends with sdy.return of "
                            "the results' types";
  return success();
}

LogicalResult ManualComputationOp::verify() {
  if (getInShardings().getShardings().size() != getNumOperands() || // (C1)
      getOutShardings().getShardings().size() != getNumResults())
    return emitOpError() << "expected a sharding for each of the " << getNumOperands()
                         << " operands and " << getNumResults() << " results, but got "
                         << getInShardings().getShardings().size() << " and "
                         << getOutShardings().getShardings().size();
  if (getBody().getNumArguments() != getNumOperands())
    return emitOpError() << "expected a body of " << getNumOperands() << " arguments, but got "
                         << getBody().getNumArguments();
  return success();
}

LogicalResult ManualComputationOp::verifyRegions() {
  auto terminator = dyn_cast<ReturnOp>(getBody().front().back());
  if (!terminator || terminator.getNumOperands() != getNumResults())
    return emitOpError() << "expected a body that ends with sdy.return of " << getNumResults()
                         << " values";
  return success();
}

/// The shape of a device's part, as the manual axes of the sharding split it; null if they do not.
static RankedTensorType getLocalType(RankedTensorType type, TensorShardingAttr sharding,
                                     MeshAttr mesh, ManualAxesAttr manualAxes) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, dim] : llvm::zip(shape, sharding.getDimShardings())) {
    for (AxisRefAttr axis : dim.getAxes()) {
      bool isManual = llvm::any_of(
          manualAxes.getAxes(), [&](StringAttr name) { return name.getValue() == axis.getName(); });
      int64_t parts = axis.isSubAxis() ? axis.getSize() : *mesh.getAxisSize(axis.getName());
      if (!isManual)
        continue;
      if (size % parts != 0)
        return {};
      size /= parts;
    }
  }
  return type.clone(shape);
}

LogicalResult ManualComputationOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(verifyAll(*this, getInShardings(), getOperandTypes(), "operand")) ||
      failed(verifyAll(*this, getOutShardings(), getResultTypes(), "result")))
    return failure();
  MeshAttr mesh; // (C1)
  for (TensorShardingPerValueAttr shardings : {getInShardings(), getOutShardings()})
    for (TensorShardingAttr sharding : shardings.getShardings()) {
      MeshAttr other = sharding.getMesh(*this);
      if (mesh && other != mesh)
        return emitOpError() << "expected shardings over one mesh, but got " << mesh << " and "
                             << other;
      mesh = other;
    }
  for (StringAttr axis : getManualAxes().getAxes())
    if (mesh && !mesh.hasAxis(axis.getValue()))
      return emitOpError() << "expected manual axes of the mesh, but it has no " << axis;

  auto verifyLocal = [&](TensorShardingAttr sharding, Type global, Type local,
                         const Twine &what) -> LogicalResult { // (C2)
    auto type = cast<RankedTensorType>(global);
    RankedTensorType expected = getLocalType(type, sharding, mesh, getManualAxes());
    if (!expected)
      return emitOpError() << "expected the manual axes to divide " << what << " " << global;
    if (expected != local)
      return emitOpError() << "expected " << what << " of type " << expected
                           << " in the body, but got " << local;
    return success();
  };
  for (auto [i, sharding] : llvm::enumerate(getInShardings().getShardings()))
    if (failed(verifyLocal(sharding, getOperand(i).getType(), getBody().getArgument(i).getType(),
                           "operand " + Twine(i))))
      return failure();
  Operation &terminator = getBody().front().back();
  if (terminator.getNumOperands() != getNumResults())
    return success(); // verifyRegions has a message for it
  for (auto [i, sharding] : llvm::enumerate(getOutShardings().getShardings()))
    if (failed(verifyLocal(sharding, getResult(i).getType(), terminator.getOperand(i).getType(),
                           "result " + Twine(i))))
      return failure();
  return success();
}
