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

struct DialectOptions {
  /// dmc's own definitions of the dialects `stablehlo`, `chlo` and `sdy`, which programs of array
  /// frameworks are written in. A process that registers other dialects of these names sets this to
  /// false, since a context holds one dialect of a name. Programs then enter as linalg, TOSA or a
  /// level of dmc.
  bool frontEnd = true;
};

/// The dialects that programs at any level use.
void registerAllDialects(mlir::DialectRegistry &registry, DialectOptions options = {});
/// The passes of all stages, upstream's generic clean-ups and the pipelines.
void registerAllPasses();

} // namespace dmc

#endif // DMC_PIPELINES_INITALL_H
