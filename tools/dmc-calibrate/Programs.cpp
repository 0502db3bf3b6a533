//===- Programs.cpp - Launches and library calls of the runtime -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Programs.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <set>

using namespace dmc;
using namespace dmc::calibrate;
using namespace dmc::runtime;

namespace {
/// A step has no place for a closure, and one program runs at a time.
StepBody current;
} // namespace

static int32_t callStep(dmc_rank_context *context, const dmc_runtime_api *api,
                        const dmc_step_memory *memory) {
  return current(context, *api, memory->coordinates[0], static_cast<uint8_t *>(memory->arenas[0]));
}

Failure calibrate::runStep(dmc_program &program, int64_t numRanks, const SessionOptions &options,
                           int64_t arenaBytes, StepBody body) {
  dmc_mesh_axis axis = {"rank", numRanks};
  program.abi_version = DMC_ABI_VERSION;
  program.struct_size = sizeof program;
  program.name = "calibration";
  program.num_axes = 1;
  program.axes = &axis;
  dmc_arena arena = {DMC_MEMORY_HOST, 0, arenaBytes, 64};
  program.sizes = DMC_STRUCT_SIZES;
  program.num_streams = 1;
  program.num_arenas = 1;
  program.arenas = &arena;
  program.step = callStep;
  std::string error;
  auto session = Session::create(program, options, error);
  if (!session)
    return error;
  current = std::move(body);
  return session->step();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static int32_t doNothing(dmc_rank_context *, const dmc_runtime_api *, const void *, int64_t,
                         int64_t) {
  return 0;
}

Failure calibrate::measureLaunch(const Effort &effort, int threads, double &launch,
                                 std::optional<double> &fork) {
  // As much as a runtime of any rate finds worth dividing, or nothing at all.
  constexpr int64_t much = int64_t(1) << 60;
  dmc_nest nests[2] = {{doNothing, 1, 0, 0, nullptr}, {doNothing, threads, much, much, nullptr}};
  dmc_kernel kernels[2] = {};
  for (int i = 0; i < 2; ++i) {
    kernels[i].name = "nothing";
    kernels[i].count = -1;
    kernels[i].location = "";
    kernels[i].num_nests = 1;
    kernels[i].nests = &nests[i];
  }
  dmc_program program = {};
  program.num_kernels = 2;
  program.kernels = kernels;
  SessionOptions options;
  options.threadsPerRank = threads;
  double seconds[2] = {};
  auto why = runStep(program, 1, options, 0, [&](auto *rank, auto &api, int64_t, uint8_t *) {
    int32_t code = 0;
    for (int kernel = 0; kernel < 2; ++kernel) {
      // Enough of them that reading the clock does not count.
      const int repeats = kernel == 0 ? 1000 : 10;
      seconds[kernel] = measureSeconds(effort.seconds,
                                       [&] {
                                         for (int i = 0; i < repeats && !code; ++i)
                                           code = api.launch(rank, kernel, nullptr);
                                       }) /
                        repeats;
    }
    return code;
  });
  launch = seconds[0];
  if (threads > 1)
    fork = std::max(seconds[1] - seconds[0], seconds[0]);
  return why;
}

//===----------------------------------------------------------------------===//
// Matrix multiplication
//===----------------------------------------------------------------------===//

static uint32_t typeOf(llvm::StringRef name) {
  return llvm::StringSwitch<uint32_t>(name)
      .Case("f32", DMC_F32)
      .Case("bf16", DMC_BF16)
      .Default(DMC_F64);
}

/// Multiplies matrices of each shape, row-major, with so many threads: small ones many at a time,
/// as programs do, or each alone. Ranks take as long for each figure, so that they measure the
/// same at about the same time.
static Failure runMatmuls(const Effort &effort, int threads, int64_t together,
                          llvm::MutableArrayRef<MatmulRate> rates, bool isAlone = false) {
  // So many as are the work of one of 64 x 64 by 64.
  auto getBatch = [&](const MatmulRate &rate) {
    constexpr int64_t work = int64_t(64) * 64 * 64;
    return isAlone ? 1 : std::max<int64_t>(1, work / (rate.m * rate.n * rate.k));
  };
  int64_t most = 1;
  for (const MatmulRate &rate : rates)
    most = std::max({most, getBatch(rate) * rate.m * rate.k, getBatch(rate) * rate.k * rate.n,
                     getBatch(rate) * rate.m * rate.n});
  int64_t matrixBytes = (most * 8 + 63) / 64 * 64;
  // As compiled programs describe them: row-major.
  struct Description {
    int64_t sizes[4], a[4], b[4], c[4];
  };
  std::vector<Description> descriptions;
  std::vector<dmc_contraction> contractions(rates.size());
  std::vector<dmc_call> calls(rates.size());
  for (const MatmulRate &rate : rates)
    descriptions.push_back({{getBatch(rate), rate.m, rate.n, rate.k},
                            {rate.m * rate.k, rate.k, 0, 1},
                            {rate.k * rate.n, 0, 1, rate.n},
                            {rate.m * rate.n, rate.n, 1, 0}});
  for (size_t i = 0; i < rates.size(); ++i) {
    dmc_contraction &contraction = contractions[i];
    contraction.a_type = contraction.b_type = contraction.c_type = typeOf(rates[i].type);
    contraction.num_batch = contraction.num_m = contraction.num_n = contraction.num_k = 1;
    contraction.sizes = descriptions[i].sizes;
    contraction.a_strides = descriptions[i].a;
    contraction.b_strides = descriptions[i].b;
    contraction.c_strides = descriptions[i].c;
    contraction.location = "";
    calls[i].kind = DMC_CALL_CONTRACTION;
    calls[i].num_operands = 3;
    calls[i].name = "matmul";
    calls[i].contraction = &contraction;
    calls[i].count = -1;
    calls[i].location = "";
  }
  dmc_program program = {};
  program.num_calls = static_cast<uint32_t>(calls.size());
  program.calls = calls.data();
  int64_t bytes = 3 * matrixBytes;
  SessionOptions options;
  options.threadsPerRank = threads;
  return runStep(program, together, options, bytes,
                 [&](auto *rank, auto &api, int64_t number, uint8_t *arena) {
                   // Small numbers of any type: zeros take less power, which leaves more for the
                   // clock.
                   uint32_t state = 1;
                   std::generate_n(arena, bytes, [&] {
                     state = state * 1664525 + 1013904223;
                     return static_cast<uint8_t>(0x30 | state >> 28);
                   });
                   void *operands[] = {arena, arena + matrixBytes, arena + 2 * matrixBytes};
                   int32_t code = 0;
                   for (auto [i, rate] : llvm::enumerate(rates)) {
                     auto call = static_cast<int64_t>(i);
                     double seconds = measureSeconds(effort.seconds, [&] {
                       if (!code)
                         code = api.call(rank, call, static_cast<void *>(operands));
                     });
                     if (code)
                       return code;
                     if (number > 0)
                       continue;
                     rate.flopsPerSecond = 2.0 * static_cast<double>(getBatch(rate) * rate.m) *
                                           static_cast<double>(rate.n) *
                                           static_cast<double>(rate.k) / seconds;
                   }
                   return code;
                 });
}

Failure calibrate::measureMatmuls(const Effort &effort, int threads, int64_t together,
                                  std::vector<MatmulRate> &rates) {
  // The smallest as squares; then all shapes of some sizes, as few rows, few columns and short and
  // long sums have rates of their own.
  std::set<std::array<int64_t, 3>> shapes = {{4, 4, 4}};
  const int64_t sizes[] = {16, std::max<int64_t>(16, effort.largestMatrix / 16),
                           effort.largestMatrix};
  for (int64_t m : sizes)
    for (int64_t n : sizes)
      for (int64_t k : sizes)
        shapes.insert({m, n, k});
  std::vector<MatmulRate> measured;
  for (const char *type : {"f32", "bf16", "f64"})
    for (auto [m, n, k] : shapes)
      measured.push_back({type, m, n, k, threads, 0});
  auto why = runMatmuls(effort, threads, together, measured);
  rates.insert(rates.end(), measured.begin(), measured.end());
  return why;
}

Failure calibrate::measureCall(const Effort &effort, double &seconds) {
  MatmulRate rate{"f32", 1, 1, 1, 1, 0};
  auto why = runMatmuls(effort, 1, 1, rate, /*isAlone=*/true);
  seconds = 2 / rate.flopsPerSecond;
  return why;
}
