//===- StepControl.cpp - Control flow of the step function ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops and branches become blocks, so that a failure may leave from anywhere.
//
//===----------------------------------------------------------------------===//

#include "Host/StepFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

Block *StepBuilder::newBlock(TypeRange types) {
  auto *block = new Block();
  for (Type type : types)
    block->addArgument(type.isIndex() ? tables.i64 : type, loc);
  step.getBody().getBlocks().insert(failed->getIterator(), block);
  return block;
}

void StepBuilder::bind(ValueRange values, Block *block) {
  builder.setInsertionPointToEnd(block);
  for (auto [value, argument] : llvm::zip_equal(values, block->getArguments())) {
    Value scalar = argument;
    if (value.getType().isIndex())
      scalar = arith::IndexCastOp::create(builder, loc, value.getType(), scalar);
    scalars.map(value, scalar);
  }
}

FailureOr<SmallVector<Value>> StepBuilder::passed(ValueRange values, Operation *user) {
  SmallVector<Value> operands;
  for (Value value : values) {
    Value scalar = scalars.lookupOrNull(value);
    if (!scalar)
      return user->emitError("expected scalars that the rank function computes");
    if (scalar.getType().isIndex())
      scalar = arith::IndexCastOp::create(builder, loc, tables.i64, scalar);
    operands.push_back(scalar);
  }
  return operands;
}

LogicalResult StepBuilder::control(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<scf::WhileOp, scf::ForOp, scf::IfOp, scf::IndexSwitchOp>(
          [&](auto control) { return lower(control); })
      .Case([&](memref::LoadOp access) { return load(access); })
      .Case([&](memref::StoreOp access) { return store(access); })
      .Default([&](Operation *other) {
        return other->emitError("code generation does not support '")
               << other->getName() << "' in the rank function";
      });
}

LogicalResult StepBuilder::lower(scf::WhileOp op) {
  llvm::scope_exit restore([this, saved = executions] { executions = saved; });
  executions = -1;
  auto inits = passed(op.getInits(), op);
  if (mlir::failed(inits))
    return failure();
  Block *before = newBlock(op.getBeforeBody()->getArgumentTypes());
  LLVM::BrOp::create(builder, loc, *inits, before);
  bind(op.getBeforeBody()->getArguments(), before);
  if (mlir::failed(lower(*op.getBeforeBody())))
    return failure();
  auto condition = op.getConditionOp();
  auto test = passed(condition.getCondition(), op);
  auto results = passed(condition.getArgs(), op);
  if (mlir::failed(test) || mlir::failed(results))
    return failure();
  Block *body = newBlock(op.getAfterBody()->getArgumentTypes());
  Block *after = newBlock(op.getResultTypes());
  LLVM::CondBrOp::create(builder, loc, test->front(), body, *results, after, *results);
  bind(op.getAfterBody()->getArguments(), body);
  if (mlir::failed(lower(*op.getAfterBody())))
    return failure();
  auto next = passed(op.getYieldOp().getOperands(), op);
  if (mlir::failed(next))
    return failure();
  LLVM::BrOp::create(builder, loc, *next, before);
  bind(op.getResults(), after);
  return success();
}

LogicalResult StepBuilder::lower(scf::ForOp op) {
  llvm::scope_exit restore([this, saved = executions] { executions = saved; });
  auto count = op.getStaticTripCount();
  executions = !count || executions < 0 ? -1 : executions * count->getSExtValue();
  auto bounds = passed({op.getLowerBound(), op.getUpperBound(), op.getStep()}, op);
  auto inits = passed(op.getInitArgs(), op);
  if (mlir::failed(bounds) || mlir::failed(inits))
    return failure();
  SmallVector<Value> start = {(*bounds)[0]};
  llvm::append_range(start, *inits);
  Block *header = newBlock(op.getBody()->getArgumentTypes());
  Block *body = newBlock({});
  Block *after = newBlock(op.getResultTypes());
  LLVM::BrOp::create(builder, loc, start, header);
  bind(op.getBody()->getArguments(), header);
  Value more = LLVM::ICmpOp::create(
      builder, loc, op.getUnsignedCmp() ? LLVM::ICmpPredicate::ult : LLVM::ICmpPredicate::slt,
      header->getArgument(0), (*bounds)[1]);
  LLVM::CondBrOp::create(builder, loc, more, body, ValueRange(), after,
                         header->getArguments().drop_front());
  builder.setInsertionPointToEnd(body);
  if (mlir::failed(lower(*op.getBody())))
    return failure();
  auto next = passed(op.getBody()->getTerminator()->getOperands(), op);
  if (mlir::failed(next))
    return failure();
  next->insert(next->begin(),
               LLVM::AddOp::create(builder, loc, header->getArgument(0), (*bounds)[2]));
  LLVM::BrOp::create(builder, loc, *next, header);
  bind(op.getResults(), after);
  return success();
}

LogicalResult StepBuilder::lower(scf::IfOp op) {
  llvm::scope_exit restore([this, saved = executions] { executions = saved; });
  executions = -1;
  auto test = passed(op.getCondition(), op);
  if (mlir::failed(test))
    return failure();
  Block *then = newBlock({}), *otherwise = newBlock({}), *after = newBlock(op.getResultTypes());
  LLVM::CondBrOp::create(builder, loc, test->front(), then, ValueRange(), otherwise, ValueRange());
  auto fill = [&](Block *block, Region &region) -> LogicalResult {
    builder.setInsertionPointToEnd(block);
    SmallVector<Value> results;
    if (!region.empty()) {
      if (mlir::failed(lower(region.front())))
        return failure();
      auto yielded = passed(region.front().getTerminator()->getOperands(), op);
      if (mlir::failed(yielded))
        return failure();
      results = *yielded;
    }
    LLVM::BrOp::create(builder, loc, results, after);
    return success();
  };
  if (mlir::failed(fill(then, op.getThenRegion())) ||
      mlir::failed(fill(otherwise, op.getElseRegion())))
    return failure();
  bind(op.getResults(), after);
  return success();
}

LogicalResult StepBuilder::lower(scf::IndexSwitchOp op) {
  llvm::scope_exit restore([this, saved = executions] { executions = saved; });
  executions = -1;
  auto selector = passed(op.getArg(), op);
  if (mlir::failed(selector))
    return failure();
  Block *after = newBlock(op.getResultTypes());
  auto fill = [&](Region &region) -> LogicalResult {
    if (mlir::failed(lower(region.front())))
      return failure();
    auto yielded = passed(region.front().getTerminator()->getOperands(), op);
    if (mlir::failed(yielded))
      return failure();
    LLVM::BrOp::create(builder, loc, *yielded, after);
    return success();
  };
  for (auto [value, region] : llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
    Value same = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, selector->front(),
                                      integer(tables.i64, value));
    Block *taken = newBlock({}), *next = newBlock({});
    LLVM::CondBrOp::create(builder, loc, same, taken, ValueRange(), next, ValueRange());
    builder.setInsertionPointToEnd(taken);
    if (mlir::failed(fill(region)))
      return failure();
    builder.setInsertionPointToEnd(next);
  }
  if (mlir::failed(fill(op.getDefaultRegion())))
    return failure();
  bind(op.getResults(), after);
  return success();
}

//===--- Scalars in memory ------------------------------------------------===//

Value StepBuilder::element(Value memref, ValueRange indices, Operation *user) {
  Value base = address(memref, user);
  auto at = passed(indices, user);
  if (!base || mlir::failed(at))
    return {};
  auto type = cast<MemRefType>(memref.getType());
  int64_t stride = elementBytes(type.getElementType());
  for (size_t dim = indices.size(); dim-- > 0; stride *= type.getDimSize(dim)) {
    Value bytes = LLVM::MulOp::create(builder, loc, (*at)[dim], integer(tables.i64, stride));
    base = LLVM::GEPOp::create(builder, loc, tables.pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }
  return base;
}

/// The loop or branch that a scalar decides, directly or by arithmetic; else what reads it.
static Operation *findDecision(memref::LoadOp load) {
  SmallVector<Operation *> next = {load};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!next.empty()) {
    Operation *op = next.pop_back_val();
    if (!seen.insert(op).second)
      continue;
    if (isa<scf::ConditionOp>(op))
      return op->getParentOp();
    if (isa<scf::IfOp, scf::ForOp, scf::WhileOp, scf::IndexSwitchOp>(op))
      return op;
    llvm::append_range(next, op->getUsers());
  }
  return load;
}

LogicalResult StepBuilder::load(memref::LoadOp op) {
  Value place = element(op.getMemRef(), op.getIndices(), op);
  if (!place)
    return failure();
  Type type = op.getType();
  bool isBool = type.isInteger(1);
  if (facts.isForDevice) {
    if (facts.hostWait.empty()) {
      Operation *decision = findDecision(op);
      facts.hostWait = "'" + decision->getName().getStringRef().str() + "' at " +
                       describeLocation(decision->getLoc());
    }
    copyBytes(scalar, DMC_MEMORY_HOST, place, DMC_MEMORY_DEVICE, elementBytes(type));
    place = scalar;
  }
  Value value = LLVM::LoadOp::create(builder, loc,
                                     isBool           ? builder.getI8Type()
                                     : type.isIndex() ? tables.i64
                                                      : type,
                                     place);
  if (isBool)
    value = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, value,
                                 integer(builder.getI8Type(), 0));
  if (type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, type, value);
  scalars.map(op.getResult(), value);
  return success();
}

LogicalResult StepBuilder::store(memref::StoreOp op) {
  Value place = element(op.getMemRef(), op.getIndices(), op);
  auto value = passed(op.getValueToStore(), op);
  if (!place || mlir::failed(value))
    return failure();
  if (op.getValueToStore().getType().isInteger(1))
    value->front() = LLVM::ZExtOp::create(builder, loc, builder.getI8Type(), value->front());
  LLVM::StoreOp::create(builder, loc, value->front(), facts.isForDevice ? scalar : place);
  if (facts.isForDevice)
    copyBytes(place, DMC_MEMORY_DEVICE, scalar, DMC_MEMORY_HOST,
              elementBytes(op.getValueToStore().getType()));
  return success();
}
