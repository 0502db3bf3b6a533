//===- CacheSizes.cpp - The caches that kernels are shaped for ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Codegen/CacheSizes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <optional>
#include <string>

using namespace dmc;

/// The first word of a file of the system's description of a cache.
static std::optional<std::string> readWord(unsigned number, const char *name) {
  std::string path =
      "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(number) + "/" + name;
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  if (!file)
    return std::nullopt;
  return (*file)->getBuffer().trim().str();
}

CacheSizes dmc::findHostCaches() {
  CacheSizes sizes;
  int64_t highest = 2;
  for (unsigned number = 0;; ++number) {
    std::optional<std::string> level = readWord(number, "level"), type = readWord(number, "type"),
                               text = readWord(number, "size");
    if (!level || !type || !text)
      return sizes;
    llvm::StringRef size = *text;
    int64_t unit = size.consume_back("K") ? 1 << 10 : size.consume_back("M") ? 1 << 20 : 1;
    int64_t count = 0, at = 0;
    if (*type == "Instruction" || size.getAsInteger(10, count) || count <= 0 ||
        llvm::StringRef(*level).getAsInteger(10, at))
      continue;
    if (at == 2)
      sizes.core = count * unit;
    if (at >= highest) {
      highest = at;
      sizes.last = count * unit;
    }
  }
}
