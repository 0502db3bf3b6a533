//===- ChoiceTable.h - Some choices of states of some nodes -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_CHOICETABLE_H
#define DMC_LIB_PLANNER_CHOICETABLE_H

#include "dmc/Planner/LayoutProblem.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace dmc::planner {

/// Those choices of states of some nodes that cost less than is worth a look: where little may be
/// paid above the bound, few of them do. The states of a choice are in the order of the scope.
struct ChoiceTable {
  std::vector<uint32_t> scope;
  /// Choice by choice.
  std::vector<uint32_t> states;
  /// By choice.
  std::vector<int64_t> least;

  size_t size() const { return least.size(); }
  llvm::ArrayRef<uint32_t> ofChoice(size_t choice) const {
    return llvm::ArrayRef(states).slice(choice * scope.size(), scope.size());
  }
  void add(llvm::ArrayRef<uint32_t> choice, int64_t cost) {
    states.insert(states.end(), choice.begin(), choice.end());
    least.push_back(cost);
  }
};

/// The choices of a table by the states of some of its nodes, given by their places in its scope.
class ChoiceIndex {
public:
  ChoiceIndex(const ChoiceTable &table, std::vector<uint32_t> places);

  /// Those with these states.
  llvm::ArrayRef<uint32_t> find(llvm::ArrayRef<uint32_t> states) const;

private:
  /// Less than 0, 0, or more, as the choice comes before, with or after the states.
  int compare(uint32_t choice, llvm::ArrayRef<uint32_t> states) const;

  const ChoiceTable &table_;
  std::vector<uint32_t> places_, order_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CHOICETABLE_H
