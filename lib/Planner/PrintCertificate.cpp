//===- PrintCertificate.cpp - Plans with certificates as texts ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form is in docs/planner-problem.md. Numbers that are 0 are left out.
//
//===----------------------------------------------------------------------===//
#include "CertificateText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <algorithm>

using namespace dmc::planner;

LinkOffsets dmc::planner::getLinkOffsets(const LayoutProblem &problem, size_t &size) {
  LinkOffsets offsets;
  for (const Pair &pair : problem.parts().pairs)
    offsets[std::minmax(pair.first, pair.second)] = 0;
  size = 0;
  for (auto &[ends, offset] : offsets) {
    offset = size;
    size += problem.getNumStates(ends.first) + problem.getNumStates(ends.second);
  }
  return offsets;
}

std::string dmc::planner::getDigest(llvm::StringRef text) {
  llvm::BLAKE3 hash;
  hash.update(text);
  return llvm::toHex(hash.final<16>(), /*LowerCase=*/true);
}

/// The states of an assignment, without those that `except` has.
static void printStates(const LayoutProblem &problem, llvm::ArrayRef<uint32_t> assignment,
                        llvm::ArrayRef<uint32_t> except, llvm::raw_ostream &stream) {
  stream << '{';
  const char *separator = "\n    ";
  for (auto [index, state] : llvm::enumerate(assignment)) {
    if (!except.empty() && except[index] == state)
      continue;
    stream << separator;
    printName(problem.parts().variables[index].name, stream);
    stream << ' ';
    printName(problem.parts().variables[index].states[state].name, stream);
    separator = ",\n    ";
  }
  stream << "\n  }\n";
}

static void printStage(const LayoutProblem &problem, const LinkOffsets &offsets,
                       const CertificateStage &stage, llvm::raw_ostream &stream) {
  const ProblemParts &parts = problem.parts();
  stream << "  stage {\n";
  for (auto [index, price] : llvm::enumerate(stage.prices))
    if (price) {
      stream << "    price ";
      printName(parts.rows[index].name, stream);
      stream << ' ' << price << '\n';
    }
  for (const auto &[ends, offset] : offsets) {
    auto first = llvm::ArrayRef(stage.potentials).slice(offset, problem.getNumStates(ends.first));
    auto second = llvm::ArrayRef(stage.potentials)
                      .slice(offset + first.size(), problem.getNumStates(ends.second));
    auto isZero = [](int64_t value) { return value == 0; };
    if (llvm::all_of(first, isZero) && llvm::all_of(second, isZero))
      continue;
    stream << "    link ";
    printName(parts.variables[ends.first].name, stream);
    stream << ' ';
    printName(parts.variables[ends.second].name, stream);
    for (auto values : {first, second}) {
      stream << " [";
      llvm::interleave(values, stream, " ");
      stream << ']';
    }
    stream << '\n';
  }
  stream << "  }\n";
}

static void printHead(const LayoutProblem &problem, const SavedPlan &plan,
                      llvm::raw_ostream &stream) {
  stream << "plan of \"" << problem.getFingerprint() << "\" {\n";
  if (!plan.about.empty()) {
    stream << "  about {";
    const char *separator = "\n    ";
    for (const auto &[name, value] : plan.about) {
      stream << separator;
      printName(name, stream);
      stream << ' ';
      printName(value, stream);
      separator = ",\n    ";
    }
    stream << "\n  }\n";
  }
  for (auto [name, number] : {std::pair("cost", plan.cost), std::pair("bound", plan.bound),
                              std::pair("peak", plan.peak), std::pair("limit", plan.limit)})
    if (number)
      stream << "  " << name << ' ' << *number << '\n';
}

void dmc::planner::printPlan(const LayoutProblem &problem, const SavedPlan &plan,
                             llvm::raw_ostream &stream) {
  std::string text;
  llvm::raw_string_ostream lines(text);
  printHead(problem, plan, lines);
  if (!plan.assignment.empty()) {
    lines << "  states ";
    printStates(problem, plan.assignment, {}, lines);
  }
  for (const SavedRow &row : plan.rows) {
    lines << "  row ";
    printName(row.name, lines);
    lines << ' ';
    if (row.capacity)
      lines << "capacity " << *row.capacity << ' ';
    printStates(problem, row.exceeding, plan.assignment, lines);
  }
  lines << "  scale " << plan.certificate.scale << ' ' << plan.certificate.priceScale << '\n';
  size_t size = 0;
  LinkOffsets offsets = getLinkOffsets(problem, size);
  for (const CertificateStage &stage : plan.certificate.stages)
    printStage(problem, offsets, stage, lines);
  if (plan.certificate.isExact)
    lines << "  exact\n";
  auto printVariables = [&](llvm::ArrayRef<uint32_t> variables) {
    llvm::interleaveComma(variables, lines,
                          [&](uint32_t v) { printName(problem.parts().variables[v].name, lines); });
  };
  for (const std::vector<uint32_t> &cluster : plan.certificate.clusters) {
    lines << "  cluster {";
    printVariables(cluster);
    lines << "}\n";
  }
  if (plan.certificate.bucketEntries)
    lines << "  buckets " << *plan.certificate.bucketEntries << '\n';
  if (const auto &within = plan.certificate.withinRows) {
    lines << "  exact below " << within->cutoff << " rows {";
    llvm::interleaveComma(within->rows, lines,
                          [&](uint32_t row) { printName(problem.parts().rows[row].name, lines); });
    lines << '}';
    if (!within->order.empty()) {
      lines << " order {";
      printVariables(within->order);
      lines << '}';
    }
    lines << '\n';
  }
  lines << "  ";
  stream << text << "digest \"" << getDigest(text) << "\"\n}\n";
}
