//===- CudaChips.cpp - What chips are built of ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Dialect/DMC/CudaChips.h"

using namespace mlir;
using namespace dmc;

/// Those that round bf16 and take the larger of two values with NaNs in one instruction: from 8.0
/// on. An `a` stands for instructions that later chips lack. The numbers are from the tables of
/// technical specifications in NVIDIA's CUDA programming guide, those of multiprocessors from data
/// sheets: A100, A40, Orin, RTX 6000 Ada, H100 SXM and H200, B200, B300, RTX PRO 6000, GB10.
static constexpr CudaChip knownChips[] = {
    {"sm_80", 163, 164, 64, 32, 108},  {"sm_86", 99, 100, 48, 16, 84},
    {"sm_87", 163, 164, 48, 16, 16},   {"sm_89", 99, 100, 48, 24, 142},
    {"sm_90", 227, 228, 64, 32, 132},  {"sm_90a", 227, 228, 64, 32, 132},
    {"sm_100", 227, 228, 64, 32, 148}, {"sm_100a", 227, 228, 64, 32, 148},
    {"sm_103", 227, 228, 64, 32, 148}, {"sm_103a", 227, 228, 64, 32, 148},
    {"sm_120", 99, 100, 48, 24, 188},  {"sm_120a", 99, 100, 48, 24, 188},
    {"sm_121", 99, 100, 48, 24, 48},   {"sm_121a", 99, 100, 48, 24, 48}};

ArrayRef<CudaChip> dmc::getCudaChips() { return knownChips; }

const CudaChip *dmc::findCudaChip(StringRef name) {
  const auto *found =
      llvm::find_if(knownChips, [&](const CudaChip &chip) { return chip.name == name; });
  return found == std::end(knownChips) ? nullptr : found;
}

int64_t dmc::countMultiprocessors(TargetAttr target) {
  StringRef list = target.getProcessor();
  list.consume_front(cudaPrefix);
  int64_t most = 0, largest = 0;
  for (StringRef name : llvm::split(list, '+'))
    if (const CudaChip *chip = findCudaChip(name))
      most = std::max(most, chip->multiprocessors);
  for (const CudaChip &chip : knownChips)
    largest = std::max(largest, chip.multiprocessors);
  return most ? most : largest;
}
