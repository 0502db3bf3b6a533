//===- MovementOps.cpp - Verifiers of the movement operators --------------===//
//
// Each check carries the number of its constraint in the operator's
// documentation; the expected result layout is computed and compared whole.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dmc;

#define GET_OP_CLASSES
#include "dmc/Dialect/DMC/MovementOps.cpp.inc"

namespace {
/// Operand and result layouts of a move, and what the verifiers ask of them.
struct Move {
  Operation *op;
  LayoutAttr from, to;

  /// C1 of every move.
  static FailureOr<Move> get(Operation *op) {
    auto in = cast<RankedTensorType>(op->getOperand(0).getType());
    auto out = cast<RankedTensorType>(op->getResult(0).getType());
    if (in.getShape() != out.getShape() || in.getElementType() != out.getElementType())
      return op->emitOpError("expected operand and result of one shape and element type, found ")
             << in << " and " << out;
    Move move{op, LayoutAttr::of(in), LayoutAttr::of(out)};
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
  bool isUsed(AxisAttr axis) const {
    Layout layout = from.toLayout();
    Mesh mesh = from.getMesh().toMesh();
    std::optional<uint32_t> index = mesh.find(axis.getName().str());
    if (!index)
      return false;
    AxisRef ref = axis.isWhole() ? AxisRef{*index, 1, mesh.axis(*index).size}
                                 : AxisRef{*index, axis.getPreSize(), axis.getSubSize()};
    auto hits = [&](const AxisRef &other) { return overlaps(ref, other); };
    for (const auto &axes : layout.dims)
      if (llvm::any_of(axes, hits))
        return true;
    return llvm::any_of(layout.partial, hits) ||
           llvm::any_of(layout.placed, [&](const PlacedAxis &p) { return hits(p.axis); });
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

AxesAttr without(AxesAttr axes, AxesAttr removed) {
  SmallVector<AxisAttr> list;
  for (AxisAttr axis : axes)
    if (!llvm::is_contained(removed.getAxes(), axis))
      list.push_back(axis);
  return AxesAttr::get(axes.getContext(), list);
}

LayoutAttr withDim(LayoutAttr layout, int64_t dim, AxesAttr axes) {
  SmallVector<AxesAttr> dims(layout.getDims());
  dims[dim] = axes;
  return layout.withDims(dims);
}

LayoutAttr withPlaced(LayoutAttr layout, ArrayRef<PlacedAttr> placed) {
  return LayoutAttr::get(layout.getContext(), layout.getMesh(), layout.getDims(),
                         layout.getCombiner(), layout.getPartial(), placed);
}

/// A placed list without the axes; nothing if one of them is not placed.
std::optional<SmallVector<PlacedAttr>> dropPlaced(LayoutAttr layout, AxesAttr axes) {
  SmallVector<PlacedAttr> rest(layout.getPlaced());
  for (AxisAttr axis : axes) {
    auto it = llvm::find_if(rest, [&](PlacedAttr p) { return p.getAxis() == axis; });
    if (it == rest.end())
      return std::nullopt;
    rest.erase(it);
  }
  return rest;
}
} // namespace

LogicalResult PartitionOp::verify() {
  FailureOr<Move> move = Move::get(*this);              // partition_c1
  if (failed(move) || failed(move->checkDim(getDim()))) // partition_c2
    return failure();
  if (failed(move->checkReplicated(getAxes()))) // partition_c3
    return failure();
  AxesAttr axes = append(move->from.getDims()[getDim()], getAxes().getAxes());
  return move->checkResult(withDim(move->from, getDim(), axes)); // partition_c4
}

LogicalResult CombineOp::verify() {
  FailureOr<Move> move = Move::get(*this);              // combine_c1
  if (failed(move) || failed(move->checkDim(getDim()))) // combine_c2
    return failure();
  if (failed(move->checkMinorEnd(getAxes(), getDim()))) // combine_c3
    return failure();
  AxesAttr axes = dropMinor(move->from.getDims()[getDim()], getAxes().size());
  return move->checkResult(withDim(move->from, getDim(), axes)); // combine_c4
}

LogicalResult ReduceOp::verify() {
  FailureOr<Move> move = Move::get(*this); // reduce_c1
  if (failed(move))
    return failure();
  for (AxisAttr axis : getAxes()) // reduce_c2
    if (!llvm::is_contained(move->from.getPartial().getAxes(), axis))
      return emitOpError("axis \"")
             << axis.getName() << "\" is not partial in the operand's layout";
  return move->checkResult(move->from.withPartial( // reduce_c3
      move->from.getCombiner(), without(move->from.getPartial(), getAxes())));
}

LogicalResult ReplicateOp::verify() {
  FailureOr<Move> move = Move::get(*this); // replicate_c1
  if (failed(move))
    return failure();
  std::optional<SmallVector<PlacedAttr>> rest = dropPlaced(move->from, getAxes());
  if (!rest) // replicate_c2
    return emitOpError("expected axes that are placed in the operand's layout");
  return move->checkResult(withPlaced(move->from, *rest)); // replicate_c3
}

LogicalResult SpreadOp::verify() {
  FailureOr<Move> move = Move::get(*this); // spread_c1
  if (failed(move) ||
      failed(verifyAxes([&]() { return emitOpError(); }, move->from.getMesh(), getAxes())))
    return failure();
  LayoutAttr layout = move->from;
  for (AxisAttr axis : llvm::reverse(getAxes().getAxes())) { // spread_c2
    if (llvm::is_contained(layout.getPartial().getAxes(), axis))
      return emitOpError("axis \"") << axis.getName() << "\" is partial already";
    bool isSplit = false;
    for (auto [d, axes] : llvm::enumerate(layout.getDims())) {
      if (!llvm::is_contained(axes.getAxes(), axis))
        continue;
      if (axes.getAxes().back() != axis)
        return emitOpError("axis \"")
               << axis.getName() << "\" is not the minor end of dimension " << d;
      layout = withDim(layout, d, dropMinor(axes, 1));
      isSplit = true;
      break;
    }
    if (isSplit)
      continue;
    if (auto rest = dropPlaced(layout, AxesAttr::get(getContext(), {axis})))
      layout = withPlaced(layout, *rest);
    else if (Move{*this, layout, layout}.isUsed(axis))
      return emitOpError("a part of axis \"") << axis.getName() << "\" has another state";
  }
  LayoutAttr to = move->to; // spread_c3
  return move->checkResult(
      layout.withPartial(layout.isPartial() ? layout.getCombiner() : to.getCombiner(),
                         append(layout.getPartial(), getAxes().getAxes())));
}

LogicalResult PlaceOp::verify() {
  FailureOr<Move> move = Move::get(*this);                      // place_c1
  if (failed(move) || failed(move->checkReplicated(getAxes()))) // place_c2
    return failure();
  std::optional<SmallVector<PlacedAttr>> rest = dropPlaced(move->to, getAxes()); // place_c3
  if (!rest)
    return emitOpError("expected axes that are placed in the result's layout");
  if (withPlaced(move->to, *rest).toLayout() != move->from.toLayout())
    return move->checkResult(LayoutAttr(move->from));
  return success();
}

LogicalResult ExchangeOp::verify() {
  FailureOr<Move> move = Move::get(*this); // exchange_c1
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

LogicalResult PermuteOp::verify() {
  FailureOr<Move> move = Move::get(*this); // permute_c1
  if (failed(move))
    return failure();
  LayoutAttr from = move->from, to = move->to;
  Layout before = from.toLayout().canonical(), after = to.toLayout().canonical();
  if (before.partial != after.partial || before.combiner != after.combiner) // permute_c2
    return emitOpError("expected the same partial axes before and after");
  for (int64_t d = 0; d < from.getRank(); ++d) { // permute_c3
    int64_t had = from.getDims()[d].getGroupSize(from.getMesh());
    int64_t has = to.getDims()[d].getGroupSize(to.getMesh());
    if (had != has)
      return emitOpError("expected dimension ")
             << d << " to be cut into as many blocks before as after, found " << had << " and "
             << has;
  }
  if (from.getPlaced().size() != to.getPlaced().size())
    return emitOpError("expected as many placed axes before as after");
  return success();
}

LogicalResult ReshardOp::verify() { return success(succeeded(Move::get(*this))); } // reshard_c1

LogicalResult ConstrainOp::verify() {
  LayoutAttr layout = getLayout(); // constrain_c1
  auto type = cast<RankedTensorType>(getOperand().getType());
  if (failed(layout.verifyEncoding(type.getShape(), type.getElementType(),
                                   [&]() { return emitOpError(); })))
    return failure();
  if (layout.isPartial())
    return emitOpError("expected a layout that is not partial");
  SmallVector<int64_t> open(getOpen()); // constrain_c2
  llvm::sort(open);
  for (auto [i, dim] : llvm::enumerate(open))
    if (dim < 0 || dim >= layout.getRank() || (i > 0 && open[i - 1] == dim))
      return emitOpError("open dimension ") << dim << " does not exist or is listed twice";
  int64_t priority = static_cast<int64_t>(getPriority());
  if (priority < 0) // constrain_c3
    return emitOpError("expected a priority of 0 or more, found ") << priority;
  return success();
}
