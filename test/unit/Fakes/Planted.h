//===- Planted.h - Mistakes in programs, and their reports ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// test/Defects/README.md has the list of all that are planted.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TEST_UNIT_FAKES_PLANTED_H
#define DMC_TEST_UNIT_FAKES_PLANTED_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dmc::fakes::test {

struct Defect {
  std::string name;
  /// What is wrong, and the kind of report that it has.
  std::string what, report;
  /// Runs the program with the defect or without, and returns all reports.
  std::function<std::string(uint64_t seed, bool isPlanted)> run;
  /// What the report says beside its kind.
  std::string detail = "";
};

std::vector<Defect> scheduleDefects();
std::vector<Defect> collectiveDefects();

} // namespace dmc::fakes::test

#endif // DMC_TEST_UNIT_FAKES_PLANTED_H
