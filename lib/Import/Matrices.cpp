//===- Matrices.cpp - A builder on matrices -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Matrices.h"

using namespace mlir;
using namespace dmc;

RankedTensorType MatrixBuilder::matrixType(Value like, int64_t rows, int64_t columns,
                                           Type element) {
  RankedTensorType type = typeOf(like);
  SmallVector<int64_t> shape(type.getShape().drop_back(2));
  shape.append({rows, columns});
  return RankedTensorType::get(shape, element ? element : type.getElementType());
}

Value MatrixBuilder::number(RankedTensorType type, double value) {
  Type element = type.getElementType();
  DenseElementsAttr elements;
  auto makeFloat = [&](Type part, double value) { return b.getFloatAttr(part, value).getValue(); };
  if (auto complex = dyn_cast<ComplexType>(element)) {
    Type part = complex.getElementType();
    elements = DenseElementsAttr::get(
        type, std::complex<APFloat>(makeFloat(part, value), makeFloat(part, 0)));
  } else if (isa<FloatType>(element)) {
    elements = DenseElementsAttr::get(type, makeFloat(element, value));
  } else {
    elements = DenseElementsAttr::get(type, APInt(element.getIntOrFloatBitWidth(),
                                                  static_cast<int64_t>(value), /*isSigned=*/true));
  }
  return stablehlo::ConstantOp::create(b, loc, elements);
}

Value MatrixBuilder::index(Value like, int64_t fromLast) {
  RankedTensorType type = typeOf(like).clone(b.getI32Type());
  return op("stablehlo.iota", {}, type,
            b.getNamedAttr("iota_dimension", b.getI64IntegerAttr(type.getRank() - fromLast)));
}

Value MatrixBuilder::spread(Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  return stablehlo::BroadcastInDimOp::create(b, loc, type.clone(typeOf(value).getElementType()),
                                             value, dims);
}

Value MatrixBuilder::compareTo(Direction direction, Value index, Value scalar) {
  return compare(direction, index, spread(scalar, typeOf(index)));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Value MatrixBuilder::line(Value matrix, Value number, int64_t fromLast) {
  RankedTensorType type = typeOf(matrix);
  int64_t dim = type.getRank() - fromLast;
  SmallVector<int64_t> sizes(type.getShape());
  sizes[dim] = 1;
  SmallVector<Value> starts(type.getRank(), this->number(typeOf(number), 0));
  starts[dim] = number;
  return stablehlo::DynamicSliceOp::create(b, loc, type.clone(sizes), matrix, starts, sizes);
}

Value MatrixBuilder::setLine(Value matrix, Value line, Value number, int64_t fromLast) {
  RankedTensorType type = typeOf(matrix);
  SmallVector<Value> starts(type.getRank(), this->number(typeOf(number), 0));
  starts[type.getRank() - fromLast] = number;
  return stablehlo::DynamicUpdateSliceOp::create(b, loc, type, matrix, line, starts);
}

Value MatrixBuilder::part(Value matrix, int64_t rowBegin, int64_t rowEnd, int64_t columnBegin,
                          int64_t columnEnd) {
  RankedTensorType type = typeOf(matrix);
  int64_t rank = type.getRank();
  SmallVector<int64_t> starts(rank, 0), limits(type.getShape());
  starts[rank - 2] = rowBegin;
  limits[rank - 2] = rowEnd;
  starts[rank - 1] = columnBegin;
  limits[rank - 1] = columnEnd;
  RankedTensorType result = matrixType(matrix, rowEnd - rowBegin, columnEnd - columnBegin);
  if (result == type)
    return matrix;
  return stablehlo::SliceOp::create(b, loc, result, matrix, starts, limits,
                                    SmallVector<int64_t>(rank, 1));
}

Value MatrixBuilder::concatenate(ArrayRef<Value> matrices, int64_t fromLast) {
  RankedTensorType type = typeOf(matrices.front());
  int64_t dim = type.getRank() - fromLast;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 0;
  for (Value matrix : matrices)
    shape[dim] += typeOf(matrix).getDimSize(dim);
  return stablehlo::ConcatenateOp::create(b, loc, type.clone(shape), matrices, dim);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value MatrixBuilder::conj(Value value) {
  return isComplex(value) ? unary("chlo.conj", value) : value;
}

Value MatrixBuilder::realPart(Value value) {
  if (!isComplex(value))
    return value;
  Type part = cast<ComplexType>(typeOf(value).getElementType()).getElementType();
  return op("stablehlo.real", value, typeOf(value).clone(part));
}

Value MatrixBuilder::asElementOf(Value value, Value like) {
  if (!isComplex(like))
    return value;
  return op("stablehlo.convert", value, typeOf(value).clone(typeOf(like).getElementType()));
}

Value MatrixBuilder::transpose(Value matrix) {
  int64_t rank = typeOf(matrix).getRank();
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[rank - 2], permutation[rank - 1]);
  return stablehlo::TransposeOp::create(
      b, loc, matrixType(matrix, numColumns(matrix), numRows(matrix)), matrix, permutation);
}

Value MatrixBuilder::reverse(Value matrix, bool rows, bool columns) {
  int64_t rank = typeOf(matrix).getRank();
  SmallVector<int64_t> dims;
  if (rows)
    dims.push_back(rank - 2);
  if (columns)
    dims.push_back(rank - 1);
  return op("stablehlo.reverse", matrix, matrix.getType(),
            b.getNamedAttr("dimensions", b.getDenseI64ArrayAttr(dims)));
}

Value MatrixBuilder::product(Value lhs, Value rhs) {
  int64_t rank = typeOf(lhs).getRank();
  SmallVector<int64_t> batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  auto dims =
      stablehlo::DotDimensionNumbersAttr::get(b.getContext(), batch, batch, {rank - 1}, {rank - 2});
  auto highest = stablehlo::PrecisionAttr::get(b.getContext(), stablehlo::Precision::HIGHEST);
  return stablehlo::DotGeneralOp::create(b, loc, matrixType(lhs, numRows(lhs), numColumns(rhs)),
                                         lhs, rhs, dims, b.getArrayAttr({highest, highest}),
                                         stablehlo::DotAlgorithmAttr());
}

Value MatrixBuilder::reduce(Value matrix, int64_t fromLast, StringRef name, Value init) {
  RankedTensorType type = typeOf(matrix), scalar = RankedTensorType::get({}, type.getElementType());
  SmallVector<int64_t> shape(type.getShape()), kept(type.getShape());
  shape.erase(shape.end() - fromLast);
  kept.end()[-fromLast] = 1;
  auto reduce =
      stablehlo::ReduceOp::create(b, loc, TypeRange(type.clone(shape)), ValueRange(matrix),
                                  ValueRange(init), {type.getRank() - fromLast});
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
    Value combined = binary(name, body->getArgument(0), body->getArgument(1));
    stablehlo::ReturnOp::create(b, loc, ValueRange(combined));
  }
  return stablehlo::ReshapeOp::create(b, loc, type.clone(kept), reduce->getResult(0));
}

Value MatrixBuilder::reduceRows(Value matrix, StringRef name, Value init) {
  return reduce(matrix, 2, name, init);
}

Value MatrixBuilder::reduceColumns(Value matrix, StringRef name, Value init) {
  return reduce(matrix, 1, name, init);
}

Value MatrixBuilder::sumColumns(Value matrix) {
  auto scalar = RankedTensorType::get({}, typeOf(matrix).getElementType());
  return reduceColumns(matrix, "stablehlo.add", zeros(scalar));
}

Value MatrixBuilder::identity(RankedTensorType type) {
  Value zero = zeros(type);
  return select(compare(Direction::EQ, rowIndex(zero), columnIndex(zero)), number(type, 1.0), zero);
}

Value MatrixBuilder::diagonal(Value matrix) {
  Value isDiagonal = compare(Direction::EQ, rowIndex(matrix), columnIndex(matrix));
  return sumColumns(select(isDiagonal, matrix, zeros(typeOf(matrix))));
}

Value MatrixBuilder::greatestMagnitude(Value matrix) {
  Type element = typeOf(realPart(matrix)).getElementType();
  Value magnitudes = op("stablehlo.abs", matrix, typeOf(matrix).clone(element));
  Value zero = zeros(RankedTensorType::get({}, element));
  return reduceRows(reduceColumns(magnitudes, "stablehlo.maximum", zero), "stablehlo.maximum",
                    zero);
}

std::pair<Value, Value> MatrixBuilder::sortRows(Value column, bool isDescending) {
  Value order = rowIndex(column);
  SmallVector<Value> inputs = {column, order};
  auto sort = stablehlo::SortOp::create(b, loc, ValueRange(inputs).getTypes(), inputs,
                                        b.getI64IntegerAttr(typeOf(column).getRank() - 2),
                                        b.getBoolAttr(true));
  OpBuilder::InsertionGuard guard(b);
  auto scalar = RankedTensorType::get({}, typeOf(column).getElementType());
  auto integer = RankedTensorType::get({}, b.getI32Type());
  Block *block = b.createBlock(&sort.getComparator(), {}, {scalar, scalar, integer, integer},
                               SmallVector<Location>(4, loc));
  Value isBefore = compare(isDescending ? Direction::GT : Direction::LT, block->getArgument(0),
                           block->getArgument(1));
  stablehlo::ReturnOp::create(b, loc, ValueRange(isBefore));
  return {sort->getResult(0), sort->getResult(1)};
}

Value MatrixBuilder::permuteRows(Value matrix, Value permutation) {
  RankedTensorType type = typeOf(matrix);
  int64_t rank = type.getRank();
  SmallVector<int64_t> batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  SmallVector<int64_t> sizes(rank, 1);
  sizes.back() = type.getShape().back();
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(b.getContext(), {rank - 1}, {rank - 2},
                                                            batch, batch, {rank - 2}, rank - 1);
  return stablehlo::GatherOp::create(b, loc, type, matrix, permutation, numbers, sizes,
                                     /*indices_are_sorted=*/false);
}

MatrixBuilder::Values MatrixBuilder::loop(int64_t count, ValueRange inits,
                                          function_ref<Values(Value, ValueRange)> body) {
  auto counter = RankedTensorType::get({}, b.getI32Type());
  Values operands = {number(counter, 0)};
  llvm::append_range(operands, inits);
  SmallVector<Type> types(ValueRange(operands).getTypes());
  SmallVector<Location> locs(types.size(), loc);
  auto loop = stablehlo::WhileOp::create(b, loc, types, operands);
  OpBuilder::InsertionGuard guard(b);
  Block *condition = b.createBlock(&loop.getCond(), {}, types, locs);
  Value goesOn = compare(Direction::LT, condition->getArgument(0),
                         number(counter, static_cast<double>(count)));
  stablehlo::ReturnOp::create(b, loc, ValueRange(goesOn));
  Block *block = b.createBlock(&loop.getBody(), {}, types, locs);
  ValueRange arguments = block->getArguments();
  Values results = {add(arguments[0], number(counter, 1))};
  llvm::append_range(results, body(arguments[0], arguments.drop_front()));
  stablehlo::ReturnOp::create(b, loc, ValueRange(results));
  return Values(loop->getResults().drop_front());
}
