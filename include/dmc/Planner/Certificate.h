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

/// The checker looks for the best plan of what stages leave that keeps some rows.
struct CertificateElimination {
  /// Of plans that cost less; what is proved is at most this.
  int64_t cutoff = 0;
  /// All that have a price in the last stage, and others.
  std::vector<uint32_t> rows;
  /// Variables, each once at most, in which it eliminates them, in front of all others.
  std::vector<uint32_t> order = {};
};

/// What proves that no plan costs less than a bound: with one stage alone, or with several, where
/// each but the last shows which states only plans have that are not better than a known one.
struct Certificate {
  /// Parts of a picosecond that potentials and prices count.
  int64_t scale = 1, priceScale = 1;
  std::vector<CertificateStage> stages;
  /// Whether the checker finds the least cost of what the stages leave, with the prices of the last
  /// one and without potentials: it eliminates one variable after the other.
  bool isExact = false;
  /// Whether it finds that cost within rows: partial plans whose bound by the last stage is the
  /// cutoff or more go, and so do those that cost and use no less than another one.
  std::optional<CertificateElimination> withinRows = {};
  /// Whether it raises the bound of the last stage by mini-buckets, tables of at most so many
  /// entries: where a variable has more, it has a state of its own in each group of them.
  std::optional<int64_t> bucketEntries = {};
  /// Variables, each once in a cluster, of which the checker finds what their states cost together
  /// at least: by the last stage, with the pairs among them, as far as no earlier cluster counts
  /// these. The mini-buckets are then made of the rest.
  std::vector<std::vector<uint32_t>> clusters = {};
};

/// The most entries of the tables of a certificate that is exact, the same of mini-buckets and
/// clusters and within rows, and the most partial plans that are made or compared there: some
/// seconds each, and up to a minute within rows.
inline constexpr int64_t checkedEntries = int64_t(1) << 22,
                         checkedEntriesOfBuckets = int64_t(1) << 28,
                         checkedEntriesWithin = int64_t(1) << 25, checkedSteps = int64_t(1) << 33;

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
/// The assignment may be empty: the bound is then that of the first stage alone. It is an error if
/// elimination within rows takes more than `steps`, or `checkedSteps`.
CheckedCertificate checkCertificate(const LayoutProblem &problem, const Certificate &certificate,
                                    llvm::ArrayRef<uint32_t> assignment,
                                    int64_t steps = checkedSteps);

/// Mini-buckets of at most so many entries, and the bound that they prove.
struct BucketChoice {
  int64_t entries = 0, bound = 0;
};

/// Of numbers of entries of mini-buckets, the one that raises the bound of a certificate without
/// any elimination the most, for the assignment; one with which a bound of `enough` is reached ends
/// the search, and so does one with which all buckets have more entries together than `getLimit`
/// says of the bound so far, or more than a checker takes. Nothing: none raises it.
std::optional<BucketChoice> chooseBuckets(const LayoutProblem &problem,
                                          const Certificate &certificate,
                                          llvm::ArrayRef<uint32_t> assignment,
                                          llvm::ArrayRef<int64_t> entries, int64_t enough,
                                          llvm::function_ref<int64_t(int64_t)> getLimit);

/// By variable and state: no plan with the state costs less; `infeasible`: there is none. The
/// certificate must be one that `checkCertificate` has no error in, of a plan.
std::vector<std::vector<int64_t>> getStateBounds(const LayoutProblem &problem,
                                                 const Certificate &certificate,
                                                 llvm::ArrayRef<uint32_t> assignment);

/// Where a row of memory of a program's problem comes from: a plan of the problem without it that
/// needs more than there is; and its capacity, if that is more than what is left by the plan.
struct SavedRow {
  std::string name;
  Assignment exceeding;
  std::optional<int64_t> capacity = {};
};

/// A plan with its certificate, as it is saved.
struct SavedPlan {
  /// Empty where no plan was found.
  Assignment assignment;
  Certificate certificate;
  /// Of what the problem is, by name: the program, the machine. Empty for problems from texts.
  std::vector<std::pair<std::string, std::string>> about = {};
  /// What the certificate is said to prove: the plan's cost, and the bound of all plans.
  std::optional<int64_t> cost = {}, bound = {};
  /// Of a program's plan: the bytes that a rank needs at once, and the limit on these from which
  /// rows were made, 0: none.
  std::optional<int64_t> peak = {}, limit = {};
  /// The origins of all rows, of a program's plan.
  std::vector<SavedRow> rows = {};
  /// Of what was read: the problem's fingerprint, whether the text has a digest, and false if it
  /// was changed after that was made.
  std::string fingerprint = {};
  bool hasDigest = false, isAsWritten = true;

  /// What does not exist, the cost of no plan for instance, is not stated.
  void setStated(int64_t ofPlan, int64_t ofAll) {
    if (ofPlan != infeasible)
      cost = ofPlan;
    if (ofAll != infeasible)
      bound = ofAll;
  }
};

/// Empty, or in what the certificate is not what it is said to be, once it is checked: the cost of
/// its plan, the bound, or any letter of its text.
std::string checkStated(const SavedPlan &plan, const CheckedCertificate &checked);

/// Prints the form that `parsePlan` reads.
void printPlan(const LayoutProblem &problem, const SavedPlan &plan, llvm::raw_ostream &stream);

/// The plan that a text states; nothing, and the first error, if it is not one of this problem.
std::optional<SavedPlan> parsePlan(const LayoutProblem &problem, llvm::StringRef text,
                                   TextError &error);

/// The same of a problem without its rows, which are taken from the text; whether it is a plan of
/// this problem is left to who adds the rows.
std::optional<SavedPlan> parsePlanWithRows(const LayoutProblem &problem, llvm::StringRef text,
                                           TextError &error);

/// What a text says before its plan: of which problem, and of what, it is.
std::optional<SavedPlan> parsePlanHead(llvm::StringRef text, TextError &error);

} // namespace dmc::planner

#endif // DMC_PLANNER_CERTIFICATE_H
