//===- Export.h - Plans as texts that other compilers read ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan as shardings of Shardy on the StableHLO program that it is for, or as the
// StableHLO program that each rank runs.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_EXPORT_EXPORT_H
#define DMC_EXPORT_EXPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dmc {

/// Refuses programs on which no sharding can be written: what is not StableHLO on global tensors.
/// Functions have been inlined.
mlir::LogicalResult checkForShardings(mlir::ModuleOp program);

/// Adds to the location of each operation of the entry its number in the order of the program, by
/// which `writeShardings` finds in the planned program what an operation became.
void numberOperations(mlir::ModuleOp program);

/// Writes the layouts of a planned program (level 1) on the StableHLO program of which it was made,
/// as shardings of arguments, results and operations and as constraints on uses. What the program
/// said of its shardings itself is replaced.
mlir::LogicalResult writeShardings(mlir::ModuleOp program, mlir::ModuleOp planned);

/// The StableHLO program of each rank, with collectives among replicas, of a program at level 2.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> writeRankProgram(mlir::ModuleOp ranks);

} // namespace dmc

#endif // DMC_EXPORT_EXPORT_H
