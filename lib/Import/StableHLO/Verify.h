// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operations' verifiers share. All sizes are computed in 128 bits, since attributes may
// hold any number of 64 bits.
#ifndef DMC_LIB_IMPORT_STABLEHLO_VERIFY_H
#define DMC_LIB_IMPORT_STABLEHLO_VERIFY_H

#include "dmc/Import/StableHLO/Dialect.h"

namespace dmc::stablehlo {

using Wide = __int128;

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
inline mlir::RankedTensorType scalarLike(mlir::Type type) {
  return mlir::RankedTensorType::get({}, mlir::getElementTypeOrSelf(type));
}

/// `[1, 2]`.
std::string str(llvm::ArrayRef<int64_t> values);

/// The dimensions are distinct ones of 0 to rank - 1.
mlir::LogicalResult verifyDims(mlir::Operation *op, llvm::StringRef name,
                               llvm::ArrayRef<int64_t> dims, int64_t rank);
/// The same, and in ascending order.
mlir::LogicalResult verifySortedDims(mlir::Operation *op, llvm::StringRef name,
                                     llvm::ArrayRef<int64_t> dims, int64_t rank);
/// Two lists of dimensions have none in common.
mlir::LogicalResult verifyDisjoint(mlir::Operation *op, llvm::StringRef firstName,
                                   llvm::ArrayRef<int64_t> first, llvm::StringRef secondName,
                                   llvm::ArrayRef<int64_t> second);
/// A list has one entry for each of `count` dimensions.
mlir::LogicalResult verifyCount(mlir::Operation *op, llvm::StringRef name, int64_t found,
                                int64_t count);
/// Two types have the same element type.
mlir::LogicalResult verifySameElementType(mlir::Operation *op, llvm::StringRef firstName,
                                          mlir::Type first, llvm::StringRef secondName,
                                          mlir::Type second);
/// The named tensor has this shape.
mlir::LogicalResult verifyShape(mlir::Operation *op, llvm::StringRef name,
                                mlir::RankedTensorType type, llvm::ArrayRef<Wide> expected);
mlir::LogicalResult verifyShape(mlir::Operation *op, llvm::StringRef name,
                                mlir::RankedTensorType type, llvm::ArrayRef<int64_t> expected);

/// A region takes and returns values of these types.
mlir::LogicalResult verifyBody(mlir::Operation *op, llvm::StringRef name, mlir::Region &region,
                               mlir::TypeRange arguments, mlir::TypeRange results);
/// A region combines, for each tensor, two scalars of its element type into one.
mlir::LogicalResult verifyCombiner(mlir::Operation *op, llvm::StringRef name, mlir::Region &region,
                                   mlir::TypeRange tensors);

/// One dimension of a window. Sizes and steps are checked to be positive by `verifyWindow`.
struct WindowDim {
  int64_t size = 1, stride = 1, paddingLow = 0, paddingHigh = 0, baseDilation = 1,
          windowDilation = 1;

  /// How many windows lie in `extent` elements.
  Wide countIn(int64_t extent) const;
};

/// The value of a list that may be missing.
inline int64_t valueOr(std::optional<llvm::ArrayRef<int64_t>> list, unsigned i, int64_t missing) {
  return list ? (*list)[i] : missing;
}
/// The padding of a dimension, low (0) or high (1), 0 where there is none.
int64_t paddingOf(std::optional<mlir::DenseIntElementsAttr> padding, unsigned dim, unsigned side);

/// Window attributes, where given, have one entry for each dimension, positive except for padding.
mlir::LogicalResult verifyPositive(mlir::Operation *op, llvm::StringRef name,
                                   std::optional<llvm::ArrayRef<int64_t>> list, int64_t rank);
mlir::LogicalResult verifyPadding(mlir::Operation *op,
                                  std::optional<mlir::DenseIntElementsAttr> padding, int64_t rank);

} // namespace dmc::stablehlo

#endif
