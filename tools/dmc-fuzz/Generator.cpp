//===- Generator.cpp - Random valid programs ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generator.h"

#include "HloProgram.h"
#include "LinalgProgram.h"

using namespace dmc::fuzz;

Program dmc::fuzz::generateProgram(uint64_t seed) {
  switch (Random(seed ^ 0x5eed).below(10)) {
  case 0:
  case 1:
  case 2:
    return makeLinalgProgram(seed);
  case 3:
    return makeRanksProgram(seed);
  default:
    return makeHloProgram(seed);
  }
}
