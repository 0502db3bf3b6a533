//===- Collectives.cpp - The data movement of collectives -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Communicator/Collectives.h"
#include "Communicator/Reduce.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;

using Operands = std::vector<const uint8_t *>;

Slice runtime::sliceOf(size_t numElements, size_t elementBytes, size_t position, size_t groupSize) {
  // Whole cache lines, so that no two positions write to one.
  size_t line = 64 / elementBytes;
  size_t share = (numElements + groupSize - 1) / groupSize;
  share = (share + line - 1) / line * line;
  return {std::min(numElements, position * share), std::min(numElements, (position + 1) * share)};
}

static size_t product(const int64_t *begin, const int64_t *end) {
  size_t result = 1;
  for (; begin != end; ++begin)
    result *= static_cast<size_t>(*begin);
  return result;
}

size_t runtime::operandElements(const dmc_collective &collective) {
  return product(collective.shape, collective.shape + collective.rank);
}

void runtime::reduceSlice(const dmc_collective &collective, Slice slice, const Operands &operands,
                          uint8_t *target) {
  size_t offset = slice.begin * elementBytes(collective.element_type);
  Operands sources = operands;
  for (const uint8_t *&source : sources)
    source += offset;
  reduce(collective.element_type, collective.combiner, target + offset, sources.data(),
         sources.size(), slice.end - slice.begin);
}

static void allGather(const dmc_collective &collective, const Operands &operands, uint8_t *result) {
  const int64_t *shape = collective.shape;
  size_t outer = product(shape, shape + collective.dim);
  size_t bytes = product(shape + collective.dim, shape + collective.rank) *
                 elementBytes(collective.element_type);
  for (size_t o = 0; o < outer; ++o)
    for (const uint8_t *operand : operands) {
      std::memcpy(result, operand + o * bytes, bytes);
      result += bytes;
    }
}

static void reduceScatter(const dmc_collective &collective, size_t position,
                          const Operands &operands, uint8_t *result) {
  const int64_t *shape = collective.shape;
  size_t outer = product(shape, shape + collective.dim);
  size_t run = product(shape + collective.dim, shape + collective.rank);
  size_t block = run / operands.size();
  size_t bytes = elementBytes(collective.element_type);
  Operands sources = operands;
  for (size_t o = 0; o < outer; ++o) {
    for (size_t s = 0; s < operands.size(); ++s)
      sources[s] = operands[s] + (o * run + position * block) * bytes;
    reduce(collective.element_type, collective.combiner, result + o * block * bytes, sources.data(),
           sources.size(), block);
  }
}

static void allToAll(const dmc_collective &collective, size_t position, const Operands &operands,
                     uint8_t *result) {
  std::vector<int64_t> shape(collective.shape, collective.shape + collective.rank);
  auto groupSize = static_cast<int64_t>(operands.size());
  std::vector<int64_t> extents = shape;
  extents[collective.dim] /= groupSize;
  std::vector<int64_t> resultShape = extents;
  resultShape[collective.concat_dim] *= groupSize;
  std::vector<int64_t> from = rowMajorStrides(shape), to = rowMajorStrides(resultShape);
  auto bytes = static_cast<int64_t>(elementBytes(collective.element_type));
  int64_t sourceOffset =
      static_cast<int64_t>(position) * extents[collective.dim] * from[collective.dim];
  for (int64_t s = 0; s < groupSize; ++s) {
    int64_t targetOffset = s * extents[collective.concat_dim] * to[collective.concat_dim];
    copyBox(result + targetOffset * bytes, to, operands[s] + sourceOffset * bytes, from, extents,
            bytes);
  }
}

void runtime::moveData(const dmc_collective &collective, size_t position, const Operands &operands,
                       uint8_t *result) {
  size_t numElements = operandElements(collective);
  size_t bytes = numElements * elementBytes(collective.element_type);
  switch (collective.kind) {
  case DMC_ALL_REDUCE:
    return reduceSlice(collective, {0, numElements}, operands, result);
  case DMC_ALL_GATHER:
    return allGather(collective, operands, result);
  case DMC_REDUCE_SCATTER:
    return reduceScatter(collective, position, operands, result);
  case DMC_ALL_TO_ALL:
    return allToAll(collective, position, operands, result);
  case DMC_PERMUTE:
    for (uint32_t i = 0; i < collective.num_pairs; ++i)
      if (collective.pairs[2 * i + 1] == static_cast<int64_t>(position)) {
        std::memcpy(result, operands[collective.pairs[2 * i]], bytes);
        return;
      }
    std::memset(result, 0, bytes);
    return;
  case DMC_BROADCAST:
    std::memcpy(result, operands[collective.root], bytes);
    return;
  }
}
