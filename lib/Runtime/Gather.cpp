//===- Gather.cpp - Values from the ranks that hold them ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rank holds which block, whether copies of a block are equal, and whole
// arrays from all of them.
//
//===----------------------------------------------------------------------===//

#include "Hash.h"
#include "SessionBuffers.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/Session.h"
#include "dmc/Runtime/Transport.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

using namespace dmc;
using namespace dmc::runtime;

/// What the rank holds, if it holds any element.
static std::optional<Shard> shardOf(const Mesh &mesh, const Layout &layout,
                                    const std::vector<int64_t> &shape, int64_t rank) {
  if (!holds(mesh, layout, rank))
    return std::nullopt;
  Shard shard{rank, {}, {}};
  for (const DimBlock &block : blocks(mesh, layout, shape, rank)) {
    if (block.valid() == 0)
      return std::nullopt;
    shard.offset.push_back(block.begin);
    shard.size.push_back(block.valid());
  }
  return shard;
}

std::vector<Shard> runtime::shardsOf(const Mesh &mesh, const Layout &layout,
                                     const std::vector<int64_t> &shape) {
  std::vector<Shard> shards;
  std::set<std::vector<int64_t>> offsets;
  for (int64_t r = 0; r < mesh.numRanks(); ++r) {
    auto shard = shardOf(mesh, layout, shape, r);
    if (shard && offsets.insert(shard->offset).second)
      shards.push_back(std::move(*shard));
  }
  return shards;
}

Session::Held Session::heldArgument(size_t index) const {
  const dmc_value &value = program_.arguments[index];
  return {value, argumentLayouts_[index], nameOf("argument", index, value), false, index};
}

Session::Held Session::heldResult(size_t index) const {
  const dmc_value &value = program_.results[index];
  return {value, resultLayouts_[index], nameOf("result", index, value), true, index};
}

const uint8_t *Session::localData(const Held &held, int64_t rank) const {
  const RankBuffers &buffers = *ranks_[rank];
  return static_cast<const uint8_t *>(held.isResult ? buffers.resultPointers[held.index]
                                                    : buffers.argumentPointers[held.index]);
}

Failure Session::fetch(const Held &held) const {
  for (int64_t r = 0; r < numRanks_; ++r) {
    if (!isHere(r) || !ranks_[r]->device)
      continue;
    RankBuffers &buffers = *ranks_[r];
    auto *host = static_cast<uint8_t *>(held.isResult ? buffers.resultPointers[held.index]
                                                      : buffers.argumentPointers[held.index]);
    if (auto why = held.isResult ? buffers.device->fetchResult(held.index, host)
                                 : buffers.device->fetchArgument(held.index, host))
      return held.name + " of rank " + std::to_string(r) + ": " + *why;
  }
  return std::nullopt;
}

void Session::pack(const Held &held, const Shard &shard, uint8_t *target) const {
  copyBox(target, rowMajorStrides(shard.size), localData(held, shard.owner),
          rowMajorStrides(localShapeOf(held.value)), shard.size,
          elementBytes(held.value.element_type));
}

Array Session::argumentShard(size_t index, const Shard &shard) const {
  Array array = Array::make(program_.arguments[index].element_type, shard.size);
  if (!array.buffer)
    return array;
  Held held = heldArgument(index);
  if (fetch(held))
    return {};
  pack(held, shard, array.data());
  return array;
}

Failure Session::checkCopies(const Held &held) const {
  std::vector<int64_t> shape = globalShapeOf(held.value),
                       strides = rowMajorStrides(localShapeOf(held.value));
  std::map<std::vector<int64_t>, int64_t> owners; // of blocks, by offset
  std::vector<std::optional<Shard>> shards;
  std::vector<int64_t> ownerOf(numRanks_, -1);
  bool hasCopies = false;
  for (int64_t r = 0; r < numRanks_; ++r) {
    shards.push_back(shardOf(mesh_, held.layout, shape, r));
    if (!shards[r])
      continue;
    ownerOf[r] = owners.try_emplace(shards[r]->offset, r).first->second;
    hasCopies |= ownerOf[r] != r;
  }
  if (!hasCopies)
    return std::nullopt;
  Failure why = fetch(held);
  if (options_.transport)
    why = options_.transport->agree(why);
  if (why)
    return why;
  std::vector<Hash> hashes(numRanks_);
  for (int64_t r = 0; r < numRanks_; ++r)
    if (isHere(r) && shards[r])
      hashes[r].addBox(localData(held, r), strides, shards[r]->size, 0,
                       elementBytes(held.value.element_type));
  if (Transport *transport = options_.transport) {
    std::vector<uint8_t> all;
    if (auto why = transport->allGather(&hashes[transport->rank()], sizeof(Hash), all))
      return why;
    std::memcpy(hashes.data(), all.data(), all.size());
  }
  for (int64_t r = 0; r < numRanks_; ++r)
    if (ownerOf[r] >= 0 && hashes[r] != hashes[ownerOf[r]])
      return held.name + " differs between ranks " + std::to_string(ownerOf[r]) + " and " +
             std::to_string(r) + ", expected equal copies";
  return std::nullopt;
}

Failure Session::checkArgumentCopies(size_t index) const {
  return checkCopies(heldArgument(index));
}

Failure Session::checkResultCopies(size_t index) const { return checkCopies(heldResult(index)); }

/// Brings every block to its place in the global array of the first process;
/// `staging` is large enough for one.
Failure Session::collect(const Held &held, Array &global, const Buffer &staging) const {
  std::vector<int64_t> globalStrides = rowMajorStrides(global.shape),
                       localStrides = rowMajorStrides(localShapeOf(held.value));
  auto bytes = static_cast<int64_t>(elementBytes(global.type));
  Transport *transport = options_.transport;
  for (const Shard &shard : shardsOf(mesh_, held.layout, global.shape)) {
    int64_t offset = 0;
    for (size_t d = 0; d < shard.offset.size(); ++d)
      offset += shard.offset[d] * globalStrides[d] * bytes;
    if (isHere(shard.owner) && isHere(0)) {
      copyBox(global.data() + offset, globalStrides, localData(held, shard.owner), localStrides,
              shard.size, bytes);
      continue;
    }
    if (!isHere(shard.owner) && !isHere(0))
      continue;
    int64_t count = bytes;
    for (int64_t size : shard.size)
      count *= size;
    if (!isHere(0))
      pack(held, shard, staging.data());
    dmc_message message{staging.data(), count, isHere(0) ? shard.owner : 0};
    auto why = isHere(0) ? transport->exchange(nullptr, {}, {message})
                         : transport->exchange(nullptr, {message}, {});
    if (why)
      return why;
    if (isHere(0))
      copyBox(global.data() + offset, globalStrides, staging.data(), rowMajorStrides(shard.size),
              shard.size, bytes);
  }
  return std::nullopt;
}

std::optional<Array> Session::result(size_t index, std::string &error) const {
  if (index < program_.num_results)
    return gather(heldResult(index), error);
  error = "result " + std::to_string(index) + " of a program with " +
          std::to_string(program_.num_results);
  return std::nullopt;
}

std::optional<Array> Session::resultView(size_t index, std::string &error) const {
  if (index < program_.num_results)
    return gather(heldResult(index), error, /*mayView=*/true);
  return result(index, error);
}

std::optional<Array> Session::argument(size_t index, std::string &error) const {
  if (index < program_.num_arguments)
    return gather(heldArgument(index), error);
  error = "argument " + std::to_string(index) + " of a program with " +
          std::to_string(program_.num_arguments);
  return std::nullopt;
}

/// The rank of this process whose local array is all of the global one.
std::optional<int64_t> Session::findHolder(const Held &held) const {
  std::vector<int64_t> shape = globalShapeOf(held.value);
  std::vector<Shard> shards = shardsOf(mesh_, held.layout, shape);
  if (options_.transport || shards.size() != 1 || shards[0].size != shape ||
      localShapeOf(held.value) != shape)
    return std::nullopt;
  return shards[0].owner;
}

std::optional<Array> Session::gather(const Held &held, std::string &error, bool mayView) const {
  if (auto why = checkIsHere(held)) {
    error = *why;
    return std::nullopt;
  }
  std::vector<int64_t> shape = globalShapeOf(held.value);
  // Before anything is sent, all have the memory that they need.
  Array global;
  global.type = held.value.element_type;
  global.shape = shape;
  Buffer staging;
  bool hasMemory = true;
  if (options_.transport) {
    staging = Buffer::allocate(localBytes(held.value));
    hasMemory = static_cast<bool>(staging);
  }
  std::optional<int64_t> holder = mayView ? findHolder(held) : std::nullopt;
  if (holder) {
    auto *data = const_cast<uint8_t *>(localData(held, *holder));
    global.buffer = Buffer::view(data, static_cast<size_t>(localBytes(held.value)));
  } else if (isHere(0)) {
    global = Array::make(held.value.element_type, shape);
    hasMemory &= static_cast<bool>(global.buffer);
  }
  Failure why;
  if (auto unfetched = fetch(held))
    why = unfetched;
  else if (!hasMemory)
    why = held.name + ": not enough memory for " + toString(held.value.element_type, shape);
  if (options_.transport)
    why = options_.transport->agree(why);
  if (!why)
    why = checkCopies(held);
  if (!why && !holder)
    why = collect(held, global, staging);
  if (why) {
    error = *why;
    return std::nullopt;
  }
  return global;
}
