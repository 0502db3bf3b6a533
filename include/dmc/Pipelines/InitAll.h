//===- InitAll.h - Registration of everything -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tools and embedders.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PIPELINES_INITALL_H
#define DMC_PIPELINES_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace dmc {

/// The dialects that programs at any level use, StableHLO's among them.
void registerAllDialects(mlir::DialectRegistry &registry);
/// The passes of all stages, upstream's generic clean-ups and the pipelines.
void registerAllPasses();

} // namespace dmc

#endif // DMC_PIPELINES_INITALL_H
