//===- Text.h - The textual form of layout problems -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar is in docs/planner-problem.md.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PLANNER_TEXT_H
#define DMC_PLANNER_TEXT_H

#include "dmc/Planner/LayoutProblem.h"

#include "llvm/Support/raw_ostream.h"

namespace dmc::planner {

/// What is wrong with a text, and where; lines and columns count from 1.
struct TextError {
  size_t line = 1, column = 1;
  std::string message;
};

/// The problem that a text states. Nothing, and what is wrong with it: the first error of syntax,
/// or all mistakes of a problem that was read.
std::optional<LayoutProblem> parseProblem(llvm::StringRef text, std::vector<TextError> &errors);

/// Prints the form that `parseProblem` reads; equal problems print equally.
void printProblem(const ProblemParts &parts, llvm::raw_ostream &stream);

/// `x`, or `"a name"` with escapes where it is not an identifier.
void printName(llvm::StringRef name, llvm::raw_ostream &stream);

} // namespace dmc::planner

#endif // DMC_PLANNER_TEXT_H
