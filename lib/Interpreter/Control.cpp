//===- Control.cpp - Functions, blocks, structured control flow -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs blocks for the ranks that reach them, and frees values after their last
// use.
//
//===----------------------------------------------------------------------===//
#include "Loops.h"
#include "Machine.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

/// Emits an error unless the interpreter can hold values of the type.
static LogicalResult checkType(Location loc, Type type, Level level, MeshAttr mesh) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    if (getKind(type))
      return success();
    return emitError(loc, "type ") << type << " is unsupported by the interpreter";
  }
  if (!isHoldable(tensor))
    return emitError(loc, "type ") << type << " is unsupported by the interpreter";
  LayoutAttr layout = LayoutAttr::of(type);
  if (level != Level::parallel && layout)
    return emitError(loc, "expected no layouts at level ")
           << stringifyLevel(level) << ", found one in " << type;
  if (level == Level::parallel && !layout)
    return emitError(loc, "expected a layout on every tensor at level parallel, found ") << type;
  if (layout && layout.getMesh() != mesh)
    return emitError(loc, "expected layouts on the program's mesh, found ") << type;
  return success();
}

LogicalResult Machine::checkTypes(func::FuncOp function) {
  if (!checked.insert(function).second)
    return success();
  if (function.isExternal())
    return function.emitError("function @")
           << function.getName() << " has no body for the interpreter";
  auto checkAll = [&](Location loc, TypeRange types) {
    return success(llvm::all_of(
        types, [&](Type type) { return succeeded(checkType(loc, type, level, mesh)); }));
  };
  if (failed(checkAll(function.getLoc(), function.getArgumentTypes())))
    return failure();
  WalkResult result = function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ManualOp>(op)) {
      // What ranks do with their parts has no layouts.
      WalkResult body = op->getRegion(0).walk([&](Operation *nested) {
        return WalkResult(success(llvm::all_of(nested->getResultTypes(), [&](Type type) {
          return succeeded(checkType(nested->getLoc(), type, Level::ranks, mesh));
        })));
      });
      if (body.wasInterrupted() || failed(checkAll(op->getLoc(), op->getResultTypes())))
        return WalkResult::interrupt();
      return WalkResult::skip();
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(checkAll(op->getLoc(), block.getArgumentTypes())))
          return WalkResult::interrupt();
    return WalkResult(checkAll(op->getLoc(), op->getResultTypes()));
  });
  return failure(result.wasInterrupted());
}

LogicalResult Machine::call(func::FuncOp function, std::vector<Cells> &values, Ranks ranks) {
  if (failed(checkTypes(function)))
    return failure();
  if (!active.insert(function).second)
    return function.emitError("recursion is unsupported by the interpreter");
  Block &body = function.getBody().front();
  for (auto [argument, cells] : llvm::zip_equal(body.getArguments(), values))
    setCells(argument, cells, ranks);
  if (failed(execute(body, ranks)))
    return failure();
  values = takeCells(body.getTerminator()->getOperands());
  active.erase(function);
  return success();
}

LogicalResult Machine::execute(Block &block, Ranks ranks) {
  if (analyzed.insert(&block).second) {
    DenseSet<Value> seen;
    auto use = [&](Operation *op, Value value) {
      if (value.getParentBlock() == &block && seen.insert(value).second)
        lastUses[op].push_back(value);
    };
    for (Operation &op : llvm::reverse(block)) {
      op.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          use(&op, operand);
      });
      for (Value result : op.getResults())
        use(&op, result);
    }
  }
  for (Operation &op : block.without_terminator()) {
    if (failed(execute(&op, ranks)))
      return failure();
    if (level == Level::parallel && options.checkReplicas)
      for (OpResult result : op.getResults())
        if (isa<RankedTensorType>(result.getType()) &&
            failed(checkReplicas(&op, result.getType(), env[result], ranks,
                                 "result " + Twine(result.getResultNumber()))))
          return failure();
    for (Value value : lastUses[&op])
      env.erase(value);
  }
  return success();
}

LogicalResult Machine::execute(Operation *op, Ranks ranks) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return executeLinalg(linalgOp, ranks);
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "arith" || dialect == "math")
    return executeElementwise(op, ranks);
  if (dialect == "tensor")
    return executeTensor(op, ranks);
  if (dialect == "dmc")
    return executeDMC(op, ranks);
  if (dialect == "comm")
    return executeCollective(op, ranks);
  if (dialect == "scf")
    return executeControl(op, ranks);
  if (dialect == "func")
    return executeFunc(op, ranks);
  return unsupported(op);
}

LogicalResult Machine::executeFunc(Operation *op, Ranks ranks) {
  auto callOp = dyn_cast<func::CallOp>(op);
  if (!callOp)
    return unsupported(op);
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, callOp.getCalleeAttr());
  std::vector<Cells> values = takeCells(op->getOperands());
  if (failed(call(callee, values, ranks)))
    return failure();
  for (auto [result, cells] : llvm::zip_equal(op->getResults(), values))
    setCells(result, cells, ranks);
  return success();
}

LogicalResult Machine::executeLaunch(LaunchOp op, Ranks ranks) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  std::vector<Cells> values = takeCells(op->getOperands());
  if (failed(call(callee, values, ranks)))
    return failure();
  if (values.size() != op->getNumResults())
    return op.emitOpError("expected ") << op->getNumResults() << " results of @" << op.getCallee()
                                       << ", found " << values.size();
  for (auto [result, cells] : llvm::zip_equal(op->getResults(), values))
    setCells(result, cells, ranks);
  return success();
}

LogicalResult Machine::executeKernel(KernelOp op, Ranks ranks) {
  Block &body = op.getBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op->getOperands()))
    setCells(argument, getCells(operand), ranks);
  if (failed(execute(body, ranks)))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
    setCells(result, getCells(value), ranks);
  return success();
}

/// Parts lie as their layouts say, so each rank's body takes its own as they are.
LogicalResult Machine::executeManual(ManualOp op, Ranks ranks) {
  if (level != Level::parallel)
    return op.emitOpError("is done by ranks; expected a program of level parallel");
  Block &body = op.getBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op.getInputs()))
    setCells(argument, getCells(operand), ranks);
  if (failed(execute(body, ranks)))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands()))
    setCells(result, getCells(value), ranks);
  return success();
}

LogicalResult Machine::executeControl(Operation *op, Ranks ranks) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp o) { return executeFor(o, ranks); })
      .Case([&](scf::IfOp o) { return executeIf(o, ranks); })
      .Case([&](scf::IndexSwitchOp o) { return executeSwitch(o, ranks); })
      .Case([&](scf::WhileOp o) { return executeWhile(o, ranks); })
      .Default([&](Operation *o) { return unsupported(o); });
}

LogicalResult Machine::executeIf(scf::IfOp op, Ranks ranks) {
  for (bool taken : {true, false}) {
    SmallVector<unsigned> some;
    for (unsigned rank : ranks)
      if ((getScalar(op.getCondition(), rank) != 0) == taken)
        some.push_back(rank);
    Region &region = taken ? op.getThenRegion() : op.getElseRegion();
    if (some.empty() || region.empty())
      continue;
    Block &block = region.front();
    if (failed(execute(block, some)))
      return failure();
    for (auto [result, value] :
         llvm::zip_equal(op.getResults(), block.getTerminator()->getOperands()))
      setCells(result, getCells(value), some);
  }
  return success();
}

LogicalResult Machine::executeSwitch(scf::IndexSwitchOp op, Ranks ranks) {
  auto runBlock = [&](Block &block, Ranks some) -> LogicalResult {
    if (some.empty())
      return success();
    if (failed(execute(block, some)))
      return failure();
    for (auto [result, value] :
         llvm::zip_equal(op.getResults(), block.getTerminator()->getOperands()))
      setCells(result, getCells(value), some);
    return success();
  };
  SmallVector<unsigned> rest(ranks);
  for (unsigned i = 0; i < op.getNumCases(); ++i) {
    SmallVector<unsigned> some, others;
    for (unsigned rank : rest)
      (static_cast<int64_t>(getScalar(op.getArg(), rank)) == op.getCases()[i] ? some : others)
          .push_back(rank);
    if (failed(runBlock(op.getCaseBlock(i), some)))
      return failure();
    rest = others;
  }
  return runBlock(op.getDefaultBlock(), rest);
}

LogicalResult Machine::countIteration(Operation *loop) {
  if (!options.maxIterations || numIterations++ < options.maxIterations)
    return success();
  return loop->emitOpError("has not ended when the program's loops have run ")
         << options.maxIterations << " iterations, the limit";
}

LogicalResult Machine::executeFor(scf::ForOp op, Ranks ranks) {
  const unsigned width = getWidth(*getKind(op.getInductionVar().getType()));
  std::vector<int64_t> position(numRanks), end(numRanks), step(numRanks);
  for (unsigned rank : ranks) {
    position[rank] = signExtend(getScalar(op.getLowerBound(), rank), width);
    end[rank] = signExtend(getScalar(op.getUpperBound(), rank), width);
    step[rank] = signExtend(getScalar(op.getStep(), rank), width);
    if (step[rank] <= 0)
      return op.emitOpError("expected a positive step, found ") << step[rank];
  }
  std::vector<Cells> carried;
  for (Value init : op.getInitArgs())
    carried.push_back(getCells(init));
  while (true) {
    SmallVector<unsigned> some;
    for (unsigned rank : ranks)
      if (position[rank] < end[rank])
        some.push_back(rank);
    if (some.empty())
      break;
    if (failed(countIteration(op)))
      return failure();
    for (unsigned rank : some)
      setScalar(op.getInductionVar(), rank, truncate(position[rank], width));
    for (auto [argument, cells] : llvm::zip_equal(op.getRegionIterArgs(), carried))
      setCells(argument, cells, some);
    if (failed(execute(*op.getBody(), some)))
      return failure();
    std::vector<Cells> next = takeCells(op.getBody()->getTerminator()->getOperands());
    for (auto [old, cells] : llvm::zip_equal(carried, next))
      for (unsigned rank : some)
        old[rank] = cells[rank];
    for (unsigned rank : some)
      position[rank] += step[rank];
  }
  for (auto [result, cells] : llvm::zip_equal(op.getResults(), carried))
    setCells(result, cells, ranks);
  return success();
}

LogicalResult Machine::executeWhile(scf::WhileOp op, Ranks ranks) {
  std::vector<Cells> carried;
  for (Value init : op.getInits())
    carried.push_back(getCells(init));
  for (Value result : op.getResults())
    (void)define(result);
  SmallVector<unsigned> some(ranks);
  while (!some.empty()) {
    for (auto [argument, cells] : llvm::zip_equal(op.getBeforeArguments(), carried))
      setCells(argument, cells, some);
    if (failed(execute(*op.getBeforeBody(), some)))
      return failure();
    auto condition = op.getConditionOp();
    std::vector<Cells> passed = takeCells(condition.getArgs());
    SmallVector<unsigned> done, going;
    for (unsigned rank : some)
      (getScalar(condition.getCondition(), rank) ? going : done).push_back(rank);
    for (auto [result, cells] : llvm::zip_equal(op.getResults(), passed))
      setCells(result, cells, done);
    some = going;
    if (some.empty())
      break;
    if (failed(countIteration(op)))
      return failure();
    for (auto [argument, cells] : llvm::zip_equal(op.getAfterArguments(), passed))
      setCells(argument, cells, some);
    if (failed(execute(*op.getAfterBody(), some)))
      return failure();
    carried = takeCells(op.getAfterBody()->getTerminator()->getOperands());
  }
  return success();
}
