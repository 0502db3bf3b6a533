//===- LapackCalls.cpp - Calls of LAPACK's functions ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As JAX writes them for processors: `lapack_spotrf_ffi`, with the type in a letter
// and the arguments of the function as attributes, which are the letters that LAPACK
// takes.
//
//===----------------------------------------------------------------------===//
#include "CustomCalls.h"
#include "Matrices.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace dmc;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

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

LogicalResult Call::check(unsigned numOperands, ArrayRef<RankedTensorType> results) {
  MLIRContext *context = call.getContext();
  Type f32 = Float32Type::get(context), f64 = Float64Type::get(context);
  Type element = llvm::StringSwitch<Type>(call.getCallTargetName().substr(strlen("lapack_"), 1))
                     .Case("s", f32)
                     .Case("d", f64)
                     .Case("c", ComplexType::get(f32))
                     .Default(ComplexType::get(f64));
  bool isRight = call->getNumOperands() == numOperands && call->getNumResults() == results.size() &&
                 llvm::equal(call->getResultTypes(), results) &&
                 llvm::all_of(call->getOperands(), [&](Value operand) {
                   return typeOf(operand).getElementType() == element;
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

Expansion dmc::getLapackExpansion(StringRef target) {
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") || target.empty() ||
      !StringRef("sdcz").contains(target.front()))
    return nullptr;
  bool isComplex = StringRef("cz").contains(target.front());
  return llvm::StringSwitch<Expansion>(target.drop_front())
      .Case("potrf", expandPotrf)
      .Case("trsm", expandTrsm)
      .Case("getrf", expandGetrf)
      .Case("geqrf", expandGeqrf)
      .Case(isComplex ? llvm::StringLiteral("ungqr") : llvm::StringLiteral("orgqr"), expandOrgqr)
      .Default(nullptr);
}
