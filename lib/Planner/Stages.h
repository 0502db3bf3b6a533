//===- Stages.h - Potentials as certificates have them ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_STAGES_H
#define DMC_LIB_PLANNER_STAGES_H

#include "ExactBound.h"

#include "dmc/Planner/Certificate.h"

namespace dmc::planner {

/// Potentials of a network as a stage: 0 for the states that it does not have.
CertificateStage makeStage(const Network &network, const Potentials &potentials,
                           const std::vector<int64_t> &prices);

/// A stage that moves nothing.
CertificateStage makeEmptyStage(const LayoutProblem &problem);

/// What a stage says of a network's states.
Potentials readStage(const Network &network, const CertificateStage &stage);

/// The potentials of the states that are kept.
Potentials restrictPotentials(const Network &network, const Potentials &potentials,
                              const std::vector<std::vector<bool>> &keep);

/// The states that a plan better than `cost` may have.
std::vector<std::vector<bool>> keepBetter(const Network &network, const ExactBound &bound,
                                          int64_t cost);

/// What a certificate's stages prove about the consistent network of a problem, beside a plan of
/// that cost.
int64_t computeBound(const Network &network, const Certificate &certificate, int64_t cost);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_STAGES_H
