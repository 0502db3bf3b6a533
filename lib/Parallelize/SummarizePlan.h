//===- SummarizePlan.h - What is predicted of a plan ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PARALLELIZE_SUMMARIZEPLAN_H
#define DMC_LIB_PARALLELIZE_SUMMARIZEPLAN_H

#include "Propagation.h"

#include "dmc/Parallelize/PlanSearch.h"

namespace dmc {

/// Fills in what the decided graph is predicted to take, send and need; of a bound that is there
/// follows the gap.
void summarize(Propagation &graph, PlanSummary &summary);

/// The same of a program whose operations all have layouts already, as a saved plan leaves it, into
/// the search's summary; where the machine has a capacity, with what its buffers need. Nothing on
/// one rank.
mlir::LogicalResult summarizeDecided(mlir::func::FuncOp entry, ProgramAttr program,
                                     const RankRates &rates, const PlanSearch &search);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SUMMARIZEPLAN_H
