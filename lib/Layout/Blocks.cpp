//===- Blocks.cpp - Which elements a position holds -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nested cut of section 2: one axis after the other, each cutting the padded
// block of the one before, so that partition along a minor axis is local.
//
//===----------------------------------------------------------------------===//
#include "dmc/Layout/Layout.h"

#include "ReshardTools.h"

#include <cassert>

using namespace dmc;

/// min(begin + index * size, end), which cannot overflow for n near the maximum.
static int64_t advance(int64_t begin, int64_t index, int64_t size, int64_t end) {
  if (size == 0 || index > (end - begin) / size)
    return size == 0 ? begin : end;
  return begin + index * size;
}

static DimBlock cut(const DimBlock &parent, int64_t parts, int64_t index) {
  DimBlock result;
  result.size = ceilDiv(parent.size, parts);
  result.begin = advance(parent.begin, index, result.size, parent.end);
  result.end = advance(result.begin, 1, result.size, parent.end);
  return result;
}

int64_t dmc::localSize(int64_t n, const std::vector<int64_t> &axisSizes) {
  for (int64_t p : axisSizes)
    n = ceilDiv(n, p);
  return n;
}

DimBlock dmc::block(int64_t n, const std::vector<int64_t> &axisSizes,
                    const std::vector<int64_t> &coordinates) {
  assert(axisSizes.size() == coordinates.size() && "one coordinate per axis");
  DimBlock result{0, n, n};
  for (size_t j = 0; j < axisSizes.size(); ++j)
    result = cut(result, axisSizes[j], coordinates[j]);
  return result;
}

std::vector<int64_t> dmc::localShape(const Layout &layout, const std::vector<int64_t> &shape) {
  assert(layout.dims.size() == shape.size() && "layout and shape of one rank");
  std::vector<int64_t> result = shape;
  for (size_t d = 0; d < shape.size(); ++d)
    for (const AxisRef &ref : layout.dims[d])
      result[d] = ceilDiv(result[d], ref.size);
  return result;
}

std::vector<DimBlock> dmc::blocks(const Mesh &mesh, const Layout &layout,
                                  const std::vector<int64_t> &shape, int64_t rank) {
  assert(layout.dims.size() == shape.size() && "layout and shape of one rank");
  std::vector<DimBlock> result;
  result.reserve(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    DimBlock held{0, shape[d], shape[d]};
    for (const AxisRef &ref : layout.dims[d])
      held = cut(held, ref.size, coordinate(mesh, ref, rank));
    result.push_back(held);
  }
  return result;
}

bool dmc::isEven(int64_t n, const std::vector<AxisRef> &axes) {
  for (const AxisRef &ref : axes) {
    if (n % ref.size != 0)
      return false;
    n /= ref.size;
  }
  return true;
}

bool dmc::holds(const Mesh &mesh, const Layout &layout, int64_t rank) {
  for (const PlacedAxis &entry : layout.placed)
    if (coordinate(mesh, entry.axis, rank) != entry.coordinate)
      return false;
  return true;
}

bool dmc::mergeKeepsSplit(int64_t m, int64_t k, const std::vector<int64_t> &axisSizes) {
  // The first block is always full, so the tables coincide iff the block sizes
  // do at every step: ceil(m*k / p) = k * ceil(m / p), which is missing * k < p.
  for (int64_t p : axisSizes) {
    int64_t local = ceilDiv(m, p);
    int64_t missing = (p - m % p) % p;
    if (missing != 0 && k > (p - 1) / missing)
      return false;
    m = local;
  }
  return true;
}
