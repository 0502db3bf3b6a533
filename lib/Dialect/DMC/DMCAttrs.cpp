//===- DMCAttrs.cpp - Meshes, axes and layouts ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders, accessors and verifiers of the mesh and layout attributes.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dmc;

#include "dmc/Dialect/DMC/DMCEnums.cpp.inc"

//===----------------------------------------------------------------------===//
// MeshAttr
//===----------------------------------------------------------------------===//

MeshAxisAttr MeshAttr::find(StringRef name) const {
  for (MeshAxisAttr axis : getAxes())
    if (axis.getName() == name)
      return axis;
  return {};
}

int64_t MeshAttr::getAxisSize(StringRef name) const {
  MeshAxisAttr axis = find(name);
  return axis ? axis.getSize() : 0;
}

int64_t MeshAttr::getNumRanks() const {
  int64_t ranks = 1;
  for (MeshAxisAttr axis : getAxes())
    ranks *= axis.getSize();
  return ranks;
}

dmc::Mesh MeshAttr::toMesh() const {
  std::vector<MeshAxis> axes;
  for (MeshAxisAttr axis : getAxes())
    axes.push_back({axis.getName().str(), axis.getSize()});
  return Mesh(std::move(axes));
}

MeshAttr MeshAttr::get(MLIRContext *context, const dmc::Mesh &mesh) {
  SmallVector<MeshAxisAttr> axes;
  for (const MeshAxis &axis : mesh.axes())
    axes.push_back(MeshAxisAttr::get(context, axis.name, axis.size));
  return get(context, axes);
}

MeshAttr MeshAttr::get(MLIRContext *context, ArrayRef<std::pair<std::string, int64_t>> axes) {
  SmallVector<MeshAxisAttr> attrs;
  for (const auto &[name, size] : axes)
    attrs.push_back(MeshAxisAttr::get(context, name, size));
  return get(context, attrs);
}

std::string MeshAttr::getShortName() const {
  std::string text;
  for (MeshAxisAttr axis : getAxes()) {
    if (!text.empty())
      text += '_';
    for (char c : axis.getName())
      if (llvm::isAlnum(c) || c == '_')
        text += c;
    text += std::to_string(axis.getSize());
  }
  return text.empty() ? "empty" : text;
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes) {
  std::vector<MeshAxis> plain;
  for (MeshAxisAttr axis : axes)
    plain.push_back({axis.getName().str(), axis.getSize()});
  if (std::optional<std::string> problem = Mesh(std::move(plain)).verify())
    return emitError() << *problem;
  return success();
}

//===----------------------------------------------------------------------===//
// AxisAttr, AxesAttr
//===----------------------------------------------------------------------===//

int64_t AxisAttr::getSize(MeshAttr mesh) const {
  return isFullAxis() ? mesh.getAxisSize(getName()) : getSubSize();
}

int64_t AxesAttr::getGroupSize(MeshAttr mesh) const {
  int64_t size = 1;
  for (AxisAttr axis : getAxes())
    size *= axis.getSize(mesh);
  return size;
}

AxesAttr AxesAttr::get(MLIRContext *context, ArrayRef<StringRef> names) {
  SmallVector<AxisAttr> axes;
  for (StringRef name : names)
    axes.push_back(AxisAttr::get(context, name));
  return get(context, axes);
}

/// The axis for the layout library; nothing if the mesh has no such axis.
static std::optional<AxisRef> toAxisRef(MeshAttr mesh, AxisAttr axis) {
  for (auto [i, candidate] : llvm::enumerate(mesh.getAxes()))
    if (candidate.getName() == axis.getName())
      return axis.isFullAxis()
                 ? AxisRef{static_cast<uint32_t>(i), 1, candidate.getSize()}
                 : AxisRef{static_cast<uint32_t>(i), axis.getPreSize(), axis.getSubSize()};
  return std::nullopt;
}

static AxisAttr fromAxisRef(MeshAttr mesh, const AxisRef &ref) {
  MeshAxisAttr axis = mesh.getAxes()[ref.axis];
  if (ref.preSize == 1 && ref.size == axis.getSize())
    return AxisAttr::get(mesh.getContext(), axis.getName());
  return AxisAttr::get(mesh.getContext(), axis.getName(), ref.preSize, ref.size);
}

static AxesAttr fromAxisRefs(MeshAttr mesh, const std::vector<AxisRef> &refs) {
  SmallVector<AxisAttr> axes;
  for (const AxisRef &ref : refs)
    axes.push_back(fromAxisRef(mesh, ref));
  return AxesAttr::get(mesh.getContext(), axes);
}

LogicalResult dmc::verifyAxes(function_ref<InFlightDiagnostic()> emitError, MeshAttr mesh,
                              AxesAttr axes) {
  SmallVector<AxisRef> seen;
  for (AxisAttr axis : axes) {
    std::optional<AxisRef> ref = toAxisRef(mesh, axis);
    if (!ref)
      return emitError() << "axis \"" << axis.getName() << "\" is not in the mesh "
                         << toString(mesh.toMesh());
    // A sub-axis is (preSize, size, rest): both must divide the axis.
    int64_t whole = mesh.getAxisSize(axis.getName());
    if (!axis.isFullAxis() && (ref->preSize < 1 || ref->size < 1 || whole % ref->preSize != 0 ||
                               (whole / ref->preSize) % ref->size != 0))
      return emitError() << "sub-axis (" << ref->preSize << ")" << ref->size
                         << " does not divide axis \"" << axis.getName() << "\" of size " << whole;
    for (const AxisRef &other : seen)
      if (overlaps(*ref, other))
        return emitError() << "axis \"" << axis.getName() << "\" is used twice";
    seen.push_back(*ref);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

LayoutAttr LayoutAttr::get(MeshAttr mesh, ArrayRef<AxesAttr> dims) {
  MLIRContext *context = mesh.getContext();
  return get(context, mesh, dims, CombinerKind::sum, AxesAttr::get(context, ArrayRef<AxisAttr>()),
             {});
}

LayoutAttr LayoutAttr::getReplicated(MeshAttr mesh, int64_t rank) {
  AxesAttr none = AxesAttr::get(mesh.getContext(), ArrayRef<AxisAttr>());
  return get(mesh, SmallVector<AxesAttr>(rank, none));
}

LayoutAttr LayoutAttr::get(MeshAttr mesh, const dmc::Layout &layout) {
  SmallVector<AxesAttr> dims;
  for (const std::vector<AxisRef> &axes : layout.dims)
    dims.push_back(fromAxisRefs(mesh, axes));
  SmallVector<PlacedAttr> placed;
  for (const PlacedAxis &axis : layout.placed)
    placed.push_back(
        PlacedAttr::get(mesh.getContext(), fromAxisRef(mesh, axis.axis), axis.coordinate));
  CombinerKind combiner = layout.partial.empty()
                              ? CombinerKind::sum
                              : toCombinerKind(layout.combiner.value_or(Combiner::Sum));
  return get(mesh.getContext(), mesh, dims, combiner, fromAxisRefs(mesh, layout.partial), placed);
}

LayoutAttr LayoutAttr::of(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
}

bool LayoutAttr::isReplicated() const {
  return getPartial().empty() && getPlaced().empty() &&
         llvm::all_of(getDims(), [](AxesAttr axes) { return axes.empty(); });
}

LayoutAttr LayoutAttr::withDims(ArrayRef<AxesAttr> dims) const {
  return get(getContext(), getMesh(), dims, getCombiner(), getPartial(), getPlaced());
}

LayoutAttr LayoutAttr::withPartial(CombinerKind combiner, AxesAttr axes) const {
  return get(getContext(), getMesh(), getDims(), axes.empty() ? CombinerKind::sum : combiner, axes,
             getPlaced());
}

LayoutAttr LayoutAttr::withoutPartial() const {
  return withPartial(CombinerKind::sum, AxesAttr::get(getContext(), ArrayRef<AxisAttr>()));
}

dmc::Layout LayoutAttr::toLayout() const {
  Layout layout;
  auto convert = [&](AxesAttr axes) {
    std::vector<AxisRef> refs;
    for (AxisAttr axis : axes)
      if (std::optional<AxisRef> ref = toAxisRef(getMesh(), axis))
        refs.push_back(*ref);
    return refs;
  };
  for (AxesAttr axes : getDims())
    layout.dims.push_back(convert(axes));
  layout.partial = convert(getPartial());
  if (isPartial())
    layout.combiner = toCombiner(getCombiner());
  for (PlacedAttr placed : getPlaced())
    if (std::optional<AxisRef> ref = toAxisRef(getMesh(), placed.getAxis()))
      layout.placed.push_back({*ref, placed.getCoordinate()});
  return layout;
}

SmallVector<int64_t> LayoutAttr::getLocalShape(ArrayRef<int64_t> globalShape) const {
  SmallVector<int64_t> shape(globalShape);
  for (auto [d, axes] : llvm::enumerate(getDims()))
    for (AxisAttr axis : axes)
      shape[d] = llvm::divideCeil(shape[d], static_cast<uint64_t>(axis.getSize(getMesh())));
  return shape;
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, MeshAttr mesh,
                                 ArrayRef<AxesAttr> dims, CombinerKind combiner, AxesAttr partial,
                                 ArrayRef<PlacedAttr> placed) {
  // layout_c1, layout_c2: all states together use every axis at most once.
  SmallVector<AxisAttr> all;
  for (AxesAttr axes : dims)
    llvm::append_range(all, axes);
  llvm::append_range(all, partial);
  for (PlacedAttr p : placed)
    all.push_back(p.getAxis());
  if (failed(verifyAxes(emitError, mesh, AxesAttr::get(mesh.getContext(), all))))
    return failure();
  // layout_c4
  for (PlacedAttr p : placed)
    if (p.getCoordinate() < 0 || p.getCoordinate() >= p.getAxis().getSize(mesh))
      return emitError() << "coordinate " << p.getCoordinate() << " is outside of axis \""
                         << p.getAxis().getName() << "\" of size " << p.getAxis().getSize(mesh);
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  // layout_c3
  if (static_cast<int64_t>(shape.size()) != getRank())
    return emitError() << "layout has " << getRank() << " dimensions, but the tensor has "
                       << shape.size();
  return success();
}

//===----------------------------------------------------------------------===//
// ValueAttr, ProgramAttr
//===----------------------------------------------------------------------===//

ValueAttr ValueAttr::withLayout(LayoutAttr layout) const {
  return get(getContext(), getName(), dmc::withLayout(getType(), layout), getDonates(), getBelow());
}

ValueAttr ValueAttr::withBound(int64_t below) const {
  return get(getContext(), getName(), getType(), getDonates(), below);
}

LogicalResult ValueAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                                RankedTensorType type, int64_t, int64_t below) {
  // value_c1
  if (below < 0 || (below > 0 && !isa<IntegerType>(type.getElementType())))
    return emitError() << "expected a positive bound of integers, found " << below << " of "
                       << type.getElementType() << " (" << name.getValue() << ")";
  return success();
}

ProgramAttr ProgramAttr::of(Operation *module) {
  return module->getAttrOfType<ProgramAttr>("dmc.program");
}

ProgramAttr ProgramAttr::withLevel(Level level) const {
  return get(getContext(), level, getName(), getMesh(), getArguments(), getResults());
}

int64_t ProgramAttr::getResultInBufferOf(size_t argument) const {
  ValueAttr from = getArguments()[argument];
  if (!from.isDonated())
    return -1;
  ValueAttr to = getResults()[from.getDonates()];
  // The next step reads in the argument's layout what this one wrote in the result's.
  auto blocks = [](ValueAttr value) {
    LayoutAttr layout = value.getLayout();
    ArrayRef<int64_t> shape = value.getType().getShape();
    auto local = layout ? layout.getLocalShape(shape) : SmallVector<int64_t>(shape);
    bool isEverywhere =
        ArrayRef<int64_t>(local) == shape && (!layout || layout.getPlaced().empty());
    return std::pair(local, isEverywhere ? LayoutAttr() : layout);
  };
  Type a = from.getType().getElementType(), b = to.getType().getElementType();
  bool sameElements = a == b || (isa<IntegerType>(a) && isa<IntegerType>(b) &&
                                 a.getIntOrFloatBitWidth() == b.getIntOrFloatBitWidth());
  return sameElements && blocks(from) == blocks(to) ? from.getDonates() : -1;
}

LogicalResult ProgramAttr::verify(function_ref<InFlightDiagnostic()> emitError, Level level,
                                  StringAttr name, MeshAttr mesh, ArrayRef<ValueAttr> arguments,
                                  ArrayRef<ValueAttr> results) {
  auto check = [&](ValueAttr value) -> LogicalResult {
    if (!value.getType().hasStaticShape())
      return emitError() << "expected \"" << value.getName().getValue()
                         << "\" to have a static shape, found " << value.getType();
    LayoutAttr layout = value.getLayout();
    if (layout && layout.getMesh() != mesh)
      return emitError() << "layout of \"" << value.getName().getValue()
                         << "\" is on another mesh than the program's";
    if (layout && layout.isPartial())
      return emitError() << "layout of \"" << value.getName().getValue() << "\" is partial";
    return success();
  };
  SmallVector<bool> taken(results.size(), false);
  for (ValueAttr value : arguments) {
    if (failed(check(value)))
      return failure();
    int64_t donates = value.getDonates();
    if (donates < 0)
      continue;
    if (donates >= static_cast<int64_t>(results.size()))
      return emitError() << "\"" << value.getName().getValue() << "\" donates to result " << donates
                         << ", but there are " << results.size();
    if (taken[donates])
      return emitError() << "two arguments donate to result " << donates;
    taken[donates] = true;
  }
  for (ValueAttr value : results)
    if (failed(check(value)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Free functions
//===----------------------------------------------------------------------===//

RankedTensorType dmc::withLayout(RankedTensorType type, LayoutAttr layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

TypedAttr dmc::getNeutralElement(CombinerKind combiner, Type type, bool isUnsigned) {
  OpBuilder builder(type.getContext());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    switch (combiner) {
    case CombinerKind::sum: // 0.0 would lose the sign of a -0.0
      return builder.getFloatAttr(type, APFloat::getZero(semantics, /*Negative=*/true));
    case CombinerKind::prod:
      return builder.getFloatAttr(type, APFloat::getOne(semantics));
    case CombinerKind::max:
      return builder.getFloatAttr(type, APFloat::getInf(semantics, /*Negative=*/true));
    case CombinerKind::min:
      return builder.getFloatAttr(type, APFloat::getInf(semantics));
    }
  }
  auto integer = cast<IntegerType>(type);
  unsigned width = integer.getWidth();
  isUnsigned |= width == 1; // on i1 max is or, min is and
  switch (combiner) {
  case CombinerKind::sum:
    return builder.getIntegerAttr(type, APInt::getZero(width));
  case CombinerKind::prod:
    return builder.getIntegerAttr(type, APInt(width, 1));
  case CombinerKind::max:
    return builder.getIntegerAttr(type, isUnsigned ? APInt::getMinValue(width)
                                                   : APInt::getSignedMinValue(width));
  case CombinerKind::min:
    return builder.getIntegerAttr(type, isUnsigned ? APInt::getMaxValue(width)
                                                   : APInt::getSignedMaxValue(width));
  }
  llvm_unreachable("covered switch");
}
