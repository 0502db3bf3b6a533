//===- ConvertControl.cpp - Control flow ----------------------------------===//
//
// while, if and case become the scf operations of the same meaning.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dmc;

/// Converts a region into `to`, whose arguments are of the converted types. The
/// builder is left at its end; the converted values of the return are the result.
static FailureOr<SmallVector<Value>> convertRegion(Converter &c, Region &from, Region &to) {
  Block &source = from.front();
  Block *block = to.empty() ? c.b.createBlock(&to) : &to.front();
  c.b.setInsertionPointToEnd(block);
  for (BlockArgument argument : source.getArguments())
    c.map(argument, block->addArgument(c.typeOf(argument), argument.getLoc()));
  for (Operation &op : source.without_terminator())
    if (failed(c.convertOp(&op)))
      return failure();
  SmallVector<Value> results;
  for (Value value : source.getTerminator()->getOperands())
    results.push_back(c[value]);
  return results;
}

static SmallVector<Type> convertTypes(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) { return toSignless(type); });
}

static LogicalResult convertWhile(Converter &c, Operation *op) {
  auto source = cast<stablehlo::WhileOp>(op);
  Location loc = op->getLoc();
  SmallVector<Value> inits;
  for (Value operand : source.getOperands())
    inits.push_back(c[operand]);
  auto loop = scf::WhileOp::create(c.b, loc, convertTypes(op->getResultTypes()), inits);
  OpBuilder::InsertionGuard guard(c.b);
  FailureOr<SmallVector<Value>> condition = convertRegion(c, source.getCond(), loop.getBefore());
  if (failed(condition))
    return failure();
  Location conditionLoc = source.getCond().front().getTerminator()->getLoc();
  Value holds = tensor::ExtractOp::create(c.b, conditionLoc, condition->front(), ValueRange());
  scf::ConditionOp::create(c.b, conditionLoc, holds, loop.getBefore().getArguments());
  FailureOr<SmallVector<Value>> body = convertRegion(c, source.getBody(), loop.getAfter());
  if (failed(body))
    return failure();
  scf::YieldOp::create(c.b, source.getBody().front().getTerminator()->getLoc(), *body);
  c.map(op, loop.getResults());
  return success();
}

static LogicalResult convertBranch(Converter &c, Region &from, Region &to) {
  FailureOr<SmallVector<Value>> results = convertRegion(c, from, to);
  if (failed(results))
    return failure();
  scf::YieldOp::create(c.b, from.front().getTerminator()->getLoc(), *results);
  return success();
}

/// An scf.if of two regions.
static FailureOr<scf::IfOp> convertChoice(Converter &c, Operation *op, Value condition,
                                          Region &onTrue,
                                          function_ref<LogicalResult(Region &)> convertElse) {
  OperationState state(op->getLoc(), scf::IfOp::getOperationName());
  state.addOperands(condition);
  state.addTypes(convertTypes(op->getResultTypes()));
  state.addRegion();
  state.addRegion();
  auto choice = cast<scf::IfOp>(c.b.create(state));
  OpBuilder::InsertionGuard guard(c.b);
  if (failed(convertBranch(c, onTrue, choice.getThenRegion())) ||
      failed(convertElse(choice.getElseRegion())))
    return failure();
  return choice;
}

static LogicalResult convertIf(Converter &c, Operation *op) {
  auto source = cast<stablehlo::IfOp>(op);
  Value holds = tensor::ExtractOp::create(c.b, op->getLoc(), c[source.getPred()], ValueRange());
  FailureOr<scf::IfOp> choice =
      convertChoice(c, op, holds, source.getTrueBranch(),
                    [&](Region &to) { return convertBranch(c, source.getFalseBranch(), to); });
  if (failed(choice))
    return failure();
  c.map(op, choice->getResults());
  return success();
}

/// The branches from number `i` on, as a chain of choices: an index that is no
/// other branch's is the last one's.
static FailureOr<scf::IfOp> convertCaseFrom(Converter &c, stablehlo::CaseOp source, Value index,
                                            unsigned i) {
  Location loc = source.getLoc();
  Value number = arith::ConstantOp::create(c.b, loc, c.b.getIntegerAttr(index.getType(), i));
  Value isThis = arith::CmpIOp::create(c.b, loc, arith::CmpIPredicate::eq, index, number);
  auto convertRest = [&](Region &to) -> LogicalResult {
    if (i + 2 == source.getBranches().size())
      return convertBranch(c, source.getBranches().back(), to);
    c.b.createBlock(&to);
    FailureOr<scf::IfOp> rest = convertCaseFrom(c, source, index, i + 1);
    if (failed(rest))
      return failure();
    scf::YieldOp::create(c.b, loc, rest->getResults());
    return success();
  };
  return convertChoice(c, source, isThis, source.getBranches()[i], convertRest);
}

static LogicalResult convertCase(Converter &c, Operation *op) {
  auto source = cast<stablehlo::CaseOp>(op);
  if (source.getBranches().size() == 1) {
    Region &branch = source.getBranches().front();
    for (Operation &nested : branch.front().without_terminator())
      if (failed(c.convertOp(&nested)))
        return failure();
    for (auto [result, value] :
         llvm::zip(op->getResults(), branch.front().getTerminator()->getOperands()))
      c.map(result, c[value]);
    return success();
  }
  Value index = tensor::ExtractOp::create(c.b, op->getLoc(), c[source.getIndex()], ValueRange());
  FailureOr<scf::IfOp> choice = convertCaseFrom(c, source, index, 0);
  if (failed(choice))
    return failure();
  c.map(op, choice->getResults());
  return success();
}

/// The order of pure operations is the scheduler's.
static LogicalResult convertOptimizationBarrier(Converter &c, Operation *op) {
  for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults()))
    c.map(result, c[operand]);
  return success();
}

void dmc::registerControlConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.case"] = convertCase;
  conversions["stablehlo.if"] = convertIf;
  conversions["stablehlo.optimization_barrier"] = convertOptimizationBarrier;
  conversions["stablehlo.while"] = convertWhile;
}
