//===- Shards.cpp - Which elements every rank holds -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks, groups and copies, from the definitions of the layout algebra.
//
//===----------------------------------------------------------------------===//
#include "Shards.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

bool interpreter::isHoldable(RankedTensorType type) {
  constexpr int64_t maxElements = int64_t(1) << 32;
  if (!type.hasStaticShape() || !getKind(type.getElementType()))
    return false;
  int64_t count = 1;
  for (int64_t size : type.getShape()) {
    if (size > maxElements / std::max<int64_t>(count, 1))
      return false;
    count *= size;
  }
  return true;
}

Digit interpreter::getDigit(MeshAttr mesh, AxisAttr axis) {
  // Ranks are row-major over the axes: an axis' digit weighs the product of the
  // sizes after it, and a part of the axis also what is more minor within it.
  int64_t stride = 1;
  for (MeshAxisAttr other : llvm::reverse(mesh.getAxes())) {
    if (other.getName() != axis.getName()) {
      stride *= other.getSize();
      continue;
    }
    if (axis.isFullAxis())
      return {stride, other.getSize()};
    int64_t minor = other.getSize() / (axis.getPreSize() * axis.getSubSize());
    return {stride * minor, axis.getSubSize()};
  }
  return {1, 1};
}

Digits interpreter::getDigits(MeshAttr mesh, AxesAttr axes) {
  Digits digits;
  for (AxisAttr axis : axes)
    digits.push_back(getDigit(mesh, axis));
  return digits;
}

int64_t interpreter::getPosition(ArrayRef<Digit> digits, int64_t rank) {
  int64_t position = 0;
  for (Digit digit : digits)
    position = position * digit.size + digit.of(rank);
  return position;
}

SmallVector<unsigned> interpreter::getGroup(ArrayRef<Digit> digits, int64_t rank) {
  int64_t size = 1, base = rank;
  for (Digit digit : digits) {
    size *= digit.size;
    base -= digit.of(rank) * digit.stride;
  }
  SmallVector<unsigned> group;
  for (int64_t position = 0; position < size; ++position) {
    int64_t rest = position, member = base;
    for (Digit digit : llvm::reverse(digits)) {
      member += rest % digit.size * digit.stride;
      rest /= digit.size;
    }
    group.push_back(static_cast<unsigned>(member));
  }
  return group;
}

bool interpreter::covers(ArrayRef<Digit> digits, Digit digit) {
  if (digit.size == 1)
    return true;
  // Peel from the minor end whatever listed digit starts where we stand.
  for (Digit d : digits) {
    int64_t end = d.stride * d.size;
    if (d.size == 1 || digit.stride % d.stride != 0 || digit.stride >= end)
      continue;
    int64_t size = std::min(digit.size, end / digit.stride);
    if (digit.size % size != 0)
      return false;
    return covers(digits, {digit.stride * size, digit.size / size});
  }
  return false;
}

bool Extent::contains(ArrayRef<int64_t> index) const {
  for (auto [i, b, e] : llvm::zip_equal(index, begin, end))
    if (i < b || i >= e)
      return false;
  return held;
}

bool Extent::isEmpty() const { return interpreter::getNumElements(*this) == 0; }

int64_t interpreter::getNumElements(const Extent &extent) {
  int64_t count = extent.held;
  for (auto [b, e] : llvm::zip_equal(extent.begin, extent.end))
    count *= e - b;
  return count;
}

Distribution interpreter::distribute(ArrayRef<int64_t> shape, Kind kind, LayoutAttr layout,
                                     int64_t numRanks) {
  Distribution d;
  d.kind = kind;
  d.shape.assign(shape.begin(), shape.end());
  d.split.resize(shape.size());
  SmallVector<std::pair<Digit, int64_t>> placed;
  if (layout) {
    MeshAttr mesh = layout.getMesh();
    for (auto [axes, split] : llvm::zip_equal(layout.getDims(), d.split))
      split = getDigits(mesh, axes);
    if (layout.isPartial()) {
      d.partial = getDigits(mesh, layout.getPartial());
      llvm::sort(d.partial, [](Digit a, Digit b) { return a.stride > b.stride; });
      d.combiner = layout.getCombiner();
    }
    for (PlacedAttr p : layout.getPlaced())
      placed.push_back({getDigit(mesh, p.getAxis()), p.getCoordinate()});
  }

  std::map<std::vector<int64_t>, unsigned> originals;
  for (int64_t rank = 0; rank < numRanks; ++rank) {
    Extent extent;
    std::vector<int64_t> identity;
    for (auto [dim, n] : llvm::enumerate(shape)) {
      int64_t size = n, begin = 0, end = n;
      for (Digit digit : d.split[dim]) {
        int64_t i = digit.of(rank);
        size = (size + digit.size - 1) / digit.size;
        begin = std::min(begin + i * size, end);
        end = std::min(begin + size, end);
        identity.push_back(i);
      }
      extent.begin.push_back(begin);
      extent.end.push_back(end);
      extent.local.push_back(size);
    }
    extent.strides.resize(shape.size());
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      extent.strides[dim] = extent.numLocal;
      extent.numLocal *= extent.local[dim];
    }
    identity.push_back(d.getPartial(rank));
    for (auto [digit, coordinate] : placed) {
      extent.held &= digit.of(rank) == coordinate;
      identity.push_back(digit.of(rank));
    }
    d.extents.push_back(std::move(extent));
    d.original.push_back(originals.try_emplace(identity, rank).first->second);
  }
  return d;
}

char *Shard::find(ArrayRef<int64_t> index) const {
  if (!extent->contains(index))
    return nullptr;
  int64_t offset = 0;
  for (auto [i, b, stride] : llvm::zip_equal(index, extent->begin, extent->strides))
    offset += (i - b) * stride;
  return data + offset * getNumBytes(kind);
}

std::optional<Word> Shard::get(ArrayRef<int64_t> index) const {
  const char *element = find(index);
  if (!element)
    return std::nullopt;
  return loadWord(element, getNumBytes(kind));
}

bool interpreter::forEachIndex(ArrayRef<int64_t> begin, ArrayRef<int64_t> end,
                               function_ref<bool(ArrayRef<int64_t>)> body) {
  for (auto [b, e] : llvm::zip_equal(begin, end))
    if (b >= e)
      return true;
  Index index(begin);
  while (true) {
    if (!body(index))
      return false;
    int64_t dim = index.size() - 1;
    for (; dim >= 0 && ++index[dim] == end[dim]; --dim)
      index[dim] = begin[dim];
    if (dim < 0)
      return true;
  }
}

int64_t interpreter::copyCommon(const Shard &to, const Shard &from) {
  if (!to.extent->held || !from.extent->held)
    return 0;
  Index begin, end;
  int64_t count = 1;
  for (size_t dim = 0; dim < to.extent->begin.size(); ++dim) {
    begin.push_back(std::max(to.extent->begin[dim], from.extent->begin[dim]));
    end.push_back(std::min(to.extent->end[dim], from.extent->end[dim]));
    if (begin.back() >= end.back())
      return 0;
    count *= end.back() - begin.back();
  }
  int64_t row = begin.empty() ? 1 : end.back() - begin.back();
  if (!begin.empty())
    end.back() = begin.back() + 1;
  forEachIndex(begin, end, [&](ArrayRef<int64_t> index) {
    std::memcpy(to.find(index), from.find(index), row * getNumBytes(to.kind));
    return true;
  });
  return count;
}

int64_t interpreter::linearize(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t linear = 0;
  for (auto [i, n] : llvm::zip_equal(index, shape))
    linear = linear * n + i;
  return linear;
}

void interpreter::delinearize(int64_t linear, ArrayRef<int64_t> shape, Index &index) {
  index.resize(shape.size());
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    index[dim] = linear % shape[dim];
    linear /= shape[dim];
  }
}
