//===- Cpu.h - What the processor can execute -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_DEVICE_CPU_H
#define DMC_LIB_RUNTIME_DEVICE_CPU_H

#include "dmc/Runtime/Session.h"

namespace dmc::runtime {

/// The names of CpuFeatures.def that this processor and its operating system support.
/// None on other processors than x86-64.
std::vector<std::string> cpuFeatures();

/// What this processor lacks of what the program's code may use, or nothing. On other
/// processors than x86-64, programs record no features.
Failure checkCpu(const dmc_program &program);

/// The size of the last-level cache, for sizes above which data is not found there again; 32 MB
/// where the system does not say.
size_t lastLevelCacheBytes();

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_DEVICE_CPU_H
