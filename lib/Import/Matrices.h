//===- Matrices.h - Decompositions in operations of StableHLO ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A builder on matrices, which are the last two dimensions of tensors; the others are
// batches. Decompositions of few columns are loops over them; larger ones are put
// together of halves or panels by contractions.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_MATRICES_H
#define DMC_LIB_IMPORT_MATRICES_H

#include "ComplexMath.h"

namespace dmc {

class MatrixBuilder : public RealBuilder {
public:
  using RealBuilder::RealBuilder;
  using Values = llvm::SmallVector<mlir::Value, 4>;
  using Direction = stablehlo::ComparisonDirection;

  static mlir::RankedTensorType typeOf(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  static int64_t numRows(mlir::Value value) { return typeOf(value).getShape().end()[-2]; }
  static int64_t numColumns(mlir::Value value) { return typeOf(value).getShape().back(); }
  static bool isComplex(mlir::Value value) {
    return mlir::isa<mlir::ComplexType>(typeOf(value).getElementType());
  }
  /// The type of matrices of this many rows and columns in the batches of others.
  static mlir::RankedTensorType matrixType(mlir::Value like, int64_t rows, int64_t columns,
                                           mlir::Type element = {});

  /// A number in each element; complex where the type is.
  mlir::Value number(mlir::RankedTensorType type, double value);
  mlir::Value zeros(mlir::RankedTensorType type) { return number(type, 0.0); }
  /// The row, or the column, of each element, as integers of 32 bits.
  mlir::Value rowIndex(mlir::Value like) { return index(like, 2); }
  mlir::Value columnIndex(mlir::Value like) { return index(like, 1); }
  /// A scalar of rank 0, or one element of each matrix, a row or a column, in every element of a
  /// type.
  mlir::Value spread(mlir::Value value, mlir::RankedTensorType type);
  mlir::Value compareTo(Direction direction, mlir::Value index, mlir::Value scalar);

  /// A row or column of a number that is known at run time.
  mlir::Value row(mlir::Value matrix, mlir::Value number) { return line(matrix, number, 2); }
  mlir::Value column(mlir::Value matrix, mlir::Value number) { return line(matrix, number, 1); }
  mlir::Value setRow(mlir::Value matrix, mlir::Value row, mlir::Value number) {
    return setLine(matrix, row, number, 2);
  }
  mlir::Value setColumn(mlir::Value matrix, mlir::Value column, mlir::Value number) {
    return setLine(matrix, column, number, 1);
  }
  /// Rows [rowBegin, rowEnd) and columns [columnBegin, columnEnd).
  mlir::Value part(mlir::Value matrix, int64_t rowBegin, int64_t rowEnd, int64_t columnBegin,
                   int64_t columnEnd);
  mlir::Value besides(llvm::ArrayRef<mlir::Value> matrices) { return concatenate(matrices, 1); }
  mlir::Value below(llvm::ArrayRef<mlir::Value> matrices) { return concatenate(matrices, 2); }

  mlir::Value conj(mlir::Value value);
  mlir::Value realPart(mlir::Value value);
  /// Real numbers as elements of the type of another value.
  mlir::Value asElementOf(mlir::Value value, mlir::Value like);
  mlir::Value transpose(mlir::Value matrix);
  mlir::Value adjoint(mlir::Value matrix) { return conj(transpose(matrix)); }
  /// Rows or columns, or both, in the reverse order.
  mlir::Value reverse(mlir::Value matrix, bool rows, bool columns);
  mlir::Value product(mlir::Value lhs, mlir::Value rhs);
  /// The combination of all rows, as a row: the operation of a name from an initial value.
  mlir::Value reduceRows(mlir::Value matrix, llvm::StringRef name, mlir::Value init);
  mlir::Value reduceColumns(mlir::Value matrix, llvm::StringRef name, mlir::Value init);
  /// The sum of each row, as a column.
  mlir::Value sumColumns(mlir::Value matrix);
  /// A matrix with ones on its diagonal and zeros elsewhere.
  mlir::Value identity(mlir::RankedTensorType type);
  /// The elements of the diagonal of square matrices, as a column.
  mlir::Value diagonal(mlir::Value matrix);
  /// The greatest magnitude, as a 1 x 1 matrix of real numbers; NaN if there is one.
  mlir::Value greatestMagnitude(mlir::Value matrix);
  /// Rows in the order of a column of indices.
  mlir::Value permuteRows(mlir::Value matrix, mlir::Value permutation);

  /// A column of real numbers in order, and where each was.
  std::pair<mlir::Value, mlir::Value> sortRows(mlir::Value column, bool isDescending);

  /// A loop over numbers from 0; the body gets its number and what is carried.
  Values loop(int64_t count, mlir::ValueRange inits,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);

  // Decompositions. `info` is a 1 x 1 matrix of integers for each batch: 0, or the number, from 1,
  // of the first column at which LAPACK would have stopped.
  struct Cholesky {
    mlir::Value factor, info;
  };
  /// The lower factor, of the lower triangle; zero above it.
  Cholesky cholesky(mlir::Value matrix);
  /// Solves a lower triangular system from the left; elements above the diagonal are not used.
  mlir::Value solveLower(mlir::Value matrix, mlir::Value rhs, bool isUnit);
  mlir::Value solveTriangular(mlir::Value matrix, mlir::Value rhs, bool isLeft, bool isLower,
                              stablehlo::Transpose transpose, bool isUnit);
  struct Solution {
    mlir::Value rhs, info;
  };
  /// Solves a tridiagonal system by elimination with exchanges of rows. Of the diagonals, which are
  /// columns, the first element of the lower one and the last of the upper one are not used.
  Solution solveTridiagonal(mlir::Value lower, mlir::Value diagonal, mlir::Value upper,
                            mlir::Value rhs);
  struct Lu {
    /// Both factors in one matrix, the order of the rows, and the rows, from 0, that were
    /// exchanged: columns of integers.
    mlir::Value factors, permutation, pivots, info;
  };
  Lu lu(mlir::Value matrix);
  struct Qr {
    /// R and, below the diagonal, the Householder vectors; their factors as a column.
    mlir::Value factors, taus;
  };
  Qr qr(mlir::Value matrix);
  /// The first columns of the product of Householder reflections.
  mlir::Value productOfReflections(mlir::Value vectors, mlir::Value taus);

  // Eigenvalues and singular values, as columns of real numbers. `info` is 1 where an element is
  // not finite, or where the rotations did not converge.
  struct Eigh {
    mlir::Value vectors, values, info;
  };
  /// Of Hermitian matrices, which are given by their lower triangles; in ascending order.
  Eigh eigh(mlir::Value matrix);
  struct Svd {
    mlir::Value left, values, rightAdjoint, info;
  };
  /// In descending order; without vectors if these are not asked for, and with square matrices of
  /// them where `isFull`.
  Svd svd(mlir::Value matrix, bool withVectors, bool isFull);

private:
  mlir::Value reduce(mlir::Value matrix, int64_t fromLast, llvm::StringRef name, mlir::Value init);
  // Of Jacobi's rotations (JacobiRotations.cpp): columns of a cosine and a sine for each pair of
  // rows, which are row i of the upper half and row i of the lower half.
  struct Rotation {
    mlir::Value cosine, sine;
  };
  Rotation getRotation(mlir::Value first, mlir::Value second, mlir::Value between);
  mlir::Value rotateRows(mlir::Value matrix, Rotation rotation);
  mlir::Value nextPairs(mlir::Value matrix);
  /// Sweeps over all pairs of `count` rows, a step for each n/2 pairs, until `getFlags` sets none;
  /// what is carried, and whether a flag was set last, as a 1 x 1 matrix for each batch.
  Values sweep(int64_t count, mlir::ValueRange inits,
               llvm::function_ref<Values(mlir::ValueRange)> step,
               llvm::function_ref<mlir::Value(mlir::ValueRange)> getFlags);
  mlir::Value getInfo(mlir::Value greatest, mlir::Value isActive);
  Svd svdOfTall(mlir::Value matrix, bool withVectors, bool isFull);

  mlir::Value index(mlir::Value like, int64_t fromLast);
  mlir::Value line(mlir::Value matrix, mlir::Value number, int64_t fromLast);
  mlir::Value setLine(mlir::Value matrix, mlir::Value line, mlir::Value number, int64_t fromLast);
  mlir::Value concatenate(llvm::ArrayRef<mlir::Value> matrices, int64_t fromLast);
  /// What of two parts comes first, the second counted behind `offset` columns.
  mlir::Value combineInfo(mlir::Value first, mlir::Value second, int64_t offset);
  Cholesky choleskyByColumns(mlir::Value matrix);
  mlir::Value solveByRows(mlir::Value matrix, mlir::Value rhs, bool isUnit);
  Lu luByColumns(mlir::Value matrix);
  Qr qrByColumns(mlir::Value matrix);
  /// The vectors of reflections, with their ones and zeros.
  mlir::Value getVectors(mlir::Value factors);
  /// The matrix T of which the product of reflections is I - V T V^H.
  mlir::Value getBlockFactor(mlir::Value vectors, mlir::Value taus);
};

/// How many columns are decomposed one by one: few, but of large matrices so many that the program
/// has a bounded number of parts.
inline int64_t getPanelSize(int64_t count) { return std::max<int64_t>(32, (count + 15) / 16); }

} // namespace dmc

#endif // DMC_LIB_IMPORT_MATRICES_H
