//===- DecideOps.cpp - Tactics that decide, and contracts -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// propagate, solve, expect and expect_split.
//
//===----------------------------------------------------------------------===//
#include "RequestBook.h"

#include "dmc/Parallelize/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

using Result = DiagnosedSilenceableFailure;

/// The numbers of the arguments or results that propagation may split further: those
/// without a layout of their own, and those that a tactic left open.
static llvm::BitVector findOpen(ArrayRef<ValueAttr> values,
                                llvm::function_ref<Attribute(unsigned)> getOpen) {
  llvm::BitVector open(values.size());
  for (auto [number, value] : llvm::enumerate(values))
    if (!value.getLayout() || getOpen(number))
      open.set(number);
  return open;
}

namespace {
/// What a boundary was asked for survives propagation: later tactics build on it.
class Boundary {
public:
  Boundary(Location loc, Subject &subject) : loc(loc), entry(subject.entry) {
    auto getArgumentOpen = [&](unsigned i) { return entry.getArgAttr(i, "dmc.open"); };
    auto getResultOpen = [&](unsigned i) { return entry.getResultAttr(i, "dmc.open"); };
    openArguments = findOpen(subject.program.getArguments(), getArgumentOpen);
    openResults = findOpen(subject.program.getResults(), getResultOpen);
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      arguments.push_back(entry.getArgAttrDict(i));
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      results.push_back(entry.getResultAttrDict(i));
  }

  void restore(ProgramAttr program) {
    for (auto [i, attributes, value] : llvm::enumerate(arguments, program.getArguments()))
      entry.setArgAttrs(i, extend(attributes, value, openArguments[i]));
    for (auto [i, attributes, value] : llvm::enumerate(results, program.getResults()))
      entry.setResultAttrs(i, extend(attributes, value, openResults[i]));
  }

private:
  /// The attributes from before, with what was decided as a further request.
  DictionaryAttr extend(DictionaryAttr attributes, ValueAttr value, bool isOpen) {
    NamedAttrList list(attributes);
    Builder builder(value.getContext());
    if (isOpen) {
      SmallVector<Attribute> requests;
      if (auto before = dyn_cast_or_null<ArrayAttr>(list.get("dmc.requests")))
        llvm::append_range(requests, before);
      requests.push_back(builder.getArrayAttr(
          {builder.getI64IntegerAttr(static_cast<int64_t>(RequestKind::decided)), loc,
           builder.getI64IntegerAttr(0), builder.getUnitAttr(), value.getLayout()}));
      list.set("dmc.requests", builder.getArrayAttr(requests));
      list.set("dmc.open", builder.getDenseI64ArrayAttr(
                               llvm::to_vector(llvm::seq<int64_t>(value.getType().getRank()))));
    }
    return list.getDictionary(value.getContext());
  }

  Location loc;
  func::FuncOp entry;
  llvm::BitVector openArguments, openResults;
  SmallVector<DictionaryAttr> arguments, results;
};
} // namespace

Result PropagateOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                          transform::TransformState &state) {
  FailureOr<Subject> subject = getSubject(*this, state);
  if (failed(subject))
    return Result::definiteFailure();
  ModuleOp module = subject->module;
  if (module->hasAttr("dmc.decided"))
    return Result::success();
  Boundary boundary(getLoc(), *subject);
  Builder builder(getContext());
  if (getImprove())
    module->removeAttr("dmc.plain");
  else
    module->setAttr("dmc.plain", builder.getUnitAttr());
  if (getInOrder())
    module->setAttr("dmc.in_order", builder.getUnitAttr());
  PassManager pm(getContext());
  PropagateLayoutsOptions options;
  options.improve = getImprove();
  if (auto machine = module->getAttrOfType<StringAttr>("dmc.machine"))
    options.machine = machine.str();
  pm.addPass(createPropagateLayouts(options));
  if (failed(pm.run(module)))
    return Result::definiteFailure();
  boundary.restore(ProgramAttr::of(module));
  module->setAttr("dmc.decided", builder.getUnitAttr());
  return Result::success();
}

Result SolveOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                      transform::TransformState &state) {
  FailureOr<Subject> subject = getSubject(*this, state);
  if (failed(subject))
    return Result::definiteFailure();
  subject->module->setAttr("dmc.solve", UnitAttr::get(getContext()));
  // There is something left to choose.
  subject->module->removeAttr("dmc.decided");
  return Result::success();
}

Result ExpectOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                       transform::TransformState &state) {
  FailureOr<Subject> subject = getSubject(*this, state, /*needsMesh=*/false);
  if (failed(subject))
    return Result::definiteFailure();
  SmallVector<Attribute> contracts;
  if (auto known = subject->module->getAttrOfType<ArrayAttr>("dmc.contracts"))
    llvm::append_range(contracts, known);
  NamedAttrList contract;
  auto set = [&](StringRef name, Attribute value) {
    if (value)
      contract.set(name, value);
  };
  set("wire_bytes", getWireBytesAttr());
  set("peak_bytes", getPeakBytesAttr());
  set("only", getOnlyAttr());
  set("counts", getCountsAttr());
  set("loc", getLoc());
  contracts.push_back(contract.getDictionary(getContext()));
  subject->module->setAttr("dmc.contracts", Builder(getContext()).getArrayAttr(contracts));
  return Result::success();
}

Result ExpectSplitOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                            transform::TransformState &state) {
  FailureOr<SubjectOnAxes> subject = getSubjectOnAxes(*this, getAxesAttr(), getAxesParam(), state);
  if (failed(subject))
    return Result::definiteFailure();
  if (!subject->module->hasAttr("dmc.decided")) {
    emitError("expected layouts to be decided; transform.dmc.propagate does so");
    return Result::definiteFailure();
  }
  AxisList wanted = toAxisList(subject->mesh, subject->axes);
  RequestBook book(*this, *subject);
  FailureOr<SmallVector<Target>> targets = book.getTargets(getTarget(), state);
  if (failed(targets))
    return Result::definiteFailure();
  for (const Target &target : *targets) {
    LayoutAttr layout;
    if (target.kind == Target::argument)
      layout = subject->program.getArguments()[target.number].getLayout();
    else if (target.kind == Target::result)
      layout = subject->program.getResults()[target.number].getLayout();
    else
      layout = getDecided(target.value);
    int64_t rank = book.getType(target).getRank();
    if (std::optional<int64_t> dim = getDim(); dim && (*dim < 0 || *dim >= rank)) {
      emitError("expected a dimension of ")
          << book.describe(target) << ", which has " << rank << ", found " << *dim;
      return Result::definiteFailure();
    }
    bool isSplit = false;
    if (layout)
      for (unsigned dim = 0; dim < rank; ++dim)
        if (!getDim() || *getDim() == dim)
          isSplit |= llvm::all_of(wanted, [&](const AxisRef &axis) {
            return llvm::is_contained(layout.toLayout().dims[dim], axis);
          });
    if (isSplit)
      continue;
    InFlightDiagnostic error = emitError("expected ") << book.describe(target) << " to be split";
    if (getDim())
      error << " in dimension " << *getDim();
    error << " along " << toText(subject->axes) << ", found "
          << (layout ? toText(layout) : std::string("no layout"));
    Location loc = target.kind == Target::result ? subject->entry.getLoc() : target.value.getLoc();
    if (loc->findInstanceOf<FileLineColLoc>())
      error.attachNote(loc) << "decided for this value";
    return Result::definiteFailure();
  }
  return Result::success();
}
