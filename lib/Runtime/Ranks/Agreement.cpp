//===- Agreement.cpp - What the processes of a job have in common ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ranks/Agreement.h"
#include "Hash.h"
#include "dmc/Runtime/Transport.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>

#include <unistd.h>

using namespace dmc;
using namespace dmc::runtime;

template <size_t size>
static void copyText(char (&to)[size], const char *from) {
  std::snprintf(to, size, "%s", from ? from : "");
}

RankSetup runtime::setupOf(const dmc_program &program, const SessionOptions &options) {
  RankSetup setup = {};
  std::memcpy(setup.planHash, program.plan_hash, sizeof setup.planHash);
  Hash features;
  if (const char *text = program.target_features)
    features.add(reinterpret_cast<const uint8_t *>(text), std::strlen(text));
  setup.features = features.a ^ features.b;
  setup.checksCopies = options.checkCopies;
  copyText(setup.compiler, program.compiler);
  copyText(setup.targetCpu, program.target_cpu);
  return setup;
}

static std::string planText(const RankSetup &setup) {
  char text[40];
  std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, setup.planHash[0],
                setup.planHash[1]);
  return text;
}

/// How the second differs from the first.
static Failure compare(const RankSetup &first, const RankSetup &second) {
  if (std::memcmp(first.planHash, second.planHash, sizeof first.planHash) != 0)
    return "plan " + planText(second) + ", expected " + planText(first);
  if (std::strcmp(first.compiler, second.compiler) != 0)
    return "compiler \"" + std::string(second.compiler) + "\", expected \"" + first.compiler + "\"";
  if (std::strcmp(first.targetCpu, second.targetCpu) != 0)
    return "processor \"" + std::string(second.targetCpu) + "\", expected \"" + first.targetCpu +
           "\"";
  if (first.features != second.features)
    return "other features of the processor \"" + std::string(first.targetCpu) + "\"";
  return std::nullopt;
}

Failure runtime::compareSetups(const std::vector<RankSetup> &setups) {
  for (size_t rank = 1; rank < setups.size(); ++rank) {
    if (auto how = compare(setups[0], setups[rank]))
      return "rank " + std::to_string(rank) +
             " has another build of the program than rank 0: " + *how;
    if (setups[rank].checksCopies != setups[0].checksCopies)
      return "DMC_CHECK_COPIES is set on rank " +
             std::to_string(setups[0].checksCopies ? 0 : rank) + " and not on rank " +
             std::to_string(setups[0].checksCopies ? rank : 0) + ", expected the same on all";
  }
  return std::nullopt;
}

/// What each process has, by rank.
template <typename T>
static Failure gather(const T &mine, Transport &transport, std::vector<T> &all) {
  std::vector<uint8_t> bytes;
  if (auto why = transport.allGather(&mine, sizeof mine, bytes))
    return why;
  all.resize(static_cast<size_t>(transport.size()));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return std::nullopt;
}

Failure runtime::agreeOnSetup(const RankSetup &mine, Transport &transport) {
  std::vector<RankSetup> setups;
  if (auto why = gather(mine, transport, setups))
    return why;
  return compareSetups(setups);
}

std::optional<std::pair<size_t, size_t>>
runtime::findSharedDevice(const std::vector<RankPlace> &places) {
  std::map<std::pair<std::string, std::string>, size_t> ranks;
  for (size_t rank = 0; rank < places.size(); ++rank) {
    const RankPlace &place = places[rank];
    auto [first, isNew] = ranks.try_emplace({place.host, place.device}, rank);
    if (!isNew && place.device[0])
      return std::pair(first->second, rank);
  }
  return std::nullopt;
}

Failure runtime::gatherPlaces(const std::string &device, Transport &transport,
                              std::vector<RankPlace> &places) {
  RankPlace mine = {};
  gethostname(mine.host, sizeof mine.host - 1);
  copyText(mine.device, device.c_str());
  return gather(mine, transport, places);
}
