//===- Cost.h - How long work takes on the modelled device ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seconds for cuEventElapsedTime: a fixed cost, and the larger of what memory and lanes need at the
// rates of an H100 SXM's data sheet. Work of one stream is sequential, streams do not slow each
// other down. Only to compare schedules: nothing here was measured.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_FAKES_CUDA_COST_H
#define DMC_LIB_RUNTIME_FAKES_CUDA_COST_H

#include "dmc/PTX/Simulator.h"

#include <algorithm>

namespace dmc::fakes {

constexpr double startSeconds = 2e-6;                    // of a kernel or a copy
constexpr double memoryRate = 3.35e12;                   // bytes per second
constexpr double hostRate = 64e9;                        // bytes per second: PCIe 5.0, 16 lanes
constexpr double laneRate = 132.0 * 4.0 * 32.0 * 1.98e9; // processors, schedulers, lanes, clock

inline double secondsOfKernel(const ptx::Counts &counts) {
  return startSeconds + std::max(static_cast<double>(counts.globalSectors) * 32 / memoryRate,
                                 static_cast<double>(counts.laneInstructions) / laneRate);
}
/// `bytes` read and written in the device's memory.
inline double secondsOfBytes(uint64_t bytes) {
  return startSeconds + static_cast<double>(bytes) / memoryRate;
}
inline double secondsOfHostCopy(uint64_t bytes) {
  return startSeconds + static_cast<double>(bytes) / hostRate;
}

} // namespace dmc::fakes

#endif // DMC_LIB_RUNTIME_FAKES_CUDA_COST_H
