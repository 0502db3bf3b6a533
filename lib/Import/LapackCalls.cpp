//===- LapackCalls.cpp - Calls of LAPACK's functions ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As JAX writes them for processors: `lapack_spotrf_ffi`, with the type in a letter
// and the arguments of the function as attributes, which are the letters that LAPACK
// takes. Elsewhere QR is a call of `Qr`.
//
//===----------------------------------------------------------------------===//
#include "CustomCalls.h"
#include "Matrices.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace dmc;

namespace {
/// A call, whose operands and results are checked as they are asked for.
class Call {
public:
  explicit Call(Operation *op) : call(cast<stablehlo::CustomCallOp>(op)) {}

  /// Matrices of the type in the target's name, and results of these shapes.
  LogicalResult check(unsigned numOperands, ArrayRef<RankedTensorType> results);
  bool isMatrix(unsigned i) const {
    return i < call->getNumOperands() &&
           stablehlo::isTensorOf(call->getOperand(i).getType(), kinds) &&
           typeOf(call->getOperand(i)).getRank() >= 2;
  }
  InFlightDiagnostic refuse() {
    return unsupported(call) << "of the target '" << call.getCallTargetName() << "' on ("
                             << call->getOperandTypes() << ") -> (" << call->getResultTypes()
                             << ")";
  }
  /// The letter that an attribute is, one of `allowed`; 0 after an error.
  char getLetter(StringRef name, StringRef allowed);
  MatrixBuilder makeBuilder(Expander &e) { return MatrixBuilder(e.b, e.loc); }

  stablehlo::CustomCallOp call;

private:
  static constexpr unsigned kinds = stablehlo::kFloat | stablehlo::kComplex;
};
} // namespace

/// The type that the target's name tells; of a target without one that of the first operand.
static Type getElement(stablehlo::CustomCallOp call) {
  MLIRContext *context = call.getContext();
  Type f32 = Float32Type::get(context), f64 = Float64Type::get(context);
  StringRef target = call.getCallTargetName();
  if (!target.consume_front("lapack_"))
    return typeOf(call->getOperand(0)).getElementType();
  return llvm::StringSwitch<Type>(target.take_front(1))
      .Case("s", f32)
      .Case("d", f64)
      .Case("c", ComplexType::get(f32))
      .Default(ComplexType::get(f64));
}

LogicalResult Call::check(unsigned numOperands, ArrayRef<RankedTensorType> results) {
  Type element = getElement(call);
  bool isRight = call->getNumOperands() == numOperands && call->getNumResults() == results.size() &&
                 llvm::equal(call->getResultTypes(), results) &&
                 llvm::all_of(call->getOperands(), [&](Value operand) {
                   return stablehlo::isTensorOf(operand.getType(), kinds) &&
                          typeOf(operand).getElementType() == element;
                 });
  if (isRight)
    return success();
  InFlightDiagnostic diag = refuse() << "; expected operands of " << element << " and results (";
  llvm::interleaveComma(results, diag);
  return diag << ")";
}

char Call::getLetter(StringRef name, StringRef allowed) {
  auto attr = dyn_cast_or_null<IntegerAttr>(getCallAttribute(call, name));
  char letter = attr ? static_cast<char>(attr.getValue().getZExtValue()) : 0;
  if (attr && allowed.contains(letter))
    return letter;
  unsupported(call) << "of the target '" << call.getCallTargetName() << "' with '" << name << "' "
                    << attr << "; expected the code of one of the letters " << allowed;
  return 0;
}

/// Zeros for all results: nothing is to be computed of matrices without elements.
static std::optional<Values> getEmpty(MatrixBuilder &m, stablehlo::CustomCallOp call) {
  bool isEmpty = llvm::any_of(call->getOperands(),
                              [](Value operand) { return typeOf(operand).getNumElements() == 0; });
  if (!isEmpty)
    return std::nullopt;
  Values values;
  for (Value result : call->getResults())
    values.push_back(m.zeros(typeOf(result)));
  return values;
}

static Value reshape(MatrixBuilder &m, Value value, RankedTensorType type) {
  return stablehlo::ReshapeOp::create(m.b, m.loc, type, value);
}

/// The batches, with one more dimension where `size` is given.
static RankedTensorType getBatchType(Value matrix, Type element, std::optional<int64_t> size = {}) {
  SmallVector<int64_t> shape(typeOf(matrix).getShape().drop_back(2));
  if (size)
    shape.push_back(*size);
  return RankedTensorType::get(shape, element);
}

static LogicalResult checkMatrices(Call &call, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (!call.isMatrix(i))
      return call.refuse() << "; expected matrices of floats or complex numbers";
  Type element = getElement(call.call);
  Type part = isa<ComplexType>(element) ? cast<ComplexType>(element).getElementType() : element;
  if (!isa<Float32Type, Float64Type>(part))
    return call.refuse() << "; expected f32, f64 or complex numbers";
  return success();
}

static FailureOr<Values> expandPotrf(Expander &e, Operation *op) {
  Call call(op);
  if (failed(checkMatrices(call, 1)))
    return failure();
  MatrixBuilder m = call.makeBuilder(e);
  Value matrix = op->getOperand(0);
  RankedTensorType infoType = getBatchType(matrix, e.b.getI32Type());
  if (failed(call.check(1, {typeOf(matrix), infoType})))
    return failure();
  if (m.numRows(matrix) != m.numColumns(matrix))
    return call.refuse() << "; expected square matrices";
  char triangle = call.getLetter("uplo", "LU");
  if (!triangle)
    return failure();
  if (std::optional<Values> empty = getEmpty(m, call.call))
    return *empty;
  bool isLower = triangle == 'L';
  auto [factor, info] = m.cholesky(isLower ? matrix : m.adjoint(matrix));
  if (!isLower)
    factor = m.adjoint(factor);
  // The other triangle is the operand's.
  auto direction = isLower ? MatrixBuilder::Direction::GE : MatrixBuilder::Direction::LE;
  Value isComputed = m.compare(direction, m.rowIndex(matrix), m.columnIndex(matrix));
  return Values{m.select(isComputed, factor, matrix), reshape(m, info, infoType)};
}

static FailureOr<Values> expandTrsm(Expander &e, Operation *op) {
  Call call(op);
  if (failed(checkMatrices(call, 2)))
    return failure();
  MatrixBuilder m = call.makeBuilder(e);
  Value matrix = op->getOperand(0), rhs = op->getOperand(1);
  if (failed(call.check(2, {typeOf(rhs)})))
    return failure();
  char side = call.getLetter("side", "LR");
  char triangle = side ? call.getLetter("uplo", "LU") : 0;
  char kind = triangle ? call.getLetter("trans_x", "NTC") : 0;
  char diagonal = kind ? call.getLetter("diag", "NU") : 0;
  if (!diagonal)
    return failure();
  int64_t size = side == 'L' ? m.numRows(rhs) : m.numColumns(rhs);
  if (m.numRows(matrix) != size || m.numColumns(matrix) != size ||
      typeOf(matrix).getShape().drop_back(2) != typeOf(rhs).getShape().drop_back(2))
    return call.refuse() << "; expected square matrices of size " << size
                         << " in the batches of the other operand";
  if (std::optional<Values> empty = getEmpty(m, call.call))
    return *empty;
  using stablehlo::Transpose;
  Transpose transpose = kind == 'N'   ? Transpose::NO_TRANSPOSE
                        : kind == 'T' ? Transpose::TRANSPOSE
                                      : Transpose::ADJOINT;
  return Values{
      m.solveTriangular(matrix, rhs, side == 'L', triangle == 'L', transpose, diagonal == 'U')};
}

static FailureOr<Values> expandGetrf(Expander &e, Operation *op) {
  Call call(op);
  if (failed(checkMatrices(call, 1)))
    return failure();
  MatrixBuilder m = call.makeBuilder(e);
  Value matrix = op->getOperand(0);
  Type i32 = e.b.getI32Type();
  RankedTensorType pivotsType =
      getBatchType(matrix, i32, std::min(m.numRows(matrix), m.numColumns(matrix)));
  RankedTensorType infoType = getBatchType(matrix, i32);
  if (failed(call.check(1, {typeOf(matrix), pivotsType, infoType})))
    return failure();
  if (std::optional<Values> empty = getEmpty(m, call.call))
    return *empty;
  MatrixBuilder::Lu lu = m.lu(matrix);
  // LAPACK counts rows from 1.
  Value pivots = m.add(lu.pivots, m.number(typeOf(lu.pivots), 1));
  return Values{lu.factors, reshape(m, pivots, pivotsType), reshape(m, lu.info, infoType)};
}

static FailureOr<Values> expandGeqrf(Expander &e, Operation *op) {
  Call call(op);
  if (failed(checkMatrices(call, 1)))
    return failure();
  MatrixBuilder m = call.makeBuilder(e);
  Value matrix = op->getOperand(0);
  RankedTensorType tausType = getBatchType(matrix, typeOf(matrix).getElementType(),
                                           std::min(m.numRows(matrix), m.numColumns(matrix)));
  if (failed(call.check(1, {typeOf(matrix), tausType})))
    return failure();
  if (std::optional<Values> empty = getEmpty(m, call.call))
    return *empty;
  MatrixBuilder::Qr qr = m.qr(matrix);
  return Values{qr.factors, reshape(m, qr.taus, tausType)};
}

static FailureOr<Values> expandOrgqr(Expander &e, Operation *op) {
  Call call(op);
  if (failed(checkMatrices(call, 1)))
    return failure();
  MatrixBuilder m = call.makeBuilder(e);
  Value matrix = op->getOperand(0);
  if (failed(call.check(2, {typeOf(matrix)})))
    return failure();
  RankedTensorType tausType = typeOf(op->getOperand(1));
  int64_t count = tausType.getRank() ? tausType.getShape().back() : 0;
  if (tausType != getBatchType(matrix, tausType.getElementType(), count) ||
      count > m.numColumns(matrix) || m.numColumns(matrix) > m.numRows(matrix))
    return call.refuse() << "; expected a factor for each reflection, no more reflections than "
                            "columns, and no more columns than rows";
  if (count > 0)
    if (std::optional<Values> empty = getEmpty(m, call.call))
      return *empty;
  if (count == 0) {
    RankedTensorType type = typeOf(matrix);
    Value isDiagonal =
        m.compare(MatrixBuilder::Direction::EQ, m.rowIndex(matrix), m.columnIndex(matrix));
    return Values{m.select(isDiagonal, m.number(type, 1.0), m.zeros(type))};
  }
  Value taus = reshape(m, op->getOperand(1), MatrixBuilder::matrixType(matrix, count, 1));
  return Values{m.productOfReflections(matrix, taus)};
}

/// The product of reflections, as a square matrix, with another.
static FailureOr<Values> expandOrmqr(Expander &e, Operation *op) {
  Call call(op);
  if (failed(checkMatrices(call, 1)))
    return failure();
  MatrixBuilder m = call.makeBuilder(e);
  Value vectors = op->getOperand(0);
  if (op->getNumOperands() != 3 || !call.isMatrix(2))
    return call.refuse() << "; expected reflections, their factors and a matrix";
  Value matrix = op->getOperand(2);
  if (failed(call.check(3, {typeOf(matrix)})))
    return failure();
  auto left = dyn_cast_or_null<BoolAttr>(getCallAttribute(call.call, "left"));
  auto transposed = dyn_cast_or_null<BoolAttr>(getCallAttribute(call.call, "transpose"));
  if (!left || !transposed)
    return call.refuse() << "; expected the attributes 'left' and 'transpose'";
  int64_t rows = m.numRows(vectors), count = m.numColumns(vectors);
  int64_t size = left.getValue() ? m.numRows(matrix) : m.numColumns(matrix);
  Type element = typeOf(matrix).getElementType();
  if (rows != size || count > rows ||
      typeOf(op->getOperand(1)) != getBatchType(vectors, element, count) ||
      getBatchType(vectors, element) != getBatchType(matrix, element))
    return call.refuse() << "; expected reflections of " << size
                         << " elements, no more than these, and a factor for each";
  if (std::optional<Values> empty = getEmpty(m, call.call))
    return *empty;
  if (count < rows)
    vectors = m.besides({vectors, m.zeros(m.matrixType(vectors, rows, rows - count))});
  Value taus = reshape(m, op->getOperand(1), m.matrixType(vectors, count, 1));
  Value basis = m.productOfReflections(vectors, taus);
  if (transposed.getValue())
    basis = m.adjoint(basis);
  return Values{left.getValue() ? m.product(basis, matrix) : m.product(matrix, basis)};
}

static Type getReal(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

static FailureOr<Values> expandSyevd(Expander &e, Operation *op) {
  Call call(op);
  if (failed(checkMatrices(call, 1)))
    return failure();
  MatrixBuilder m = call.makeBuilder(e);
  Value matrix = op->getOperand(0);
  Type element = typeOf(matrix).getElementType();
  RankedTensorType valuesType = getBatchType(matrix, getReal(element), m.numColumns(matrix));
  RankedTensorType infoType = getBatchType(matrix, e.b.getI32Type());
  if (failed(call.check(1, {typeOf(matrix), valuesType, infoType})))
    return failure();
  if (m.numRows(matrix) != m.numColumns(matrix))
    return call.refuse() << "; expected square matrices";
  char triangle = call.getLetter("uplo", "LU");
  if (!triangle || !call.getLetter("mode", "NV"))
    return failure();
  if (std::optional<Values> empty = getEmpty(m, call.call))
    return *empty;
  auto [vectors, values, info] = m.eigh(triangle == 'L' ? matrix : m.adjoint(matrix));
  return Values{vectors, reshape(m, values, valuesType), reshape(m, info, infoType)};
}

static FailureOr<Values> expandGesdd(Expander &e, Operation *op) {
  Call call(op);
  if (failed(checkMatrices(call, 1)))
    return failure();
  MatrixBuilder m = call.makeBuilder(e);
  Value matrix = op->getOperand(0);
  char mode = call.getLetter("mode", "ASN");
  if (!mode)
    return failure();
  int64_t rows = m.numRows(matrix), columns = m.numColumns(matrix);
  int64_t count = std::min(rows, columns);
  RankedTensorType valuesType =
      getBatchType(matrix, getReal(typeOf(matrix).getElementType()), count);
  RankedTensorType leftType = m.matrixType(matrix, rows, mode == 'A' ? rows : count);
  RankedTensorType rightType = m.matrixType(matrix, mode == 'A' ? columns : count, columns);
  // Of vectors that are not computed the types do not matter.
  if (mode == 'N' && op->getNumResults() == 5) {
    if (auto type = dyn_cast<RankedTensorType>(op->getResult(2).getType()))
      leftType = type;
    if (auto type = dyn_cast<RankedTensorType>(op->getResult(3).getType()))
      rightType = type;
  }
  RankedTensorType infoType = getBatchType(matrix, e.b.getI32Type());
  if (failed(call.check(1, {typeOf(matrix), valuesType, leftType, rightType, infoType})))
    return failure();
  if (std::optional<Values> empty = getEmpty(m, call.call))
    return *empty;
  MatrixBuilder::Svd svd = m.svd(matrix, mode != 'N', mode == 'A');
  if (mode == 'N') {
    svd.left = m.zeros(leftType);
    svd.rightAdjoint = m.zeros(rightType);
  }
  return Values{matrix, reshape(m, svd.values, valuesType), svd.left, svd.rightAdjoint,
                reshape(m, svd.info, infoType)};
}

/// Of the results that LAPACK has, the solution and `info`.
static FailureOr<Values> expandGtsv(Expander &e, Operation *op) {
  Call call(op);
  if (op->getNumOperands() != 4 || op->getNumResults() != 5 || !call.isMatrix(3))
    return call.refuse() << "; expected three diagonals and a matrix";
  MatrixBuilder m = call.makeBuilder(e);
  Value rhs = op->getOperand(3);
  RankedTensorType diagonalType = getBatchType(rhs, typeOf(rhs).getElementType(), m.numRows(rhs));
  RankedTensorType infoType = getBatchType(rhs, e.b.getI32Type());
  if (failed(call.check(4, {diagonalType, diagonalType, diagonalType, typeOf(rhs), infoType})))
    return failure();
  Values diagonals;
  for (unsigned i = 0; i < 3; ++i) {
    if (op->getOperand(i).getType() != diagonalType)
      return call.refuse() << "; expected diagonals of " << m.numRows(rhs) << " elements";
    if (!op->getResult(i).use_empty())
      return call.refuse() << " with the use of a factor; expected that of the solution";
  }
  if (std::optional<Values> empty = getEmpty(m, call.call))
    return *empty;
  for (unsigned i = 0; i < 3; ++i)
    diagonals.push_back(reshape(m, op->getOperand(i), m.matrixType(rhs, m.numRows(rhs), 1)));
  auto [solution, info] = m.solveTridiagonal(diagonals[0], diagonals[1], diagonals[2], rhs);
  return Values{op->getOperand(0), op->getOperand(1), op->getOperand(2), solution,
                reshape(m, info, infoType)};
}

Expansion dmc::getLapackExpansion(StringRef target) {
  if (target == "Qr")
    return expandGeqrf;
  if (target == "ProductOfElementaryHouseholderReflectors")
    return expandOrgqr;
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") || target.empty() ||
      !StringRef("sdcz").contains(target.front()))
    return nullptr;
  bool isComplex = StringRef("cz").contains(target.front());
  auto either = [&](llvm::StringLiteral real, llvm::StringLiteral complex) {
    return isComplex ? complex : real;
  };
  return llvm::StringSwitch<Expansion>(target.drop_front())
      .Case("potrf", expandPotrf)
      .Case("trsm", expandTrsm)
      .Case("getrf", expandGetrf)
      .Case("geqrf", expandGeqrf)
      .Cases({"gesdd", "gesvd"}, expandGesdd)
      .Case("gtsv", expandGtsv)
      .Case(either("orgqr", "ungqr"), expandOrgqr)
      .Case(either("ormqr", "unmqr"), expandOrmqr)
      .Case(either("syevd", "heevd"), expandSyevd)
      .Default(nullptr);
}
