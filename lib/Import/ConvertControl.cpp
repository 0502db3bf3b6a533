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

static LogicalResult convertIf(Converter &c, Operation *op) {
  auto source = cast<stablehlo::IfOp>(op);
  Location loc = op->getLoc();
  Value holds = tensor::ExtractOp::create(c.b, loc, c[source.getPred()], ValueRange());
  OperationState state(loc, scf::IfOp::getOperationName());
  state.addOperands(holds);
  state.addTypes(convertTypes(op->getResultTypes()));
  state.addRegion();
  state.addRegion();
  auto branch = cast<scf::IfOp>(c.b.create(state));
  OpBuilder::InsertionGuard guard(c.b);
  if (failed(convertBranch(c, source.getTrueBranch(), branch.getThenRegion())) ||
      failed(convertBranch(c, source.getFalseBranch(), branch.getElseRegion())))
    return failure();
  c.map(op, branch.getResults());
  return success();
}

static LogicalResult convertCase(Converter &c, Operation *op) {
  auto source = cast<stablehlo::CaseOp>(op);
  Location loc = op->getLoc();
  Value scalar = tensor::ExtractOp::create(c.b, loc, c[source.getIndex()], ValueRange());
  Value index = arith::IndexCastOp::create(c.b, loc, c.b.getIndexType(), scalar);
  // An index that is no other branch's is the last one's.
  unsigned numCases = source.getBranches().size() - 1;
  auto cases = llvm::to_vector(llvm::seq<int64_t>(0, numCases));
  auto branches = scf::IndexSwitchOp::create(c.b, loc, convertTypes(op->getResultTypes()), index,
                                             cases, numCases);
  OpBuilder::InsertionGuard guard(c.b);
  for (auto [i, branch] : llvm::enumerate(source.getBranches())) {
    Region &to = i == numCases ? branches.getDefaultRegion() : branches.getCaseRegions()[i];
    if (failed(convertBranch(c, branch, to)))
      return failure();
  }
  c.map(op, branches.getResults());
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
