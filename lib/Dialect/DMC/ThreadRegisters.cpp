//===- ThreadRegisters.cpp - What a device's threads hold -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Dialect/DMC/ThreadRegisters.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;

// A thread uses half of the registers that it can name, so that a multiprocessor, which has
// registers for a quarter or less of its threads at the most, holds twice as many threads. Half of
// these hold elements: the others are for positions and for what is being computed.
static int64_t countUsedRegisters(TargetAttr target) { return target.getVectorRegisters() / 2; }

int64_t dmc::countWords(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 2 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 32);
}

int64_t dmc::countHeldElements(TargetAttr target, int64_t words) {
  int64_t held = countUsedRegisters(target) / 2 / std::max<int64_t>(1, words);
  return llvm::bit_floor<uint64_t>(std::max<int64_t>(1, held));
}

// The registers of a multiprocessor, 64 K on all devices, are enough for that many.
int64_t dmc::getLargestTeam(TargetAttr target) { return target.getBlockThreads() / 2; }

int64_t dmc::countRowsAtOnce(TargetAttr target, int64_t columns, int64_t narrowest,
                             int64_t widest) {
  int64_t together = std::clamp<int64_t>(target.getVectorBytes() / widest, 1, columns);
  int64_t ofSector = std::min(target.getLineBytes() / narrowest, columns);
  int64_t apart = llvm::bit_ceil<uint64_t>(std::max<int64_t>(1, ofSector / together));
  return getLargestTeam(target) / apart * countHeldElements(target, together);
}
