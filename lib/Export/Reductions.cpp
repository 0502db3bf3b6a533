//===- Reductions.cpp - Reductions of linalg in StableHLO -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products of two operands are contractions; other bodies compute on tensors
// of all loops, which a reduction follows, or a loop where a body does not reduce
// that StableHLO may reorder.
//
//===----------------------------------------------------------------------===//
#include "NestWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <array>

using namespace mlir;
using namespace dmc;

/// The argument that conversions alone lead to; null if there is none.
static BlockArgument getConverted(Value value) {
  while (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncFOp,
                         arith::SIToFPOp, arith::UIToFPOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return dyn_cast<BlockArgument>(value);
}

/// The conversions of a value of the body.
static LogicalResult writeConverted(RankWriter &b, Value value, Value argument) {
  SmallVector<Operation *> chain;
  while (Operation *def = value.getDefiningOp()) {
    chain.push_back(def);
    value = def->getOperand(0);
  }
  b.set(value, argument);
  SmallVector<int64_t> outer =
      std::exchange(b.shape, SmallVector<int64_t>(tensorOf(argument).getShape()));
  for (Operation *def : llvm::reverse(chain))
    if (failed(b.write(def)))
      return failure();
  b.shape = outer;
  return success();
}

/// What is combined with the accumulator; null if the operation does not do that alone.
static Value getCombined(Operation *combiner, Value accumulator) {
  if (!combiner || combiner->getNumOperands() != 2 || !accumulator.hasOneUse())
    return {};
  for (unsigned i : {0u, 1u})
    if (combiner->getOperand(i) == accumulator && combiner->getOperand(1 - i) != accumulator)
      return combiner->getOperand(1 - i);
  return {};
}

static bool isSum(Operation *op) {
  return isa_and_nonnull<arith::AddFOp>(op) ||
         (isa_and_nonnull<arith::AddIOp>(op) && !op->getResult(0).getType().isInteger(1));
}

/// True unless it was a contraction.
FailureOr<bool> NestWriter::writeContraction() {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  Value accumulator = body.getArgument(2);
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  Value product = isSum(sum) ? getCombined(sum, accumulator) : Value();
  Operation *multiply = product ? product.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply))
    return false;
  Value factors[] = {multiply->getOperand(0), multiply->getOperand(1)};
  BlockArgument arguments[] = {getConverted(factors[0]), getConverted(factors[1])};
  if (!arguments[0] || !arguments[1] || arguments[0] == arguments[1] ||
      arguments[0] == accumulator || arguments[1] == accumulator)
    return false;
  for (BlockArgument argument : arguments)
    if (argument.getOwner() != &body)
      return false;
  Spread operands[2];
  for (unsigned i : {0u, 1u}) {
    OpOperand *operand = op.getDpsInputOperand(arguments[i].getArgNumber());
    if (!isa<RankedTensorType>(operand->get().getType()))
      return false;
    FailureOr<Spread> from = spread(operand->get(), getMap(*operand));
    if (failed(from))
      return failure();
    if (failed(writeConverted(b, factors[i], from->value)))
      return failure();
    operands[i] = {b.get(factors[i]), from->loops};
  }
  // Batches, rows and columns, and what is summed.
  SmallVector<int64_t> batch, free[2], summed, dims[2][2];
  for (int64_t loop = 0; loop < static_cast<int64_t>(sizes.size()); ++loop) {
    bool isIn[2];
    for (unsigned i : {0u, 1u})
      isIn[i] = llvm::is_contained(operands[i].loops, loop);
    if (isIn[0] && isIn[1])
      (isReduction(loop) ? summed : batch).push_back(loop);
    else if (isReduction(loop) || (!isIn[0] && !isIn[1]))
      return false;
    else
      free[isIn[0] ? 0 : 1].push_back(loop);
  }
  for (unsigned i : {0u, 1u})
    for (auto [kind, list] : llvm::enumerate(std::array{&batch, &summed}))
      for (int64_t loop : *list)
        dims[i][kind].push_back(llvm::find(operands[i].loops, loop) - operands[i].loops.begin());
  SmallVector<int64_t> loops(batch);
  llvm::append_range(loops, free[0]);
  llvm::append_range(loops, free[1]);
  OpOperand &init = *op.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(init.get().getType());
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(b.getContext(), dims[0][0], dims[1][0],
                                                         dims[0][1], dims[1][1]);
  Value result = stablehlo::DotGeneralOp::create(
      b, RankedTensorType::get(getSizes(loops), type.getElementType()), operands[0].value,
      operands[1].value, numbers, /*precision_config=*/nullptr, /*algorithm=*/nullptr);
  FailureOr<Value> form = toResult({result, loops}, getMap(init), type);
  if (failed(form))
    return failure();
  Value fill = getFillOf(init.get());
  if (!fill || !(matchPattern(fill, m_AnyZeroFloat()) || matchPattern(fill, m_Zero())))
    *form = b.make("stablehlo.add", {b.get(init.get()), *form});
  b.set(op->getResult(0), *form);
  return true;
}

static std::optional<CombinerKind> getKind(Operation *op) {
  return TypeSwitch<Operation *, std::optional<CombinerKind>>(op)
      .Case<arith::AddFOp>([](auto) { return CombinerKind::sum; })
      .Case<arith::MulFOp>([](auto) { return CombinerKind::prod; })
      .Case<arith::MaximumFOp, arith::MaxSIOp>([](auto) { return CombinerKind::max; })
      .Case<arith::MinimumFOp, arith::MinSIOp>([](auto) { return CombinerKind::min; })
      .Case([](arith::AddIOp add) -> std::optional<CombinerKind> {
        if (add.getType().isInteger(1))
          return std::nullopt;
        return CombinerKind::sum;
      })
      .Case([](arith::MulIOp multiply) -> std::optional<CombinerKind> {
        if (multiply.getType().isInteger(1))
          return CombinerKind::min;
        return CombinerKind::prod;
      })
      .Case([](arith::OrIOp combine) -> std::optional<CombinerKind> {
        if (!combine.getType().isInteger(1))
          return std::nullopt;
        return CombinerKind::max;
      })
      .Case([](arith::AndIOp combine) -> std::optional<CombinerKind> {
        if (!combine.getType().isInteger(1))
          return std::nullopt;
        return CombinerKind::min;
      })
      .Default(std::nullopt);
}

StringRef dmc::getCombinerName(CombinerKind combiner, Type elementType) {
  bool isBoolean = elementType.isInteger(1);
  switch (combiner) {
  case CombinerKind::sum:
    return "stablehlo.add";
  case CombinerKind::prod:
    return "stablehlo.multiply";
  case CombinerKind::max:
    return isBoolean ? "stablehlo.or" : "stablehlo.maximum";
  case CombinerKind::min:
    return isBoolean ? "stablehlo.and" : "stablehlo.minimum";
  }
  llvm_unreachable("all combiners are listed");
}

/// A reduction whose combiner may be applied in any order. True unless it was one.
FailureOr<bool> NestWriter::writeReduction() {
  if (op.getNumDpsInits() != 1)
    return false;
  Value accumulator = body.getArguments().back();
  Value yielded = body.getTerminator()->getOperand(0);
  Operation *combiner = yielded.getDefiningOp();
  std::optional<CombinerKind> kind =
      combiner && combiner->getBlock() == &body ? getKind(combiner) : std::nullopt;
  Value element = kind ? getCombined(combiner, accumulator) : Value();
  if (!element || !isa<IntegerType, FloatType>(element.getType()))
    return false;
  // All but the combination, of all loops.
  auto loops = llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
  FailureOr<SmallVector<Value>> arguments = spreadInputs(loops);
  if (failed(arguments))
    return failure();
  arguments->push_back({});
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), *arguments))
    if (value)
      b.set(argument, value);
  SmallVector<int64_t> outer = std::exchange(b.shape, sizes);
  SmallVector<Value> outerIndices = std::exchange(b.loopIndices, makeIndices(b, body, sizes));
  LogicalResult isWritten = success();
  for (Operation &inner : body.without_terminator())
    if (&inner != combiner && succeeded(isWritten))
      isWritten = b.write(&inner);
  Value elements = succeeded(isWritten) ? b.getScalar(element) : Value();
  b.shape = outer;
  b.loopIndices = outerIndices;
  if (failed(isWritten))
    return failure();
  SmallVector<int64_t> kept, reduced;
  for (int64_t loop : loops)
    (isReduction(loop) ? reduced : kept).push_back(loop);
  Type elementType = element.getType();
  auto scalar = RankedTensorType::get({}, elementType);
  Value neutral = b.makeConstant(getNeutralElement(*kind, elementType), scalar);
  auto type = RankedTensorType::get(getSizes(kept), elementType);
  auto reduce = stablehlo::ReduceOp::create(b, TypeRange{type}, ValueRange{elements},
                                            ValueRange{neutral}, reduced);
  StringRef name = getCombinerName(*kind, elementType);
  if (failed(b.fillRegion(reduce.getBody(), {scalar, scalar},
                          [&](ValueRange args) -> FailureOr<SmallVector<Value>> {
                            return SmallVector<Value>{b.make(name, args)};
                          })))
    return failure();
  OpOperand &init = *op.getDpsInitOperand(0);
  FailureOr<Value> form = toResult({reduce->getResult(0), kept}, getMap(init),
                                   cast<RankedTensorType>(init.get().getType()));
  if (failed(form))
    return failure();
  b.set(op->getResult(0), b.make(name, {b.get(init.get()), *form}));
  return true;
}

/// Any other computation of accumulators and elements, each from one initial value. True unless it
/// was one.
FailureOr<bool> NestWriter::writeBodyReduction() {
  auto count = static_cast<size_t>(op.getNumDpsInits());
  if (static_cast<size_t>(op.getNumDpsInputs()) != count || hasIndices(body))
    return false;
  // The region of a reduction sees nothing from outside.
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(*body.getParent(), captured);
  if (llvm::any_of(captured, [](Value value) { return !value.getDefiningOp<arith::ConstantOp>(); }))
    return false;
  SmallVector<Value> inits;
  for (size_t i = 0; i < count; ++i) {
    Value fill = getFillOf(op.getDpsInitOperand(i)->get());
    if (!fill || body.getArgument(i).getType() != body.getArgument(count + i).getType())
      return false;
    inits.push_back(b.get(fill));
  }
  auto loops = llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
  FailureOr<SmallVector<Value>> inputs = spreadInputs(loops);
  if (failed(inputs))
    return failure();
  SmallVector<int64_t> kept, reduced;
  for (int64_t loop : loops)
    (isReduction(loop) ? reduced : kept).push_back(loop);
  SmallVector<Type> types, scalars;
  for (Value init : inits) {
    types.push_back(RankedTensorType::get(getSizes(kept), tensorOf(init).getElementType()));
    scalars.push_back(init.getType());
  }
  auto reduce = stablehlo::ReduceOp::create(b, types, *inputs, inits, reduced);
  llvm::append_range(scalars, SmallVector<Type>(scalars));
  // Accumulators come first in StableHLO and last in linalg.
  if (failed(b.fillRegion(reduce.getBody(), scalars, [&](ValueRange args) {
        SmallVector<Value> arguments(args.drop_front(count));
        llvm::append_range(arguments, args.take_front(count));
        return b.writeBody(body, arguments, {});
      })))
    return failure();
  for (size_t i = 0; i < count; ++i) {
    OpOperand &init = *op.getDpsInitOperand(i);
    FailureOr<Value> form = toResult({reduce->getResult(i), kept}, getMap(init),
                                     cast<RankedTensorType>(init.get().getType()));
    if (failed(form))
      return failure();
    b.set(op->getResult(i), *form);
  }
  return true;
}

/// One step of the reduction loops after the other.
LogicalResult NestWriter::writeLoop() {
  SmallVector<int64_t> kept, reduced, loops;
  for (int64_t loop = 0; loop < static_cast<int64_t>(sizes.size()); ++loop)
    (isReduction(loop) ? reduced : kept).push_back(loop);
  loops = reduced;
  llvm::append_range(loops, kept);
  FailureOr<SmallVector<Value>> inputs = spreadInputs(loops);
  if (failed(inputs))
    return failure();
  int64_t count = llvm::product_of(getSizes(reduced));
  SmallVector<int64_t> keptSizes = getSizes(kept), stepShape{1}, allShape{count};
  llvm::append_range(stepShape, keptSizes);
  llvm::append_range(allShape, keptSizes);
  for (Value &input : *inputs)
    input = b.reshape(input, allShape);
  SmallVector<Value> carried{b.makeIndex(0)};
  for (OpOperand &init : op.getDpsInitsMutable()) {
    FailureOr<Value> value = spreadOver(init.get(), getMap(init), kept);
    if (failed(value))
      return failure();
    carried.push_back(*value);
  }
  auto types = llvm::to_vector(ValueRange(carried).getTypes());
  auto loop = stablehlo::WhileOp::create(b, types, carried);
  auto buildCondition = [&](ValueRange args) -> FailureOr<SmallVector<Value>> {
    return SmallVector<Value>{
        b.compare(args[0], b.makeIndex(count), stablehlo::ComparisonDirection::LT)};
  };
  auto buildBody = [&](ValueRange args) -> FailureOr<SmallVector<Value>> {
    SmallVector<Value> starts(stepShape.size(), b.makeIndex(0)), arguments;
    starts[0] = args[0];
    for (Value input : *inputs) {
      auto type = RankedTensorType::get(stepShape, tensorOf(input).getElementType());
      Value step = stablehlo::DynamicSliceOp::create(b, type, input, starts, stepShape);
      arguments.push_back(b.reshape(step, keptSizes));
    }
    llvm::append_range(arguments, args.drop_front());
    SmallVector<Value> indices(sizes.size());
    if (hasIndices(body)) {
      for (auto [i, keptLoop] : llvm::enumerate(kept))
        indices[keptLoop] = b.iota(keptSizes, static_cast<int64_t>(i), b.getI64Type());
      Value rest = args[0];
      for (int64_t reducedLoop : llvm::reverse(reduced)) {
        Value size = b.makeIndex(sizes[reducedLoop]);
        indices[reducedLoop] = b.makeSplat(b.make("stablehlo.remainder", {rest, size}), keptSizes);
        rest = b.make("stablehlo.divide", {rest, size});
      }
    }
    FailureOr<SmallVector<Value>> values = b.writeBody(body, arguments, keptSizes, indices);
    if (failed(values))
      return failure();
    values->insert(values->begin(), b.make("stablehlo.add", {args[0], b.makeIndex(1)}));
    return values;
  };
  if (failed(b.fillRegion(loop->getRegion(0), types, buildCondition)) ||
      failed(b.fillRegion(loop->getRegion(1), types, buildBody)))
    return failure();
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    FailureOr<Value> form =
        toResult({loop->getResult(i + 1), kept}, getMap(*op.getDpsInitOperand(i)),
                 cast<RankedTensorType>(result.getType()));
    if (failed(form))
      return failure();
    b.set(result, *form);
  }
  return success();
}
