//===- Profile.h - What the steps of cases take -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_TEST_PROFILE_H
#define DMC_TOOLS_DMC_TEST_PROFILE_H

#include "CaseRunner.h"

namespace dmc::test {

/// Collects the times of cases and makes a table of them.
class Profile {
public:
  void add(const StepTimes &times);
  /// A line for each step: the mean and the 95th percentile of the cases that have
  /// it, and its share in the time of all steps.
  std::string toTable() const;

private:
  std::array<std::vector<double>, std::tuple_size_v<StepTimes>> samples;
};

} // namespace dmc::test

#endif // DMC_TOOLS_DMC_TEST_PROFILE_H
