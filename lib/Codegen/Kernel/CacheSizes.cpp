//===- CacheSizes.cpp - The caches that kernels are shaped for ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Codegen/CacheSizes.h"

#include "dmc/Machine/HostCaches.h"

using namespace dmc;

CacheSizes dmc::findCacheSizes(llvm::StringRef text) {
  std::string error;
  std::optional<Machine> machine = parseMachine(text, error); // what is wrong was said before
  std::vector<MachineCache> caches =
      machine && !machine->device.caches.empty() ? machine->device.caches : findHostCaches();
  CacheSizes sizes;
  int64_t highest = 2;
  for (const MachineCache &cache : caches) {
    if (cache.level == 2)
      sizes.core = cache.bytes / cache.sharedBy;
    if (cache.level >= highest) {
      highest = cache.level;
      sizes.last = cache.bytes;
    }
  }
  return sizes;
}
