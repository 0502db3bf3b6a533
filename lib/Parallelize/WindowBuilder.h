//===- WindowBuilder.h - Windows and blocks of tensors ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dmc-split-windows builds around an operation: its operands in windows, its results
// joined from blocks. Everything built has its layouts as dmc.layouts.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_WINDOWBUILDER_H
#define DMC_LIB_PARALLELIZE_WINDOWBUILDER_H

#include "dmc/Sharding/Windows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dmc {

/// The decided layouts of an operation's tensors.
struct OpLayouts {
  llvm::SmallVector<LayoutAttr, 4> operands, results;
  static OpLayouts get(mlir::Operation *op);
};
void setLayouts(mlir::Operation *op, llvm::ArrayRef<LayoutAttr> operands,
                llvm::ArrayRef<LayoutAttr> results);

/// A factor that is split into `count` blocks of `block` positions.
struct SplitFactor {
  unsigned factor = 0;
  AxesAttr axes;
  int64_t count = 1;
  int64_t block = 1;
};

/// The windows that a dimension of a tensor is cut into.
struct DimWindows {
  int64_t dim = 0;
  AxesAttr axes;
  int64_t count = 1, step = 1, offset = 0, length = 1;
  /// Elements behind pads and dilations may be taken.
  bool isWindow = false;

  static DimWindows blocks(int64_t dim, const SplitFactor &split) {
    return {dim, split.axes, split.count, split.block, 0, split.block, false};
  }
};

class WindowBuilder {
public:
  explicit WindowBuilder(mlir::Operation *op) : builder(op), loc(op->getLoc()) {}

  /// The tensor with some dimensions (in order) in windows, and its layout.
  std::pair<mlir::Value, LayoutAttr> makeWindows(mlir::Value value, LayoutAttr layout,
                                                 llvm::ArrayRef<DimWindows> dims);
  /// Merges the blocks of dimensions of `type` again; cuts off what is beyond its sizes.
  mlir::Value join(mlir::Value value, LayoutAttr layout, LayoutAttr target,
                   mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dims);
  /// Elements of `b` where the position in the blocks of `dim` is in [begin, end), else of `a`.
  mlir::Value selectFrom(mlir::Value a, mlir::Value b, LayoutAttr layout, int64_t dim,
                         int64_t block, int64_t begin, int64_t end);

  mlir::OpBuilder builder;

private:
  mlir::Value makeFree(mlir::Operation *op, mlir::RankedTensorType type);
  mlir::Value sliceWhole(mlir::Value value, const WindowSource &source, LayoutAttr layout,
                         llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<DimWindows> dims);
  mlir::Value makeBlocks(mlir::Value value, LayoutAttr from, LayoutAttr to, int64_t dim,
                         int64_t count);
  mlir::Value padWhole(mlir::Value value, const WindowSource &source, LayoutAttr layout,
                       llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<DimWindows> dims);

  mlir::Location loc;
};

/// Within a body: the position that a block and a place in it are.
mlir::Value getPosition(mlir::OpBuilder &b, mlir::Location loc, unsigned blockLoop,
                        unsigned placeLoop, int64_t block);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_WINDOWBUILDER_H
