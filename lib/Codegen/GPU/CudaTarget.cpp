//===- CudaTarget.cpp - The chips that device code is made for ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/CudaTarget.h"

#include "dmc/Codegen/DeviceCode.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Those that round bf16 and take the larger of two values with NaNs in one instruction: from 8.0
/// on. An `a` stands for instructions that later chips lack. The numbers are from the tables of
/// technical specifications in NVIDIA's CUDA programming guide.
static constexpr CudaChip knownChips[] = {
    {"sm_80", 163, 164, 64, 32},   {"sm_86", 99, 100, 48, 16},    {"sm_87", 163, 164, 48, 16},
    {"sm_89", 99, 100, 48, 24},    {"sm_90", 227, 228, 64, 32},   {"sm_90a", 227, 228, 64, 32},
    {"sm_100", 227, 228, 64, 32},  {"sm_100a", 227, 228, 64, 32}, {"sm_103", 227, 228, 64, 32},
    {"sm_103a", 227, 228, 64, 32}, {"sm_120", 99, 100, 48, 24},   {"sm_120a", 99, 100, 48, 24},
    {"sm_121", 99, 100, 48, 24},   {"sm_121a", 99, 100, 48, 24}};

const CudaChip *codegen::findCudaChip(StringRef name) {
  const CudaChip *found =
      llvm::find_if(knownChips, [&](const CudaChip &chip) { return chip.name == name; });
  return found == std::end(knownChips) ? nullptr : found;
}

SmallVector<StringRef> codegen::findCudaChips(StringRef name, std::string &error) {
  SmallVector<StringRef> chips;
  auto refuse = [&](const Twine &found) {
    auto names = llvm::map_range(knownChips, [](const CudaChip &chip) { return chip.name; });
    error = ("expected " + cudaPrefix + " and one or more of " + llvm::join(names, ", ") +
             ", joined by '+', as " + cudaPrefix + "sm_90a+sm_80; found " + found)
                .str();
    return SmallVector<StringRef>();
  };
  StringRef list = name;
  if (!list.consume_front(cudaPrefix))
    return refuse("'" + name + "'");
  list.split(chips, '+');
  for (StringRef chip : chips) {
    if (!findCudaChip(chip))
      return refuse("'" + chip + "'");
    if (llvm::count(chips, chip) > 1)
      return refuse("'" + chip + "' twice");
  }
  return chips;
}

TargetAttr codegen::findCudaTarget(MLIRContext *context, StringRef name, std::string &error) {
  SmallVector<StringRef> chips = findCudaChips(name, error);
  if (chips.empty())
    return {};
  // Of all chips: instructions name a register by 8 bits, of which one value stands for zero.
  constexpr int64_t threadRegisters = 255;
  int64_t kilobytes = findCudaChip(chips.front())->blockSharedKilobytes;
  for (StringRef chip : chips)
    kilobytes = std::min(kilobytes, findCudaChip(chip)->blockSharedKilobytes);
  return TargetAttr::getDevice(context, name, threadRegisters, kilobytes << 10);
}

std::string dmc::checkDeviceTarget(StringRef name) {
  std::string error;
  return codegen::findCudaChips(name, error).empty() ? error : "";
}
