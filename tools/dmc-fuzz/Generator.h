//===- Generator.h - Random valid programs ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_GENERATOR_H
#define DMC_TOOLS_DMC_FUZZ_GENERATOR_H

#include "Builder.h"

namespace dmc::fuzz {

/// A small valid program on a mesh of 1 to 8 ranks: of level 0, StableHLO with
/// shardings, or StableHLO of ranks.
Program generateProgram(uint64_t seed);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_GENERATOR_H
