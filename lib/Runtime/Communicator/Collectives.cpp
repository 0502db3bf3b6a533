//===- Collectives.cpp - The data movement of collectives -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Communicator/Collectives.h"
#include "Communicator/Reduce.h"
#include "Device/Cpu.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;

static constexpr size_t lineBytes = 64;

/// Whole units, as even as it goes.
static Slice cut(Slice slice, size_t unit, size_t position, size_t count) {
  size_t share = (slice.end - slice.begin + count - 1) / count;
  share = (share + unit - 1) / unit * unit;
  return {std::min(slice.end, slice.begin + position * share),
          std::min(slice.end, slice.begin + (position + 1) * share)};
}

Slice runtime::sliceOf(size_t numElements, size_t elementBytes, size_t position, size_t groupSize) {
  return cut({0, numElements}, lineBytes / elementBytes, position, groupSize);
}

size_t runtime::productOf(const int64_t *begin, const int64_t *end) {
  size_t result = 1;
  for (; begin != end; ++begin)
    result *= static_cast<size_t>(*begin);
  return result;
}

size_t runtime::operandElements(const dmc_collective &collective) {
  return productOf(collective.shape, collective.shape + collective.rank);
}

CollectivePlan::CollectivePlan(const dmc_collective &collective, size_t groupSize)
    : collective_(collective), groupSize_(groupSize),
      elementBytes_(elementBytes(collective.element_type)),
      numElements_(operandElements(collective)),
      outer_(productOf(collective.shape,
                       collective.shape + std::min(collective.dim, collective.rank))),
      run_(outer_ ? numElements_ / outer_ : 0),
      streams_(static_cast<size_t>(collective.result_bytes) * groupSize > lastLevelCacheBytes()) {
  if (collective.kind != DMC_ALL_TO_ALL)
    return;
  std::vector<int64_t> shape(collective.shape, collective.shape + collective.rank);
  extents_ = shape;
  extents_[collective.dim] /= static_cast<int64_t>(groupSize);
  std::vector<int64_t> resultShape = extents_;
  resultShape[collective.concat_dim] *= static_cast<int64_t>(groupSize);
  from_ = rowMajorStrides(shape);
  to_ = rowMajorStrides(resultShape);
}

bool CollectivePlan::canOverlap(size_t position, const uint8_t *operand,
                                const uint8_t *result) const {
  if (operand + collective_.operand_bytes <= result || result + collective_.result_bytes <= operand)
    return true;
  switch (collective_.kind) {
  case DMC_ALL_REDUCE:
  case DMC_BROADCAST:
    return operand == result;
  case DMC_ALL_GATHER:
    return outer_ == 1 && operand == result + position * run_ * elementBytes_;
  case DMC_REDUCE_SCATTER:
    return outer_ == 1 && result == operand + position * (run_ / groupSize_) * elementBytes_;
  default:
    return false;
  }
}

/// A part of a copy, which may be in place.
static void copyPart(uint8_t *target, const uint8_t *source, size_t bytes, Part part) {
  Slice slice = cut({0, bytes}, lineBytes, part.index, part.count);
  if (target != source && slice.begin < slice.end)
    std::memcpy(target + slice.begin, source + slice.begin, slice.end - slice.begin);
}

void CollectivePlan::allGather(const uint8_t *const *operands, uint8_t *result, Part part) const {
  size_t bytes = run_ * elementBytes_;
  if (outer_ < part.count) { // parts of rows
    for (size_t o = 0; o < outer_; ++o)
      for (size_t s = 0; s < groupSize_; ++s)
        copyPart(result + (o * groupSize_ + s) * bytes, operands[s] + o * bytes, bytes, part);
    return;
  }
  Slice rows = cut({0, outer_}, 1, part.index, part.count);
  for (size_t o = rows.begin; o < rows.end; ++o)
    for (size_t s = 0; s < groupSize_; ++s)
      copyPart(result + (o * groupSize_ + s) * bytes, operands[s] + o * bytes, bytes, {});
}

void CollectivePlan::reduceScatter(size_t position, const uint8_t *const *operands, uint8_t *result,
                                   Part part) const {
  size_t block = run_ / groupSize_;
  Reduction reduction = {
      collective_.element_type, collective_.combiner, operands, groupSize_, &result, 1, streams_};
  bool cutsRows = outer_ < part.count;
  Slice rows = cutsRows ? Slice{0, outer_} : cut({0, outer_}, 1, part.index, part.count);
  Slice columns = cutsRows ? cut({0, block}, lineBytes, part.index, part.count) : Slice{0, block};
  for (size_t o = rows.begin; o < rows.end; ++o) {
    size_t row = o * run_ + position * block;
    reduce(reduction, {row + columns.begin, row + columns.end}, o * block + columns.begin);
  }
}

void CollectivePlan::allToAll(size_t position, const uint8_t *const *operands, uint8_t *result,
                              Part part) const {
  auto bytes = static_cast<int64_t>(elementBytes_);
  uint32_t dim = collective_.dim, concat = collective_.concat_dim;
  int64_t sourceOffset = static_cast<int64_t>(position) * extents_[dim] * from_[dim];
  for (size_t s = part.index; s < groupSize_; s += part.count) {
    int64_t targetOffset = static_cast<int64_t>(s) * extents_[concat] * to_[concat];
    copyBox(result + targetOffset * bytes, to_, operands[s] + sourceOffset * bytes, from_, extents_,
            elementBytes_);
  }
}

void CollectivePlan::reduceForAll(size_t position, const uint8_t *const *operands,
                                  uint8_t *const *results, Part part) const {
  Reduction reduction = {collective_.element_type,
                         collective_.combiner,
                         operands,
                         groupSize_,
                         results,
                         groupSize_,
                         streams_};
  Slice slice = sliceOf(numElements_, elementBytes_, position, groupSize_);
  reduce(reduction, cut(slice, lineBytes, part.index, part.count));
}

void CollectivePlan::move(size_t position, const uint8_t *const *operands, uint8_t *result,
                          Part part) const {
  size_t bytes = numElements_ * elementBytes_;
  switch (collective_.kind) {
  case DMC_ALL_REDUCE:
    return reduce({collective_.element_type, collective_.combiner, operands, groupSize_, &result, 1,
                   streams_},
                  cut({0, numElements_}, lineBytes, part.index, part.count));
  case DMC_ALL_GATHER:
    return allGather(operands, result, part);
  case DMC_REDUCE_SCATTER:
    return reduceScatter(position, operands, result, part);
  case DMC_ALL_TO_ALL:
    return allToAll(position, operands, result, part);
  case DMC_PERMUTE:
    for (size_t i = 0; i < collective_.num_pairs; ++i)
      if (collective_.pairs[2 * i + 1] == static_cast<int64_t>(position))
        return copyPart(result, operands[collective_.pairs[2 * i]], bytes, part);
    if (part.index == 0)
      std::memset(result, 0, bytes);
    return;
  case DMC_BROADCAST:
    return copyPart(result, operands[collective_.root], bytes, part);
  default:
    return;
  }
}
