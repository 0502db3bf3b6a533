//===- Windows.h - Loops that read around their position --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops of stencils, convolutions, pooling, pads, slices and concatenations may be
// split if what they read around each position is made a window (dmc.halo).
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SHARDING_WINDOWS_H
#define DMC_SHARDING_WINDOWS_H

#include "dmc/Layout/Halo.h"
#include "dmc/Sharding/ShardingRule.h"

namespace dmc {

/// Where the elements of one dimension of a padded or dilated tensor are: element t is
/// (t - low) / dilation of `size` elements, or padding.
struct WindowDim {
  int64_t size = 0;
  int64_t low = 0;
  int64_t dilation = 1;
};

/// A tensor behind pads, dilations (insertions with strides into a splat) and slices.
struct WindowSource {
  mlir::Value value;
  llvm::SmallVector<WindowDim, 4> dims;
  mlir::TypedAttr padding;

  /// True if a dimension of the tensor is that of the source.
  bool isIdentity(int64_t dim, int64_t size) const {
    return dims[dim].low == 0 && dims[dim].dilation == 1 && dims[dim].size == size;
  }
};

/// The tensor itself, then what is behind one pad, dilation or slice after the other.
llvm::SmallVector<WindowSource> getWindowSources(mlir::Value value);

/// How a dimension of a tensor is read: each rank takes all of it, windows of it, or its block.
enum class DimUse { whole, windows, blocks };

/// The deepest of a tensor's sources that can be taken in its place, where the tensor has this
/// shape: what is read in blocks is the same there.
const WindowSource &chooseWindowSource(llvm::ArrayRef<WindowSource> sources,
                                       llvm::ArrayRef<int64_t> shape,
                                       llvm::function_ref<DimUse(unsigned)> getUse);

/// A dimension of a tensor operand that is read around each position of a factor:
/// position t at scale * t + offset and the extent - 1 elements after it.
struct WindowAccess {
  /// Among the tensor operands.
  unsigned operand = 0;
  unsigned dim = 0;
  unsigned factor = 0;
  int64_t scale = 1;
  int64_t offset = 0;
  int64_t extent = 1;
  /// Of the dimension, where the elements are that are moved.
  WindowDim source;

  /// Where the window of a block of positions begins, for the first block, and how long
  /// it is, in positions of the operand's dimension.
  int64_t getBegin(int64_t block) const { return offset + (scale < 0 ? scale * (block - 1) : 0); }
  int64_t getLength(int64_t block) const {
    return (scale < 0 ? -scale : scale) * (block - 1) + extent;
  }
  /// The windows over the source of `count` blocks of positions.
  Windows getWindows(int64_t count, int64_t block) const {
    return {source.size,      count,          scale * block, getBegin(block) - source.low,
            getLength(block), source.dilation};
  }
};

/// The rule by which layouts are decided: as `getShardingRule`, and what a factor reads
/// around its positions is split with it.
struct WindowRule {
  ShardingRule rule;
  llvm::SmallVector<WindowAccess, 2> windows;
};
mlir::FailureOr<WindowRule> getWindowRule(mlir::Operation *op);

/// True if axes of these sizes may split the factor: all of its dimensions are cut alike,
/// and uniformly where they have to be.
bool maySplit(const Factor &factor, const std::vector<int64_t> &axisSizes);

} // namespace dmc

#endif // DMC_SHARDING_WINDOWS_H
