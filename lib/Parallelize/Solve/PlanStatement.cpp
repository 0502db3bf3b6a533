//===- PlanStatement.cpp - What a certificate says it is about ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "PlanStatement.h"

using namespace dmc;

/// The shortest text that is this number again.
static std::string toText(double number) {
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, number);
    if (std::strtod(text, nullptr) == number)
      break;
  }
  return text;
}

/// Rates and sizes; measurements that plans do not use are not part of it.
static std::string describe(const Machine &machine) {
  std::string text = machine.name;
  for (const MachineLevel &level : machine.levels)
    text += (text.empty() ? "links of " : "; links of ") +
            (level.size ? std::to_string(level.size) : std::string("any number")) + ": " +
            toText(level.bytesPerSecond) + " B/s, " + toText(level.latencySeconds) + " s";
  for (const auto &[type, rate] : machine.device.flopsPerSecond)
    text += "; " + type + " " + toText(rate) + " FLOP/s";
  text += "; memory " + toText(machine.device.memoryBytesPerSecond) + " B/s";
  if (machine.device.capacityBytes > 0)
    text += ", " + toText(machine.device.capacityBytes) + " B";
  return text;
}

std::vector<std::pair<std::string, std::string>>
dmc::describePlan(ProgramAttr program, const RankRates &rates,
                  const planner::LayoutProblem &problem, llvm::StringRef splitAround) {
  planner::ProblemParts parts = problem.parts();
  parts.rows.clear();
  std::vector<planner::Mistake> mistakes;
  // What is a problem with rows is one without them.
  auto withoutRows = planner::LayoutProblem::create(std::move(parts), mistakes);
  return {{"program", program.getName().str()},
          {"mesh", toString(program.getMesh().toMesh())},
          {"machine", describe(rates.getMachine())},
          {"split", splitAround.str()},
          {"problem", withoutRows->getFingerprint()}};
}
