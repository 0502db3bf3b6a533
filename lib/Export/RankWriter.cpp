//===- RankWriter.cpp - Rank programs in StableHLO ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "RankWriter.h"
#include "dmc/Export/Export.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace dmc;

RankedTensorType dmc::getForm(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  if (element.isIndex())
    element = IntegerType::get(type.getContext(), 64);
  return RankedTensorType::get(tensor ? tensor.getShape() : ArrayRef<int64_t>(), element);
}

LogicalResult RankWriter::refuse(Operation *op, const Twine &expected) {
  return op->emitError() << "unsupported: '" << op->getName() << "' in --emit=stablehlo; expected "
                         << expected;
}

/// An integer, float or index.
static Value writeConstant(RankWriter &b, arith::ConstantOp op) {
  Attribute value = op.getValue();
  RankedTensorType type = getForm(op.getType());
  if (auto integer = dyn_cast<IntegerAttr>(value))
    value = IntegerAttr::get(type.getElementType(), integer.getValue());
  return b.makeConstant(value, type);
}

Value RankWriter::get(Value value) {
  // Regions of reductions and sorts see nothing from outside: each use has a constant of its own.
  if (auto constant = value.getDefiningOp<arith::ConstantOp>();
      constant && !isa<RankedTensorType>(constant.getType()))
    return writeConstant(*this, constant);
  Value &form = forms[value];
  if (form)
    return form;
  RankedTensorType type = getForm(value.getType());
  // Whatever is in a new tensor.
  assert(value.getDefiningOp<tensor::EmptyOp>() && "operations are written in order");
  return makeConstant(getZeroAttr(type.getElementType()), type);
}

SmallVector<Value> RankWriter::getAll(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return get(value); });
}

Value RankWriter::getScalar(Value value) {
  Value form = get(value);
  return tensorOf(form).getRank() == 0 && !isa<RankedTensorType>(value.getType())
             ? makeSplat(form, shape)
             : form;
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

Value RankWriter::make(StringRef name, Type type, ValueRange operands,
                       ArrayRef<NamedAttribute> attributes) {
  OperationState state(getLoc(), name, operands, type, attributes);
  return OpBuilder::create(state)->getResult(0);
}

Value RankWriter::makeConstant(Attribute value, RankedTensorType type) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements)
    elements = SplatElementsAttr::get(type, value);
  return stablehlo::ConstantOp::create(*this, type, elements);
}

Value RankWriter::makeInteger(int64_t value, RankedTensorType type) {
  if (isa<FloatType>(type.getElementType()))
    return makeConstant(getFloatAttr(type.getElementType(), static_cast<double>(value)), type);
  return makeConstant(getIntegerAttr(type.getElementType(), value), type);
}

Value RankWriter::makeIndex(int64_t value) {
  return makeInteger(value, RankedTensorType::get({}, getI64Type()));
}

Value RankWriter::makeSplat(Value scalar, ArrayRef<int64_t> shape) {
  return broadcast(scalar, shape, {});
}

Value RankWriter::broadcast(Value value, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  auto type = RankedTensorType::get(shape, tensorOf(value).getElementType());
  if (type == value.getType() && llvm::equal(dims, llvm::seq<int64_t>(0, type.getRank())))
    return value;
  return stablehlo::BroadcastInDimOp::create(*this, type, value, dims);
}

Value RankWriter::transpose(Value value, ArrayRef<int64_t> permutation) {
  RankedTensorType type = tensorOf(value);
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, type.getRank())))
    return value;
  auto sizes = llvm::map_to_vector(permutation, [&](int64_t d) { return type.getDimSize(d); });
  return stablehlo::TransposeOp::create(*this, RankedTensorType::get(sizes, type.getElementType()),
                                        value, permutation);
}

Value RankWriter::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, tensorOf(value).getElementType());
  return type == value.getType() ? value : Value(stablehlo::ReshapeOp::create(*this, type, value));
}

Value RankWriter::slice(Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                        ArrayRef<int64_t> strides) {
  SmallVector<int64_t> sizes;
  for (auto [start, limit, stride] : llvm::zip_equal(starts, limits, strides))
    sizes.push_back((limit - start + stride - 1) / stride);
  auto type = RankedTensorType::get(sizes, tensorOf(value).getElementType());
  if (type == value.getType())
    return value;
  return stablehlo::SliceOp::create(*this, type, value, starts, limits, strides);
}

Value RankWriter::iota(ArrayRef<int64_t> shape, int64_t dim, Type elementType) {
  return stablehlo::IotaOp::create(*this, RankedTensorType::get(shape, elementType), dim);
}

Value RankWriter::convert(Value value, Type elementType) {
  auto type = RankedTensorType::get(tensorOf(value).getShape(), elementType);
  return type == value.getType() ? value : Value(stablehlo::ConvertOp::create(*this, type, value));
}

Value RankWriter::bitcast(Value value, Type elementType) {
  auto type = RankedTensorType::get(tensorOf(value).getShape(), elementType);
  return type == value.getType() ? value
                                 : Value(stablehlo::BitcastConvertOp::create(*this, type, value));
}

Value RankWriter::compare(Value lhs, Value rhs, stablehlo::ComparisonDirection direction) {
  auto type = RankedTensorType::get(tensorOf(lhs).getShape(), getI1Type());
  return stablehlo::CompareOp::create(*this, type, lhs, rhs, direction,
                                      /*compare_type=*/nullptr);
}

static bool isInteger(Type type) { return type.isInteger() && !type.isInteger(1); }

Value RankWriter::toUnsigned(Value value) {
  Type type = tensorOf(value).getElementType();
  if (!isInteger(type))
    return value;
  return bitcast(
      value, IntegerType::get(getContext(), type.getIntOrFloatBitWidth(), IntegerType::Unsigned));
}

Value RankWriter::toSignless(Value value) {
  Type type = tensorOf(value).getElementType();
  if (!isInteger(type))
    return value;
  return bitcast(value, IntegerType::get(getContext(), type.getIntOrFloatBitWidth()));
}

LogicalResult
RankWriter::fillRegion(Region &region, TypeRange arguments,
                       llvm::function_ref<FailureOr<SmallVector<Value>>(ValueRange)> build) {
  OpBuilder::InsertionGuard guard(*this);
  SmallVector<Location> locations(arguments.size(), getLoc());
  Block *block = createBlock(&region, region.end(), arguments, locations);
  SmallVector<int64_t> outerShape = std::exchange(shape, {});
  SmallVector<Value> outerIndices = std::exchange(loopIndices, {});
  FailureOr<SmallVector<Value>> results = build(block->getArguments());
  shape = outerShape;
  loopIndices = outerIndices;
  if (failed(results))
    return failure();
  stablehlo::ReturnOp::create(*this, *results);
  return success();
}

FailureOr<SmallVector<Value>> RankWriter::writeBody(Block &body, ValueRange arguments,
                                                    ArrayRef<int64_t> newShape,
                                                    ArrayRef<Value> indices) {
  SmallVector<int64_t> outerShape = std::exchange(shape, SmallVector<int64_t>(newShape));
  SmallVector<Value> outerIndices = std::exchange(loopIndices, SmallVector<Value>(indices));
  auto restore = llvm::make_scope_exit([&] {
    shape = outerShape;
    loopIndices = outerIndices;
  });
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    if (value)
      set(argument, value);
  if (failed(writeBlock(body)))
    return failure();
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return getScalar(value); });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

LogicalResult RankWriter::write(Operation *op) {
  setLoc(op->getLoc());
  if (isa<tensor::EmptyOp>(op))
    return success();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return writeStructured(structured, *this);
  bool isKnown = true;
  for (auto *form :
       {&writeScalarOp, &writeTensorOp, &writeComputeOp, &writeCollective, &writeControl}) {
    isKnown = true;
    if (failed(form(op, *this, isKnown)))
      return failure();
    if (isKnown)
      return success();
  }
  return refuse(op, "an operation that StableHLO has");
}

LogicalResult RankWriter::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(write(&op)))
      return failure();
  setLoc(block.getTerminator()->getLoc());
  return success();
}

/// The type of an argument or result, with its sign.
static RankedTensorType getBoundaryType(Type type, ValueAttr value) {
  RankedTensorType form = getForm(type);
  Type element = value.getType().getElementType();
  return element.isUnsignedInteger() ? RankedTensorType::get(form.getShape(), element) : form;
}

FailureOr<OwningOpRef<ModuleOp>> dmc::writeRankProgram(ModuleOp ranks) {
  ProgramAttr program = ProgramAttr::of(ranks);
  assert(program && program.getLevel() == Level::ranks && "the level that --emit stops at");
  func::FuncOp entry;
  for (auto function : ranks.getOps<func::FuncOp>())
    if (function.isPublic())
      entry = function;
  // A program that was never StableHLO has not loaded it.
  DialectRegistry registry;
  stablehlo::registerDialects(registry);
  ranks.getContext()->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    ranks.getContext()->getOrLoadDialect(name);
  OwningOpRef<ModuleOp> module = ModuleOp::create(ranks.getLoc(), program.getName().getValue());
  RankWriter writer(ranks);
  writer.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> arguments, results;
  for (auto [type, value] : llvm::zip_equal(entry.getArgumentTypes(), program.getArguments()))
    arguments.push_back(getBoundaryType(type, value));
  for (auto [type, value] : llvm::zip_equal(entry.getResultTypes(), program.getResults()))
    results.push_back(getBoundaryType(type, value));
  auto function = func::FuncOp::create(writer, "main", writer.getFunctionType(arguments, results));
  Block *body = function.addEntryBlock();
  writer.setInsertionPointToStart(body);
  for (auto [i, argument] : llvm::enumerate(entry.getArguments())) {
    body->getArgument(i).setLoc(argument.getLoc());
    writer.set(argument, writer.toSignless(body->getArgument(i)));
    if (int64_t result = program.getResultInBufferOf(i); result >= 0)
      function.setArgAttr(i, "tf.aliasing_output", writer.getI32IntegerAttr(result));
  }
  if (failed(writer.writeBlock(entry.getBody().front())))
    return failure();
  SmallVector<Value> values;
  for (auto [value, type, attr] : llvm::zip_equal(
           entry.getBody().front().getTerminator()->getOperands(), results, program.getResults())) {
    values.push_back(
        writer.bitcast(writer.get(value), cast<RankedTensorType>(type).getElementType()));
    function.setResultAttr(values.size() - 1, "jax.result_info", attr.getName());
  }
  func::ReturnOp::create(writer, values);
  // What a form began and another one finished.
  function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  (*module)->setAttr("mhlo.num_partitions", writer.getI32IntegerAttr(1));
  (*module)->setAttr("mhlo.num_replicas",
                     writer.getI32IntegerAttr(program.getMesh().getNumRanks()));
  return module;
}
