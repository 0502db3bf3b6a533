//===- Tactics.h - Tactics and strategies -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transform operations of dmc, and the library of strategies.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_TACTICS_TACTICS_H
#define DMC_PARALLELIZE_TACTICS_TACTICS_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace dmc {

/// Makes `transform.dmc.*` known to the transform dialect.
void registerTactics(mlir::DialectRegistry &registry);

/// The names of the strategies, sorted.
llvm::SmallVector<llvm::StringRef> getStrategyNames();
/// The text of a strategy's sequence; empty if there is none of that name.
llvm::StringRef getStrategyText(llvm::StringRef name);

} // namespace dmc

#endif // DMC_PARALLELIZE_TACTICS_TACTICS_H
