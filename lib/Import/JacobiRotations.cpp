//===- JacobiRotations.cpp - Eigenvalues and singular values --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi's methods: rotations of pairs of rows, n/2 of them at once, in an order in
// which every two rows meet once in a sweep (Brent and Luk). Eigenvalues from both
// sides, singular values from one (Hestenes), so that all is elementwise.
//
//===----------------------------------------------------------------------===//
#include "Matrices.h"

#include <cmath>

using namespace mlir;
using namespace dmc;

/// Sweeps after which nothing converges any more; matrices of thousands of rows need about ten.
static constexpr int64_t kMostSweeps = 30;

/// The distance of 1 to the next number.
static double getEpsilon(Value real) {
  auto type = cast<FloatType>(MatrixBuilder::typeOf(real).getElementType());
  return std::ldexp(1.0, 1 - static_cast<int>(type.getFPMantissaWidth()));
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

/// The unitary J = [c, s; -conj(s), c] for which J^H [first, between; conj(between), second] J is
/// diagonal, by the smaller of two angles.
MatrixBuilder::Rotation MatrixBuilder::getRotation(Value first, Value second, Value between) {
  RankedTensorType type = typeOf(first);
  Value one = number(type, 1.0), zero = zeros(type);
  Value magnitude = op("stablehlo.abs", between, type);
  Value isZero = compare(Direction::EQ, magnitude, zero);
  Value divisor = select(isZero, one, magnitude);
  Value ratio = div(sub(second, first), add(divisor, divisor));
  Value root = unary("stablehlo.sqrt", add(one, mul(ratio, ratio)));
  Value sign = select(compare(Direction::GE, ratio, zero), one, number(type, -1.0));
  Value tangent = select(isZero, zero, div(sign, add(abs(ratio), root)));
  Value cosine = div(one, unary("stablehlo.sqrt", add(one, mul(tangent, tangent))));
  Value direction = div(between, asElementOf(divisor, between));
  return {asElementOf(cosine, between), mul(asElementOf(mul(tangent, cosine), between), direction)};
}

/// J^H times the matrix.
Value MatrixBuilder::rotateRows(Value matrix, Rotation rotation) {
  int64_t half = numRows(matrix) / 2, columns = numColumns(matrix);
  Value upper = part(matrix, 0, half, 0, columns), lower = part(matrix, half, 2 * half, 0, columns);
  Value cosine = spread(rotation.cosine, typeOf(upper));
  Value sine = spread(rotation.sine, typeOf(upper));
  return below(
      {sub(mul(cosine, upper), mul(sine, lower)), add(mul(conj(sine), upper), mul(cosine, lower))});
}

/// The number of the row that comes to each place with the next pairs: the first row stays, the
/// others move by one place around a circle. After n - 1 times each is where it was.
static SmallVector<int32_t> getNextPairs(int64_t count) {
  int64_t half = count / 2;
  SmallVector<int32_t> order = {0};
  if (half > 1)
    order.push_back(half);
  for (int64_t i = 1; i < half - 1; ++i)
    order.push_back(i);
  for (int64_t i = std::min<int64_t>(1, half - 1); i < half; ++i)
    order.push_back(half + i);
  if (half > 1)
    order.push_back(half - 1);
  return order;
}

Value MatrixBuilder::nextPairs(Value matrix) {
  int64_t columns = numColumns(matrix);
  SmallVector<int32_t> order = getNextPairs(numRows(matrix));
  SmallVector<Value> parts;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && order[end] == order[end - 1] + 1)
      ++end;
    parts.push_back(part(matrix, order[begin], order[end - 1] + 1, 0, columns));
    begin = end;
  }
  return below(parts);
}

MatrixBuilder::Values MatrixBuilder::sweep(int64_t count, ValueRange inits,
                                           function_ref<Values(ValueRange)> step,
                                           function_ref<Value(ValueRange)> getFlags) {
  auto counter = RankedTensorType::get({}, b.getI32Type());
  auto flag = RankedTensorType::get({}, b.getI1Type());
  auto combineFlags = [&](Value flags) {
    Value none = zeros(flag);
    return reduceRows(reduceColumns(flags, "stablehlo.or", none), "stablehlo.or", none);
  };
  // The loop goes on for all batches while one needs it.
  auto isAny = [&](Value flags) -> Value {
    auto reduce = stablehlo::ReduceOp::create(
        b, loc, TypeRange(flag), ValueRange(flags), ValueRange(zeros(flag)),
        llvm::to_vector(llvm::seq<int64_t>(0, typeOf(flags).getRank())));
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&reduce.getBody(), {}, {flag, flag}, {loc, loc});
    Value either = binary("stablehlo.or", block->getArgument(0), block->getArgument(1));
    stablehlo::ReturnOp::create(b, loc, ValueRange(either));
    return reduce->getResult(0);
  };
  auto isTrue = [&](RankedTensorType type) { return unary("stablehlo.not", zeros(type)); };
  Values operands = {number(counter, 0), isTrue(flag)};
  llvm::append_range(operands, inits);
  operands.push_back(isTrue(matrixType(inits.front(), 1, 1, b.getI1Type())));
  SmallVector<Type> types(ValueRange(operands).getTypes());
  SmallVector<Location> locs(types.size(), loc);
  auto loop = stablehlo::WhileOp::create(b, loc, types, operands);
  OpBuilder::InsertionGuard guard(b);
  Block *condition = b.createBlock(&loop.getCond(), {}, types, locs);
  Value isLess = compare(Direction::LT, condition->getArgument(0),
                         number(counter, static_cast<double>(kMostSweeps)));
  Value goesOn = binary("stablehlo.and", isLess, condition->getArgument(1));
  stablehlo::ReturnOp::create(b, loc, ValueRange(goesOn));
  Block *block = b.createBlock(&loop.getBody(), {}, types, locs);
  ValueRange arguments = block->getArguments();
  Values carried = this->loop(count - 1, arguments.drop_front(2).drop_back(),
                              [&](Value, ValueRange carried) { return step(carried); });
  Value flags = combineFlags(getFlags(carried));
  Values results = {add(arguments[0], number(counter, 1)), isAny(flags)};
  llvm::append_range(results, carried);
  results.push_back(flags);
  stablehlo::ReturnOp::create(b, loc, ValueRange(results));
  return Values(loop->getResults().drop_front(2));
}

Value MatrixBuilder::getInfo(Value greatest, Value isActive) {
  RankedTensorType type = matrixType(greatest, 1, 1, b.getI32Type());
  Value infinity = number(typeOf(greatest), std::numeric_limits<double>::infinity());
  Value isFinite = compare(Direction::LT, greatest, infinity);
  Value isRight =
      op("stablehlo.and", {isFinite, unary("stablehlo.not", isActive)}, isFinite.getType());
  return select(isRight, zeros(type), number(type, 1));
}

/// What the elements are divided by, so that no square overflows.
static Value getScale(MatrixBuilder &m, Value greatest) {
  Value isZero = m.compare(MatrixBuilder::Direction::EQ, greatest, m.zeros(m.typeOf(greatest)));
  return m.select(isZero, m.number(m.typeOf(greatest), 1.0), greatest);
}

static Value divideBy(MatrixBuilder &m, Value matrix, Value scale) {
  return m.div(matrix, m.spread(m.asElementOf(scale, matrix), m.typeOf(matrix)));
}

/// |x|^2
static Value getSquares(MatrixBuilder &m, Value x) {
  Value re = m.realPart(x), squares = m.mul(re, re);
  if (!m.isComplex(x))
    return squares;
  Value im = m.op("stablehlo.imag", x, re.getType());
  return m.add(squares, m.mul(im, im));
}

//===----------------------------------------------------------------------===//
// Eigenvalues of Hermitian matrices
//===----------------------------------------------------------------------===//

MatrixBuilder::Eigh MatrixBuilder::eigh(Value matrix) {
  int64_t n = numRows(matrix), half = llvm::divideCeil(n, 2), count = 2 * half;
  Value greatest = greatestMagnitude(matrix), scale = getScale(*this, greatest);
  Value scaled = divideBy(*this, matrix, scale);
  Value isBelow = compare(Direction::GT, rowIndex(scaled), columnIndex(scaled));
  Value isOn = compare(Direction::EQ, rowIndex(scaled), columnIndex(scaled));
  Value lower = select(isBelow, scaled, zeros(typeOf(scaled)));
  Value onDiagonal = asElementOf(realPart(scaled), scaled);
  Value hermitian = select(isOn, onDiagonal, add(lower, adjoint(lower)));
  // Another row and column of zeros does not mix with the others.
  if (count > n)
    hermitian = below({besides({hermitian, zeros(matrixType(matrix, n, 1))}),
                       zeros(matrixType(matrix, 1, count))});
  // The columns of the product after the rows' next pairs, which the elements that are rotated
  // away are found by.
  SmallVector<int32_t> order = getNextPairs(count);
  SmallVector<int64_t> orderShape(typeOf(matrix).getRank(), 1);
  orderShape.back() = count;
  Value columns = stablehlo::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get(orderShape, b.getI32Type()),
                             ArrayRef<int32_t>(order)));

  auto step = [&](ValueRange carried) -> Values {
    Value a = carried[0], vectors = carried[1];
    Rotation rotation = getRotation(diagonal(realPart(part(a, 0, half, 0, half))),
                                    diagonal(realPart(part(a, half, count, half, count))),
                                    diagonal(part(a, 0, half, half, count)));
    // With M, which rotates and moves rows, the next matrix is M a M^H = M (M a)^H.
    Value both = nextPairs(rotateRows(besides({a, vectors}), rotation));
    vectors = part(both, 0, count, count, count + n);
    a = rotateRows(adjoint(part(both, 0, count, 0, count)), rotation);
    Value row = rowIndex(a), distance = abs(sub(row, spread(columns, typeOf(row))));
    Value isRotated =
        compare(Direction::EQ, distance, number(typeOf(distance), static_cast<double>(half)));
    return {nextPairs(select(isRotated, zeros(typeOf(a)), a)), vectors};
  };
  // Until the elements beside the diagonal are small to all of the matrix.
  auto getFlags = [&](ValueRange carried) {
    Value squares = getSquares(*this, carried[0]);
    Value isDiagonal = compare(Direction::EQ, rowIndex(squares), columnIndex(squares));
    Value rest = select(isDiagonal, zeros(typeOf(squares)), squares);
    auto total = [&](Value matrix) { return sumColumns(transpose(sumColumns(matrix))); };
    Value all = total(squares);
    double epsilon = getEpsilon(all);
    return compare(Direction::GT, total(rest), mul(all, number(typeOf(all), epsilon * epsilon)));
  };
  Values results =
      sweep(count, {hermitian, identity(matrixType(matrix, count, n))}, step, getFlags);
  Value isActive = results[2];
  Value values = part(diagonal(realPart(results[0])), 0, n, 0, 1);
  auto [sorted, permutation] = sortRows(values, /*isDescending=*/false);
  Value vectors = permuteRows(part(results[1], 0, n, 0, n), permutation);
  sorted = mul(sorted, spread(scale, typeOf(sorted)));
  return {adjoint(vectors), sorted, getInfo(greatest, isActive)};
}

//===----------------------------------------------------------------------===//
// Singular values
//===----------------------------------------------------------------------===//

MatrixBuilder::Svd MatrixBuilder::svd(Value matrix, bool withVectors, bool isFull) {
  if (numRows(matrix) >= numColumns(matrix))
    return svdOfTall(matrix, withVectors, isFull);
  Svd svd = svdOfTall(adjoint(matrix), withVectors, isFull);
  if (withVectors)
    std::tie(svd.left, svd.rightAdjoint) =
        std::make_pair(adjoint(svd.rightAdjoint), adjoint(svd.left));
  return svd;
}

/// Rotates the columns of R, where the matrix is Q R, until they are orthogonal: they are then the
/// left vectors times the singular values. The rows that are carried are their conjugates.
MatrixBuilder::Svd MatrixBuilder::svdOfTall(Value matrix, bool withVectors, bool isFull) {
  int64_t m = numRows(matrix), n = numColumns(matrix), half = llvm::divideCeil(n, 2);
  int64_t count = 2 * half;
  Value greatest = greatestMagnitude(matrix), scale = getScale(*this, greatest);
  Value square = divideBy(*this, matrix, scale);
  Qr outer;
  if (m > n) {
    outer = qr(square);
    Value r = part(outer.factors, 0, n, 0, n);
    Value isAbove = compare(Direction::LE, rowIndex(r), columnIndex(r));
    square = select(isAbove, r, zeros(typeOf(r)));
  }
  Value rows = adjoint(square);
  if (withVectors)
    rows = besides({rows, identity(matrixType(matrix, n, n))});
  if (count > n)
    rows = below({rows, zeros(matrixType(matrix, 1, numColumns(rows)))});
  auto step = [&](ValueRange carried) -> Values {
    Value rows = carried[0];
    Value upper = part(rows, 0, half, 0, n), lower = part(rows, half, count, 0, n);
    Rotation rotation =
        getRotation(sumColumns(getSquares(*this, upper)), sumColumns(getSquares(*this, lower)),
                    sumColumns(mul(upper, conj(lower))));
    return {nextPairs(rotateRows(rows, rotation))};
  };
  // Until products of two rows are small to their lengths or, of rows that are zero but for
  // rounding, to the matrix.
  auto getFlags = [&](ValueRange carried) {
    Value vectors = part(carried[0], 0, count, 0, n);
    Value products = product(vectors, adjoint(vectors));
    Value squares = diagonal(realPart(products));
    double epsilon = getEpsilon(squares), relative = 4 * epsilon * std::sqrt(n);
    Value lengths = unary("stablehlo.sqrt", squares);
    RankedTensorType type = matrixType(lengths, count, count);
    Value bound = mul(spread(lengths, type), spread(transpose(lengths), type));
    bound = max(mul(bound, number(type, relative)), number(type, epsilon * epsilon));
    Value isDiagonal = compare(Direction::EQ, rowIndex(products), columnIndex(products));
    Value magnitudes = select(isDiagonal, zeros(type), op("stablehlo.abs", products, type));
    return compare(Direction::GT, magnitudes, bound);
  };
  Values results = sweep(count, rows, step, getFlags);
  rows = part(results[0], 0, n, 0, numColumns(rows));
  Value columns = part(rows, 0, n, 0, n);
  Value lengths = unary("stablehlo.sqrt", sumColumns(getSquares(*this, columns)));
  auto [values, permutation] = sortRows(lengths, /*isDescending=*/true);
  values = mul(values, spread(scale, typeOf(values)));
  Svd svd{{}, values, {}, getInfo(greatest, results[1])};
  if (!withVectors)
    return svd;

  // A column of zeros has no direction: QR gives one that is orthogonal to the others.
  rows = permuteRows(rows, permutation);
  svd.rightAdjoint = part(rows, 0, n, n, 2 * n);
  Qr inner = qr(adjoint(part(rows, 0, n, 0, n)));
  Value left = productOfReflections(inner.factors, inner.taus);
  Value lead = transpose(diagonal(realPart(inner.factors)));
  RankedTensorType leadType = typeOf(lead);
  Value sign = select(compare(Direction::GE, lead, zeros(leadType)), number(leadType, 1.0),
                      number(leadType, -1.0));
  svd.left = mul(left, spread(asElementOf(sign, left), typeOf(left)));
  if (m == n)
    return svd;
  Value vectors = outer.factors;
  if (isFull)
    vectors = besides({vectors, zeros(matrixType(matrix, m, m - n))});
  Value basis = productOfReflections(vectors, outer.taus);
  svd.left = product(part(basis, 0, m, 0, n), svd.left);
  if (isFull)
    svd.left = besides({svd.left, part(basis, 0, m, n, m)});
  return svd;
}
