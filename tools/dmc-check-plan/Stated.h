//===- Stated.h - What a report states of a plan ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_CHECKPLAN_STATED_H
#define DMC_TOOLS_CHECKPLAN_STATED_H

#include "dmc/Parallelize/PlanCheck.h"
#include "dmc/Parallelize/PlanSearch.h"

#include "llvm/Support/JSON.h"

namespace dmc {

/// (predicted - bound) / predicted, at least 0.
double getGap(double predictedMs, double boundMs);

/// The `plan` of a report; null, and why.
const llvm::json::Object *getPlan(const llvm::json::Value &report, std::string &problem);

/// In what a report's plan is not what was found, or nothing. Without a saved plan, what it says of
/// that is left alone.
std::string checkReport(const llvm::json::Object &plan, const PlanCheck &found,
                        const std::optional<PlanSummary> &saved);

} // namespace dmc

#endif // DMC_TOOLS_CHECKPLAN_STATED_H
