//===- Conversion.h - From StableHLO to linalg on tensors -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One forward walk: each operation is converted after its operands. The kinds of
// operations register their conversions from their own files.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_CONVERSION_H
#define DMC_LIB_IMPORT_CONVERSION_H

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Import/StableHLO/Dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace dmc {

/// The type of a tensor.
inline mlir::RankedTensorType typeOf(mlir::Value tensor) {
  return mlir::cast<mlir::RankedTensorType>(tensor.getType());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The same type with signless integers; any other type as it is.
mlir::Type toSignless(mlir::Type type);
mlir::RankedTensorType toSignless(mlir::RankedTensorType type);
/// True for unsigned integers and i1, of a tensor or a scalar.
bool isUnsigned(mlir::Type type);
/// Starts the error for what this stage does not convert.
mlir::InFlightDiagnostic unsupported(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// One elementwise operation on scalars, for the body of a linalg operation.
struct ScalarOp {
  mlir::OpBuilder &b;
  mlir::Location loc;
  /// The operation on tensors; its types tell the signedness.
  mlir::Operation *source;
  mlir::ValueRange operands;
  /// The result's element type, signless.
  mlir::Type type;

  mlir::Value operator[](unsigned i) const { return operands[i]; }
  mlir::Type sourceType(unsigned i) const;
  bool isFloat() const { return mlir::isa<mlir::FloatType>(operands[0].getType()); }
  bool isUnsigned() const { return dmc::isUnsigned(source->getOperand(0).getType()); }
  mlir::Value constant(mlir::Type type, int64_t value) const;
  mlir::Value constant(mlir::Type type, double value) const;
  mlir::Value constant(mlir::Type type, const llvm::APInt &value) const;
};

/// Builds the scalar form of an elementwise operation; null after an error.
mlir::Value buildScalar(const ScalarOp &op);
/// True if `buildScalar` knows the operation.
bool isElementwise(mlir::Operation *op);
using ScalarBuilder = mlir::Value (*)(const ScalarOp &);
void registerArithmeticScalars(llvm::StringMap<ScalarBuilder> &builders);
void registerFunctionScalars(llvm::StringMap<ScalarBuilder> &builders);
void registerSpecialScalars(llvm::StringMap<ScalarBuilder> &builders);
/// The inverse of the error function in double precision.
mlir::Value buildDoubleErfInv(const ScalarOp &op);
void registerConversionScalars(llvm::StringMap<ScalarBuilder> &builders);

/// Builds the scalar form of a region on tensors of rank 0, with these values for
/// its arguments; its results go to `results`.
mlir::LogicalResult buildScalarRegion(mlir::OpBuilder &b, mlir::Region &region,
                                      mlir::ValueRange arguments,
                                      llvm::SmallVectorImpl<mlir::Value> &results);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

class Converter;
using OpConversion = mlir::LogicalResult (*)(Converter &, mlir::Operation *);
void registerShapeConversions(llvm::StringMap<OpConversion> &conversions);
void registerContractionConversions(llvm::StringMap<OpConversion> &conversions);
void registerConvolutionConversions(llvm::StringMap<OpConversion> &conversions);
void registerReductionConversions(llvm::StringMap<OpConversion> &conversions);
void registerWindowConversions(llvm::StringMap<OpConversion> &conversions);
void registerSelectAndScatterConversions(llvm::StringMap<OpConversion> &conversions);
void registerIndexingConversions(llvm::StringMap<OpConversion> &conversions);
void registerCustomCallConversions(llvm::StringMap<OpConversion> &conversions);
void registerSortConversions(llvm::StringMap<OpConversion> &conversions);
void registerBitConversions(llvm::StringMap<OpConversion> &conversions);
void registerRandomConversions(llvm::StringMap<OpConversion> &conversions);
void registerControlConversions(llvm::StringMap<OpConversion> &conversions);
void registerCollectiveConversions(llvm::StringMap<OpConversion> &conversions);

/// The state of the walk: the builder and the values converted so far; and the
/// small vocabulary in which conversions are written. Builders of tensors take
/// and return converted values.
class Converter {
public:
  explicit Converter(mlir::MLIRContext *context, bool narrowPartials)
      : b(context), narrowPartials(narrowPartials) {}

  /// Converts the function in place; it is unchanged after a failure.
  mlir::LogicalResult convertFunction(mlir::func::FuncOp function);
  /// Converts the operations of a block, terminator included, at the builder's
  /// insertion point. Its arguments must be mapped.
  mlir::LogicalResult convertBlock(mlir::Block &block);
  mlir::LogicalResult convertOp(mlir::Operation *op);
  mlir::LogicalResult convertElementwise(mlir::Operation *op);

  /// The converted form of a value.
  mlir::Value operator[](mlir::Value value) const { return values.lookup(value); }
  void map(mlir::Value from, mlir::Value to) { values.map(from, to); }
  void map(mlir::Operation *from, mlir::ValueRange to) { values.map(from->getResults(), to); }
  /// The converted type of a result.
  static mlir::RankedTensorType typeOf(mlir::Value value) {
    return toSignless(mlir::cast<mlir::RankedTensorType>(value.getType()));
  }

  /// The element of a value that is a splat constant; null for others.
  static mlir::TypedAttr getSplat(mlir::Value value);

  mlir::Value empty(mlir::Location loc, mlir::RankedTensorType type);
  mlir::Value fill(mlir::Location loc, mlir::TypedAttr element, mlir::RankedTensorType type);
  mlir::Value zeros(mlir::Location loc, mlir::RankedTensorType type);
  /// A tensor of which every element is that of a tensor of rank 0.
  mlir::Value splat(mlir::Location loc, mlir::Value scalar, mlir::RankedTensorType type);
  mlir::Value broadcast(mlir::Location loc, mlir::Value value, mlir::RankedTensorType type,
                        llvm::ArrayRef<int64_t> dims);
  mlir::Value reshape(mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value slice(mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> offsets,
                    llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);
  /// Pads by a tensor of rank 0; amounts may be negative.
  mlir::Value pad(mlir::Location loc, mlir::Value value, mlir::Value padding,
                  llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                  llvm::ArrayRef<int64_t> interior);
  /// Each element is its index along a dimension.
  mlir::Value iota(mlir::Location loc, mlir::RankedTensorType type, int64_t dim);
  mlir::Value reverse(mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> dims);
  /// A map; the body gets the inputs' elements.
  mlir::Value
  elementwise(mlir::Location loc, mlir::ValueRange inputs, mlir::RankedTensorType type,
              llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> body);
  /// Sums of products over all loops that the result does not index; operands are
  /// extended to the accumulator's type, and the result is of element type `type`. Where
  /// `mayNarrow`, partial sums may be rounded to that type before they are added across ranks.
  mlir::Value contract(mlir::Location loc, mlir::Value lhs, mlir::Value rhs,
                       llvm::ArrayRef<mlir::AffineMap> maps, unsigned numParallel,
                       mlir::RankedTensorType type, bool lhsUnsigned, bool rhsUnsigned,
                       bool mayNarrow);
  /// A value converted to an element type by float or integer widening or narrowing.
  mlir::Value castElements(mlir::Location loc, mlir::Value value, mlir::Type elementType);

  /// Extends what `mayNarrow` permits to conversions of the program that narrow a contraction's
  /// result, maybe in another order of dimensions or shape, if nothing else uses it: together they
  /// are a contraction with a narrow result. After all is converted.
  void permitNarrowing();

  /// True if the user permits narrow partial sums where the program does not say.
  bool permitsNarrowPartials() const { return narrowPartials; }

  mlir::OpBuilder b;

private:
  mlir::LogicalResult convertConstant(mlir::Operation *op, mlir::ElementsAttr value);
  mlir::LogicalResult convertUpstreamElementwise(mlir::Operation *op);
  mlir::LogicalResult copy(mlir::Operation *op);

  mlir::IRMapping values;
  bool narrowPartials;
  /// Results of contractions in the type of their sums, of which partial ones may be narrow.
  llvm::SmallVector<mlir::Value> wideSums;
};

/// The map of the first loops of a nest.
mlir::AffineMap getLeadingLoops(unsigned numLoops, unsigned count, mlir::MLIRContext *context);
/// The element type in which sums of products of these types are accumulated.
mlir::Type getAccumulatorType(mlir::Type result, mlir::Type lhs, mlir::Type rhs);
/// An integer that orders as floats do, -0 below +0 and NaN at the ends.
mlir::Value buildTotalOrderKey(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);
/// A scalar extended or narrowed to a type of the same class.
mlir::Value castScalar(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Type type,
                       bool isUnsigned);

} // namespace dmc

#endif // DMC_LIB_IMPORT_CONVERSION_H
