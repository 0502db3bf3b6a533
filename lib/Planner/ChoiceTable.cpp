//===- ChoiceTable.cpp - Some choices of states of some nodes ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ChoiceTable.h.
//
//===----------------------------------------------------------------------===//
#include "ChoiceTable.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace dmc::planner;

ChoiceIndex::ChoiceIndex(const ChoiceTable &table, std::vector<uint32_t> places)
    : table_(table), places_(std::move(places)), order_(table.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  llvm::stable_sort(order_, [&](uint32_t a, uint32_t b) {
    for (uint32_t place : places_)
      if (uint32_t ofA = table_.ofChoice(a)[place], ofB = table_.ofChoice(b)[place]; ofA != ofB)
        return ofA < ofB;
    return false;
  });
}

int ChoiceIndex::compare(uint32_t choice, llvm::ArrayRef<uint32_t> states) const {
  for (auto [place, state] : llvm::zip_equal(places_, states))
    if (uint32_t own = table_.ofChoice(choice)[place]; own != state)
      return own < state ? -1 : 1;
  return 0;
}

llvm::ArrayRef<uint32_t> ChoiceIndex::find(llvm::ArrayRef<uint32_t> states) const {
  const uint32_t *begin =
      llvm::partition_point(order_, [&](uint32_t c) { return compare(c, states) < 0; }).base();
  const uint32_t *all = order_.data() + order_.size();
  const uint32_t *end =
      std::partition_point(begin, all, [&](uint32_t c) { return compare(c, states) <= 0; });
  return {begin, end};
}
