//===- PlanCheck.h - A certificate against its program ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dmc-propagate-layouts finds out if it is asked to check a plan instead of searching one.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_PLANCHECK_H
#define DMC_PARALLELIZE_PLANCHECK_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dmc {

struct PlanCheck {
  /// The text of a certificate, as --save-certificate wrote it.
  std::string certificate;

  /// Why the certificate is refused, one message; empty: it proves what it states, which follows.
  std::string refusal;
  /// What the certificate is about, by name: the program, its mesh, the machine, the problem.
  std::vector<std::pair<std::string, std::string>> about;
  /// Of the problem with its rows of memory.
  std::string fingerprint;
  int64_t numVariables = 0, numStates = 0, numPairs = 0;
  /// Of the problem's plan, and of what no plan is below.
  double costSeconds = 0, boundSeconds = 0;
  /// What a rank needs at once, by buffers where there is a limit on it, from which rows were made,
  /// else by an estimate; 0: no limit.
  int64_t peakBytes = 0, limitBytes = 0;
  struct Row {
    std::string name;
    int64_t bytes = 0, capacity = 0;
  };
  std::vector<Row> rows;
  /// False: nothing was checked, since there are no layouts to choose.
  bool isDone = false;
};

/// The operations around which the certificate says that live ranges are split, as text; "none" if
/// it does not say so.
std::string getSplit(const PlanCheck &check);

} // namespace dmc

#endif // DMC_PARALLELIZE_PLANCHECK_H
