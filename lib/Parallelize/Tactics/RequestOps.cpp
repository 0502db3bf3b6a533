//===- RequestOps.cpp - Tactics that ask for layouts ----------------------===//
//
// shard, replicate, pin and reshard.
//
//===----------------------------------------------------------------------===//
#include "RequestBook.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

using Result = DiagnosedSilenceableFailure;

/// Asks the same of all targets of a handle.
static Result askAll(Operation *tactic, Value handle, transform::TransformState &state,
                     llvm::function_ref<LogicalResult(RequestBook &, const Target &)> ask) {
  FailureOr<Subject> subject = getSubject(tactic, state);
  if (failed(subject))
    return Result::definiteFailure();
  RequestBook book(tactic, *subject);
  FailureOr<SmallVector<Target>> targets = book.getTargets(handle, state);
  if (failed(targets))
    return Result::definiteFailure();
  for (const Target &target : *targets)
    if (failed(ask(book, target)))
      return Result::definiteFailure();
  book.finish();
  return Result::success();
}

/// The first dimension that is not split and that the axes divide evenly.
static std::optional<int64_t> findDim(RankedTensorType type, const Outcome &outcome, int64_t ways) {
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (outcome.layout.dims[dim].empty() && size >= ways && size % ways == 0)
      return dim;
  return std::nullopt;
}

Result ShardOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                      transform::TransformState &state) {
  FailureOr<Subject> subject = getSubject(*this, state);
  if (failed(subject))
    return Result::definiteFailure();
  MeshAttr mesh = subject->program.getMesh();
  FailureOr<AxesAttr> axes = tactics::getAxes(*this, getAxesAttr(), getAxesParam(), state, mesh);
  if (failed(axes))
    return Result::definiteFailure();
  return askAll(*this, getTarget(), state, [&](RequestBook &book, const Target &target) {
    std::optional<int64_t> dim = getDim();
    if (!dim) {
      Outcome outcome = book.getOutcome(target);
      AxisList list = toAxisList(mesh, *axes);
      // What lies along the axes already is not asked again.
      if (llvm::any_of(outcome.layout.dims, [&](const AxisList &dim) {
            return llvm::any_of(
                dim, [&](const AxisRef &axis) { return llvm::is_contained(list, axis); });
          }))
        return success();
      dim = findDim(book.getType(target), outcome, axes->getGroupSize(mesh));
      if (!dim)
        return success();
    }
    if (getIfPresent() && *dim >= book.getType(target).getRank())
      return success();
    return book.add(target, {RequestKind::shard, getLoc(), *dim, *axes, {}});
  });
}

Result tactics::ReplicateOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                                   transform::TransformState &state) {
  FailureOr<Subject> subject = getSubject(*this, state);
  if (failed(subject))
    return Result::definiteFailure();
  FailureOr<AxesAttr> axes =
      tactics::getAxes(*this, getAxesAttr(), getAxesParam(), state, subject->program.getMesh());
  if (failed(axes))
    return Result::definiteFailure();
  return askAll(*this, getTarget(), state, [&](RequestBook &book, const Target &target) {
    return book.add(target, {RequestKind::replicate, getLoc(), 0, *axes, {}});
  });
}

Result PinOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                    transform::TransformState &state) {
  return askAll(*this, getTarget(), state, [&](RequestBook &book, const Target &target) {
    return book.add(target, {RequestKind::pin, getLoc(), 0, {}, getLayoutAttr()});
  });
}

Result tactics::ReshardOp::apply(transform::TransformRewriter &,
                                 transform::TransformResults &results,
                                 transform::TransformState &state) {
  FailureOr<Subject> subject = getSubject(*this, state);
  if (failed(subject))
    return Result::definiteFailure();
  MeshAttr mesh = subject->program.getMesh();
  FailureOr<AxesAttr> axes = tactics::getAxes(*this, getAxesAttr(), getAxesParam(), state, mesh);
  if (failed(axes))
    return Result::definiteFailure();
  SmallVector<Value> moved;
  Result result = askAll(*this, getTarget(), state, [&](RequestBook &book, const Target &target) {
    auto none = LayoutAttr::getReplicated(mesh, book.getType(target).getRank());
    // Behind what was asked of the value itself.
    Value value = target.value;
    ConstrainOp before = getTacticConstraint(value);
    ConstrainOp op = addTacticConstraint(before ? before.getResult() : value, none);
    op->setAttr("dmc.reshards", UnitAttr::get(getContext()));
    Target target_{Target::inner, 0, op.getResult()};
    moved.push_back(op.getResult());
    if (getLayoutAttr()) {
      op.setDirection(Direction::forward);
      return book.add(target_, {RequestKind::pin, getLoc(), 0, {}, getLayoutAttr()});
    }
    return book.add(target_, {RequestKind::replicate, getLoc(), 0, *axes, {}});
  });
  if (result.succeeded())
    results.setValues(cast<OpResult>(getMoved()), moved);
  return result;
}
