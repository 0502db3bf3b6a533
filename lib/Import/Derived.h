//===- Derived.h - Operations in terms of others ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A builder of core operations in place of one that is defined by them.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_DERIVED_H
#define DMC_LIB_IMPORT_DERIVED_H

#include "Conversion.h"

namespace dmc {

using Values = llvm::SmallVector<mlir::Value, 3>;

/// Builds before an operation; what it has built is verified in the end, since the
/// operation itself was hardly.
class Expander {
public:
  explicit Expander(mlir::Operation *op)
      : b(op), loc(op->getLoc()), block(op->getBlock()), previous(op->getPrevNode()) {}

  template <typename Op, typename... Args>
  mlir::Value create(mlir::RankedTensorType type, Args &&...args) {
    return Op::create(b, loc, type, std::forward<Args>(args)...)->getResult(0);
  }
  /// An elementwise operation of operands of one type.
  template <typename Op>
  mlir::Value elementwise(mlir::Value lhs, mlir::Value rhs) {
    return Op::create(b, loc, lhs.getType(), lhs, rhs)->getResult(0);
  }
  mlir::Value constant(mlir::RankedTensorType type, int64_t value);
  mlir::Value constant(mlir::RankedTensorType type, double value);
  mlir::Value broadcast(mlir::Value value, mlir::RankedTensorType type,
                        llvm::ArrayRef<int64_t> dims);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value convert(mlir::Value value, mlir::Type element);
  /// The sum over dimensions.
  mlir::Value sum(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value product(mlir::Value lhs, mlir::Value rhs, llvm::ArrayRef<int64_t> lhsBatch,
                      llvm::ArrayRef<int64_t> rhsBatch, llvm::ArrayRef<int64_t> lhsContracted,
                      llvm::ArrayRef<int64_t> rhsContracted, mlir::RankedTensorType type,
                      mlir::ArrayAttr precision);

  mlir::LogicalResult verify(mlir::Operation *op);

  mlir::OpBuilder b;
  mlir::Location loc;

private:
  mlir::Block *block;
  mlir::Operation *previous;
};

/// Builds what an operation says, before it; its results, or an error.
using Expansion = mlir::FailureOr<Values> (*)(Expander &, mlir::Operation *);
mlir::FailureOr<Values> expandBatchNormGrad(Expander &e, mlir::Operation *op);
mlir::FailureOr<Values> expandBatchNormInference(Expander &e, mlir::Operation *op);
mlir::FailureOr<Values> expandBatchNormTraining(Expander &e, mlir::Operation *op);

mlir::FailureOr<Values> expandCholesky(Expander &e, mlir::Operation *op);
mlir::FailureOr<Values> expandTriangularSolve(Expander &e, mlir::Operation *op);

/// True if an operand or a result is complex, or a tuple with something that is.
bool isOnComplex(mlir::Operation *op);

/// Replaces all operations that others say, or those on complex numbers.
mlir::LogicalResult expandDerivedOps(mlir::func::FuncOp function, bool onComplexOnly = false);

} // namespace dmc

#endif // DMC_LIB_IMPORT_DERIVED_H
