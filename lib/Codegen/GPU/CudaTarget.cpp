//===- CudaTarget.cpp - The chips that device code is made for ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/CudaTarget.h"

#include "dmc/Codegen/DeviceCode.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

SmallVector<StringRef> codegen::findCudaChips(StringRef name, std::string &error) {
  SmallVector<StringRef> chips;
  auto refuse = [&](const Twine &found) {
    auto names = llvm::map_range(getCudaChips(), [](const CudaChip &chip) { return chip.name; });
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
