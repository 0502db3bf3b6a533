//===- CollectivesProgram.cpp - Every collective once ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the mesh a=2, b=3: each rank's block of the argument is the operand of every
// collective, and each has a result of its own on every rank. Kinds, combiners,
// element types, groups (by axes, in both orders, listed, with ranks left out) and
// sizes vary; engines must agree on every byte. With TEST_CUDA, operands and
// results are on devices.
//
//===----------------------------------------------------------------------===//

#include "dmc-c/Program.h"

#include <cstring>
#include <deque>
#include <vector>

namespace {

#ifdef TEST_CUDA
constexpr uint32_t memorySpace = DMC_MEMORY_DEVICE;
constexpr int64_t numRanks = 6, blockBytes = 24 * 96; // simulated devices take their time
#else
constexpr uint32_t memorySpace = DMC_MEMORY_HOST;
constexpr int64_t numRanks = 6, blockBytes = 96 * 1024;
#endif

const dmc_mesh_axis meshAxes[] = {{"a", 2}, {"b", 3}};
const dmc_axis_ref axisRefs[] = {{0, 0, 1, 2}, {1, 0, 1, 3}, {0, 0, 1, 2}};
const int64_t listed[] = {0, 2, 5, 4, 3, 1}, some[] = {5, 0, 3}, pairs[] = {0, 2, 1, 1},
              cycle[] = {0, 1, 1, 0};
const uint32_t split[] = {0, 2};

size_t bytesOf(uint32_t type) {
  switch (type) {
  case DMC_I64:
  case DMC_UI64:
  case DMC_F64:
    return 8;
  case DMC_I32:
  case DMC_UI32:
  case DMC_F32:
    return 4;
  case DMC_I16:
  case DMC_UI16:
  case DMC_F16:
  case DMC_BF16:
    return 2;
  default:
    return 1;
  }
}

struct Tables {
  std::deque<std::vector<int64_t>> numbers;
  std::vector<dmc_collective> collectives;
  std::vector<bool> isInPlace;
  std::vector<dmc_value> results;
  dmc_value argument = {};
  dmc_arena arena = {memorySpace, 0, blockBytes, 64};
  dmc_program program = {};

  const int64_t *keep(std::vector<int64_t> list) {
    numbers.push_back(std::move(list));
    return numbers.back().data();
  }

  dmc_value value(int64_t bytes) {
    return {"",      DMC_UI8, 1, keep({numRanks * bytes}), keep({bytes}), split, axisRefs, 0, 0,
            nullptr, nullptr, -1};
  }

  void add(uint32_t kind, uint32_t type, std::vector<int64_t> shape, uint32_t combiner = 0,
           uint32_t dim = 0, uint32_t concatDim = 0, bool inPlace = false) {
    dmc_collective collective = {};
    collective.kind = kind;
    collective.combiner = combiner;
    collective.element_type = type;
    collective.rank = static_cast<uint32_t>(shape.size());
    collective.dim = dim;
    collective.concat_dim = concatDim;
    collective.count = 1;
    collective.location = "collectives.py:1";
    int64_t groupSize = 1;
    switch (collectives.size() % 6) { // the groups alternate
    case 0:
    case 1: // {a}, {a, b}
    case 2:
      collective.num_axes = collectives.size() % 6 == 0 ? 1 : 2;
      collective.axes = collectives.size() % 6 == 2 ? axisRefs + 1 : axisRefs; // {b, a}
      break;
    case 3:
      collective.num_axes = 1;
      collective.axes = axisRefs + 1;
      break;
    case 4:
      collective.num_groups = 2;
      collective.group_size = 3;
      collective.groups = listed;
      break;
    case 5:
      collective.num_groups = 1;
      collective.group_size = 3;
      collective.groups = some;
      break;
    default:
      break;
    }
    for (uint32_t i = 0; i < collective.num_axes; ++i)
      groupSize *= collective.axes[i].size;
    if (collective.num_groups)
      groupSize = collective.group_size;
    if (kind == DMC_PERMUTE) {
      collective.num_pairs = 2;
      collective.pairs = groupSize == 2 ? cycle : pairs;
    }
    collective.root = kind == DMC_BROADCAST ? groupSize - 1 : 0;
    int64_t bytes = static_cast<int64_t>(bytesOf(type));
    for (int64_t size : shape)
      bytes *= size;
    collective.shape = keep(std::move(shape));
    collective.operand_bytes = bytes;
    collective.result_bytes = kind == DMC_ALL_GATHER       ? bytes * groupSize
                              : kind == DMC_REDUCE_SCATTER ? bytes / groupSize
                                                           : bytes;
    collectives.push_back(collective);
    isInPlace.push_back(inPlace);
    results.push_back(value(collective.result_bytes));
  }

  Tables();
};

Tables &tables() {
  static Tables theTables;
  return theTables;
}

/// Bits that are numbers of a moderate size in the type.
void makeNumbers(uint32_t type, uint8_t *data, int64_t bytes) {
  for (int64_t i = 0; i < bytes; ++i) {
    bool isLast =
        i % static_cast<int64_t>(bytesOf(type)) + 1 == static_cast<int64_t>(bytesOf(type));
    if (type == DMC_I1)
      data[i] &= 1;
    else if (type >= DMC_F16 && isLast) // no exponent of ones; half of them large
      data[i] = static_cast<uint8_t>((data[i] & 0x80) | 0x38 | (data[i] & 7));
  }
}

int32_t fillOperand(dmc_rank_context *context, const dmc_runtime_api *api,
                    const dmc_collective &collective, const void *argument, uint8_t *buffer) {
  int64_t bytes = collective.operand_bytes;
  if (memorySpace == DMC_MEMORY_HOST) {
    std::memcpy(buffer, argument, static_cast<size_t>(bytes));
    makeNumbers(collective.element_type, buffer, bytes);
    return 0;
  }
  std::vector<uint8_t> numbers(static_cast<size_t>(bytes));
  if (int32_t code =
          api->copy(context, numbers.data(), DMC_MEMORY_HOST, argument, memorySpace, bytes, 0))
    return code;
  makeNumbers(collective.element_type, numbers.data(), bytes);
  return api->copy(context, buffer, memorySpace, numbers.data(), DMC_MEMORY_HOST, bytes, 0);
}

int32_t step(dmc_rank_context *context, const dmc_runtime_api *api, const dmc_step_memory *memory) {
  void *const *in = memory->arguments, *const *out = memory->results;
  Tables &all = tables();
  auto *operand = static_cast<uint8_t *>(memory->arenas[0]);
  for (size_t i = 0; i < all.collectives.size(); ++i) {
    const dmc_collective &collective = all.collectives[i];
    bool inPlace = all.isInPlace[i];
    uint8_t *buffer = inPlace ? static_cast<uint8_t *>(out[i]) : operand;
    if (int32_t code = fillOperand(context, api, collective, in[0], buffer))
      return code;
    auto index = static_cast<int64_t>(i);
    if (i % 2) {
      if (int32_t code = api->collective(context, index, buffer, out[i]))
        return code;
      continue;
    }
    if (int32_t code = api->collective_start(context, index, buffer, out[i]))
      return code;
    if (int32_t code = api->collective_wait(context, index))
      return code;
  }
  return 0;
}

Tables::Tables() {
  for (uint32_t type = DMC_I1; type <= DMC_F64; ++type) {
    auto perBlock = blockBytes / static_cast<int64_t>(bytesOf(type));
    for (uint32_t combiner = DMC_SUM; combiner <= DMC_MIN; ++combiner) {
      add(DMC_ALL_REDUCE, type, {7, 5}, combiner);
      add(DMC_REDUCE_SCATTER, type, {5, 12}, combiner, 1);
    }
    add(DMC_ALL_REDUCE, type, {perBlock - 3}, type % 4); // uneven slices
    add(DMC_ALL_REDUCE, type, {perBlock}, DMC_SUM, 0, 0, /*inPlace=*/true);
    add(DMC_REDUCE_SCATTER, type, {12, 3}, DMC_SUM, 0);
    add(DMC_ALL_GATHER, type, {3, 5}, 0, 0);
    add(DMC_ALL_GATHER, type, {3, 5, 2}, 0, 1);
    add(DMC_ALL_TO_ALL, type, {12, 5}, 0, 0, 1);
    add(DMC_ALL_TO_ALL, type, {4, 6, 7}, 0, 1, 2);
    add(DMC_ALL_TO_ALL, type, {6, 6, 7}, 0, 0, 0);
    add(DMC_PERMUTE, type, {11});
    add(DMC_PERMUTE, type, {perBlock}, 0, 0, 0, /*inPlace=*/true);
    add(DMC_BROADCAST, type, {3, 4});
    add(DMC_BROADCAST, type, {perBlock}, 0, 0, 0, /*inPlace=*/true);
    add(DMC_ALL_REDUCE, type, {0, 4});
    add(DMC_ALL_GATHER, type, {perBlock}, 0, 0);
    add(DMC_ALL_TO_ALL, type, {perBlock / 12, 12}, 0, 1, 0);
  }
  argument = value(blockBytes);
  program.abi_version = DMC_ABI_VERSION;
  program.struct_size = sizeof(dmc_program);
  program.name = "main";
  program.compiler = "a test";
  program.num_axes = 2;
  program.axes = meshAxes;
  program.num_arguments = 1;
  program.arguments = &argument;
  program.num_results = static_cast<uint32_t>(results.size());
  program.results = results.data();
  program.num_collectives = static_cast<uint32_t>(collectives.size());
  program.collectives = collectives.data();
  program.sizes = DMC_STRUCT_SIZES;
  program.num_streams = 1;
  program.num_arenas = 1;
  program.arenas = &arena;
  program.step = step;
  if (memorySpace == DMC_MEMORY_DEVICE)
    program.device = DMC_DEVICE_CUDA;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const dmc_program *
dmc_program_query(uint32_t version) {
  return &tables().program;
}
