//===- Collectives.h - Processes of an imported program ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableHLO numbers replicas and partitions; ranks are numbered row-major over
// both, or over the mesh where a computation is manual.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_COLLECTIVES_H
#define DMC_LIB_IMPORT_COLLECTIVES_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc {

/// Which processes the identifiers in a collective's groups name.
enum class ProcessMode { CrossReplica, CrossPartition, CrossReplicaAndPartition, Flattened };

/// True for operations on other processes, and for identifiers of processes.
bool isCollective(mlir::Operation *op);
/// The mode of a collective that has groups or pairs.
ProcessMode getProcessMode(mlir::Operation *op);
/// Its groups, or its pairs; null for identifiers.
mlir::DenseIntElementsAttr getProcesses(mlir::Operation *op);

/// The mesh of a program that is written for each of its ranks, "replica" by
/// "partition"; null for a program on global tensors. `numRanks` is used where the
/// module does not say how many there are; 0: as many as its groups name.
mlir::FailureOr<MeshAttr> getMeshOfRanks(mlir::ModuleOp module, mlir::func::FuncOp entry,
                                         int64_t numRanks);

} // namespace dmc

#endif // DMC_LIB_IMPORT_COLLECTIVES_H
