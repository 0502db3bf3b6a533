//===- CodeOrder.h - In which order diverged lanes run ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PTX_CODE_ORDER_H
#define DMC_LIB_PTX_CODE_ORDER_H

#include "Program.h"

namespace dmc::ptx {

/// The rank of each instruction in a weak topological order of the control flow (Bourdoncle,
/// "Efficient chaotic iteration strategies with widenings", 1993): outside of loops an instruction
/// comes before those that follow it, and a loop's instructions lie together, before those behind
/// the loop. If those at the lowest rank run, lanes that took different branches run together again
/// as soon as their paths join.
std::vector<uint32_t> rankCode(const std::vector<Instruction> &code);

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_CODE_ORDER_H
