//===- Machine.h - What moves and computing cost ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rates by which a plan's time is predicted.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_MACHINE_H
#define DMC_PARALLELIZE_MACHINE_H

#include "dmc/Layout/Reshard.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace dmc {

/// Rates of one rank. The default is a CPU rank of one thread among others on its
/// machine; only the ratios decide a plan: 8 flops take as long as a byte on the link.
struct Machine {
  /// Bytes a second that leave a rank in a collective.
  double link = LinkRates().bytesPerSecond;
  /// Seconds for each collective, whatever its size.
  double latency = LinkRates().secondsPerMessage;
  /// Floating-point operations a second in contractions.
  double flops = 8e9;
  /// Bytes a second that all other operations read and write; most of them are fused,
  /// so this is well above what memory gives.
  double memory = 1e12;
  /// Bytes that a rank has; 0: no bound.
  double capacity = 0;

  /// What planning a reshard needs of the machine: the rates of its links, and that the
  /// operand and the result of one move fit into a rank's memory.
  ReshardOptions getReshardOptions() const;
  /// Seconds that a rank sends.
  double getSeconds(const Traffic &traffic) const { return traffic.seconds({link, latency}); }
};

/// Parses `link=1e9,latency=1e-7,flops=8e9,memory=1e12,capacity=1e9`, each optional and
/// all positive (latency may be 0); on failure returns nothing and sets `error`.
std::optional<Machine> parseMachine(llvm::StringRef text, std::string &error);

} // namespace dmc

#endif // DMC_PARALLELIZE_MACHINE_H
