//===- Cpu.cpp - What the processor can execute ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is compiled for one processor; on another, the first instruction that it
// lacks would end the process. The runtime compares before anything runs.
//
//===----------------------------------------------------------------------===//

#include "Device/Cpu.h"

#include <algorithm>
#include <sstream>

#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace dmc;
using namespace dmc::runtime;

#if defined(__x86_64__)
namespace {
enum Register { Eax, Ebx, Ecx, Edx };

/// Whose registers a task switch must save.
enum class State { Sse, Avx, Avx512 };

struct Registers {
  unsigned values[4] = {0, 0, 0, 0};
};
} // namespace

/// All zero where the processor does not have the leaf.
static Registers readLeaf(unsigned leaf, unsigned subleaf) {
  Registers read;
  unsigned *values = read.values;
  // Subleaf 0 of leaf 7 says how many more there are.
  if (leaf == 7 && subleaf > 0 && readLeaf(7, 0).values[Eax] < subleaf)
    return read;
  if (!__get_cpuid_count(leaf, subleaf, values + Eax, values + Ebx, values + Ecx, values + Edx))
    return Registers();
  return read;
}

/// True if the operating system saves the registers.
static bool saves(State state) {
  if (state == State::Sse)
    return true;
  constexpr unsigned osxsave = 1u << 27; // leaf 1, ECX: XGETBV is there
  if (!(readLeaf(1, 0).values[Ecx] & osxsave))
    return false;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  // XCR0: 1 XMM, 2 upper halves of YMM, 5 masks, 6 upper halves of ZMM, 7 ZMM 16 to 31.
  unsigned needed = state == State::Avx ? 0x06 : 0xe6;
  return (low & needed) == needed;
}

std::vector<std::string> runtime::cpuFeatures() {
  struct Feature {
    const char *name;
    unsigned leaf, subleaf;
    Register where;
    unsigned bit;
    State state;
  };
  static const Feature features[] = {
#define DMC_X86_FEATURE(NAME, LEAF, SUBLEAF, REGISTER, BIT, STATE)                                 \
  {NAME, LEAF, SUBLEAF, REGISTER, BIT, State::STATE},
#include "dmc/Runtime/CpuFeatures.def"
  };
  std::vector<std::string> present;
  for (const Feature &feature : features)
    if ((readLeaf(feature.leaf, feature.subleaf).values[feature.where] >> feature.bit & 1) &&
        saves(feature.state))
      present.push_back(feature.name);
  return present;
}
#else
std::vector<std::string> runtime::cpuFeatures() { return {}; }
#endif

Failure runtime::checkCpu(const dmc_program &program) {
  if (!program.target_features || !*program.target_features)
    return std::nullopt;
  std::vector<std::string> present = cpuFeatures();
  std::istringstream needed(program.target_features);
  std::string feature, missing;
  while (std::getline(needed, feature, ','))
    if (std::find(present.begin(), present.end(), feature) == present.end())
      missing += (missing.empty() ? "" : ", ") + feature;
  if (missing.empty())
    return std::nullopt;
  std::string cpu = program.target_cpu ? program.target_cpu : "";
  return "program is compiled for the processor \"" + cpu + "\", but this one lacks " + missing +
         ": expected a program compiled with a --target-cpu that it supports";
}

size_t runtime::lastLevelCacheBytes() {
  static const size_t bytes = [] {
    for (int level : {
#ifdef _SC_LEVEL3_CACHE_SIZE
             _SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE
#endif
         })
      if (long size = sysconf(level); size > 0)
        return static_cast<size_t>(size);
    return size_t(32) << 20;
  }();
  return bytes;
}
