//===- PlantedTest.cpp - Mistakes in programs, and their reports ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Planted.h"

#include <gtest/gtest.h>

using namespace dmc::fakes::test;

namespace dmc::fakes::test {
// What a list of the tests says.
static void PrintTo(const Defect &defect, std::ostream *stream) {
  *stream << defect.what << " | " << defect.report;
}
} // namespace dmc::fakes::test

namespace {
/// What is wrong with the reports of the program with and without the defect, or nothing.
std::string check(const Defect &defect, uint64_t seed) {
  if (std::string reports = defect.run(seed, /*isPlanted=*/false); !reports.empty())
    return "without the defect: " + reports;
  std::string reports = defect.run(seed, /*isPlanted=*/true);
  for (const std::string &expected : {": " + defect.report + ": ", defect.detail})
    if (reports.find(expected) == std::string::npos)
      return std::string("expected '").append(expected).append("', found ").append(reports);
  return "";
}

class Planted : public testing::TestWithParam<Defect> {};

TEST_P(Planted, IsReported) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EQ(check(GetParam(), seed), "") << GetParam().what << ", seed " << seed;
}

TEST(Planted, WhatIsNotReportedIsTold) {
  Defect defect = scheduleDefects().front();
  auto run = defect.run;
  defect.run = [run](uint64_t seed, bool) { return run(seed, false); };
  EXPECT_EQ(check(defect, 1), "expected ': unordered operations: ', found ");
  defect.run = [run](uint64_t seed, bool) { return run(seed, true); };
  EXPECT_EQ(check(defect, 1).find("without the defect: "), 0u);
}

std::string nameOf(const testing::TestParamInfo<Defect> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Schedule, Planted, testing::ValuesIn(scheduleDefects()), nameOf);
INSTANTIATE_TEST_SUITE_P(Collective, Planted, testing::ValuesIn(collectiveDefects()), nameOf);
} // namespace
