//===- FactorMatrices.cpp - LU and QR -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU exchanges the rows of the greatest elements, QR reflects by Householder's
// vectors, with LAPACK's signs. Column by column in panels, which contractions apply
// to the columns behind them.
//
//===----------------------------------------------------------------------===//
#include "Matrices.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// LU
//===----------------------------------------------------------------------===//

/// The magnitude by which a pivot is chosen: of complex numbers the sum of the parts'.
static Value getMagnitude(MatrixBuilder &m, Value value) {
  if (!m.isComplex(value))
    return m.abs(value);
  Value re = m.realPart(value);
  return m.add(m.abs(re), m.abs(m.op("stablehlo.imag", value, re.getType())));
}

MatrixBuilder::Lu MatrixBuilder::luByColumns(Value matrix) {
  int64_t rows = numRows(matrix), count = std::min(rows, numColumns(matrix));
  Type i32 = b.getI32Type();
  RankedTensorType infoType = matrixType(matrix, 1, 1, i32);
  auto scalar = RankedTensorType::get({}, i32);
  Value order = rowIndex(zeros(matrixType(matrix, rows, 1, i32)));
  Value none = zeros(matrixType(matrix, count, 1, i32));
  Values results = loop(
      count, {matrix, order, none, zeros(infoType)}, [&](Value j, ValueRange carried) -> Values {
        Value a = carried[0], order = carried[1], pivots = carried[2], info = carried[3];
        Value line = column(a, j), index = rowIndex(line);
        Value isAtOrBelow = compareTo(Direction::GE, index, j);
        Value isBelow = compareTo(Direction::GT, index, j),
              isThis = compareTo(Direction::EQ, index, j);
        // The first of the greatest elements; of NaN alone the last row.
        Value magnitude = getMagnitude(*this, line);
        magnitude = select(isAtOrBelow, magnitude, number(typeOf(magnitude), -1.0));
        auto magnitudeScalar = RankedTensorType::get({}, typeOf(magnitude).getElementType());
        Value greatest = reduceRows(magnitude, "stablehlo.maximum", number(magnitudeScalar, -1.0));
        Value isGreatest = compare(Direction::EQ, magnitude, spread(greatest, typeOf(magnitude)));
        Value last = number(typeOf(index), static_cast<double>(rows - 1));
        Value pivot = reduceRows(select(isGreatest, index, last), "stablehlo.minimum",
                                 number(scalar, static_cast<double>(rows - 1)));
        Value isPivot = compare(Direction::EQ, index, spread(pivot, typeOf(index)));

        // The row of the pivot is looked up by a sum: each batch has another.
        auto exchange = [&](Value matrix, Value &pivotRow) {
          RankedTensorType type = typeOf(matrix);
          Value picked = select(spread(isPivot, type), matrix, zeros(type));
          auto elementScalar = RankedTensorType::get({}, type.getElementType());
          pivotRow = reduceRows(picked, "stablehlo.add", zeros(elementScalar));
          Value thisRow = row(matrix, j);
          Value exchanged = select(spread(isPivot, type), spread(thisRow, type), matrix);
          return select(spread(isThis, type), spread(pivotRow, type), exchanged);
        };
        Value pivotRow, pivotIndex;
        a = exchange(a, pivotRow);
        order = exchange(order, pivotIndex);
        pivots = setRow(pivots, pivot, j);

        Value element = column(pivotRow, j);
        Value isZero = compare(Direction::EQ, element, zeros(typeOf(element)));
        Value position = spread(add(j, number(typeOf(j), 1)), infoType);
        info = combineInfo(info, select(isZero, position, zeros(infoType)), 0);
        line = column(a, j);
        // As LAPACK, a column of zeros is left as it is.
        Value divisor = select(isZero, number(typeOf(element), 1.0), element);
        Value factors = div(line, spread(divisor, typeOf(line)));
        Value lower = select(isBelow, factors, zeros(typeOf(line)));
        Value isBehind = compareTo(Direction::GT, columnIndex(pivotRow), j);
        Value upper = select(isBehind, pivotRow, zeros(typeOf(pivotRow)));
        a = sub(a, mul(spread(lower, typeOf(a)), spread(upper, typeOf(a))));
        return {setColumn(a, select(isBelow, factors, line), j), order, pivots, info};
      });
  return {results[0], results[1], results[2], results[3]};
}

MatrixBuilder::Lu MatrixBuilder::lu(Value matrix) {
  int64_t panel = getPanelSize(std::min(numRows(matrix), numColumns(matrix)));
  std::function<Lu(Value)> factor = [&](Value matrix) -> Lu {
    int64_t rows = numRows(matrix), columns = numColumns(matrix);
    if (columns > rows) {
      Lu left = factor(part(matrix, 0, rows, 0, rows));
      Value right = permuteRows(part(matrix, 0, rows, rows, columns), left.permutation);
      left.factors = besides({left.factors, solveLower(left.factors, right, /*isUnit=*/true)});
      return left;
    }
    if (columns <= panel)
      return luByColumns(matrix);
    int64_t half = llvm::divideCeil(columns / 2, panel) * panel;
    Lu left = factor(part(matrix, 0, rows, 0, half));
    Value rest = permuteRows(part(matrix, 0, rows, half, columns), left.permutation);
    Value upper = solveLower(part(left.factors, 0, half, 0, half),
                             part(rest, 0, half, 0, columns - half), /*isUnit=*/true);
    Value lower = part(left.factors, half, rows, 0, half);
    Lu right = factor(sub(part(rest, half, rows, 0, columns - half), product(lower, upper)));
    Value above = besides({part(left.factors, 0, half, 0, half), upper});
    Value below = besides({permuteRows(lower, right.permutation), right.factors});
    Value order = permuteRows(part(left.permutation, half, rows, 0, 1), right.permutation);
    Value pivots = add(right.pivots, number(typeOf(right.pivots), static_cast<double>(half)));
    return {this->below({above, below}),
            this->below({part(left.permutation, 0, half, 0, 1), order}),
            this->below({left.pivots, pivots}), combineInfo(left.info, right.info, half)};
  };
  return factor(matrix);
}

//===----------------------------------------------------------------------===//
// QR
//===----------------------------------------------------------------------===//

MatrixBuilder::Qr MatrixBuilder::qrByColumns(Value matrix) {
  int64_t count = std::min(numRows(matrix), numColumns(matrix));
  Values results = loop(
      count, {matrix, zeros(matrixType(matrix, count, 1))},
      [&](Value j, ValueRange carried) -> Values {
        Value a = carried[0], taus = carried[1];
        Value line = column(a, j), index = rowIndex(line);
        RankedTensorType type = typeOf(line);
        Value isBelow = compareTo(Direction::GT, index, j),
              isThis = compareTo(Direction::EQ, index, j);
        Value alpha = row(line, j), alphaReal = realPart(alpha);
        RankedTensorType realType = typeOf(alphaReal);
        auto realScalar = RankedTensorType::get({}, realType.getElementType());
        // The length of the column from the diagonal on, without overflow on the way.
        Value tail = select(isBelow, line, zeros(type));
        Value magnitudes =
            op("stablehlo.abs", select(isThis, line, tail), type.clone(realType.getElementType()));
        Value greatest = reduceRows(magnitudes, "stablehlo.maximum", zeros(realScalar));
        Value isZero = compare(Direction::EQ, greatest, zeros(realType));
        Value scale = select(isZero, number(realType, 1.0), greatest);
        Value scaled = div(magnitudes, spread(scale, typeOf(magnitudes)));
        Value length =
            mul(scale, unary("stablehlo.sqrt",
                             reduceRows(mul(scaled, scaled), "stablehlo.add", zeros(realScalar))));
        Value isPositive = compare(Direction::GE, alphaReal, zeros(realType));
        Value beta = select(isPositive, neg(length), length);

        // Nothing is to be reflected where the rest is zero and the diagonal real.
        Value tailGreatest = reduceRows(op("stablehlo.abs", tail, typeOf(magnitudes)),
                                        "stablehlo.maximum", zeros(realScalar));
        Value isTrivial = compare(Direction::EQ, tailGreatest, zeros(realType));
        if (isComplex(matrix))
          isTrivial = op("stablehlo.and",
                         {isTrivial, compare(Direction::EQ, op("stablehlo.imag", alpha, realType),
                                             zeros(realType))},
                         isTrivial.getType());
        beta = asElementOf(select(isTrivial, alphaReal, beta), matrix);
        Value one = number(typeOf(alpha), 1.0);
        Value divisor = select(isTrivial, one, sub(alpha, beta));
        Value safeBeta = select(isTrivial, one, beta);
        Value tau = select(isTrivial, zeros(typeOf(alpha)), div(sub(beta, alpha), safeBeta));
        Value below = div(tail, spread(divisor, type));
        Value vector = select(isThis, number(type, 1.0), below);

        // The adjoint of I - tau v v^H on the columns behind.
        Value products = product(adjoint(vector), a);
        Value isBehind = compareTo(Direction::GT, columnIndex(products), j);
        products = select(isBehind, products, zeros(typeOf(products)));
        Value scaledVector = mul(vector, spread(conj(tau), type));
        a = sub(a, mul(spread(scaledVector, typeOf(a)), spread(products, typeOf(a))));
        Value computed = select(isBelow, below, select(isThis, spread(beta, type), column(a, j)));
        return {setColumn(a, computed, j), setRow(taus, tau, j)};
      });
  return {results[0], results[1]};
}

Value MatrixBuilder::getVectors(Value factors) {
  RankedTensorType type = typeOf(factors);
  Value rows = rowIndex(factors), columns = columnIndex(factors);
  Value diagonal = select(compare(Direction::EQ, rows, columns), number(type, 1.0), zeros(type));
  return select(compare(Direction::GT, rows, columns), factors, diagonal);
}

/// Column i of T is tau_i (e_i - T V^H v_i).
Value MatrixBuilder::getBlockFactor(Value vectors, Value taus) {
  int64_t count = numColumns(vectors);
  Value gram = product(adjoint(vectors), vectors);
  return loop(count, zeros(matrixType(vectors, count, count)), [&](Value i, ValueRange carried) {
    Value known = carried[0], line = column(gram, i), index = rowIndex(line);
    Value before = select(compareTo(Direction::LT, index, i), line, zeros(typeOf(line)));
    Value tau = spread(row(taus, i), typeOf(line));
    Value above = neg(mul(tau, product(known, before)));
    Value isThis = compareTo(Direction::EQ, index, i);
    return Values{setColumn(known, select(isThis, tau, above), i)};
  })[0];
}

MatrixBuilder::Qr MatrixBuilder::qr(Value matrix) {
  int64_t rows = numRows(matrix), columns = numColumns(matrix);
  int64_t count = std::min(rows, columns), panel = getPanelSize(count);
  SmallVector<Value> finished, taus;
  Value rest = matrix; // columns from `begin` on, all rows
  for (int64_t begin = 0; begin < count; begin += panel) {
    int64_t width = std::min(panel, count - begin), remaining = numColumns(rest) - width;
    Qr part = qrByColumns(this->part(rest, begin, rows, 0, width));
    taus.push_back(part.taus);
    Value above = this->part(rest, 0, begin, 0, width);
    finished.push_back(begin ? below({above, part.factors}) : part.factors);
    if (remaining == 0)
      break;
    // The adjoint of I - V T V^H on the columns behind.
    Value vectors = getVectors(part.factors), block = getBlockFactor(vectors, part.taus);
    Value lower = this->part(rest, begin, rows, width, width + remaining);
    Value products = product(adjoint(block), product(adjoint(vectors), lower));
    lower = sub(lower, product(vectors, products));
    rest = begin ? below({this->part(rest, 0, begin, width, width + remaining), lower}) : lower;
    if (begin + width == count)
      finished.push_back(rest);
  }
  return {besides(finished), below(taus)};
}

Value MatrixBuilder::productOfReflections(Value vectors, Value taus) {
  int64_t rows = numRows(vectors), columns = numColumns(vectors);
  int64_t count = numRows(taus), panel = getPanelSize(count);
  RankedTensorType type = typeOf(vectors);
  Value result = select(compare(Direction::EQ, rowIndex(vectors), columnIndex(vectors)),
                        number(type, 1.0), zeros(type));
  for (int64_t begin = (count - 1) / panel * panel; begin >= 0; begin -= panel) {
    int64_t end = std::min(begin + panel, count);
    Value v = getVectors(part(vectors, begin, rows, begin, end));
    Value block = getBlockFactor(v, part(taus, begin, end, 0, 1));
    // Rows and columns before are those of the identity.
    Value behind = part(result, begin, rows, begin, columns);
    behind = sub(behind, product(v, product(block, product(adjoint(v), behind))));
    if (begin == 0)
      return behind;
    Value left = part(result, begin, rows, 0, begin);
    result = below({part(result, 0, begin, 0, columns), besides({left, behind})});
  }
  return result;
}
