//===- Matching.cpp - Which values a tactic is about ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments by role and name, results by name, values by operation and place.
//
//===----------------------------------------------------------------------===//
#include "Names.h"
#include "Roles.h"
#include "TransformOps.h"

#include "dmc/Sharding/ShardingRule.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

/// The numbers of the values whose name fits one of the patterns; a pattern that fits
/// none is an error.
static FailureOr<SmallVector<unsigned>> findNames(Operation *tactic, StringRef text,
                                                  ArrayRef<ValueAttr> values, StringRef what) {
  auto paths = llvm::map_to_vector(
      values, [](ValueAttr value) { return toPath(value.getName().getValue()); });
  SmallVector<StringRef> names(paths.begin(), paths.end());
  SmallVector<StringRef> patterns = getPatterns(text);
  if (patterns.empty())
    return tactic->emitError() << "expected names of " << what << "s, found ''";
  llvm::BitVector found(values.size());
  for (StringRef pattern : patterns) {
    bool any = false;
    for (auto [number, name] : llvm::enumerate(names))
      if (matches(pattern, name) || matches(pattern, values[number].getName().getValue())) {
        found.set(number);
        any = true;
      }
    if (!any)
      return tactic->emitError() << '"' << pattern << "\" names no " << what
                                 << suggest(pattern, names);
  }
  return llvm::to_vector(llvm::map_range(found.set_bits(), [](int n) { return unsigned(n); }));
}

/// Says what a role was found to be, for strategies take it unseen.
static void remarkRole(Operation *tactic, StringRef role, ArrayRef<unsigned> numbers,
                       ProgramAttr program) {
  InFlightDiagnostic remark = tactic->emitRemark() << role << ": ";
  if (numbers.empty())
    remark << "no argument";
  for (auto [i, number] : llvm::enumerate(numbers)) {
    if (i == 4 && numbers.size() > 5) {
      remark << " and " << numbers.size() - i << " more";
      break;
    }
    remark << (i ? ", \"" : "\"") << toPath(program.getArguments()[number].getName().getValue())
           << '"';
  }
}

namespace {
/// What tactics that look for names begin with: the program, which needs no mesh, and the
/// names.
struct Question : Subject {
  std::string names;
};
} // namespace

static FailureOr<Question> getQuestion(Operation *tactic, StringAttr text, Value param,
                                       transform::TransformState &state) {
  FailureOr<Subject> subject = getSubject(tactic, state, /*needsMesh=*/false);
  FailureOr<std::string> names = getText(tactic, text, param, state);
  if (failed(subject) || failed(names))
    return failure();
  return Question{*subject, *names};
}

DiagnosedSilenceableFailure ArgumentsOp::apply(transform::TransformRewriter &,
                                               transform::TransformResults &results,
                                               transform::TransformState &state) {
  FailureOr<Question> subject = getQuestion(*this, getNameAttr(), getNameParam(), state);
  if (failed(subject))
    return DiagnosedSilenceableFailure::definiteFailure();
  SmallVector<unsigned> numbers;
  if (!subject->names.empty() || !getRole()) {
    FailureOr<SmallVector<unsigned>> found =
        findNames(*this, subject->names, subject->program.getArguments(), "argument");
    if (failed(found))
      return DiagnosedSilenceableFailure::definiteFailure();
    numbers = *found;
  } else {
    if ((*getRole() == "batch" || *getRole() == "image") && !hasLoss(*subject)) {
      emitError("cannot tell the ")
          << *getRole() << " from other arguments in a program that returns no loss "
          << "(a scalar, beside updated parameters); expected names of arguments";
      return DiagnosedSilenceableFailure::definiteFailure();
    }
    numbers = getArgumentsOf(*getRole(), *subject);
    if ((*getRole() == "batch" || *getRole() == "image") && numbers.empty()) {
      emitError("the program has no argument that is ")
          << *getRole() << "; expected names of arguments";
      return DiagnosedSilenceableFailure::definiteFailure();
    }
    if (*getRole() != "any")
      remarkRole(*this, *getRole(), numbers, subject->program);
  }
  auto values = llvm::map_to_vector(
      numbers, [&](unsigned number) -> Value { return subject->entry.getArgument(number); });
  results.setValues(cast<OpResult>(getValues()), values);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure ResultsOp::apply(transform::TransformRewriter &,
                                             transform::TransformResults &results,
                                             transform::TransformState &state) {
  FailureOr<Question> subject = getQuestion(*this, getNameAttr(), getNameParam(), state);
  if (failed(subject))
    return DiagnosedSilenceableFailure::definiteFailure();
  FailureOr<SmallVector<unsigned>> numbers =
      findNames(*this, subject->names, subject->program.getResults(), "result");
  if (failed(numbers))
    return DiagnosedSilenceableFailure::definiteFailure();
  Builder builder(getContext());
  auto params = llvm::map_to_vector(
      *numbers, [&](unsigned number) -> Attribute { return builder.getI64IntegerAttr(number); });
  results.setParams(cast<OpResult>(getNumbers()), params);
  return DiagnosedSilenceableFailure::success();
}

/// All names in a location, the innermost first.
static void collectNames(Location loc, SmallVectorImpl<StringRef> &names) {
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names.push_back(name.getName().getValue());
    return WalkResult::advance();
  });
}

DiagnosedSilenceableFailure ValuesOp::apply(transform::TransformRewriter &,
                                            transform::TransformResults &results,
                                            transform::TransformState &state) {
  FailureOr<Subject> subject = getSubject(*this, state, /*needsMesh=*/false);
  if (failed(subject))
    return DiagnosedSilenceableFailure::definiteFailure();
  SmallVector<Value> values;
  llvm::SmallSetVector<StringRef, 16> known;
  subject->entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<func::FuncOp>(op))
      return WalkResult::advance();
    SmallVector<OpResult> tensors = getTensorResults(op);
    bool fits = !tensors.empty() && !isLayoutAgnostic(op);
    if (fits && getOpName() && !matches(*getOpName(), op->getName().getStringRef())) {
      if (!getPlace())
        known.insert(op->getName().getStringRef());
      fits = false;
    }
    if (fits && getPlace()) {
      SmallVector<StringRef> names;
      collectNames(op->getLoc(), names);
      fits = llvm::any_of(names, [&](StringRef name) { return matches(*getPlace(), name); });
      known.insert(names.begin(), names.end());
    }
    if (fits)
      llvm::append_range(values, tensors);
    // Bodies of compute operations hold scalars.
    return isa<RegionBranchOpInterface>(op) ? WalkResult::advance() : WalkResult::skip();
  });
  if (values.empty()) {
    InFlightDiagnostic error = emitError("no operation that makes a tensor");
    if (getOpName())
      error << " is named \"" << *getOpName() << '"';
    if (getPlace())
      error << (getOpName() ? " and" : "") << " lies at \"" << *getPlace() << '"';
    error << suggest(getPlace() ? *getPlace() : *getOpName(), known.getArrayRef());
    return DiagnosedSilenceableFailure::definiteFailure();
  }
  results.setValues(cast<OpResult>(getValues()), values);
  return DiagnosedSilenceableFailure::success();
}
