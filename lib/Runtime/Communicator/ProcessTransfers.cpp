//===- ProcessTransfers.cpp - Collectives as messages ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of one operand go to the other members of the group and theirs come back;
// what is combined, and in which order, is what ranks that are threads do.
//
//===----------------------------------------------------------------------===//

#include "Communicator/Collectives.h"
#include "Communicator/ProcessCommunicator.h"
#include "Communicator/Reduce.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;

/// Operands up to this size are reduced by everyone: one exchange is then enough.
static constexpr size_t smallBytes = 16 * 1024;
/// Larger ones are reduced in pieces, for which there are buffers.
static constexpr size_t pieceBytes = 64 * 1024 * 1024;

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

void ProcessCommunicator::send(const void *data, size_t bytes, int64_t peer) {
  if (bytes)
    sends_.push_back({const_cast<void *>(data), static_cast<int64_t>(bytes), peer});
}

void ProcessCommunicator::receive(void *data, size_t bytes, int64_t peer) {
  if (bytes)
    receives_.push_back({data, static_cast<int64_t>(bytes), peer});
}

bool ProcessCommunicator::exchange(const Group &group) {
  bool good = ranks_.waitFor([&](const Transport::Watch &watch) {
    return transport_.exchange(group.handle, sends_, receives_, watch);
  });
  sends_.clear();
  receives_.clear();
  return good;
}

uint8_t *ProcessCommunicator::reserve(Buffer &buffer, size_t bytes) {
  return Communicator::reserve(ranks_.self(), buffer, bytes) ? buffer.data() : nullptr;
}

/// Everybody's block to everybody, in group order.
bool ProcessCommunicator::gatherBlocks(const Group &group, const uint8_t *mine, size_t bytes,
                                       uint8_t *all) {
  for (int64_t q = 0; q < group.size; ++q) {
    if (q == group.position)
      continue;
    send(mine, bytes, q);
    receive(all + q * bytes, bytes, q);
  }
  std::memmove(all + group.position * bytes, mine, bytes);
  return exchange(group);
}

bool ProcessCommunicator::gatherHashes(dmc_rank_context &, int64_t index, const Hash &mine,
                                       std::vector<Hash> &all) {
  const Group &group = groups_[index];
  all.resize(static_cast<size_t>(group.size));
  return gatherBlocks(group, reinterpret_cast<const uint8_t *>(&mine), sizeof mine,
                      reinterpret_cast<uint8_t *>(all.data()));
}

/// Block q to position q, and the blocks of all others for this one, in group order.
bool ProcessCommunicator::exchangeBlocks(const Group &group, const uint8_t *sent, uint8_t *received,
                                         size_t bytes) {
  for (int64_t q = 0; q < group.size; ++q) {
    if (q == group.position)
      continue;
    send(sent + q * bytes, bytes, q);
    receive(received + q * bytes, bytes, q);
  }
  return exchange(group);
}

/// The blocks of a buffer, one after the other; `own` in place of that of this position.
const uint8_t *const *ProcessCommunicator::blocksAt(const Group &group, const uint8_t *begin,
                                                    size_t bytes, const uint8_t *own) {
  blocks_.clear();
  for (int64_t i = 0; i < group.size; ++i)
    blocks_.push_back(i == group.position ? own : begin + i * bytes);
  return blocks_.data();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

bool ProcessCommunicator::transfer(dmc_rank_context &context, int64_t index, const uint8_t *operand,
                                   uint8_t *result) {
  const dmc_collective &collective = program_.collectives[index];
  const Group &group = groups_[index];
  if (collective.operand_bytes == 0)
    return true;
  switch (collective.kind) {
  case DMC_ALL_REDUCE:
    return allReduce(collective, group, operand, result);
  case DMC_ALL_GATHER:
    return allGather(collective, group, operand, result);
  case DMC_REDUCE_SCATTER:
    return reduceScatter(collective, group, operand, result);
  case DMC_ALL_TO_ALL:
    return allToAll(collective, group, operand, result);
  case DMC_PERMUTE:
    return permute(collective, group, operand, result);
  case DMC_BROADCAST:
    return broadcast(collective, group, operand, result);
  default:
    return !ranks_.fail("collective " + std::to_string(index) + " is of unknown kind " +
                        std::to_string(collective.kind));
  }
}

bool ProcessCommunicator::allReduce(const dmc_collective &collective, const Group &group,
                                    const uint8_t *operand, uint8_t *result) {
  size_t bytes = elementBytes(collective.element_type), count = operandElements(collective);
  if (count * bytes <= smallBytes) {
    uint8_t *all = reserve(staging_, group.size * count * bytes);
    if (!all || !gatherBlocks(group, operand, count * bytes, all))
      return false;
    group.plan->move(0, blocksAt(group, all, count * bytes, all + group.position * count * bytes),
                     result);
    return true;
  }
  if (operand != result &&
      overlap(operand, collective.operand_bytes, result, collective.result_bytes)) {
    uint8_t *copy = reserve(packed_, count * bytes);
    if (!copy)
      return false;
    std::memcpy(copy, operand, count * bytes);
    operand = copy;
  }
  for (size_t begin = 0; begin < count; begin += pieceBytes / bytes)
    if (!reducePiece(collective, group, operand + begin * bytes, result + begin * bytes,
                     std::min(count - begin, pieceBytes / bytes)))
      return false;
  return true;
}

/// Each position reduces a slice, and gives its result to all others.
bool ProcessCommunicator::reducePiece(const dmc_collective &collective, const Group &group,
                                      const uint8_t *operand, uint8_t *result, size_t numElements) {
  size_t bytes = elementBytes(collective.element_type);
  auto sliceAt = [&](int64_t position) {
    return sliceOf(numElements, bytes, static_cast<size_t>(position),
                   static_cast<size_t>(group.size));
  };
  auto bytesOf = [&](Slice slice) { return (slice.end - slice.begin) * bytes; };
  Slice own = sliceAt(group.position);
  size_t ownBytes = bytesOf(own);
  uint8_t *partials = reserve(staging_, group.size * ownBytes + 1);
  if (!partials)
    return false;
  for (int64_t q = 0; q < group.size; ++q) {
    if (q == group.position)
      continue;
    Slice slice = sliceAt(q);
    send(operand + slice.begin * bytes, bytesOf(slice), q);
    receive(partials + q * ownBytes, ownBytes, q);
  }
  if (!exchange(group))
    return false;
  uint8_t *sum = result + own.begin * bytes;
  reduce({collective.element_type, collective.combiner,
          blocksAt(group, partials, ownBytes, operand + own.begin * bytes),
          static_cast<size_t>(group.size), &sum, 1},
         {0, own.end - own.begin});
  for (int64_t q = 0; q < group.size; ++q) {
    if (q == group.position)
      continue;
    Slice slice = sliceAt(q);
    send(sum, ownBytes, q);
    receive(result + slice.begin * bytes, bytesOf(slice), q);
  }
  return exchange(group);
}

bool ProcessCommunicator::allGather(const dmc_collective &collective, const Group &group,
                                    const uint8_t *operand, uint8_t *result) {
  auto bytes = static_cast<size_t>(collective.operand_bytes);
  bool isOuter = productOf(collective.shape, collective.shape + collective.dim) == 1;
  if (isOuter && !overlap(operand, collective.operand_bytes, result, collective.result_bytes))
    return gatherBlocks(group, operand, bytes, result);
  uint8_t *all = reserve(staging_, group.size * bytes);
  if (!all || !gatherBlocks(group, operand, bytes, all))
    return false;
  group.plan->move(static_cast<size_t>(group.position),
                   blocksAt(group, all, bytes, all + group.position * bytes), result);
  return true;
}

bool ProcessCommunicator::reduceScatter(const dmc_collective &collective, const Group &group,
                                        const uint8_t *operand, uint8_t *result) {
  const int64_t *shape = collective.shape;
  size_t outer = productOf(shape, shape + collective.dim);
  size_t run = static_cast<size_t>(collective.operand_bytes) / outer;
  size_t block = run / group.size, bytes = outer * block;
  uint8_t *partials = reserve(staging_, group.size * bytes);
  uint8_t *packed = outer > 1 ? reserve(packed_, group.size * bytes) : nullptr;
  if (!partials || (outer > 1 && !packed))
    return false;
  for (int64_t q = 0; q < group.size && packed; ++q)
    for (size_t o = 0; o < outer; ++o)
      std::memcpy(packed + q * bytes + o * block, operand + o * run + q * block, block);
  const uint8_t *sent = packed ? packed : operand, *own = sent + group.position * bytes;
  if (!exchangeBlocks(group, sent, partials, bytes))
    return false;
  if (!packed && !group.plan->canOverlap(static_cast<size_t>(group.position), operand, result))
    own = static_cast<const uint8_t *>(std::memcpy(partials + group.position * bytes, own, bytes));
  reduce({collective.element_type, collective.combiner, blocksAt(group, partials, bytes, own),
          static_cast<size_t>(group.size), &result, 1},
         {0, bytes / elementBytes(collective.element_type)});
  return true;
}

bool ProcessCommunicator::allToAll(const dmc_collective &collective, const Group &group,
                                   const uint8_t *operand, uint8_t *result) {
  std::vector<int64_t> shape(collective.shape, collective.shape + collective.rank);
  std::vector<int64_t> extents = shape;
  extents[collective.dim] /= group.size;
  std::vector<int64_t> resultShape = extents;
  resultShape[collective.concat_dim] *= group.size;
  std::vector<int64_t> from = rowMajorStrides(shape), within = rowMajorStrides(extents),
                       to = rowMajorStrides(resultShape);
  size_t element = elementBytes(collective.element_type);
  size_t bytes = static_cast<size_t>(collective.operand_bytes) / group.size;
  uint8_t *packed = reserve(packed_, group.size * bytes);
  uint8_t *received = reserve(staging_, group.size * bytes);
  if (!packed || !received)
    return false;
  size_t cut = extents[collective.dim] * from[collective.dim] * element;
  for (int64_t q = 0; q < group.size; ++q)
    copyBox(packed + q * bytes, within, operand + q * cut, from, extents, element);
  if (!exchangeBlocks(group, packed, received, bytes))
    return false;
  size_t joined = extents[collective.concat_dim] * to[collective.concat_dim] * element;
  for (int64_t q = 0; q < group.size; ++q)
    copyBox(result + q * joined, to, (q == group.position ? packed : received) + q * bytes, within,
            extents, element);
  return true;
}

/// The position whose operand that position gets, or -1. Where a target is named twice, the first
/// source counts.
static int64_t sourceOf(const dmc_collective &collective, int64_t target) {
  for (size_t i = 0; i < collective.num_pairs; ++i)
    if (collective.pairs[2 * i + 1] == target)
      return collective.pairs[2 * i];
  return -1;
}

bool ProcessCommunicator::permute(const dmc_collective &collective, const Group &group,
                                  const uint8_t *operand, uint8_t *result) {
  auto bytes = static_cast<size_t>(collective.operand_bytes);
  int64_t source = sourceOf(collective, group.position);
  bool receives = source >= 0 && source != group.position;
  for (int64_t target = 0; target < group.size; ++target)
    if (target != group.position && sourceOf(collective, target) == group.position)
      send(operand, bytes, target);
  if (receives)
    receive(result, bytes, source);
  if (receives && !sends_.empty() &&
      overlap(operand, collective.operand_bytes, result, collective.result_bytes)) {
    uint8_t *copy = reserve(packed_, bytes);
    if (!copy)
      return false;
    std::memcpy(copy, operand, bytes);
    for (dmc_message &each : sends_)
      each.data = copy;
  }
  if (!exchange(group))
    return false;
  if (source < 0)
    std::memset(result, 0, bytes);
  else if (!receives)
    std::memmove(result, operand, bytes);
  return true;
}

bool ProcessCommunicator::broadcast(const dmc_collective &collective, const Group &group,
                                    const uint8_t *operand, uint8_t *result) {
  auto bytes = static_cast<size_t>(collective.operand_bytes);
  if (group.position == collective.root)
    std::memmove(result, operand, bytes);
  return ranks_.waitFor([&](const Transport::Watch &watch) {
    return transport_.broadcast(group.handle, collective.root, result, collective.operand_bytes,
                                watch);
  });
}
