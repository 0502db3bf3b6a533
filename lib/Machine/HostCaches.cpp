//===- HostCaches.cpp - The caches of this machine ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Machine/HostCaches.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace dmc;

/// The first line of a file, or nothing.
static std::optional<std::string> readLine(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  if (!file)
    return std::nullopt;
  return (*file)->getBuffer().split('\n').first.trim().str();
}

static std::optional<int64_t> readNumber(const std::string &path) {
  std::optional<std::string> line = readLine(path);
  if (!line)
    return std::nullopt;
  llvm::StringRef text = *line;
  int64_t unit = text.consume_back("K") ? 1 << 10 : text.consume_back("M") ? 1 << 20 : 1;
  int64_t number = 0;
  return text.getAsInteger(10, number) ? std::nullopt : std::optional(number * unit);
}

/// How many processors a list as "0-3,8" names.
static int64_t countProcessors(llvm::StringRef list) {
  int64_t count = 0;
  for (llvm::StringRef range : llvm::split(list, ',')) {
    auto [first, last] = range.split('-');
    int64_t from = 0, to = 0;
    if (first.getAsInteger(10, from) || (last.empty() ? first : last).getAsInteger(10, to))
      return 1;
    count += to - from + 1;
  }
  return count;
}

static std::vector<MachineCache> readSystem(const std::string &folder) {
  std::vector<MachineCache> caches;
  for (unsigned number = 0;; ++number) {
    std::string path = folder + "/index" + std::to_string(number) + "/";
    std::optional<int64_t> level = readNumber(path + "level"), bytes = readNumber(path + "size"),
                           line = readNumber(path + "coherency_line_size");
    if (!level)
      return caches;
    if (readLine(path + "type") == "Instruction" || !bytes || *bytes <= 0 || !line || *line <= 0)
      continue;
    std::string shared = readLine(path + "shared_cpu_list").value_or("0");
    caches.push_back({*level, *bytes, *line, countProcessors(shared)});
  }
}

/// Leaf 4 of Intel's processors and leaf 8000001D of AMD's list caches in one format.
static std::vector<MachineCache> askProcessor() {
  std::vector<MachineCache> caches;
#if defined(__x86_64__)
  for (unsigned leaf : {0x4u, 0x8000001du})
    for (unsigned index = 0; caches.size() < 8; ++index) {
      unsigned a = 0, b = 0, c = 0, d = 0;
      if (!__get_cpuid_count(leaf, index, &a, &b, &c, &d) || (a & 0x1f) == 0)
        break;
      if ((a & 0x1f) == 2) // instructions
        continue;
      int64_t line = (b & 0xfff) + 1, partitions = ((b >> 12) & 0x3ff) + 1,
              associativity = (b >> 22) + 1, sets = int64_t(c) + 1;
      caches.push_back({int64_t((a >> 5) & 7), line * partitions * associativity * sets, line,
                        int64_t((a >> 14) & 0xfff) + 1});
    }
#endif
  return caches;
}

std::vector<MachineCache> dmc::findHostCaches(llvm::StringRef folder) {
  std::vector<MachineCache> caches = readSystem(folder.str());
  if (caches.empty())
    caches = askProcessor();
  llvm::stable_sort(caches,
                    [](const MachineCache &a, const MachineCache &b) { return a.level < b.level; });
  return caches;
}
