//===- Cost.h - How long work takes on the modelled device ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seconds for cuEventElapsedTime: a fixed cost, and the larger of what memory and lanes need. Work
// of one stream is sequential, streams do not slow each other down. Only to compare schedules:
// nothing here was measured.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_FAKES_CUDA_COST_H
#define DMC_LIB_RUNTIME_FAKES_CUDA_COST_H

#include "Fakes/Rates.h"
#include "dmc/PTX/Simulator.h"

#include <algorithm>

namespace dmc::fakes {

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
