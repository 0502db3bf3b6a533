//===- Report.h - What dmc-solve-layouts prints -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_SOLVELAYOUTS_REPORT_H
#define DMC_TOOLS_SOLVELAYOUTS_REPORT_H

#include "dmc/Planner/Solve.h"

namespace dmc::planner {

/// `0.25 %`.
std::string percentText(double share);

void printText(const LayoutProblem &problem, const Solution &solution, llvm::raw_ostream &stream);
void printJson(const LayoutProblem &problem, const Solution &solution, llvm::raw_ostream &stream);

/// Of a certificate that was checked without an error.
void printText(const LayoutProblem &problem, const CheckedCertificate &checked,
               llvm::raw_ostream &stream);
void printJson(const LayoutProblem &problem, const CheckedCertificate &checked,
               llvm::raw_ostream &stream);

} // namespace dmc::planner

#endif // DMC_TOOLS_SOLVELAYOUTS_REPORT_H
