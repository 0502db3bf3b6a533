//===- Agreement.h - What the processes of a job have in common -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that are threads share one program and its options. Processes each load their
// own: with two builds of a program, or with options that change what is sent, they
// would compute wrong numbers or wait for ever.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_RANKS_AGREEMENT_H
#define DMC_LIB_RUNTIME_RANKS_AGREEMENT_H

#include "dmc/Runtime/Session.h"

namespace dmc::runtime {

/// What a rank brings to a session; sent as it is. Texts are cut to their fields.
struct RankSetup {
  uint64_t planHash[2];
  uint64_t features; // a hash of the target's features
  uint64_t checksCopies;
  char compiler[64];
  char targetCpu[32];
};

RankSetup setupOf(const dmc_program &program, const SessionOptions &options);

/// What differs between the first rank and another, or nothing; by rank.
Failure compareSetups(const std::vector<RankSetup> &setups);

/// Compares those of all processes of the job. The same text on all of them.
Failure agreeOnSetup(const RankSetup &mine, Transport &transport);

/// Where a rank computes; sent as it is. Texts are cut to their fields.
struct RankPlace {
  char host[64];
  char device[32]; // empty: it is not known
};

/// Which two ranks have one device, or nothing; by rank.
std::optional<std::pair<size_t, size_t>> findSharedDevice(const std::vector<RankPlace> &places);

/// Where all processes of the job compute. The same on all of them.
Failure gatherPlaces(const std::string &device, Transport &transport,
                     std::vector<RankPlace> &places);

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_RANKS_AGREEMENT_H
