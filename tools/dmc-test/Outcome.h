//===- Outcome.h - What became of a case ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker sends a line of JSON for each path of a case, and one more when it is
// done with the case.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TOOLS_DMC_TEST_OUTCOME_H
#define DMC_TOOLS_DMC_TEST_OUTCOME_H

#include "CaseRunner.h"

#include "dmc/Support/ProcessPool.h"

namespace dmc::test {

struct Outcome {
  struct Entry {
    std::string path; // "import", "interpreted", "compiled"
    std::string text;
  };
  std::vector<Entry> problems;
  StepTimes times{};

  bool hasFailed() const { return !problems.empty(); }
};

/// Runs a case in a worker.
void runCase(CaseRunner &runner, const Case &test, support::TaskChannel &channel);

/// What a worker sent, and how it ended if it did. `timeoutSeconds` is the limit.
Outcome readOutcome(const support::TaskOutcome &task, double timeoutSeconds);

} // namespace dmc::test

#endif // DMC_TOOLS_DMC_TEST_OUTCOME_H
