//===- SolveTriangular.cpp - Triangular systems, Cholesky's factor --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By halves down to panels; a panel is solved row by row, and factored column by
// column. Tridiagonal systems are solved row by row.
//
//===----------------------------------------------------------------------===//
#include "Derived.h"
#include "Matrices.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Triangular systems
//===----------------------------------------------------------------------===//

/// x_i = (b_i - sum over k < i of a_ik x_k) / a_ii
Value MatrixBuilder::solveByRows(Value matrix, Value rhs, bool isUnit) {
  // Rows of the solution that are not known yet are zero, but elements that are not read may be
  // infinite.
  Value isBelow = compare(Direction::GT, rowIndex(matrix), columnIndex(matrix));
  Value lower = select(isBelow, matrix, zeros(typeOf(matrix)));
  return loop(numRows(matrix), zeros(typeOf(rhs)), [&](Value i, ValueRange carried) {
    Value known = carried[0];
    Value next = sub(row(rhs, i), product(row(lower, i), known));
    if (!isUnit)
      next = div(next, spread(column(row(matrix, i), i), typeOf(next)));
    return Values{setRow(known, next, i)};
  })[0];
}

Value MatrixBuilder::solveLower(Value matrix, Value rhs, bool isUnit) {
  int64_t n = numRows(matrix), columns = numColumns(rhs), panel = getPanelSize(n);
  std::function<Value(int64_t, int64_t, Value)> solve = [&](int64_t begin, int64_t end,
                                                            Value rhs) -> Value {
    if (end - begin <= panel)
      return solveByRows(part(matrix, begin, end, begin, end), rhs, isUnit);
    int64_t half = llvm::divideCeil((end - begin) / 2, panel) * panel, middle = begin + half;
    Value first = solve(begin, middle, part(rhs, 0, half, 0, columns));
    Value rest = sub(part(rhs, half, end - begin, 0, columns),
                     product(part(matrix, middle, end, begin, middle), first));
    return below({first, solve(middle, end, rest)});
  };
  return solve(0, n, rhs);
}

Value MatrixBuilder::solveTriangular(Value matrix, Value rhs, bool isLeft, bool isLower,
                                     stablehlo::Transpose kind, bool isUnit) {
  using stablehlo::Transpose;
  // x op(a) = b is op(a)^T x^T = b^T.
  if (!isLeft)
    rhs = transpose(rhs);
  bool isTransposed = (kind == Transpose::NO_TRANSPOSE) != isLeft;
  if (isTransposed)
    matrix = transpose(matrix);
  if (kind == Transpose::ADJOINT)
    matrix = conj(matrix);
  // Upper systems are lower ones from the last row and column on.
  bool isReversed = isLower == isTransposed;
  if (isReversed) {
    matrix = reverse(matrix, true, true);
    rhs = reverse(rhs, true, false);
  }
  Value solution = solveLower(matrix, rhs, isUnit);
  if (isReversed)
    solution = reverse(solution, true, false);
  return isLeft ? solution : transpose(solution);
}

//===----------------------------------------------------------------------===//
// Tridiagonal systems
//===----------------------------------------------------------------------===//

MatrixBuilder::Solution MatrixBuilder::solveTridiagonal(Value lower, Value diagonal, Value upper,
                                                        Value rhs) {
  int64_t n = numRows(rhs), k = numColumns(rhs);
  auto last = static_cast<double>(n - 1);
  Value index = rowIndex(upper);
  upper = select(compare(Direction::LT, index, number(typeOf(index), last)), upper,
                 zeros(typeOf(upper)));
  // Rows of the system; of the current one the first element is on the diagonal.
  Value rows = besides({lower, diagonal, upper, rhs});
  Value none = zeros(matrixType(rhs, 1, 1));
  auto current = [&](Value row) {
    return besides({part(row, 0, 1, 1, 3), none, part(row, 0, 1, 3, 3 + k)});
  };
  Value first = current(part(rows, 0, 1, 0, 3 + k));
  Values reduced = loop(n - 1, {first, zeros(typeOf(rows))}, [&](Value i, ValueRange carried) {
    Value a = carried[0], b = row(rows, add(i, number(typeOf(i), 1)));
    RankedTensorType real = typeOf(realPart(a));
    Value magnitudes[] = {part(op("stablehlo.abs", a, real), 0, 1, 0, 1),
                          part(op("stablehlo.abs", b, real), 0, 1, 0, 1)};
    Value isExchanged = compare(Direction::GT, magnitudes[1], magnitudes[0]);
    isExchanged = spread(isExchanged, real);
    Value pivot = select(isExchanged, b, a), other = select(isExchanged, a, b);
    Value element = part(pivot, 0, 1, 0, 1);
    Value isZero = compare(Direction::EQ, element, none);
    Value factor =
        div(part(other, 0, 1, 0, 1), select(isZero, number(typeOf(element), 1.0), element));
    Value rest = sub(other, mul(spread(factor, typeOf(pivot)), pivot));
    return Values{current(rest), setRow(carried[1], pivot, i)};
  });
  Value upperRows =
      setRow(reduced[1], reduced[0], number(RankedTensorType::get({}, b.getI32Type()), last));
  Value unknown = zeros(matrixType(rhs, 1, k));
  Values solved = loop(n, {zeros(typeOf(rhs)), unknown, unknown}, [&](Value i, ValueRange carried) {
    Value j = sub(number(typeOf(i), last), i), line = row(upperRows, j);
    auto coefficient = [&](int64_t c) {
      return spread(part(line, 0, 1, c, c + 1), typeOf(unknown));
    };
    Value sum = add(mul(coefficient(1), carried[1]), mul(coefficient(2), carried[2]));
    Value next = div(sub(part(line, 0, 1, 3, 3 + k), sum), coefficient(0));
    return Values{setRow(carried[0], next, j), next, carried[1]};
  });
  // The first row whose pivot is zero, from 1.
  Value pivots = part(upperRows, 0, n, 0, 1);
  Value isZero = compare(Direction::EQ, pivots, zeros(typeOf(pivots)));
  Value position = add(index, number(typeOf(index), 1));
  auto scalar = RankedTensorType::get({}, b.getI32Type());
  Value most = number(scalar, last + 2);
  Value info =
      reduceRows(select(isZero, position, spread(most, typeOf(index))), "stablehlo.minimum", most);
  Value isRegular = compareTo(Direction::EQ, info, most);
  return {solved[0], select(isRegular, zeros(typeOf(info)), info)};
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

Value MatrixBuilder::combineInfo(Value first, Value second, int64_t offset) {
  Value zero = zeros(typeOf(first));
  Value later = select(compare(Direction::EQ, second, zero), zero,
                       add(second, number(typeOf(second), static_cast<double>(offset))));
  return select(compare(Direction::EQ, first, zero), later, first);
}

/// Each column of the factor, subtracted from what remains of the matrix.
MatrixBuilder::Cholesky MatrixBuilder::choleskyByColumns(Value matrix) {
  int64_t n = numRows(matrix);
  RankedTensorType infoType = matrixType(matrix, 1, 1, b.getI32Type());
  Values results =
      loop(n, {matrix, zeros(typeOf(matrix)), zeros(infoType)}, [&](Value j, ValueRange carried) {
        Value rest = carried[0], factor = carried[1], info = carried[2];
        Value line = column(rest, j), rows = rowIndex(line);
        Value pivot = realPart(row(line, j));
        Value isPositive = compare(Direction::GT, pivot, zeros(typeOf(pivot)));
        // Numbers of columns, from 1.
        Value number = spread(add(j, this->number(typeOf(j), 1)), infoType);
        info = combineInfo(info, select(isPositive, zeros(infoType), number), 0);
        Value root = unary("stablehlo.sqrt", pivot);
        Value divisor = spread(asElementOf(root, line), typeOf(line));
        Value below =
            select(compareTo(Direction::GT, rows, j), div(line, divisor), zeros(typeOf(line)));
        Value computed = select(compareTo(Direction::EQ, rows, j), divisor, below);
        Value outer = mul(spread(computed, typeOf(rest)), spread(adjoint(computed), typeOf(rest)));
        return Values{sub(rest, outer), setColumn(factor, computed, j), info};
      });
  return {results[1], results[2]};
}

MatrixBuilder::Cholesky MatrixBuilder::cholesky(Value matrix) {
  int64_t panel = getPanelSize(numRows(matrix));
  std::function<Cholesky(Value)> factor = [&](Value matrix) -> Cholesky {
    int64_t n = numRows(matrix);
    if (n <= panel)
      return choleskyByColumns(matrix);
    int64_t half = llvm::divideCeil(n / 2, panel) * panel;
    Cholesky first = factor(part(matrix, 0, half, 0, half));
    // The block below is a21 times the inverse of the adjoint of l11.
    Value lower = adjoint(
        solveLower(first.factor, adjoint(part(matrix, half, n, 0, half)), /*isUnit=*/false));
    Value rest = sub(part(matrix, half, n, half, n), product(lower, adjoint(lower)));
    Cholesky second = factor(rest);
    Value above = zeros(matrixType(matrix, half, n - half));
    return {below({besides({first.factor, above}), besides({lower, second.factor})}),
            combineInfo(first.info, second.info, half)};
  };
  return factor(matrix);
}

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

/// Types in which decompositions are computed.
static LogicalResult checkElements(Operation *op, Value value) {
  Type element = MatrixBuilder::typeOf(value).getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (isa<Float32Type, Float64Type>(element))
    return success();
  return unsupported(op) << "on " << value.getType() << "; expected f32, f64 or complex numbers";
}

FailureOr<Values> dmc::expandCholesky(Expander &e, Operation *op) {
  auto source = cast<stablehlo::CholeskyOp>(op);
  if (failed(checkElements(op, source.getA())))
    return failure();
  MatrixBuilder m(e.b, e.loc);
  Value matrix = source.getA();
  if (m.typeOf(matrix).getNumElements() == 0)
    return Values{matrix};
  Value factor = m.cholesky(source.getLower() ? matrix : m.adjoint(matrix)).factor;
  return Values{source.getLower() ? factor : m.adjoint(factor)};
}

FailureOr<Values> dmc::expandTriangularSolve(Expander &e, Operation *op) {
  auto source = cast<stablehlo::TriangularSolveOp>(op);
  if (failed(checkElements(op, source.getA())))
    return failure();
  MatrixBuilder m(e.b, e.loc);
  if (m.typeOf(source.getB()).getNumElements() == 0)
    return Values{source.getB()};
  return Values{m.solveTriangular(source.getA(), source.getB(), source.getLeftSide(),
                                  source.getLower(), source.getTransposeA(),
                                  source.getUnitDiagonal())};
}
