//===- MovementOps.cpp - Verifiers of the movement operators --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each check carries the number of its constraint in the operator's
// documentation; the expected result layout is computed and compared whole.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Layout/Reshard.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dmc;

#define GET_OP_CLASSES
#include "dmc/Dialect/DMC/MovementOps.cpp.inc"

namespace {
/// Operand and result layouts of a move, and what the verifiers ask of them.
struct MoveLayouts {
  Operation *op;
  LayoutAttr from, to;

  /// C1 of every move.
  static FailureOr<MoveLayouts> get(Operation *op) {
    auto in = cast<RankedTensorType>(op->getOperand(0).getType());
    auto out = cast<RankedTensorType>(op->getResult(0).getType());
    if (in.getShape() != out.getShape() || in.getElementType() != out.getElementType())
      return op->emitOpError("expected operand and result of one shape and element type, found ")
             << in << " and " << out;
    MoveLayouts move{op, LayoutAttr::of(in), LayoutAttr::of(out)};
    if (!move.from || !move.to)
      return op->emitOpError("expected operand and result to have layouts");
    if (move.from.getMesh() != move.to.getMesh())
      return op->emitOpError("expected layouts on one mesh, found ")
             << move.from.getMesh() << " and " << move.to.getMesh();
    return move;
  }

  InFlightDiagnostic error() const { return op->emitOpError(); }

  LogicalResult checkDim(int64_t dim) const {
    if (dim < 0 || dim >= from.getRank())
      return error() << "dimension " << dim << " does not exist in a tensor of rank "
                     << from.getRank();
    return success();
  }

  /// The axes are of the mesh and have no state in the operand's layout.
  LogicalResult checkReplicated(AxesAttr axes) const {
    if (failed(verifyAxes([&]() { return error(); }, from.getMesh(), axes)))
      return failure();
    for (AxisAttr axis : axes) {
      if (isUsed(axis))
        return error() << "axis \"" << axis.getName()
                       << "\" is not replicated in the operand's layout";
    }
    return success();
  }

  LogicalResult checkMinorEnd(AxesAttr axes, int64_t dim) const {
    ArrayRef<AxisAttr> list = from.getDims()[dim].getAxes();
    if (axes.size() > list.size() || list.take_back(axes.size()) != axes.getAxes()) {
      InFlightDiagnostic diag = error() << "expected the axes to be the minor end of dimension "
                                        << dim << " of the operand's layout, which is ";
      std::string text;
      llvm::raw_string_ostream os(text);
      from.printState(os);
      return diag << text;
    }
    return success();
  }

  LogicalResult checkAxes(AxesAttr axes) const {
    return verifyAxes([&]() { return error(); }, from.getMesh(), axes);
  }

  LogicalResult checkSamePartials() const {
    Layout before = from.toLayout().canonical(), after = to.toLayout().canonical();
    if (before.partial != after.partial || before.combiner != after.combiner)
      return error() << "expected the same partial axes before and after";
    return success();
  }

  LogicalResult checkResult(const Layout &expected) const {
    return checkResult(LayoutAttr::get(from.getMesh(), expected));
  }

  LogicalResult checkResult(LayoutAttr expected) const {
    // Partial and placed axes are sets.
    if (to == expected || (expected && to.toLayout() == expected.toLayout()))
      return success();
    std::string want, have;
    llvm::raw_string_ostream wantOs(want), haveOs(have);
    if (expected)
      expected.printState(wantOs);
    to.printState(haveOs);
    return error() << "expected the result's layout to be " << want << ", found " << have;
  }

  /// True if any part of the axis has a state in the operand's layout.
  bool isUsed(AxisAttr axis) const { return dmc::isUsed(from.toLayout(), toAxes(axis).front()); }

  /// Axes of the mesh; they are verified to be that.
  std::vector<AxisRef> toAxes(AxesAttr axes) const {
    return LayoutAttr::get(from.getMesh(), {axes}).toLayout().dims.front();
  }
  std::vector<AxisRef> toAxes(AxisAttr axis) const {
    return toAxes(AxesAttr::get(axis.getContext(), {axis}));
  }
};

AxesAttr append(AxesAttr axes, ArrayRef<AxisAttr> more) {
  SmallVector<AxisAttr> list(axes.getAxes());
  llvm::append_range(list, more);
  return AxesAttr::get(axes.getContext(), list);
}

AxesAttr dropMinor(AxesAttr axes, size_t count) {
  return AxesAttr::get(axes.getContext(), axes.getAxes().drop_back(count));
}

LayoutAttr withDim(LayoutAttr layout, int64_t dim, AxesAttr axes) {
  SmallVector<AxesAttr> dims(layout.getDims());
  dims[dim] = axes;
  return layout.withDims(dims);
}

} // namespace

LogicalResult PartitionOp::verify() {
  FailureOr<MoveLayouts> move = MoveLayouts::get(*this); // partition_c1
  if (failed(move) || failed(move->checkDim(getDim())))  // partition_c2
    return failure();
  if (failed(move->checkReplicated(getAxes()))) // partition_c3
    return failure();
  AxesAttr axes = append(move->from.getDims()[getDim()], getAxes().getAxes());
  return move->checkResult(withDim(move->from, getDim(), axes)); // partition_c4
}

LogicalResult CombineOp::verify() {
  FailureOr<MoveLayouts> move = MoveLayouts::get(*this); // combine_c1
  if (failed(move) || failed(move->checkDim(getDim())))  // combine_c2
    return failure();
  if (failed(move->checkMinorEnd(getAxes(), getDim()))) // combine_c3
    return failure();
  AxesAttr axes = dropMinor(move->from.getDims()[getDim()], getAxes().size());
  return move->checkResult(withDim(move->from, getDim(), axes)); // combine_c4
}

LogicalResult ReduceOp::verify() {
  FailureOr<MoveLayouts> move = MoveLayouts::get(*this); // reduce_c1
  if (failed(move) || failed(move->checkAxes(getAxes())))
    return failure();
  for (AxisAttr axis : getAxes()) // reduce_c2
    if (!withoutPartial(move->from.toLayout(), move->toAxes(axis)))
      return emitOpError("axis \"")
             << axis.getName() << "\" is not partial in the operand's layout";
  return move->checkResult( // reduce_c3
      *withoutPartial(move->from.toLayout(), move->toAxes(getAxes())));
}

LogicalResult ReplicateOp::verify() {
  FailureOr<MoveLayouts> move = MoveLayouts::get(*this); // replicate_c1
  if (failed(move) || failed(move->checkAxes(getAxes())))
    return failure();
  std::optional<Layout> rest = withoutPlaced(move->from.toLayout(), move->toAxes(getAxes()));
  if (!rest) // replicate_c2
    return emitOpError("expected axes that are placed in the operand's layout");
  return move->checkResult(*rest); // replicate_c3
}

LogicalResult SpreadOp::verify() {
  FailureOr<MoveLayouts> move = MoveLayouts::get(*this); // spread_c1
  if (failed(move) || failed(move->checkAxes(getAxes())))
    return failure();
  Layout layout = move->from.toLayout();
  std::vector<AxisRef> axes = move->toAxes(getAxes());
  for (size_t i = axes.size(); i-- > 0;) { // spread_c2
    const AxisRef &axis = axes[i];
    StringRef name = getAxes().getAxes()[i].getName();
    if (llvm::any_of(layout.partial, [&](const AxisRef &p) { return overlaps(p, axis); }))
      return emitOpError("axis \"") << name << "\" is partial already";
    auto dim = llvm::find_if(layout.dims,
                             [&](const auto &list) { return llvm::is_contained(list, axis); });
    if (dim != layout.dims.end()) {
      if (dim->back() != axis)
        return emitOpError("axis \"") << name << "\" is not the minor end of dimension "
                                      << std::distance(layout.dims.begin(), dim);
      dim->pop_back();
    } else if (std::optional<Layout> rest = withoutPlaced(layout, {axis})) {
      layout = *rest;
    } else if (dmc::isUsed(layout, axis)) {
      return emitOpError("a part of axis \"") << name << "\" has another state";
    }
  }
  if (layout.partial.empty()) // spread_c3
    layout.combiner = move->to.toLayout().combiner;
  layout.partial.insert(layout.partial.end(), axes.begin(), axes.end());
  return move->checkResult(layout);
}

LogicalResult PlaceOp::verify() {
  FailureOr<MoveLayouts> move = MoveLayouts::get(*this);        // place_c1
  if (failed(move) || failed(move->checkReplicated(getAxes()))) // place_c2
    return failure();
  // place_c3
  std::optional<Layout> rest = withoutPlaced(move->to.toLayout(), move->toAxes(getAxes()));
  if (!rest)
    return emitOpError("expected axes that are placed in the result's layout");
  if (*rest != move->from.toLayout())
    return move->checkResult(move->from);
  return success();
}

LogicalResult ExchangeOp::verify() {
  FailureOr<MoveLayouts> move = MoveLayouts::get(*this); // exchange_c1
  int64_t source = getSourceDim(), target = getTargetDim();
  if (failed(move) || failed(move->checkDim(source)) || failed(move->checkDim(target)))
    return failure();
  if (source == target) // exchange_c2
    return emitOpError("expected two dimensions, found ") << source << " twice";
  if (failed(move->checkMinorEnd(getAxes(), source))) // exchange_c3
    return failure();
  LayoutAttr layout =
      withDim(move->from, source, dropMinor(move->from.getDims()[source], getAxes().size()));
  AxesAttr axes = append(layout.getDims()[target], getAxes().getAxes());
  return move->checkResult(withDim(layout, target, axes)); // exchange_c4
}

/// The sizes of the blocks that axes cut a dimension into: `{2, 2, 1, 2}`.
static std::string describeCut(const std::vector<AxisRef> &axes, int64_t size) {
  constexpr size_t kShown = 8;
  std::vector<int64_t> places = cutPlaces(size, axes, kShown + 1);
  std::string text = "{";
  for (size_t i = 0; i < places.size() && i < kShown; ++i) {
    int64_t end = i + 1 < places.size() ? places[i + 1] : size;
    text += (i ? ", " : "") + std::to_string(end - places[i]);
  }
  return text + (places.size() > kShown ? ", ...}" : "}");
}

LogicalResult PermuteOp::verify() {
  FailureOr<MoveLayouts> move = MoveLayouts::get(*this); // permute_c1
  if (failed(move) || failed(move->checkSamePartials())) // permute_c2
    return failure();
  Layout from = move->from.toLayout(), to = move->to.toLayout();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(getType()).getShape();
  for (auto [d, size] : llvm::enumerate(shape)) { // permute_c3
    if (cutAlike(size, from.dims[d], to.dims[d]))
      continue;
    int64_t had = groupSize(from.dims[d]), has = groupSize(to.dims[d]);
    InFlightDiagnostic diag = emitOpError("expected dimension ") << d << " of size " << size;
    if (had != has)
      return diag << " to be cut into as many blocks before as after, found " << had << " and "
                  << has;
    return diag << " to be cut at the same places before and after, found "
                << describeCut(from.dims[d], size) << " and " << describeCut(to.dims[d], size);
  }
  if (!isPermutation(move->from.getMesh().toMesh(), from, to, shape.vec())) // permute_c4
    return emitOpError("expected no more holders of a block after than before, found "
                       "axes placed or splitting that then replicate");
  return success();
}

LogicalResult RedistributeOp::verify() {
  FailureOr<MoveLayouts> move = MoveLayouts::get(*this);             // redistribute_c1
  return failure(failed(move) || failed(move->checkSamePartials())); // redistribute_c2
}

LogicalResult ReshardOp::verify() {
  return success(succeeded(MoveLayouts::get(*this)));
} // reshard_c1

void ConstrainOp::build(OpBuilder &builder, OperationState &state, Value operand, LayoutAttr layout,
                        ArrayRef<int64_t> open) {
  build(builder, state, operand.getType(), operand, layout, open, /*priorities=*/{},
        /*replicated=*/AxesAttr(), /*group=*/IntegerAttr());
}

LogicalResult ConstrainOp::verify() {
  LayoutAttr layout = getLayout(); // constrain_c1
  auto type = cast<RankedTensorType>(getOperand().getType());
  if (failed(layout.verifyEncoding(type.getShape(), type.getElementType(),
                                   [&]() { return emitOpError(); })))
    return failure();
  if (!layout.getPlaced().empty())
    return emitOpError("expected a layout without placed axes, found ") << layout;
  SmallVector<int64_t> open(getOpen()); // constrain_c2
  llvm::sort(open);
  for (auto [i, dim] : llvm::enumerate(open))
    if (dim < 0 || dim >= layout.getRank() || (i > 0 && open[i - 1] == dim))
      return emitOpError("open dimension ") << dim << " does not exist or is listed twice";
  ArrayRef<int64_t> priorities = getPriorities(); // constrain_c3
  if (!priorities.empty() && static_cast<int64_t>(priorities.size()) != layout.getRank())
    return emitOpError("expected a priority for each of the ")
           << layout.getRank() << " dimensions, found " << priorities.size();
  for (int64_t priority : priorities)
    if (priority < 0)
      return emitOpError("expected priorities of 0 or more, found ") << priority;
  if (AxesAttr replicated = getReplicatedAttr()) { // constrain_c4
    // As if they split one more dimension.
    SmallVector<AxesAttr> dims(layout.getDims());
    dims.push_back(replicated);
    if (failed(LayoutAttr::verify([&]() { return emitOpError("replicated axes: "); },
                                  layout.getMesh(), dims, layout.getCombiner(), layout.getPartial(),
                                  layout.getPlaced())))
      return failure();
  }
  return success();
}
