//===- KernelResources.cpp - What kernels take of a device ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Codegen/KernelResources.h"

#include "GPU/CudaTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace dmc;
using namespace dmc::codegen;

//===--- Messages of the assembler ----------------------------------------===//

/// The number in front of `unit` in a list such as `Used 24 registers, used 1 barriers, 512 bytes
/// smem`.
static std::optional<int64_t> findAmount(StringRef list, StringRef unit) {
  for (StringRef item : split(list, ',')) {
    item = item.trim();
    if (!item.consume_back(unit))
      continue;
    int64_t amount;
    if (!item.rtrim().rsplit(' ').second.getAsInteger(10, amount) ||
        !item.rtrim().getAsInteger(10, amount))
      return amount;
  }
  return std::nullopt;
}

/// What stands between quotes, or behind `for `.
static StringRef nameIn(StringRef line, StringRef before) {
  size_t at = line.find(before);
  return at == StringRef::npos ? StringRef()
                               : line.drop_front(at + before.size()).split('\'').first.trim();
}

AssembledCode dmc::readAssemblerMessages(StringRef messages, StringRef chip) {
  AssembledCode code;
  StringRef kernel, function;
  runtime::KernelUse use;
  bool hasStack = false;
  for (StringRef line : split(messages, '\n')) {
    if (StringRef name = nameIn(line, "Compiling entry function '"); !name.empty()) {
      kernel = name;
      use = runtime::KernelUse();
      use.chip = chip.str();
      hasStack = false;
    } else if (StringRef name = nameIn(line, "Function properties for "); !name.empty()) {
      function = name;
    } else if (auto stack = findAmount(line, " bytes stack frame")) {
      // Functions that a kernel calls have lines of their own.
      auto stores = findAmount(line, " bytes spill stores");
      auto loads = findAmount(line, " bytes spill loads");
      if (function == kernel && stores && loads) {
        use.stack = *stack;
        use.spillStores = *stores;
        use.spillLoads = *loads;
        hasStack = true;
      }
    } else if (auto registers = findAmount(line, " registers")) {
      use.registers = *registers;
      use.shared = findAmount(line, " bytes smem").value_or(0);
      if (!kernel.empty() && hasStack)
        code.kernels[kernel] = use;
      kernel = "";
    } else if (auto global = findAmount(line, " bytes gmem")) {
      code.globalBytes += *global;
    }
  }
  return code;
}

//===--- Occupancy --------------------------------------------------------===//

// The same for all chips from 8.0 on (NVIDIA, CUDA programming guide, technical specifications per
// compute capability): the multiprocessor's registers, which its four parts have a share of each;
// registers are given to warps in units, shared memory to blocks, and the system takes some of the
// latter for each block.
static constexpr int64_t warpThreads = 32, processorRegisters = 64 << 10, parts = 4,
                         registerUnit = 256, sharedUnit = 128, systemShared = 1 << 10;

/// Blocks for which there are registers.
static int64_t countByRegisters(int64_t registers, int64_t warps) {
  int64_t ofWarp = alignTo(registers * warpThreads, registerUnit);
  // A launch is refused if one block does not fit with its warps rounded up to all parts.
  if (ofWarp * static_cast<int64_t>(alignTo(warps, parts)) > processorRegisters)
    return 0;
  return processorRegisters / parts / ofWarp * parts / warps;
}

runtime::Occupancy dmc::getOccupancy(const runtime::KernelUse &kernel, int64_t threads,
                                     int64_t dynamicShared) {
  const CudaChip *chip = findCudaChip(kernel.chip);
  assert(chip && "expected a chip that dmc compiles for");
  int64_t warps = divideCeil(threads, warpThreads);
  int64_t shared = alignTo(kernel.shared + dynamicShared + systemShared, sharedUnit);
  std::pair<int64_t, const char *> limits[] = {
      {chip->warps / warps, "threads"},
      {chip->blocks, "blocks"},
      {countByRegisters(std::max<int64_t>(kernel.registers, 1), warps), "registers"},
      {(chip->sharedKilobytes << 10) / shared, "shared memory"}};
  // The first of those that are equal: where there is room for no more threads, nothing else
  // counts.
  auto [blocks, limit] = *llvm::min_element(limits, llvm::less_first());
  return {blocks, blocks * warps, chip->warps, limit};
}
