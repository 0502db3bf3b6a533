//===- TestProgram.cpp - A program as dmc-compile writes them -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the mesh data=2: x [5, 3] split by rows, w [3] donated, n a scalar.
//   y = 2 * x (split as x)     w' = w + sum over the rows of x     m = n + 1
//
//===----------------------------------------------------------------------===//

#include "dmc-c/Program.h"

static const dmc_mesh_axis axes[] = {{"data", 2}};
static const dmc_axis_ref data[] = {{0, 0, 1, 2}};
static const int64_t xGlobal[] = {5, 3}, xLocal[] = {3, 3}, wShape[] = {3};
#ifdef TEST_WRONG_LAYOUT
static const int64_t yLocal[] = {2, 3};
#else
static const int64_t yLocal[] = {3, 3};
#endif
static const uint32_t rows[] = {0, 1, 1}, none[] = {0, 0};

#ifdef TEST_I1
static constexpr uint32_t countType = DMC_I1; // to be set, not run
#else
static constexpr uint32_t countType = DMC_I32;
#endif

static const dmc_value arguments[] = {
    {"batch/x", DMC_F32, 2, xGlobal, xLocal, rows, data, 0, 0, nullptr, nullptr, -1},
    {"params/w", DMC_F32, 1, wShape, wShape, none, nullptr, 0, 0, nullptr, nullptr, 1},
    {"n", countType, 0, nullptr, nullptr, none, nullptr, 0, 0, nullptr, nullptr, -1}};
static const dmc_value results[] = {
    {"y", DMC_F32, 2, xGlobal, yLocal, rows, data, 0, 0, nullptr, nullptr, -1},
    {"params/w", DMC_F32, 1, wShape, wShape, none, nullptr, 0, 0, nullptr, nullptr, 1},
    {"m", DMC_I32, 0, nullptr, nullptr, none, nullptr, 0, 0, nullptr, nullptr, -1}};
static const dmc_collective collectives[] = {
    {DMC_ALL_REDUCE, DMC_SUM, DMC_F32, 1,       wShape, 0, 0, 1, 0, data, nullptr, 0, 1, 12, 12,
     "test.py:7",    0,       0,       nullptr, 0,      0}};
static const dmc_arena arenas[] = {{DMC_MEMORY_HOST, 0, 64, 64}};

static int32_t step(dmc_rank_context *context, const dmc_runtime_api *api,
                    const dmc_step_memory *memory) {
  void *const *in = memory->arguments, *const *out = memory->results;
  const auto *x = static_cast<const float *>(in[0]);
  auto *y = static_cast<float *>(out[0]), *w = static_cast<float *>(out[1]);
  auto *sum = static_cast<float *>(memory->arenas[0]);
  int64_t valid = memory->coordinates[0] == 0 ? 3 : 2;
  for (int64_t j = 0; j < 3; ++j)
    sum[j] = 0;
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 3; ++j) {
      y[i * 3 + j] = 2 * x[i * 3 + j];
      if (i < valid)
        sum[j] += x[i * 3 + j];
    }
  if (int32_t code = api->collective(context, 0, sum, sum))
    return code;
  for (int64_t j = 0; j < 3; ++j)
    w[j] += sum[j];
  *static_cast<int32_t *>(out[2]) = *static_cast<const int32_t *>(in[2]) + 1;
  return 0;
}

static const dmc_program program = {
#ifdef TEST_OTHER_ABI
    DMC_ABI_VERSION + 1,
#else
    DMC_ABI_VERSION,
#endif
#ifdef TEST_OTHER_SIZE
    sizeof(dmc_program) + 8,
#else
    sizeof(dmc_program),
#endif
    DMC_STRUCT_SIZES,
    "main",
    "a test",
#ifdef TEST_OTHER_PLAN
    {1, 3},
#else
    {1, 2},
#endif
    1, // axes
    3,
    3,
    1, // collectives
    0,
    0,
    1, // arenas
    0,
    0,
    1, // streams
    0,
    DMC_DEVICE_HOST,
    axes,
    arguments,
    results,
    collectives,
    nullptr,
    nullptr,
    arenas,
    nullptr,
    nullptr,
    1000,
    step,
#ifdef TEST_OTHER_CPU
    "future",
    "warp,flux",
#else
    "any",
    "",
#endif
    0,
    0,
    0,
    nullptr,
    nullptr,
};

extern "C" __attribute__((visibility("default"))) const dmc_program *
dmc_program_query(uint32_t version) {
  return &program;
}
