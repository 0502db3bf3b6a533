//===- DescribeProblem.h - What a solved problem says -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beside its plan: what its rows of memory hold and are worth, and what other layouts cost at
// least.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_DESCRIBEPROBLEM_H
#define DMC_LIB_PARALLELIZE_SOLVE_DESCRIBEPROBLEM_H

#include "MemoryRows.h"

#include "dmc/Parallelize/LayoutRecord.h"
#include "dmc/Parallelize/MemoryConflict.h"
#include "dmc/Planner/Certificate.h"

namespace dmc {

/// `origins` are those of the problem's rows.
SolvedProblem describeProblem(const planner::LayoutProblem &problem, const LayoutChoice &choice,
                              const planner::SavedPlan &plan, llvm::ArrayRef<RowOrigin> origins);

/// Of rows that no plan keeps together.
MemoryConflict describeConflict(Propagation &graph, mlir::func::FuncOp entry, ProgramAttr program,
                                double capacity, llvm::ArrayRef<RowOrigin> origins);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_DESCRIBEPROBLEM_H
