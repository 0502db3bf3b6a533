//===- Checker.h - Recomputes what a certificate proves ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As plain as can be, and with none of the solver's code: what is wrong there shall show here.
// CheckCertificate.cpp has the stages, CheckParts.cpp what elimination adds.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_CHECKER_H
#define DMC_LIB_PLANNER_CHECKER_H

#include "CheckElimination.h"

#include "dmc/Planner/Certificate.h"

namespace dmc::planner::check {

using Wide = __int128;

/// All pairs of two variables.
struct Link {
  uint32_t first = 0, second = 0;
  struct Part {
    const Table *table;
    int64_t trips;
    bool isTransposed;
  };
  std::vector<Part> parts;
  bool hasInfeasible = false;
  /// Where its potentials begin in a stage.
  size_t offset = 0;

  int64_t getCost(uint32_t a, uint32_t b) const {
    int64_t sum = 0;
    for (const Part &part : parts) {
      int64_t cost = part.isTransposed ? part.table->at(b, a) : part.table->at(a, b);
      if (cost == infeasible)
        return infeasible;
      sum += cost * part.trips;
    }
    return sum;
  }
};

class Checker {
public:
  Checker(const LayoutProblem &problem, const Certificate &certificate,
          int64_t steps = checkedSteps)
      : problem_(problem), certificate_(certificate), steps_(steps) {}
  CheckedCertificate run(llvm::ArrayRef<uint32_t> assignment);
  std::vector<std::vector<int64_t>> getStateBounds(llvm::ArrayRef<uint32_t> assignment);
  std::optional<BucketChoice> chooseBuckets(llvm::ArrayRef<uint32_t> assignment,
                                            llvm::ArrayRef<int64_t> entries, int64_t enough,
                                            llvm::function_ref<int64_t(int64_t)> getLimit);

private:
  std::string runStages(llvm::ArrayRef<uint32_t> assignment, CheckedCertificate &result,
                        bool &hasMore);
  void findLinks();
  std::string checkNumbers() const;
  std::string checkElimination() const;
  /// Removes states that no plan has; false if a variable has none left.
  bool removeInconsistent();
  bool removeWithoutPartner(const Link &link);
  bool removeWithoutRoom(const Row &row);
  bool hasStates() const;
  void setStates();
  void addStage(const CertificateStage &stage);
  int64_t runStage(const CertificateStage &stage, int64_t cost);
  std::vector<std::vector<Wide>> getPricedCosts(const CertificateStage &stage) const;
  Wide getCapacityCosts(const CertificateStage &stage) const;
  void addPotentials(const CertificateStage &stage, std::vector<std::vector<Wide>> &costs) const;
  void addVariables(const CertificateStage &stage);
  void addLink(const Link &link, const CertificateStage &stage);
  std::optional<int64_t> eliminate(int64_t cost) const;
  std::optional<int64_t> eliminateWithin(int64_t cost);
  template <typename Cost>
  CheckedCosts makeTable(llvm::ArrayRef<uint32_t> variables, const Cost &cost) const;
  std::vector<uint32_t> getSizes() const;
  std::vector<CheckedCosts> makeExcess(const CertificateStage &stage, Wide &bound) const;
  CheckedRows makeRows(const CertificateStage &others) const;
  std::optional<Wide> addClusters(std::vector<CheckedCosts> &excess, int64_t &limit) const;
  std::optional<int64_t> eliminateInParts(std::optional<int64_t> bucketEntries, int64_t cost,
                                          int64_t limit) const;
  int64_t toPicoseconds(Wide sum) const;

  const LayoutProblem &problem_;
  const Certificate &certificate_;
  /// Of the elimination within rows.
  int64_t steps_;
  std::vector<Link> links_;
  size_t numPotentials_ = 0;
  std::vector<std::vector<bool>> isLeft_;
  /// Of a stage: the sum of all minima, and how much more each state of a variable needs.
  Wide bound_ = 0;
  std::vector<std::vector<Wide>> excess_;
};

} // namespace dmc::planner::check

#endif // DMC_LIB_PLANNER_CHECKER_H
