//===- RequestOps.cpp - Tactics that ask for layouts ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shard, replicate, pin and reshard.
//
//===----------------------------------------------------------------------===//
#include "RequestBook.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

using Result = DiagnosedSilenceableFailure;

/// Asks the same of all targets of a handle.
static Result askAll(Operation *tactic, const Subject &subject, Value handle,
                     transform::TransformState &state,
                     llvm::function_ref<LogicalResult(RequestBook &, const Target &)> ask) {
  RequestBook book(tactic, subject);
  FailureOr<SmallVector<Target>> targets = book.getTargets(handle, state);
  if (failed(targets))
    return Result::definiteFailure();
  for (const Target &target : *targets)
    if (failed(ask(book, target)))
      return Result::definiteFailure();
  book.finish();
  return Result::success();
}

/// A dimension that is not split yet, or else one that is; of these the one whose blocks need
/// the least padding, the first of equals: so one that is divided evenly, where there is one.
/// None, where there are more shards than any has elements.
static std::optional<int64_t> findDim(MeshAttr mesh, RankedTensorType type, const Outcome &outcome,
                                      AxesAttr axes) {
  std::optional<int64_t> best;
  std::pair<bool, double> least;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    const AxisList &before = outcome.layout.dims[dim];
    int64_t numShards = axes.getGroupSize(mesh);
    for (const AxisRef &axis : before)
      numShards *= axis.size;
    if (size < numShards)
      continue;
    double padded = static_cast<double>(llvm::alignTo(size, numShards)) / size;
    std::pair<bool, double> price(!before.empty(), padded);
    if (!best || price < least) {
      best = dim;
      least = price;
    }
  }
  return best;
}

/// Nothing to split is a mistake, what of many is left whole is not.
static Result sayWhole(ShardOp tactic, ArrayRef<std::string> whole, size_t numSplit,
                       const SubjectOnAxes &subject) {
  auto explain = [&](InFlightDiagnostic &diagnostic) {
    if (tactic.getDim())
      diagnostic << ": no dimension " << *tactic.getDim();
    else
      diagnostic << ": no dimension has as many as " << subject.axes.getGroupSize(subject.mesh)
                 << " elements on a rank";
  };
  if (!numSplit && !(tactic.getIfPresent() && !tactic.getDim())) {
    InFlightDiagnostic error = tactic.emitError("found nothing to split along ")
                               << toText(subject.axes);
    auto arguments = tactic.getTarget().getDefiningOp<ArgumentsOp>();
    if (!whole.empty())
      explain(error);
    else if (arguments && arguments.getRole())
      error << ": the program has no argument that is " << *arguments.getRole();
    else
      error << ": there are no values";
    return Result::definiteFailure();
  }
  if (whole.empty())
    return Result::success();
  InFlightDiagnostic remark = tactic.emitRemark("not split along ") << toText(subject.axes) << ": ";
  size_t shown = whole.size() > 5 ? 4 : whole.size();
  llvm::interleaveComma(whole.take_front(shown), remark);
  if (shown < whole.size())
    remark << " and " << whole.size() - shown << " more";
  explain(remark);
  return Result::success();
}

Result ShardOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                      transform::TransformState &state) {
  FailureOr<SubjectOnAxes> subject = getSubjectOnAxes(*this, getAxesAttr(), getAxesParam(), state);
  if (failed(subject))
    return Result::definiteFailure();
  AxisList list = toAxisList(subject->mesh, subject->axes);
  SmallVector<std::string> whole;
  size_t numSplit = 0;
  auto ask = [&](RequestBook &book, const Target &target) -> LogicalResult {
    std::optional<int64_t> dim = getDim();
    if (!dim) {
      Outcome outcome = book.getOutcome(target);
      // What lies along the axes already is not asked again.
      if (llvm::any_of(outcome.layout.dims, [&](const AxisList &dim) {
            return llvm::any_of(
                dim, [&](const AxisRef &axis) { return llvm::is_contained(list, axis); });
          })) {
        ++numSplit;
        return success();
      }
      dim = findDim(subject->mesh, book.getType(target), outcome, subject->axes);
    }
    if (!dim || (getIfPresent() && *dim >= book.getType(target).getRank())) {
      whole.push_back(book.describe(target));
      return success();
    }
    ++numSplit;
    return book.add(target, {RequestKind::shard, getLoc(), *dim, subject->axes, {}});
  };
  Result result = askAll(*this, *subject, getTarget(), state, ask);
  return result.succeeded() ? sayWhole(*this, whole, numSplit, *subject) : std::move(result);
}

Result tactics::ReplicateOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                                   transform::TransformState &state) {
  FailureOr<SubjectOnAxes> subject =
      getSubjectOnAxes(*this, getAxesAttr(), getAxesParam(), state, /*areOptional=*/true);
  if (failed(subject))
    return Result::definiteFailure();
  return askAll(*this, *subject, getTarget(), state, [&](RequestBook &book, const Target &target) {
    return book.add(target, {RequestKind::replicate, getLoc(), 0, subject->axes, {}});
  });
}

Result PinOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                    transform::TransformState &state) {
  FailureOr<Subject> subject = getSubject(*this, state);
  if (failed(subject))
    return Result::definiteFailure();
  return askAll(*this, *subject, getTarget(), state, [&](RequestBook &book, const Target &target) {
    return book.add(target, {RequestKind::pin, getLoc(), 0, {}, getLayoutAttr()});
  });
}

/// What a value's uses convert it to, if they do nothing else with it but to compute element by
/// element with other tensors. Constraints of tactics are looked through.
static SmallVector<Value> findNarrowed(Value value) {
  SmallVector<Value> narrow;
  int64_t width = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  for (Operation *user : value.getUsers()) {
    if (auto constraint = dyn_cast<ConstrainOp>(user);
        constraint && constraint->hasAttr("dmc.tactic")) {
      SmallVector<Value> behind = findNarrowed(constraint.getResult());
      if (behind.empty() && !constraint.getResult().use_empty())
        return {};
      narrow.append(behind);
      continue;
    }
    auto map = dyn_cast<linalg::MapOp>(user);
    if (!map)
      return {};
    if (map.getInputs().size() > 1)
      continue;
    Value result = map.getResult()[0];
    if (getElementTypeOrSelf(result.getType()).getIntOrFloatBitWidth() >= width)
      return {};
    narrow.push_back(result);
  }
  return narrow;
}

Result tactics::ReshardOp::apply(transform::TransformRewriter &,
                                 transform::TransformResults &results,
                                 transform::TransformState &state) {
  FailureOr<SubjectOnAxes> subject =
      getSubjectOnAxes(*this, getAxesAttr(), getAxesParam(), state, /*areOptional=*/true);
  if (failed(subject))
    return Result::definiteFailure();
  SmallVector<Value> moved;
  // Behind what was asked of the value itself.
  auto constrain = [&](RequestBook &book, Value value) {
    ConstrainOp before = getTacticConstraint(value);
    Value source = before ? before.getResult() : value;
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    ConstrainOp op = addTacticConstraint(source, LayoutAttr::getReplicated(subject->mesh, rank));
    op->setAttr("dmc.reshards", UnitAttr::get(getContext()));
    moved.push_back(op.getResult());
    Target target{Target::inner, 0, op.getResult()};
    if (getLayoutAttr()) {
      op.setDirection(Direction::forward);
      return book.add(target, {RequestKind::pin, getLoc(), 0, {}, getLayoutAttr()});
    }
    return book.add(target, {RequestKind::replicate, getLoc(), 0, subject->axes, {}});
  };
  auto ask = [&](RequestBook &book, const Target &target) -> LogicalResult {
    SmallVector<Value> narrow = getNarrowed() ? findNarrowed(target.value) : SmallVector<Value>();
    for (Value value : narrow)
      if (failed(constrain(book, value)))
        return failure();
    return narrow.empty() ? constrain(book, target.value) : success();
  };
  Result result = askAll(*this, *subject, getTarget(), state, ask);
  if (result.succeeded())
    results.setValues(cast<OpResult>(getMoved()), moved);
  return result;
}
