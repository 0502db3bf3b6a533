//===- Plan.h - Decisions by number -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a saved plan names operations, and the fingerprint of the program that it is of.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_TACTICS_PLAN_H
#define DMC_LIB_PARALLELIZE_TACTICS_PLAN_H

#include "TransformOps.h"

namespace dmc::tactics {

/// The operations of the entry in order of the text; what is within compute operations
/// is not counted.
std::vector<mlir::Operation *> numberOperations(mlir::func::FuncOp entry);

/// 16 hexadecimal digits that equal programs have in common: structure, names, types and
/// donation; not locations, layouts, nor what tactics added.
std::string getFingerprint(ProgramAttr program, mlir::func::FuncOp entry);

} // namespace dmc::tactics

#endif // DMC_LIB_PARALLELIZE_TACTICS_PLAN_H
