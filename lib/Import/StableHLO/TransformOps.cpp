// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms, and decompositions of matrices.
#include "Assembly.h"
#include "Verify.h"

using namespace mlir;
using namespace dmc::stablehlo;

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/TransformOps.cpp.inc"

void StableHLODialect::addTransformOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/TransformOps.cpp.inc"
      >();
}

LogicalResult FftOp::verify() {
  RankedTensorType operand = tensorOf(getOperand()), result = tensorOf(getResult());
  ArrayRef<int64_t> lengths = getFftLength();
  if (lengths.empty() || lengths.size() > 3 || // (C1)
      static_cast<int64_t>(lengths.size()) > operand.getRank())
    return emitOpError() << "expected lengths of 1 to 3 dimensions of " << operand << ", but got "
                         << str(lengths);
  bool isInverseOfReal = getFftType() == FftType::IRFFT;
  SmallVector<int64_t> shape(operand.getShape());
  llvm::copy(lengths, shape.end() - lengths.size());
  if (isInverseOfReal) {
    if (failed(verifyShape(*this, "result", result, shape))) // (C2)
      return failure();
    shape.back() = shape.back() / 2 + 1; // (C3)
    if (failed(verifyShape(*this, "operand", operand, shape)))
      return failure();
  } else {
    if (failed(verifyShape(*this, "operand", operand, shape)))
      return failure();
    if (getFftType() == FftType::RFFT)
      shape.back() = shape.back() / 2 + 1;
    if (failed(verifyShape(*this, "result", result, shape)))
      return failure();
  }
  Type from = operand.getElementType(), to = result.getElementType();
  if (getFftType() == FftType::RFFT && isa<Float32Type, Float64Type>(from)) // (C4)
    from = ComplexType::get(from);
  if (isInverseOfReal && isa<Float32Type, Float64Type>(to))
    to = ComplexType::get(to);
  bool isRight = from == to && isa<ComplexType>(from) &&
                 (from != operand.getElementType()) == (getFftType() == FftType::RFFT) &&
                 (to != result.getElementType()) == isInverseOfReal;
  if (!isRight)
    return emitOpError() << "expected complex numbers, and real ones as operand of RFFT and result "
                            "of IRFFT, but got "
                         << operand << " and " << result;
  return success();
}

/// Whether the last two dimensions are equal.
static bool isSquare(RankedTensorType type) {
  return type.getRank() >= 2 &&
         type.getDimSize(type.getRank() - 1) == type.getDimSize(type.getRank() - 2);
}

LogicalResult CholeskyOp::verify() {
  if (!isSquare(tensorOf(getA()))) // (C1)
    return emitOpError() << "expected square matrices, but got " << getA().getType();
  return success();
}

LogicalResult TriangularSolveOp::verify() {
  RankedTensorType a = tensorOf(getA()), b = tensorOf(getB());
  if (failed(verifySameElementType(*this, "a", a, "b", b))) // (C1)
    return failure();
  if (b != getResult().getType())
    return emitOpError() << "expected a result of b's type " << b << ", but got "
                         << getResult().getType();
  int64_t rank = b.getRank();
  if (rank < 2 || a.getRank() != rank || // (C2)
      a.getShape().drop_back(2) != b.getShape().drop_back(2))
    return emitOpError() << "expected matrices with the same batch dimensions, but got " << a
                         << " and " << b;
  int64_t size = b.getDimSize(getLeftSide() ? rank - 2 : rank - 1);
  if (!isSquare(a) || a.getDimSize(rank - 1) != size) // (C3)
    return emitOpError() << "expected square matrices of size " << size << ", but got " << a;
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID) // (C4)
    return emitOpError() << "expected transpose_a to be NO_TRANSPOSE, TRANSPOSE or ADJOINT";
  return success();
}
