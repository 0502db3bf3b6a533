//===- WindowBuilder.cpp - Windows and blocks of tensors ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Along split dimensions pads and dilations become part of the halo; along the others they
// are recomputed behind it, so that no padding is sent.
//
//===----------------------------------------------------------------------===//
#include "WindowBuilder.h"

#include "MoveSources.h"

using namespace mlir;
using namespace dmc;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

OpLayouts OpLayouts::get(Operation *op) {
  auto layouts = op->getAttrOfType<OpLayoutsAttr>("dmc.layouts");
  return {llvm::to_vector_of<LayoutAttr, 4>(layouts.getOperands()),
          llvm::to_vector_of<LayoutAttr, 4>(layouts.getResults())};
}

void dmc::setLayouts(Operation *op, ArrayRef<LayoutAttr> operands, ArrayRef<LayoutAttr> results) {
  op->setAttr("dmc.layouts", OpLayoutsAttr::get(op->getContext(), operands, results));
}

Value dmc::getPosition(OpBuilder &b, Location loc, unsigned blockLoop, unsigned placeLoop,
                       int64_t block) {
  Value index = linalg::IndexOp::create(b, loc, blockLoop);
  Value size = arith::ConstantIndexOp::create(b, loc, block);
  Value begin = arith::MulIOp::create(b, loc, index, size);
  Value place = linalg::IndexOp::create(b, loc, placeLoop);
  return arith::AddIOp::create(b, loc, begin, place);
}

static const DimWindows *findWindow(ArrayRef<DimWindows> dims, int64_t dim) {
  auto it = llvm::find_if(dims, [&](const DimWindows &window) { return window.dim == dim; });
  return it == dims.end() ? nullptr : &*it;
}

static WindowSource chooseSource(Value value, LayoutAttr layout, ArrayRef<DimWindows> dims) {
  return chooseWindowSource(getWindowSources(value), typeOf(value).getShape(), [&](unsigned dim) {
    if (const DimWindows *window = findWindow(dims, dim))
      return window->isWindow ? DimUse::windows : DimUse::blocks;
    return layout.getDims()[dim].empty() ? DimUse::whole : DimUse::blocks;
  });
}

static LayoutAttr withWindows(LayoutAttr layout, int64_t dim, AxesAttr axes) {
  SmallVector<AxesAttr> dims(layout.getDims());
  dims[dim] = axes;
  dims.insert(dims.begin() + dim + 1, AxesAttr::get(axes.getContext(), ArrayRef<AxisAttr>()));
  return layout.withDims(dims);
}

static RankedTensorType withWindows(RankedTensorType type, int64_t dim, int64_t count,
                                    int64_t length) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = count;
  shape.insert(shape.begin() + dim + 1, length);
  return RankedTensorType::get(shape, type.getElementType());
}

/// The layout that was decided for a value where it is made; null where it is not known.
static LayoutAttr getMadeLayout(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    auto layouts = result.getOwner()->getAttrOfType<OpLayoutsAttr>("dmc.layouts");
    SmallVector<OpResult> results = getTensorResults(result.getOwner());
    auto it = llvm::find(results, result);
    return layouts && it != results.end() ? layouts.getResults()[it - results.begin()]
                                          : LayoutAttr();
  }
  auto argument = cast<BlockArgument>(value);
  auto entry = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  ProgramAttr program = entry ? ProgramAttr::of(entry->getParentOfType<ModuleOp>()) : ProgramAttr();
  return program ? program.getArguments()[argument.getArgNumber()].getLayout() : LayoutAttr();
}

/// True if every position of the axes has the value: then it also has its windows.
static bool isOnAll(Value value, AxesAttr axes) {
  // What a constraint makes may be taken from what it is on.
  for (auto constrain = value.getDefiningOp<ConstrainOp>(); constrain && hasMoveSource(constrain);
       constrain = value.getDefiningOp<ConstrainOp>())
    value = constrain.getOperand();
  if (Operation *op = value.getDefiningOp(); op && isLayoutAgnostic(op))
    return true;
  LayoutAttr made = getMadeLayout(value);
  if (!made)
    return false;
  const Layout layout = made.toLayout();
  const Layout split = LayoutAttr::get(made.getMesh(), {axes}).toLayout();
  return llvm::none_of(split.dims.front(),
                       [&](const AxisRef &axis) { return isUsed(layout, axis); });
}

/// A value that no tensor makes, in another shape; null if its elements are not one.
Value WindowBuilder::makeFree(Operation *op, RankedTensorType type) {
  auto empty = [&] {
    return tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
  };
  if (isa<tensor::EmptyOp>(op))
    return empty();
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return linalg::FillOp::create(builder, loc, fill.getInputs(), ValueRange{empty()}).getResult(0);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return arith::ConstantOp::create(
          builder, loc, SplatElementsAttr::get(type, splat.getSplatValue<Attribute>()));
  return {};
}

/// Cuts dimensions that are not windowed to what is used of the source.
Value WindowBuilder::sliceWhole(Value value, const WindowSource &source, LayoutAttr layout,
                                ArrayRef<int64_t> shape, ArrayRef<DimWindows> dims) {
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<int64_t> sliced;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    const WindowDim &inner = source.dims[dim];
    int64_t begin = 0, end = inner.size;
    if (!findWindow(dims, dim) && inner.dilation == 1) {
      begin = std::max<int64_t>(begin, -inner.low);
      end = std::min(end, size - inner.low);
    }
    // What is cut off whole has no place behind the end.
    if (end <= begin)
      begin = end = 0;
    offsets.push_back(builder.getIndexAttr(begin));
    sizes.push_back(builder.getIndexAttr(end - begin));
    sliced.push_back(end - begin);
  }
  if (ArrayRef<int64_t>(sliced) == typeOf(value).getShape())
    return value;
  SmallVector<OpFoldResult> strides(shape.size(), builder.getIndexAttr(1));
  auto slice = tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get(sliced, typeOf(value).getElementType()), value, offsets,
      sizes, strides);
  setLayouts(slice, {layout}, {layout});
  return slice;
}

/// An evenly split dimension as [blocks, positions].
Value WindowBuilder::makeBlocks(Value value, LayoutAttr from, LayoutAttr to, int64_t dim,
                                int64_t count) {
  RankedTensorType type = typeOf(value);
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0, next = 0; d < type.getRank(); ++d) {
    groups.push_back({next++});
    if (d == dim)
      groups.back().push_back(next++);
  }
  auto expand = tensor::ExpandShapeOp::create(
      builder, loc, withWindows(type, dim, count, type.getDimSize(dim) / count), value, groups);
  setLayouts(expand, {from}, {to});
  return expand;
}

/// Pads and dilates what is not windowed. `shape` is that of the tensor with its pads.
Value WindowBuilder::padWhole(Value value, const WindowSource &source, LayoutAttr layout,
                              ArrayRef<int64_t> shape, ArrayRef<DimWindows> dims) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> padded(type.getShape());
  SmallVector<OpFoldResult> low(padded.size(), builder.getIndexAttr(0)), high = low;
  SmallVector<OpFoldResult> strides(padded.size(), builder.getIndexAttr(1));
  bool isPadded = false, isDilated = false;
  for (int64_t dim = 0, at = 0; dim < static_cast<int64_t>(shape.size()); ++dim, ++at) {
    if (findWindow(dims, dim)) {
      ++at;
      continue;
    }
    int64_t before = std::max<int64_t>(0, source.dims[dim].low);
    int64_t dilation = source.dims[dim].dilation;
    isPadded |= padded[at] != shape[dim];
    isDilated |= dilation != 1;
    low[at] = builder.getIndexAttr(before);
    high[at] = builder.getIndexAttr(shape[dim] - before - padded[at]);
    strides[at] = builder.getIndexAttr(dilation);
    padded[at] = shape[dim];
  }
  if (!isPadded)
    return value;
  auto result = RankedTensorType::get(padded, type.getElementType());
  Value scalar = arith::ConstantOp::create(builder, loc, source.padding);
  if (!isDilated) {
    auto pad = tensor::PadOp::create(builder, loc, result, value, low, high, scalar);
    setLayouts(pad, {layout}, {layout});
    return pad;
  }
  Value empty = tensor::EmptyOp::create(builder, loc, padded, type.getElementType());
  Value fill =
      linalg::FillOp::create(builder, loc, ValueRange{scalar}, ValueRange{empty}).getResult(0);
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  auto insert = tensor::InsertSliceOp::create(builder, loc, value, fill, low, sizes, strides);
  setLayouts(insert, {layout, layout}, {layout});
  return insert;
}

std::pair<Value, LayoutAttr> WindowBuilder::makeWindows(Value value, LayoutAttr layout,
                                                        ArrayRef<DimWindows> dims) {
  if (dims.empty())
    return {value, layout};
  RankedTensorType type = typeOf(value);
  LayoutAttr target = layout;
  RankedTensorType targetType = type;
  for (const DimWindows &window : llvm::reverse(dims)) {
    target = withWindows(target, window.dim, window.axes);
    targetType = withWindows(targetType, window.dim, window.count, window.length);
  }
  if (Operation *op = value.getDefiningOp(); op && isLayoutAgnostic(op))
    if (Value made = makeFree(op, targetType))
      return {made, target};

  WindowSource source = chooseSource(value, layout, dims);
  TypedAttr padding =
      source.padding ? source.padding : TypedAttr(builder.getZeroAttr(type.getElementType()));
  auto isEven = [&](const DimWindows &window) {
    return !window.isWindow && source.dims[window.dim].size == window.count * window.length;
  };
  SmallVector<AxesAttr> axes(layout.getDims());
  for (const DimWindows &window : dims)
    if (!isEven(window) && isOnAll(source.value, window.axes))
      axes[window.dim] = AxesAttr::get(window.axes.getContext(), ArrayRef<AxisAttr>());
  layout = layout.withDims(axes);
  Value made = sliceWhole(source.value, source, layout, type.getShape(), dims);
  for (const DimWindows &window : llvm::reverse(dims)) {
    LayoutAttr after = withWindows(layout, window.dim, window.axes);
    const WindowDim &inner = source.dims[window.dim];
    if (isEven(window)) {
      made = makeBlocks(made, layout, after, window.dim, window.count);
    } else {
      auto halo = HaloOp::create(
          builder, loc, withWindows(typeOf(made), window.dim, window.count, window.length), made,
          window.dim, window.step, window.offset - inner.low, inner.dilation, padding);
      setLayouts(halo, {layout}, {after});
      made = halo;
    }
    layout = after;
  }
  return {padWhole(made, source, layout, type.getShape(), dims), layout};
}

Value WindowBuilder::join(Value value, LayoutAttr layout, LayoutAttr target, RankedTensorType type,
                          ArrayRef<int64_t> dims) {
  if (dims.empty())
    return value;
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> shape;
  RankedTensorType from = typeOf(value);
  for (int64_t dim = 0, next = 0; dim < type.getRank(); ++dim) {
    groups.push_back({next});
    shape.push_back(from.getDimSize(next++));
    if (llvm::is_contained(dims, dim)) {
      groups.back().push_back(next);
      shape.back() *= from.getDimSize(next++);
    }
  }
  auto merged = RankedTensorType::get(shape, type.getElementType());
  auto collapse = tensor::CollapseShapeOp::create(builder, loc, merged, value, groups);
  setLayouts(collapse, {layout}, {target});
  if (merged.getShape() == type.getShape())
    return collapse;
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  auto slice =
      tensor::ExtractSliceOp::create(builder, loc, type, collapse, offsets, sizes, strides);
  setLayouts(slice, {target}, {target});
  return slice;
}

Value WindowBuilder::selectFrom(Value a, Value b, LayoutAttr layout, int64_t dim, int64_t block,
                                int64_t begin, int64_t end) {
  RankedTensorType type = typeOf(a);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{type}, ValueRange{a, b}, ValueRange{empty},
      ArrayRef<AffineMap>{identity, identity, identity}, loops,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Value position = getPosition(nested, loc, dim, dim + 1, block);
        Value first = arith::ConstantIndexOp::create(nested, loc, begin);
        Value last = arith::ConstantIndexOp::create(nested, loc, end);
        Value after =
            arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::sge, position, first);
        Value before =
            arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::slt, position, last);
        Value isHere = arith::AndIOp::create(nested, loc, after, before);
        Value kept = arith::SelectOp::create(nested, loc, isHere, args[1], args[0]);
        linalg::YieldOp::create(nested, loc, kept);
      });
  setLayouts(generic, {layout, layout, layout}, {layout});
  return generic.getResult(0);
}
