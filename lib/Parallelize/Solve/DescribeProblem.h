//===- DescribeProblem.h - What a solved problem says -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beside its plan: what its rows of memory hold and are worth, and what other layouts cost at
// least.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_DESCRIBEPROBLEM_H
#define DMC_LIB_PARALLELIZE_SOLVE_DESCRIBEPROBLEM_H

#include "LayoutChoice.h"

#include "dmc/Parallelize/LayoutRecord.h"
#include "dmc/Parallelize/MemoryConflict.h"
#include "dmc/Planner/Certificate.h"

namespace dmc {

/// What a plan that needs too much holds at a point.
struct RowOrigin {
  std::optional<unsigned> node;
  struct Use {
    unsigned value = 0;
    uint32_t variable = 0, state = 0;
    int64_t bytes = 0;
  };
  std::vector<Use> uses;
};

/// Of a graph that `current` decides.
RowOrigin getRowOrigin(Propagation &graph, const LayoutChoice &choice, const PeakMemory &peak,
                       llvm::ArrayRef<uint32_t> current);

/// `origins` are those of the problem's rows.
SolvedProblem describeProblem(const planner::LayoutProblem &problem, const LayoutChoice &choice,
                              const planner::SavedPlan &plan, llvm::ArrayRef<RowOrigin> origins);

/// Of rows that no plan keeps together.
MemoryConflict describeConflict(Propagation &graph, mlir::func::FuncOp entry, ProgramAttr program,
                                double capacity, llvm::ArrayRef<RowOrigin> origins);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_DESCRIBEPROBLEM_H
