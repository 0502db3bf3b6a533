//===- Traffic.h - What a launch moves of each allocation -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PTX_TRAFFIC_H
#define DMC_LIB_PTX_TRAFFIC_H

#include "dmc/PTX/Simulator.h"

namespace dmc::ptx {

/// Counts the requests of warps to global memory, by allocation.
class TrafficCounter {
public:
  /// One request: `bytes` at the address of each lane of the mask. Addresses outside of allocations
  /// are skipped: they are reported elsewhere.
  void add(const Memory &memory, uint32_t mask, const Address *addresses, unsigned bytes,
           bool isWrite);
  /// By address, reads before writes.
  std::vector<Traffic> list() const;

private:
  /// Bytes of an allocation that were touched, a bit each; sectors are those of addresses.
  struct Touched {
    Traffic traffic;
    std::vector<bool> bytes, sectors;
  };
  std::map<std::pair<Address, bool>, Touched> touched_;
};

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_TRAFFIC_H
