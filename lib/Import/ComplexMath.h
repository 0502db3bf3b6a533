//===- ComplexMath.h - Complex numbers as two real tensors ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of complex numbers in operations of StableHLO on their parts.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_COMPLEXMATH_H
#define DMC_LIB_IMPORT_COMPLEXMATH_H

#include "Conversion.h"

namespace dmc {

/// The parts of a tensor of complex numbers, of one type.
struct Complex {
  mlir::Value re, im;
};

/// Builds operations on real tensors, by name.
class RealBuilder {
public:
  RealBuilder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Value op(llvm::StringRef name, mlir::ValueRange operands, mlir::Type type,
                 llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::Value unary(llvm::StringRef name, mlir::Value x) { return op(name, x, x.getType()); }
  mlir::Value binary(llvm::StringRef name, mlir::Value x, mlir::Value y) {
    return op(name, {x, y}, x.getType());
  }
  mlir::Value add(mlir::Value x, mlir::Value y) { return binary("stablehlo.add", x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return binary("stablehlo.subtract", x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return binary("stablehlo.multiply", x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return binary("stablehlo.divide", x, y); }
  mlir::Value neg(mlir::Value x) { return unary("stablehlo.negate", x); }
  mlir::Value abs(mlir::Value x) { return unary("stablehlo.abs", x); }
  mlir::Value max(mlir::Value x, mlir::Value y) { return binary("stablehlo.maximum", x, y); }
  mlir::Value min(mlir::Value x, mlir::Value y) { return binary("stablehlo.minimum", x, y); }
  mlir::Value select(mlir::Value pred, mlir::Value x, mlir::Value y) {
    return op("stablehlo.select", {pred, x, y}, x.getType());
  }
  mlir::Value compare(stablehlo::ComparisonDirection direction, mlir::Value x, mlir::Value y);
  /// A tensor of the type of x with one number as every element.
  mlir::Value constant(mlir::Value x, double number);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// Builds the elementwise operation of a name, as `stablehlo.exponential`, on complex operands of
/// which the result is complex; nothing for names that it does not know.
std::optional<Complex> buildComplex(RealBuilder &r, llvm::StringRef name,
                                    llvm::ArrayRef<Complex> operands);
/// The absolute value, without overflow on the way.
mlir::Value buildComplexAbs(RealBuilder &r, Complex z);

/// The product that an operation on two tensors is, a contraction or a convolution, as products of
/// parts; a part that is zero needs none.
Complex buildComplexProduct(RealBuilder &r, mlir::Operation *op, Complex lhs, Complex rhs);

/// The type of the parts; null for other types than tensors of complex numbers.
mlir::RankedTensorType getPartType(mlir::Type type);
/// True for complex numbers, tensors of them and tuples with either.
bool hasComplex(mlir::Type type);
/// The type of an array in which the parts lie side by side, in a last dimension.
mlir::RankedTensorType getPairsType(mlir::RankedTensorType part);
Complex takeApart(RealBuilder &r, mlir::Value pairs);
mlir::Value joinParts(RealBuilder &r, Complex parts);
/// The attributes of an argument with its sharding as one of pairs, which lie together.
mlir::DictionaryAttr extendSharding(mlir::DictionaryAttr attrs);
/// The shardings of values of these types, of complex ones once for each part.
sdy::TensorShardingPerValueAttr expandShardings(sdy::TensorShardingPerValueAttr given,
                                                mlir::TypeRange types);

/// The transform of complex numbers along a dimension, of exp(-2 pi i / n), or where `isInverse`
/// of exp(2 pi i / n) without the division by n. Parts of `z` that are zero are null.
Complex buildFourierTransform(RealBuilder &r, Complex z, int64_t dim, bool isInverse);
/// What a transform makes of its operand, of which a real one has no imaginary part. Of a real
/// result the imaginary part is of no meaning.
Complex expandFft(RealBuilder &r, stablehlo::FftOp op, Complex z);

/// Replaces complex numbers in a function.
mlir::LogicalResult splitComplex(mlir::func::FuncOp function);
/// Refuses an operation on complex numbers that remain.
mlir::LogicalResult checkNoComplex(mlir::Operation *op);

} // namespace dmc

#endif // DMC_LIB_IMPORT_COMPLEXMATH_H
