//===- DrawLayouts.h - A program on a mesh drawn at random ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_DRAWLAYOUTS_H
#define DMC_TOOLS_DMC_FUZZ_DRAWLAYOUTS_H

#include "dmc/Dialect/DMC/DMC.h"

namespace dmc::fuzz {

/// Gives a tensor program a mesh of 1, 2, 3, 5, 6, 7 or 8 ranks, every argument and
/// result a layout, and some values between a constraint, all drawn at random. What
/// is computed stays the same. A program with manual computations, which name the
/// axes of their mesh, keeps it.
void drawLayouts(mlir::ModuleOp module, uint64_t seed);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_DRAWLAYOUTS_H
