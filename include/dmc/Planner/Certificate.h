//===- Certificate.h - What proves a lower bound ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Potentials move costs between variables and pairs, and prices charge the bytes of memory; no
// plan costs less than the sum of what is then least in each place. docs/planner-problem.md.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PLANNER_CERTIFICATE_H
#define DMC_PLANNER_CERTIFICATE_H

#include "dmc/Planner/Text.h"

namespace dmc::planner {

/// One set of potentials. All pairs of the same two variables are one link; links are sorted by
/// the smaller variable's number, then by the other's.
struct CertificateStage {
  /// By row of memory: what a byte costs, in picoseconds / `priceScale`; 0 or more.
  std::vector<int64_t> prices;
  /// Of each link: for each state of the smaller variable, then for each of the other, what the
  /// variable takes from the link, in picoseconds / `scale`.
  std::vector<int64_t> potentials;
};

/// What proves that no plan costs less than a bound: with one stage alone, or with several, where
/// each but the last shows which states only plans have that are not better than a known one.
struct Certificate {
  /// Parts of a picosecond that potentials and prices count.
  int64_t scale = 1, priceScale = 1;
  std::vector<CertificateStage> stages;
};

/// What a certificate proves.
struct CheckedCertificate {
  /// Of the assignment; infeasible, if it is empty.
  int64_t cost = infeasible;
  /// No plan costs less; `infeasible`: there is no plan.
  int64_t bound = 0;
  /// By row of memory: the bytes of the assignment.
  std::vector<int64_t> bytes;
  /// What is wrong with the certificate or with the assignment; the rest then means nothing.
  std::string error;
};

/// Recomputes what a certificate proves, with exact integers and without any of the solver's code.
/// The assignment may be empty: the bound is then that of the first stage alone.
CheckedCertificate checkCertificate(const LayoutProblem &problem, const Certificate &certificate,
                                    llvm::ArrayRef<uint32_t> assignment);

/// A plan with its certificate, as it is saved.
struct SavedPlan {
  /// Empty where no plan was found.
  Assignment assignment;
  Certificate certificate;
};

/// Prints the form that `parsePlan` reads.
void printPlan(const LayoutProblem &problem, const SavedPlan &plan, llvm::raw_ostream &stream);

/// The plan that a text states; nothing, and the first error, if it is not one of this problem.
std::optional<SavedPlan> parsePlan(const LayoutProblem &problem, llvm::StringRef text,
                                   TextError &error);

} // namespace dmc::planner

#endif // DMC_PLANNER_CERTIFICATE_H
