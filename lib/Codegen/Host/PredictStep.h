//===- PredictStep.h - What a step takes on a machine -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_HOST_PREDICTSTEP_H
#define DMC_LIB_CODEGEN_HOST_PREDICTSTEP_H

#include "Host/ProgramTables.h"

#include "dmc/Machine/Machine.h"

namespace dmc::codegen {

/// Predicts each kernel, call and collective of a step for processors (`predictedPicoseconds`),
/// the mean over its executions in the second of two steps, from the machine's numbers and from
/// what is in its caches by then (docs/machine.md).
void predictStep(ProgramFacts &facts, const Machine &machine, int64_t numRanks);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_HOST_PREDICTSTEP_H
