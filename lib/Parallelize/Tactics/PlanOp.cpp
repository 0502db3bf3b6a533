//===- PlanOp.cpp - A saved plan is applied -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the constraints that tactics had added and the barriers that split live ranges, and gives
// the boundary and every operation the layouts that were saved.
//
//===----------------------------------------------------------------------===//
#include "Plan.h"
#include "RequestBook.h"

#include "dmc/Sharding/ShardingRule.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

namespace {
class Replay {
public:
  Replay(PlanOp plan, Subject subject)
      : plan(plan), subject(subject), arguments(subject.program.getArguments()),
        results(subject.program.getResults()), operations(numberOperations(subject.entry)) {}

  LogicalResult run();

private:
  LogicalResult insert(ArrayAttr decision);
  LogicalResult setBoundary(ArrayAttr decision);
  LogicalResult setOperation(ArrayAttr decision);
  LogicalResult checkUnique();
  LogicalResult checkComplete();
  LogicalResult checkLayouts(ArrayAttr layouts, TypeRange types, const Twine &what);

  PlanOp plan;
  Subject subject;
  SmallVector<ValueAttr> arguments, results;
  std::vector<Operation *> operations;
};
} // namespace

/// What is taken behind a place is taken from a barrier there, also what constraints of tactics
/// make of the value.
static Operation *addBarrier(Value value, Operation *before) {
  OpBuilder builder(before);
  auto barrier = OptimizationBarrierOp::create(builder, value.getLoc(), value);
  barrier->setAttr("dmc.tactic", builder.getUnitAttr());
  auto isOurs = [](Operation *op) {
    return isa_and_nonnull<ConstrainOp>(op) && op->hasAttr("dmc.tactic");
  };
  SmallVector<Value, 2> sources = {value};
  if (Operation *maker = value.getDefiningOp(); isOurs(maker))
    sources.push_back(maker->getOperand(0));
  for (Operation *user : value.getUsers())
    if (isOurs(user))
      sources.push_back(user->getResult(0));
  for (Value source : sources)
    source.replaceUsesWithIf(barrier.getResult(), [&](OpOperand &use) {
      Operation *user = before->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return user && user != barrier && !user->isBeforeInBlock(before);
    });
  return barrier;
}

LogicalResult Replay::insert(ArrayAttr decision) {
  uint64_t number = cast<IntegerAttr>(decision[0]).getInt();
  ArrayRef<int64_t> source = cast<DenseI64ArrayAttr>(decision[4]).asArrayRef();
  Value value;
  func::FuncOp entry = subject.entry;
  if (source[0] < 0) {
    if (source[1] >= 0 && source[1] < entry.getNumArguments())
      value = entry.getArgument(source[1]);
  } else if (source[0] < static_cast<int64_t>(operations.size())) {
    Operation *op = operations[source[0]];
    if (source[1] >= 0 && source[1] < op->getNumResults())
      value = op->getResult(source[1]);
  }
  auto layouts = cast<ArrayAttr>(decision[3]);
  // Those in front of it have their places; so it comes in front of the next.
  Operation *before = number < operations.size() ? operations[number] : nullptr;
  bool isBarrier = cast<StringAttr>(decision[1]) == OptimizationBarrierOp::getOperationName();
  auto isInPlace = [&]() {
    Operation *first = findFirstUse(value), *maker = value.getDefiningOp();
    return before->getBlock() == value.getParentBlock() &&
           (!maker || maker->isBeforeInBlock(before)) &&
           (isBarrier || before == first || before->isBeforeInBlock(first));
  };
  if (!value || !isa<RankedTensorType>(value.getType()) || !before || layouts.size() != 1 ||
      !isInPlace())
    return plan.emitError("decision ")
           << number << ": expected a " << (isBarrier ? "barrier" : "constraint")
           << " of a value of the program";
  if (failed(checkLayouts(layouts, value.getType(), "decision " + Twine(number))))
    return failure();
  Operation *op =
      isBarrier ? addBarrier(value, before)
                : addTacticConstraint(value, cast<LayoutAttr>(layouts[0]), before).getOperation();
  operations.insert(operations.begin() + number, op);
  return success();
}

LogicalResult Replay::checkLayouts(ArrayAttr layouts, TypeRange types, const Twine &what) {
  for (auto [attribute, type] : llvm::zip_equal(layouts, types)) {
    auto layout = cast<LayoutAttr>(attribute);
    if (layout.getMesh() != plan.getMesh() ||
        layout.getRank() != cast<RankedTensorType>(type).getRank())
      return plan.emitError() << what << ": expected a layout on the plan's mesh for " << type
                              << ", found " << toText(layout);
  }
  return success();
}

LogicalResult Replay::setBoundary(ArrayAttr decision) {
  bool isArgument = cast<StringAttr>(decision[0]) == "argument";
  auto name = cast<StringAttr>(decision[1]);
  func::FuncOp entry = subject.entry;
  MutableArrayRef<ValueAttr> values = isArgument ? arguments : results;
  for (auto [number, value] : llvm::enumerate(values))
    if (value.getName() == name) {
      auto layout = cast<LayoutAttr>(decision[2]);
      bool isOpen = isArgument ? bool(entry.getArgAttr(number, "dmc.open"))
                               : bool(entry.getResultAttr(number, "dmc.open"));
      if (value.getLayout() && value.getLayout() != layout && !isOpen)
        return plan.emitError("expected the layout ")
               << toText(value.getLayout()) << " of \"" << name.getValue()
               << "\", as the program says, found " << toText(layout);
      auto layouts = Builder(plan.getContext()).getArrayAttr({decision[2]});
      if (failed(checkLayouts(layouts, Type(value.getType()), "\"" + name.getValue() + "\"")))
        return failure();
      value = value.withLayout(layout);
      return success();
    }
  return plan.emitError("the program has no ")
         << cast<StringAttr>(decision[0]).getValue() << " \"" << name.getValue() << '"';
}

LogicalResult Replay::setOperation(ArrayAttr decision) {
  uint64_t number = cast<IntegerAttr>(decision[0]).getInt();
  auto name = cast<StringAttr>(decision[1]);
  if (number >= operations.size())
    return plan.emitError("decision ")
           << number << ": the program has " << operations.size() << " operations";
  Operation *op = operations[number];
  if (op->getName().getStringRef() != name)
    return plan.emitError("decision ") << number << ": expected " << name.getValue() << ", found "
                                       << op->getName().getStringRef();
  SmallVector<Type> operandTypes, resultTypes;
  for (OpOperand *operand : getTensorOperands(op))
    operandTypes.push_back(operand->get().getType());
  for (OpResult result : getTensorResults(op))
    resultTypes.push_back(result.getType());
  auto operandLayouts = cast<ArrayAttr>(decision[2]), resultLayouts = cast<ArrayAttr>(decision[3]);
  if (operandLayouts.size() != operandTypes.size() || resultLayouts.size() != resultTypes.size())
    return plan.emitError("decision ")
           << number << ": expected " << operandTypes.size() << " operand and "
           << resultTypes.size() << " result layouts, found " << operandLayouts.size() << " and "
           << resultLayouts.size();
  if (failed(checkLayouts(operandLayouts, operandTypes, "decision " + Twine(number))) ||
      failed(checkLayouts(resultLayouts, resultTypes, "decision " + Twine(number))))
    return failure();
  auto toLayouts = [](ArrayAttr layouts) {
    return llvm::to_vector(layouts.getAsRange<LayoutAttr>());
  };
  op->setAttr("dmc.layouts", OpLayoutsAttr::get(plan.getContext(), toLayouts(operandLayouts),
                                                toLayouts(resultLayouts)));
  return success();
}

/// Of two lines about the same one would count, and nobody knows which.
LogicalResult Replay::checkUnique() {
  DenseSet<std::pair<Attribute, Attribute>> seen;
  for (ArrayAttr decision : plan.getDecisions().getAsRange<ArrayAttr>()) {
    auto keyword = dyn_cast<StringAttr>(decision[0]);
    if (seen.insert({decision[0], keyword ? decision[1] : Attribute()}).second)
      continue;
    InFlightDiagnostic error = plan.emitError("the plan says layouts twice of ");
    if (keyword)
      return error << keyword.getValue() << ' ' << decision[1];
    return error << "operation " << cast<IntegerAttr>(decision[0]).getInt();
  }
  return success();
}

LogicalResult Replay::run() {
  if (MeshAttr mesh = subject.program.getMesh(); mesh && mesh != plan.getMesh())
    return plan.emitError("expected a plan on the program's mesh ")
           << toString(mesh.toMesh()) << ", found one on " << toString(plan.getMesh().toMesh());
  std::string fingerprint = getFingerprint(subject.program, subject.entry);
  if (fingerprint != plan.getFingerprint())
    return plan.emitError("the plan was saved from another program: expected fingerprint ")
           << fingerprint << ", found " << plan.getFingerprint();
  if (llvm::any_of(operations, [](Operation *op) { return op->hasAttr("dmc.tactic"); }))
    return plan.emitError("expected a program that no tactic has changed");
  if (failed(checkUnique()))
    return failure();
  auto decisions = plan.getDecisions().getAsRange<ArrayAttr>();
  for (ArrayAttr decision : decisions)
    if (decision.size() == 5 && failed(insert(decision)))
      return failure();
  for (ArrayAttr decision : decisions)
    if (failed(isa<StringAttr>(decision[0]) ? setBoundary(decision) : setOperation(decision)))
      return failure();
  ProgramAttr program = subject.program;
  program = ProgramAttr::get(program.getContext(), program.getLevel(), program.getName(),
                             plan.getMesh(), arguments, results);
  subject.module->setAttr("dmc.program", program);
  Builder builder(plan.getContext());
  subject.module->setAttr("dmc.decided", builder.getUnitAttr());
  if (plan.getPlain())
    subject.module->setAttr("dmc.plain", builder.getUnitAttr());
  return checkComplete();
}

/// A line that was lost must not show up as an operation without layouts later.
LogicalResult Replay::checkComplete() {
  for (ArrayRef<ValueAttr> values : {ArrayRef(arguments), ArrayRef(results)})
    for (ValueAttr value : values)
      if (!value.getLayout())
        return plan.emitError("the plan says no layout of \"") << value.getName().getValue() << '"';
  for (auto [number, op] : llvm::enumerate(operations)) {
    bool needsLayouts = !isLayoutAgnostic(op) && !isa<func::ReturnOp>(op) &&
                        (!getTensorOperands(op).empty() || !getTensorResults(op).empty());
    if (needsLayouts && !op->hasAttr("dmc.layouts"))
      return plan.emitError("the plan says no layouts of operation ")
             << number << " (" << op->getName().getStringRef() << ')';
  }
  return success();
}

DiagnosedSilenceableFailure PlanOp::apply(transform::TransformRewriter &,
                                          transform::TransformResults &,
                                          transform::TransformState &state) {
  FailureOr<Subject> subject = getSubject(*this, state, /*needsMesh=*/false);
  if (failed(subject))
    return DiagnosedSilenceableFailure::definiteFailure();
  return toResult(Replay(*this, *subject).run());
}
