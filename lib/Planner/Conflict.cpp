//===- Conflict.cpp - Why there is no plan --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run.h"

#include "llvm/ADT/STLExtras.h"

using namespace dmc::planner;

void Run::explainConsistency(const Consistency &consistency) {
  Conflict &conflict = solution_.conflict;
  for (uint32_t node : consistency.involved)
    conflict.variables.push_back(whole_->nodes()[node].variable);
  conflict.rows = consistency.rows;
  for (auto [index, request] : llvm::enumerate(problem_.parts().requests))
    if (llvm::is_contained(conflict.variables, request.variable))
      conflict.requests.push_back(static_cast<uint32_t>(index));
  conflict.message = "there is no plan";
}

void Run::explainConflict() { solution_.conflict.message = "there is no plan"; }
