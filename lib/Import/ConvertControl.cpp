//===- ConvertControl.cpp - Control flow ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// while, if and case become the scf operations of the same meaning; a while that
// counts from one constant to another, as frameworks write it, becomes scf.for.
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

/// The integer that a scalar from outside of the loop, or a constant in it, is.
static std::optional<APInt> getConstant(Converter &c, stablehlo::WhileOp loop, Value value) {
  if (auto constant = value.getDefiningOp<stablehlo::ConstantOp>()) {
    auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return std::nullopt;
    return elements.getSplatValue<APInt>();
  }
  if (loop->isProperAncestor(value.getParentBlock()->getParentOp()) ||
      value.getParentBlock()->getParentOp() == loop)
    return std::nullopt;
  if (auto splat = dyn_cast_or_null<IntegerAttr>(Converter::getSplat(c[value])))
    return splat.getValue();
  return std::nullopt;
}

/// How often the body runs, where the condition compares a counter with a constant
/// and the body adds a constant to it; the counter does not wrap on the way.
static std::optional<int64_t> getTripCount(Converter &c, stablehlo::WhileOp loop) {
  auto compare =
      loop.getCond().front().getTerminator()->getOperand(0).getDefiningOp<stablehlo::CompareOp>();
  auto counter = compare ? dyn_cast<BlockArgument>(compare.getLhs()) : BlockArgument();
  if (!counter || counter.getOwner() != &loop.getCond().front() ||
      !isa<IntegerType>(getElementTypeOrSelf(counter)) ||
      getElementTypeOrSelf(counter).isInteger(1))
    return std::nullopt;
  unsigned number = counter.getArgNumber();
  Block &body = loop.getBody().front();
  auto next = body.getTerminator()->getOperand(number).getDefiningOp<stablehlo::AddOp>();
  if (!next)
    return std::nullopt;
  bool isFirst = next.getLhs() == body.getArgument(number);
  if (!isFirst && next.getRhs() != body.getArgument(number))
    return std::nullopt;
  std::optional<APInt> start = getConstant(c, loop, loop.getOperands()[number]);
  std::optional<APInt> bound = getConstant(c, loop, compare.getRhs());
  std::optional<APInt> step = getConstant(c, loop, isFirst ? next.getRhs() : next.getLhs());
  if (!start || !bound || !step)
    return std::nullopt;
  // Wide enough that nothing below overflows.
  bool isUnsignedCounter = isUnsigned(counter.getType());
  auto widen = [&](const APInt &value) {
    return static_cast<__int128>(isUnsignedCounter ? static_cast<__int128>(value.getZExtValue())
                                                   : value.getSExtValue());
  };
  __int128 from = widen(*start), to = widen(*bound), by = step->getSExtValue();
  using Direction = stablehlo::ComparisonDirection;
  Direction direction = compare.getComparisonDirection();
  if (direction == Direction::LE || direction == Direction::GE)
    to += direction == Direction::LE ? 1 : -1;
  bool isUp = direction == Direction::LT || direction == Direction::LE;
  bool isDown = direction == Direction::GT || direction == Direction::GE;
  if ((!isUp && !isDown) || by == 0 || (by > 0) != isUp)
    return std::nullopt;
  __int128 distance = isUp ? to - from : from - to, size = isUp ? by : -by;
  __int128 trips = distance <= 0 ? 0 : (distance + size - 1) / size;
  __int128 last = from + trips * by;
  unsigned bits = start->getBitWidth();
  __int128 least = isUnsignedCounter ? 0 : -(static_cast<__int128>(1) << (bits - 1));
  __int128 most = (static_cast<__int128>(1) << (isUnsignedCounter ? bits : bits - 1)) - 1;
  if (last < least || last > most || trips > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(trips);
}

/// All values are carried, the counter as well: the body is what it was.
static LogicalResult convertCountedLoop(Converter &c, stablehlo::WhileOp source, int64_t trips,
                                        ValueRange inits) {
  Location loc = source.getLoc();
  Value zero = arith::ConstantIndexOp::create(c.b, loc, 0);
  Value end = arith::ConstantIndexOp::create(c.b, loc, trips);
  Value one = arith::ConstantIndexOp::create(c.b, loc, 1);
  auto loop = scf::ForOp::create(c.b, loc, zero, end, one, inits);
  OpBuilder::InsertionGuard guard(c.b);
  Block &body = source.getBody().front(), &to = *loop.getBody();
  if (to.mightHaveTerminator())
    to.getTerminator()->erase();
  for (auto [argument, carried] : llvm::zip_equal(body.getArguments(), loop.getRegionIterArgs()))
    c.map(argument, carried);
  c.b.setInsertionPointToEnd(&to);
  for (Operation &op : body.without_terminator())
    if (failed(c.convertOp(&op)))
      return failure();
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(c[value]);
  scf::YieldOp::create(c.b, body.getTerminator()->getLoc(), results);
  c.map(source, loop.getResults());
  return success();
}

static LogicalResult convertWhile(Converter &c, Operation *op) {
  auto source = cast<stablehlo::WhileOp>(op);
  Location loc = op->getLoc();
  SmallVector<Value> inits;
  for (Value operand : source.getOperands())
    inits.push_back(c[operand]);
  if (std::optional<int64_t> trips = getTripCount(c, source))
    return convertCountedLoop(c, source, *trips, inits);
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

/// The order of pure operations is the scheduler's; what is computed again stays so.
static LogicalResult convertOptimizationBarrier(Converter &c, Operation *op) {
  for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults())) {
    Value value = c[operand];
    if (isa<RankedTensorType>(value.getType()))
      value = OptimizationBarrierOp::create(c.b, op->getLoc(), value);
    c.map(result, value);
  }
  return success();
}

void dmc::registerControlConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.case"] = convertCase;
  conversions["stablehlo.if"] = convertIf;
  conversions["stablehlo.optimization_barrier"] = convertOptimizationBarrier;
  conversions["stablehlo.while"] = convertWhile;
}
