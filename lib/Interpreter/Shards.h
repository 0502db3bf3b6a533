//===- Shards.h - Which elements every rank holds ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's own reading of meshes and layouts, on purpose independent of
// the layout library that the passes use.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_INTERPRETER_SHARDS_H
#define DMC_LIB_INTERPRETER_SHARDS_H

#include "Number.h"

#include <functional>
#include <vector>

namespace dmc::interpreter {

using Index = llvm::SmallVector<int64_t, 6>;

/// Whether the interpreter can hold a value of the type: static, of an element type
/// that it has, and not so large that no machine would have room for it.
bool isHoldable(mlir::RankedTensorType type);

/// A mesh axis or a part of it as a digit of the rank number.
struct Digit {
  int64_t stride = 1;
  int64_t size = 1;
  int64_t of(int64_t rank) const { return rank / stride % size; }
  bool operator==(const Digit &o) const { return stride == o.stride && size == o.size; }
};
using Digits = llvm::SmallVector<Digit, 4>;

Digit getDigit(MeshAttr mesh, AxisAttr axis);
Digits getDigits(MeshAttr mesh, AxesAttr axes);
/// The rank's position in its group: row-major over the digits as listed.
int64_t getPosition(llvm::ArrayRef<Digit> digits, int64_t rank);
/// The ranks that differ from `rank` in these digits only, by position.
llvm::SmallVector<unsigned> getGroup(llvm::ArrayRef<Digit> digits, int64_t rank);
/// True if the digits together have every part of `digit`.
bool covers(llvm::ArrayRef<Digit> digits, Digit digit);

/// What one rank holds of a tensor: [begin, end) in each dimension, as a prefix
/// of a local row-major array of size `local`.
struct Extent {
  Index begin, end, local, strides; // strides in elements
  bool held = true;                 // false where the tensor is placed elsewhere
  int64_t numLocal = 1;

  bool contains(llvm::ArrayRef<int64_t> index) const;
  bool isEmpty() const;
  bool operator==(const Extent &o) const { return begin == o.begin && end == o.end; }
};

/// A tensor type's layout, evaluated on every rank.
struct Distribution {
  Kind kind = Kind::F32;
  Index shape; // global where there is a layout, else local
  std::vector<Extent> extents;
  std::vector<Digits> split; // per dimension
  Digits partial;            // in mesh order
  CombinerKind combiner = CombinerKind::sum;
  /// Per rank the first rank with a copy of the same thing.
  std::vector<unsigned> original;

  bool isPartial() const { return !partial.empty(); }
  /// The rank's position over the partial axes.
  int64_t getPartial(int64_t rank) const { return getPosition(partial, rank); }
};

Distribution distribute(llvm::ArrayRef<int64_t> shape, Kind kind, LayoutAttr layout,
                        int64_t numRanks);

/// A rank's shard of a tensor.
struct Shard {
  char *data = nullptr;
  const Extent *extent = nullptr;
  Kind kind = Kind::F32;

  /// The element at a global index, or null if the rank does not hold it.
  char *find(llvm::ArrayRef<int64_t> index) const;
  std::optional<Word> get(llvm::ArrayRef<int64_t> index) const;
};

/// Calls `body` for all indices in [begin, end), row-major, until it returns false.
bool forEachIndex(llvm::ArrayRef<int64_t> begin, llvm::ArrayRef<int64_t> end,
                  llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> body);

/// Copies the elements that both hold; returns their number.
int64_t copyCommon(const Shard &to, const Shard &from);
int64_t getNumElements(const Extent &extent);
int64_t linearize(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape);
void delinearize(int64_t linear, llvm::ArrayRef<int64_t> shape, Index &index);

} // namespace dmc::interpreter

#endif // DMC_LIB_INTERPRETER_SHARDS_H
