//===- NcclTransfers.cpp - Collectives as calls of NCCL -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/NcclCommunicator.h"
#include "Communicator/Collectives.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <optional>

using namespace dmc;
using namespace dmc::cuda;
using namespace dmc::cuda::nccl;
using namespace dmc::runtime;
using NcclResult = nccl::Result;
using NcclReduction = nccl::Reduction;

struct NcclCommunicator::Transfer {
  const dmc_collective &collective;
  const Member &member;
  const uint8_t *operand;
  uint8_t *result;
  Communicator communicator;
  nccl::Stream stream;
};

static std::optional<Type> typeOf(uint32_t type) {
  switch (type) {
  case DMC_I1:
  case DMC_UI8:
    return Type::U8;
  case DMC_I8:
    return Type::I8;
  case DMC_I32:
    return Type::I32;
  case DMC_UI32:
    return Type::U32;
  case DMC_I64:
    return Type::I64;
  case DMC_UI64:
    return Type::U64;
  case DMC_F16:
    return Type::F16;
  case DMC_BF16:
    return Type::BF16;
  case DMC_F32:
    return Type::F32;
  case DMC_F64:
    return Type::F64;
  default:
    return std::nullopt;
  }
}

static NcclReduction reductionOf(uint32_t combiner) {
  switch (combiner) {
  case DMC_PROD:
    return NcclReduction::Product;
  case DMC_MAX:
    return NcclReduction::Max;
  case DMC_MIN:
    return NcclReduction::Min;
  default:
    return NcclReduction::Sum;
  }
}

bool NcclCommunicator::canCompute(const dmc_collective &collective,
                                  const std::vector<std::vector<int64_t>> &groups) {
  if (collective.kind != DMC_ALL_REDUCE && collective.kind != DMC_REDUCE_SCATTER)
    return true; // moves bytes
  uint32_t type = collective.element_type;
  bool selects = collective.combiner == DMC_MAX || collective.combiner == DMC_MIN;
  bool isFloat = type == DMC_F16 || type == DMC_BF16 || type == DMC_F32 || type == DMC_F64;
  if (isFloat && groups.size() > 1 && groups[0].size() > 2)
    return false;
  return typeOf(type) && (type == DMC_I1 ? selects : !(selects && isFloat));
}

/// All blocks of all ranks, in runs that are contiguous in the operand and in the result.
NcclResult NcclCommunicator::allToAll(const Transfer &transfer) const {
  const dmc_collective &collective = transfer.collective;
  auto size = static_cast<int64_t>(transfer.member.size);
  auto bytes = static_cast<int64_t>(elementBytes(collective.element_type));
  uint32_t dim = collective.dim, concat = collective.concat_dim;
  std::vector<int64_t> shape(collective.shape, collective.shape + collective.rank);
  std::vector<int64_t> extents = shape;
  extents[dim] /= size;
  std::vector<int64_t> resultShape = extents;
  resultShape[concat] *= size;
  std::vector<int64_t> from = rowMajorStrides(shape), to = rowMajorStrides(resultShape);
  uint32_t inner = std::max(dim, concat);
  auto run = static_cast<size_t>(extents[inner] * from[inner] * bytes);
  int64_t runs = 1;
  for (uint32_t d = 0; d < inner; ++d)
    runs *= extents[d];
  for (int64_t i = 0; i < runs; ++i) {
    int64_t source = 0, target = 0;
    for (int64_t d = int64_t(inner) - 1, rest = i; d >= 0; rest /= extents[d], --d) {
      source += rest % extents[d] * from[d];
      target += rest % extents[d] * to[d];
    }
    for (int64_t peer = 0; peer < size; ++peer) {
      NcclResult result =
          library_->send(transfer.operand + (source + peer * extents[dim] * from[dim]) * bytes, run,
                         Type::U8, static_cast<int>(peer), transfer.communicator, transfer.stream);
      if (result == NcclResult::Success || result == NcclResult::InProgress)
        result = library_->receive(
            transfer.result + (target + peer * extents[concat] * to[concat]) * bytes, run, Type::U8,
            static_cast<int>(peer), transfer.communicator, transfer.stream);
      if (result != NcclResult::Success && result != NcclResult::InProgress)
        return result;
    }
  }
  return NcclResult::Success;
}

NcclResult NcclCommunicator::permute(const Transfer &transfer) const {
  const dmc_collective &collective = transfer.collective;
  auto own = static_cast<int64_t>(transfer.member.position);
  auto bytes = static_cast<size_t>(collective.operand_bytes);
  NcclResult result = NcclResult::Success;
  auto isGood = [&] { return result == NcclResult::Success || result == NcclResult::InProgress; };
  for (size_t i = 0; i < collective.num_pairs; ++i) {
    int64_t source = collective.pairs[2 * i], target = collective.pairs[2 * i + 1];
    if (source == own && isGood())
      result = library_->send(transfer.operand, bytes, Type::U8, static_cast<int>(target),
                              transfer.communicator, transfer.stream);
    if (target == own && isGood())
      result = library_->receive(transfer.result, bytes, Type::U8, static_cast<int>(source),
                                 transfer.communicator, transfer.stream);
  }
  return result;
}

/// The calls of one group.
NcclResult NcclCommunicator::call(const Transfer &transfer) const {
  const dmc_collective &collective = transfer.collective;
  size_t groupSize = transfer.member.size;
  const uint8_t *operand = transfer.operand;
  uint8_t *result = transfer.result;
  Communicator communicator = transfer.communicator;
  nccl::Stream stream = transfer.stream;
  auto bytes = static_cast<size_t>(collective.operand_bytes);
  Type type = typeOf(collective.element_type).value_or(Type::U8);
  NcclReduction reduction = reductionOf(collective.combiner);
  size_t width = elementBytes(collective.element_type);
  // Blocks along a dimension are contiguous for each index of those before it.
  size_t outer =
      productOf(collective.shape, collective.shape + std::min(collective.dim, collective.rank));
  NcclResult code = NcclResult::Success;
  auto forEach = [&](auto one) {
    for (size_t o = 0; o < outer; ++o) {
      code = one(o);
      if (code != NcclResult::Success && code != NcclResult::InProgress)
        break;
    }
    return code;
  };
  switch (collective.kind) {
  case DMC_ALL_REDUCE:
    return library_->allReduce(operand, result, bytes / width, type, reduction, communicator,
                               stream);
  case DMC_ALL_GATHER:
    return forEach([&](size_t o) {
      size_t run = bytes / outer;
      return library_->allGather(operand + o * run, result + o * run * groupSize, run, Type::U8,
                                 communicator, stream);
    });
  case DMC_REDUCE_SCATTER:
    return forEach([&](size_t o) {
      size_t run = bytes / outer, block = run / groupSize;
      return library_->reduceScatter(operand + o * run, result + o * block, block / width, type,
                                     reduction, communicator, stream);
    });
  case DMC_ALL_TO_ALL:
    return allToAll(transfer);
  case DMC_PERMUTE:
    return permute(transfer);
  default:
    return library_->broadcast(operand, result, bytes, Type::U8, static_cast<int>(collective.root),
                               communicator, stream);
  }
}

/// For collectives whose result shares bytes with the operand. Later executions are behind this
/// one in the same stream.
Failure NcclCommunicator::copyOperand(dmc_rank_context &rank, int64_t index,
                                      const uint8_t *&operand) {
  const dmc_collective &collective = program_.collectives[index];
  void *&copy = data_[rank.rank].copies[index];
  Failure why;
  if (!copy)
    copy = rank.device->allocate(collective.operand_bytes, why);
  if (!why)
    why = rank.device->copy(copy, DMC_MEMORY_DEVICE, operand, DMC_MEMORY_DEVICE,
                            collective.operand_bytes, collective.stream);
  operand = static_cast<const uint8_t *>(copy);
  return why;
}

Failure NcclCommunicator::enqueue(dmc_rank_context &rank, int64_t index, const uint8_t *operand,
                                  uint8_t *result) {
  const dmc_collective &collective = program_.collectives[index];
  const Member &member = memberOf(rank.rank, index);
  Device &device = *rank.device;
  bool isPermute = collective.kind == DMC_PERMUTE;
  if (member.size == 0 || (member.size == 1 && isPermute && collective.num_pairs == 0))
    return device.fill(result, 0, collective.result_bytes, collective.stream);
  if (member.size == 1)
    return operand == result ? std::nullopt
                             : device.copy(result, DMC_MEMORY_DEVICE, operand, DMC_MEMORY_DEVICE,
                                           collective.operand_bytes, collective.stream);
  if (!collective.operand_bytes)
    return std::nullopt;
  if (!CollectivePlan(collective, member.size).canOverlap(member.position, operand, result))
    if (auto why = copyOperand(rank, index, operand))
      return why;
  if (isPermute) {
    bool receives = false;
    for (size_t i = 0; i < collective.num_pairs; ++i)
      receives |= collective.pairs[2 * i + 1] == static_cast<int64_t>(member.position);
    if (!receives)
      if (auto why = device.fill(result, 0, collective.result_bytes, collective.stream))
        return why;
  }
  Communicator communicator = data_[rank.rank].communicators[member.communicator];
  if (auto why = device.enter())
    return why;
  if (auto why = failed(library_->groupStart()))
    return why;
  NcclResult called = call({collective, member, operand, result, communicator,
                            static_cast<nccl::Stream>(device.stream(collective.stream))});
  NcclResult ended = library_->groupEnd();
  if (auto why = failed(rank, called))
    return why;
  if (auto why = failed(rank, ended))
    return why;
  return settle(rank, communicator);
}

/// The fault is one of values in the memory of the host.
bool NcclCommunicator::injectAfter(dmc_rank_context &rank, int64_t index, void *result) {
  const dmc_collective &collective = program_.collectives[index];
  std::vector<uint8_t> element(elementBytes(collective.element_type));
  auto bytes = std::min<int64_t>(static_cast<int64_t>(element.size()), collective.result_bytes);
  Failure why = rank.device->copy(element.data(), DMC_MEMORY_HOST, result, DMC_MEMORY_DEVICE, bytes,
                                  collective.stream);
  if (!why && ranks_.injectAfter(rank, index, element.data()))
    return true;
  if (!why)
    why = rank.device->copy(result, DMC_MEMORY_DEVICE, element.data(), DMC_MEMORY_HOST, bytes,
                            collective.stream);
  return why && ranks_.fail("rank " + std::to_string(rank.rank) + ": " + *why);
}

bool NcclCommunicator::execute(dmc_rank_context &rank, int64_t index, const void *operand,
                               void *result) {
  bool isFaulty = ranks_.isFaulty(rank, index);
  if (isFaulty && ranks_.injectBefore(rank, index))
    return false;
  if (auto why = enqueue(rank, index, static_cast<const uint8_t *>(operand),
                         static_cast<uint8_t *>(result)))
    return !ranks_.fail("rank " + std::to_string(rank.rank) + " at " + ranks_.describe(index) +
                        ": " + *why);
  if (isFaulty && isShared(rank.rank, index) && injectAfter(rank, index, result))
    return false;
  rank.executions[index].fetch_add(1, std::memory_order_relaxed);
  return true;
}
