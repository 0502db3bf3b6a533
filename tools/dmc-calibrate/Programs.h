//===- Programs.h - Programs that are written by hand -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMCCALIBRATE_PROGRAMS_H
#define DMC_TOOLS_DMCCALIBRATE_PROGRAMS_H

#include "Calibrate.h"

#include <functional>

namespace dmc::calibrate {

/// What a rank does in a step: it repeats one thing and takes its time, so that what is measured is
/// what a compiled program pays. `arena` has the bytes that were asked for.
using StepBody = std::function<int32_t(dmc_rank_context *, const dmc_runtime_api &, int64_t rank,
                                       uint8_t *arena)>;

/// Runs a step of a program on a mesh of one axis, of which the caller fills in kernels,
/// calls and collectives, with an arena of so many bytes.
Failure runStep(dmc_program &program, int64_t numRanks, const runtime::SessionOptions &options,
                int64_t arenaBytes, StepBody body);

} // namespace dmc::calibrate

#endif // DMC_TOOLS_DMCCALIBRATE_PROGRAMS_H
