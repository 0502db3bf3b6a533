//===- HostCaches.h - The caches of this machine ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_MACHINE_HOSTCACHES_H
#define DMC_MACHINE_HOSTCACHES_H

#include "dmc/Machine/Machine.h"

namespace dmc {

/// The caches for data that the first core of this machine uses, innermost first: as the
/// system lists them under `folder`, else as an x86-64 processor does. May be empty.
std::vector<MachineCache>
findHostCaches(llvm::StringRef folder = "/sys/devices/system/cpu/cpu0/cache");

} // namespace dmc

#endif // DMC_MACHINE_HOSTCACHES_H
