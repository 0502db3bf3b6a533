//===- Collectives.cpp - Collectives between the ranks --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Programs.h"

#include "dmc/Layout/Reshard.h"
#include "dmc/Runtime/Transport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <deque>

using namespace dmc;
using namespace dmc::calibrate;
using namespace dmc::runtime;
using Clock = std::chrono::steady_clock;

static const std::pair<const char *, dmc_collective_kind> kinds[] = {
    {"all_reduce", DMC_ALL_REDUCE},
    {"all_gather", DMC_ALL_GATHER},
    {"reduce_scatter", DMC_REDUCE_SCATTER},
    {"all_to_all", DMC_ALL_TO_ALL}};

static CollectiveKind kindOf(llvm::StringRef name) {
  return llvm::StringSwitch<CollectiveKind>(name)
      .Case("all_reduce", CollectiveKind::AllReduce)
      .Case("all_gather", CollectiveKind::AllGather)
      .Case("reduce_scatter", CollectiveKind::ReduceScatter)
      .Default(CollectiveKind::AllToAll);
}

Failure calibrate::measureCollectives(const Effort &effort, Transport *transport, int64_t numRanks,
                                      std::vector<CollectiveTime> &times) {
  dmc_axis_ref group = {0, 0, 1, numRanks};
  std::vector<dmc_collective> collectives;
  std::deque<int64_t> shapes;
  int64_t most = 0;
  std::vector<int64_t> sizes;
  for (int64_t size = 4096; size < effort.largestCollective; size *= 8)
    sizes.push_back(size);
  sizes.push_back(effort.largestCollective);
  for (int64_t wanted : sizes)
    for (auto [name, kind] : kinds) {
      // Whole blocks of floats for every rank.
      int64_t block = std::max<int64_t>(1, wanted / (4 * numRanks)), bytes = 4 * block * numRanks;
      bool isGather = kind == DMC_ALL_GATHER, isScatter = kind == DMC_REDUCE_SCATTER;
      shapes.push_back(isGather ? block : block * numRanks);
      dmc_collective collective = {};
      collective.kind = kind;
      collective.combiner = DMC_SUM;
      collective.element_type = DMC_F32;
      collective.rank = 1;
      collective.shape = &shapes.back();
      collective.num_axes = 1;
      collective.axes = &group;
      collective.count = -1;
      collective.operand_bytes = isGather ? 4 * block : bytes;
      collective.result_bytes = isScatter ? 4 * block : bytes;
      collective.location = "";
      collectives.push_back(collective);
      times.push_back({name, bytes, 0});
      most = std::max(most, bytes);
    }
  dmc_program program = {};
  program.num_collectives = static_cast<uint32_t>(collectives.size());
  program.collectives = collectives.data();
  SessionOptions options;
  options.transport = transport;
  return runStep(
      program, numRanks, options, 2 * most,
      [&](auto *context, auto &api, int64_t rank, uint8_t *arena) {
        std::fill_n(reinterpret_cast<float *>(arena), 2 * most / 4, 0.0F);
        for (auto [i, collective] : llvm::enumerate(collectives)) {
          auto index = static_cast<int64_t>(i);
          // Each has other buffers than the one before, as far as there are some: so have those of
          // a step, and what was moved last is nearer than what is.
          int64_t stride = (times[i].bytes + 63) / 64 * 64;
          int64_t places = std::max<int64_t>(1, most / stride);
          auto run = [&](int64_t number) {
            uint8_t *operand = arena + number % places * stride;
            // Programs reduce in place.
            bool isInPlace = collectives[index].kind == DMC_ALL_REDUCE;
            return api.collective(context, index, operand, isInPlace ? operand : operand + most);
          };
          // All ranks do the same number, by size: that of 32 MB, but some.
          int64_t repeats = std::clamp<int64_t>((32 << 20) / times[i].bytes, 3, 64);
          std::vector<double> seconds;
          for (int64_t repeat = -1; repeat < repeats; ++repeat) {
            auto start = Clock::now();
            if (int32_t code = run(repeat + 1))
              return code;
            if (repeat >= 0)
              seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
          }
          if (rank != 0)
            continue;
          std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
          times[i].seconds = seconds[seconds.size() / 2];
        }
        return 0;
      });
}

double calibrate::getSentBytes(const CollectiveTime &time, int64_t numRanks) {
  return wireBytes(kindOf(time.kind), time.bytes, numRanks);
}

void calibrate::fitLink(llvm::ArrayRef<CollectiveTime> times, int64_t numRanks,
                        MachineLevel &level) {
  // By size, the least and the largest.
  auto [least, most] = std::minmax_element(
      times.begin(), times.end(),
      [](const CollectiveTime &a, const CollectiveTime &b) { return a.bytes < b.bytes; });
  double sent = 0, seconds = 0, waited = 0, all = 0, messages = 0;
  for (const CollectiveTime &time : times)
    if (time.bytes == most->bytes)
      sent += getSentBytes(time, numRanks), seconds += time.seconds;
  level.bytesPerSecond = sent / seconds;
  for (const CollectiveTime &time : times)
    if (time.bytes == least->bytes) {
      waited += std::max(0.0, time.seconds - getSentBytes(time, numRanks) / level.bytesPerSecond);
      all += time.seconds;
      messages += static_cast<double>(messageCount(kindOf(time.kind), numRanks));
    }
  // Where small messages are slower by their bytes alone, a latency below what a clock can tell.
  level.latencySeconds = std::max(waited, 1e-3 * all) / messages;
}
