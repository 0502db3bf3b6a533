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
#include <map>

using namespace dmc;
using namespace dmc::runtime;

/// Operands up to this size are reduced by everyone: one exchange is then enough.
static constexpr size_t smallBytes = 16 * 1024;
/// Larger ones are reduced in pieces, for which there are buffers.
static constexpr size_t pieceBytes = 64 * 1024 * 1024;

static size_t product(const int64_t *begin, const int64_t *end) {
  size_t result = 1;
  for (; begin != end; ++begin)
    result *= static_cast<size_t>(*begin);
  return result;
}

static dmc_message message(const void *data, size_t bytes, int64_t peer) {
  return {const_cast<void *>(data), static_cast<int64_t>(bytes), peer};
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

bool ProcessCommunicator::exchange(const Group &group, const std::vector<dmc_message> &sends,
                                   const std::vector<dmc_message> &receives) {
  return ranks_.waitFor([&](const Transport::Watch &watch) {
    return transport_.exchange(group.handle, sends, receives, watch);
  });
}

uint8_t *ProcessCommunicator::reserve(Buffer &buffer, size_t bytes) {
  return Communicator::reserve(ranks_.self(), buffer, bytes) ? buffer.data() : nullptr;
}

/// Everybody's block to everybody, in group order.
bool ProcessCommunicator::gatherBlocks(const Group &group, const uint8_t *mine, size_t bytes,
                                       uint8_t *all) {
  std::vector<dmc_message> sends, receives;
  for (int64_t q = 0; q < group.size; ++q) {
    if (q == group.position)
      continue;
    sends.push_back(message(mine, bytes, q));
    receives.push_back(message(all + q * bytes, bytes, q));
  }
  std::memmove(all + group.position * bytes, mine, bytes);
  return exchange(group, sends, receives);
}

bool ProcessCommunicator::gatherHashes(dmc_rank_context &, int64_t index, const Hash &mine,
                                       std::vector<Hash> &all) {
  const Group &group = groups_[index];
  all.resize(static_cast<size_t>(group.size));
  return gatherBlocks(group, reinterpret_cast<const uint8_t *>(&mine), sizeof mine,
                      reinterpret_cast<uint8_t *>(all.data()));
}

/// Block q to position q, and the blocks of all for this one, in group order.
bool ProcessCommunicator::exchangeBlocks(const Group &group, const uint8_t *sent, uint8_t *received,
                                         size_t bytes) {
  std::vector<dmc_message> sends, receives;
  for (int64_t q = 0; q < group.size; ++q) {
    if (q == group.position)
      continue;
    sends.push_back(message(sent + q * bytes, bytes, q));
    receives.push_back(message(received + q * bytes, bytes, q));
  }
  size_t own = static_cast<size_t>(group.position) * bytes;
  std::memcpy(received + own, sent + own, bytes);
  return exchange(group, sends, receives);
}

static std::vector<const uint8_t *> blocksAt(const uint8_t *begin, size_t bytes, int64_t count) {
  std::vector<const uint8_t *> pointers;
  for (int64_t i = 0; i < count; ++i)
    pointers.push_back(begin + i * bytes);
  return pointers;
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
  }
  return !ranks_.fail("collective " + std::to_string(index) + " is of unknown kind " +
                      std::to_string(collective.kind));
}

bool ProcessCommunicator::allReduce(const dmc_collective &collective, const Group &group,
                                    const uint8_t *operand, uint8_t *result) {
  size_t bytes = elementBytes(collective.element_type), count = operandElements(collective);
  if (count * bytes <= smallBytes) {
    uint8_t *all = reserve(staging_, group.size * count * bytes);
    if (!all || !gatherBlocks(group, operand, count * bytes, all))
      return false;
    reduceSlice(collective, {0, count}, blocksAt(all, count * bytes, group.size), result);
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
  std::vector<dmc_message> sends, receives;
  for (int64_t q = 0; q < group.size; ++q) {
    Slice slice = sliceAt(q);
    if (q != group.position && bytesOf(slice))
      sends.push_back(message(operand + slice.begin * bytes, bytesOf(slice), q));
    if (q != group.position && ownBytes)
      receives.push_back(message(partials + q * ownBytes, ownBytes, q));
  }
  std::memcpy(partials + group.position * ownBytes, operand + own.begin * bytes, ownBytes);
  if (!exchange(group, sends, receives))
    return false;
  uint8_t *sum = result + own.begin * bytes;
  if (ownBytes)
    reduce(collective.element_type, collective.combiner, sum,
           blocksAt(partials, ownBytes, group.size).data(), static_cast<size_t>(group.size),
           own.end - own.begin);
  sends.clear();
  receives.clear();
  for (int64_t q = 0; q < group.size; ++q) {
    Slice slice = sliceAt(q);
    if (q != group.position && ownBytes)
      sends.push_back(message(sum, ownBytes, q));
    if (q != group.position && bytesOf(slice))
      receives.push_back(message(result + slice.begin * bytes, bytesOf(slice), q));
  }
  return exchange(group, sends, receives);
}

bool ProcessCommunicator::allGather(const dmc_collective &collective, const Group &group,
                                    const uint8_t *operand, uint8_t *result) {
  auto bytes = static_cast<size_t>(collective.operand_bytes);
  bool isOuter = product(collective.shape, collective.shape + collective.dim) == 1;
  if (isOuter && !overlap(operand, collective.operand_bytes, result, collective.result_bytes))
    return gatherBlocks(group, operand, bytes, result);
  uint8_t *all = reserve(staging_, group.size * bytes);
  if (!all || !gatherBlocks(group, operand, bytes, all))
    return false;
  moveData(collective, static_cast<size_t>(group.position), blocksAt(all, bytes, group.size),
           result);
  return true;
}

bool ProcessCommunicator::reduceScatter(const dmc_collective &collective, const Group &group,
                                        const uint8_t *operand, uint8_t *result) {
  const int64_t *shape = collective.shape;
  size_t outer = product(shape, shape + collective.dim);
  size_t run = static_cast<size_t>(collective.operand_bytes) / outer;
  size_t block = run / group.size, bytes = outer * block;
  uint8_t *partials = reserve(staging_, group.size * bytes);
  uint8_t *packed = outer > 1 ? reserve(packed_, group.size * bytes) : nullptr;
  if (!partials || (outer > 1 && !packed))
    return false;
  for (int64_t q = 0; q < group.size && packed; ++q)
    for (size_t o = 0; o < outer; ++o)
      std::memcpy(packed + q * bytes + o * block, operand + o * run + q * block, block);
  if (!exchangeBlocks(group, packed ? packed : operand, partials, bytes))
    return false;
  reduce(collective.element_type, collective.combiner, result,
         blocksAt(partials, bytes, group.size).data(), static_cast<size_t>(group.size),
         bytes / elementBytes(collective.element_type));
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
    copyBox(result + q * joined, to, received + q * bytes, within, extents, element);
  return true;
}

bool ProcessCommunicator::permute(const dmc_collective &collective, const Group &group,
                                  const uint8_t *operand, uint8_t *result) {
  auto bytes = static_cast<size_t>(collective.operand_bytes);
  // Where a target is named twice, the first source counts.
  std::map<int64_t, int64_t> sources;
  for (uint32_t i = 0; i < collective.num_pairs; ++i)
    sources.emplace(collective.pairs[2 * i + 1], collective.pairs[2 * i]);
  auto own = sources.find(group.position);
  bool receives = own != sources.end() && own->second != group.position;
  std::vector<dmc_message> sent, received;
  for (auto [target, source] : sources)
    if (source == group.position && target != group.position)
      sent.push_back(message(operand, bytes, target));
  if (receives)
    received.push_back(message(result, bytes, own->second));
  if (receives && !sent.empty() &&
      overlap(operand, collective.operand_bytes, result, collective.result_bytes)) {
    uint8_t *copy = reserve(packed_, bytes);
    if (!copy)
      return false;
    std::memcpy(copy, operand, bytes);
    for (dmc_message &each : sent)
      each.data = copy;
  }
  if (!exchange(group, sent, received))
    return false;
  if (own == sources.end())
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
