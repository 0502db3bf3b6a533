//===- HaloOp.cpp - Verifier of windows -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each check carries the number of its constraint in the operator's documentation.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"

using namespace mlir;
using namespace dmc;

/// True if partial values that all have this padding combine to it.
static bool mayPad(CombinerKind combiner, TypedAttr padding) {
  if (combiner == CombinerKind::max || combiner == CombinerKind::min)
    return true;
  bool isProduct = combiner == CombinerKind::prod;
  if (auto number = dyn_cast<FloatAttr>(padding))
    return number.getValue().isZero() || (isProduct && number.getValue().isExactlyValue(1.0));
  auto number = cast<IntegerAttr>(padding);
  return number.getValue().isZero() || (isProduct && number.getValue().isOne());
}

static std::string toText(LayoutAttr layout) {
  std::string text;
  llvm::raw_string_ostream os(text);
  layout.printState(os);
  return text;
}

static LogicalResult verifyLayouts(HaloOp op, LayoutAttr from, LayoutAttr to) {
  int64_t dim = op.getDim();
  SmallVector<AxesAttr> dims(from.getDims()); // halo_c4
  AxesAttr windows = to.getDims()[dim];
  auto none = AxesAttr::get(op.getContext(), ArrayRef<AxisAttr>());
  bool isUnsharded = dims[dim].empty();
  const Layout before = from.toLayout(), after = to.toLayout();
  if (isUnsharded)
    for (const AxisRef &axis : after.dims[dim])
      if (isUsed(before, axis))
        return op.emitOpError("expected windows of a whole dimension to be split by axes that the "
                              "operand is replicated on, found ")
               << toText(to);
  dims[dim] = isUnsharded ? windows : dims[dim];
  dims.insert(dims.begin() + dim + 1, none);
  LayoutAttr expected = from.withDims(dims);
  if (to != expected && after != expected.toLayout())
    return op.emitOpError("expected the result's layout to be ")
           << toText(expected) << ", found " << toText(to);
  int64_t positions = windows.getGroupSize(from.getMesh()); // halo_c5
  if (!windows.empty() && positions != op.getCount())
    return op.emitOpError("expected one window for each of the ")
           << positions << " positions, found " << op.getCount();
  if (from.isPartial() && !mayPad(from.getCombiner(), op.getPadding())) // halo_c6
    return op.emitOpError("pads partial values with ")
           << op.getPadding() << ", which combined with itself under "
           << stringifyCombinerKind(from.getCombiner()) << " does not stay";
  return success();
}

/// Of positions: what is computed of them then stays within 64 bits.
static constexpr int64_t kMaxPosition = int64_t(1) << 46;

/// True if all windows lie where positions can be counted.
static bool isCountable(HaloOp op) {
  auto isSmall = [](int64_t value, int64_t most) { return -most <= value && value <= most; };
  auto type = cast<RankedTensorType>(op.getResult().getType());
  int64_t count = std::max<int64_t>(1, type.getDimSize(op.getDim()));
  return isSmall(op.getStep(), kMaxPosition / count) && isSmall(op.getOffset(), kMaxPosition) &&
         isSmall(type.getDimSize(op.getDim() + 1), kMaxPosition) &&
         isSmall(op.getDilation(), kMaxPosition);
}

LogicalResult HaloOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  int64_t dim = getDim(); // halo_c1
  if (dim < 0 || dim >= from.getRank())
    return emitOpError("dimension ")
           << dim << " does not exist in a tensor of rank " << from.getRank();
  bool fits = from.getElementType() == to.getElementType() && to.getRank() == from.getRank() + 1;
  for (int64_t d = 0; fits && d < from.getRank(); ++d)
    fits &= d == dim || from.getDimSize(d) == to.getDimSize(d < dim ? d : d + 1);
  if (!fits)
    return emitOpError(
               "expected the result to be the operand with a number and a length of windows "
               "in place of dimension ")
           << dim << ", found " << from << " and " << to;
  int64_t step = getStep(), offset = getOffset(), dilation = getDilation();
  if (dilation < 1) // halo_c2
    return emitOpError("expected a positive dilation, found ") << dilation;
  if (!isCountable(*this))
    return emitOpError("expected positions of windows within 2^46, found step ")
           << step << ", offset " << offset << ", dilation " << dilation << " and " << to;
  if (getPadding().getType() != from.getElementType() || !isa<FloatAttr, IntegerAttr>(getPadding()))
    return emitOpError("expected a padding of type ")
           << from.getElementType() << ", found " << getPadding();
  LayoutAttr before = LayoutAttr::of(from), after = LayoutAttr::of(to); // halo_c3
  if (!before && !after)
    return success();
  if (!before || !after || before.getMesh() != after.getMesh())
    return emitOpError("expected layouts of operand and result on one mesh, found ")
           << from << " and " << to;
  return verifyLayouts(*this, before, after);
}
