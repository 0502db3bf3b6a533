//===- RankWriter.h - Rank programs in StableHLO ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the forms of operations share: which StableHLO value is which value of the
// rank program, and builders. Scalars are tensors of rank 0, indices i64.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_EXPORT_RANKWRITER_H
#define DMC_LIB_EXPORT_RANKWRITER_H

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Import/StableHLO/Dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dmc {

/// The form of a type: scalars become tensors, layouts are dropped.
mlir::RankedTensorType getForm(mlir::Type type);

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

class RankWriter : public mlir::ImplicitLocOpBuilder {
public:
  explicit RankWriter(mlir::Operation *anchor)
      : ImplicitLocOpBuilder(anchor->getLoc(), anchor->getContext()) {}

  /// Writes the operations of a block, but for its terminator.
  mlir::LogicalResult writeBlock(mlir::Block &block);
  mlir::LogicalResult write(mlir::Operation *op);

  /// What a value of the rank program is. Contents of a tensor that nobody wrote are zeros.
  mlir::Value get(mlir::Value value);
  /// The same in the shape in which scalars are computed now.
  mlir::Value getScalar(mlir::Value value);
  void set(mlir::Value value, mlir::Value form) { forms[value] = form; }
  llvm::SmallVector<mlir::Value> getAll(mlir::ValueRange values);

  /// Refuses an operation.
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &expected);

  // Builders.
  mlir::Value make(llvm::StringRef name, mlir::Type type, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// Of the first operand's type.
  mlir::Value make(llvm::StringRef name, mlir::ValueRange operands) {
    return make(name, operands.front().getType(), operands);
  }
  mlir::Value makeConstant(mlir::Attribute value, mlir::RankedTensorType type);
  mlir::Value makeInteger(int64_t value, mlir::RankedTensorType type);
  /// An i64 of rank 0.
  mlir::Value makeIndex(int64_t value);
  mlir::Value makeSplat(mlir::Value scalar, llvm::ArrayRef<int64_t> shape);
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> dims);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<int64_t> starts,
                    llvm::ArrayRef<int64_t> limits, llvm::ArrayRef<int64_t> strides);
  mlir::Value iota(llvm::ArrayRef<int64_t> shape, int64_t dim, mlir::Type elementType);
  mlir::Value convert(mlir::Value value, mlir::Type elementType);
  mlir::Value bitcast(mlir::Value value, mlir::Type elementType);
  mlir::Value compare(mlir::Value lhs, mlir::Value rhs, stablehlo::ComparisonDirection direction);
  mlir::Value select(mlir::Value predicate, mlir::Value onTrue, mlir::Value onFalse) {
    return make("stablehlo.select", onTrue.getType(), {predicate, onTrue, onFalse});
  }
  /// An integer as of an unsigned type, and back.
  mlir::Value toUnsigned(mlir::Value value);
  mlir::Value toSignless(mlir::Value value);
  /// Fills a region with scalars of these types as arguments and what `build` returns.
  mlir::LogicalResult fillRegion(
      mlir::Region &region, mlir::TypeRange arguments,
      llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::ValueRange)> build);
  /// The values that a body of scalars yields, computed on tensors of a shape.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  writeBody(mlir::Block &body, mlir::ValueRange arguments, llvm::ArrayRef<int64_t> shape,
            llvm::ArrayRef<mlir::Value> loopIndices = {});

  /// In which scalars are computed now, and the indices of the loops around them.
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<mlir::Value> loopIndices;

private:
  llvm::DenseMap<mlir::Value, mlir::Value> forms;
};

// The forms; success of an operation that is not one of theirs says so by `isKnown`.
mlir::LogicalResult writeScalarOp(mlir::Operation *op, RankWriter &writer, bool &isKnown);
mlir::LogicalResult writeTensorOp(mlir::Operation *op, RankWriter &writer, bool &isKnown);
mlir::LogicalResult writeComputeOp(mlir::Operation *op, RankWriter &writer, bool &isKnown);
mlir::LogicalResult writeCollective(mlir::Operation *op, RankWriter &writer, bool &isKnown);
mlir::LogicalResult writeControl(mlir::Operation *op, RankWriter &writer, bool &isKnown);
mlir::LogicalResult writeStructured(mlir::linalg::LinalgOp op, RankWriter &writer);

/// Elements of a tensor at positions that tensors of indices say, one for each dimension.
mlir::Value gatherElements(RankWriter &writer, mlir::Value tensor,
                           llvm::ArrayRef<mlir::Value> indices);
/// The operation of StableHLO that combines like one of arith; empty if there is none.
llvm::StringRef getCombinerName(CombinerKind combiner, mlir::Type elementType);

} // namespace dmc

#endif // DMC_LIB_EXPORT_RANKWRITER_H
