//===- CheckAhead.cpp - What plans lack with choices, recomputed ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code. What choices cost is
// added up from the first variable to the last, and what the later ones cost at least is passed
// back.
//
//===----------------------------------------------------------------------===//
#include "CheckAhead.h"

#include <algorithm>

using namespace dmc::planner;

namespace {
using Wide = __int128;

class AheadSearch {
public:
  AheadSearch(const CheckedChoices &choices, Wide limit, const CheckedAhead *known)
      : choices_(choices), limit_(limit), known_(known) {}
  std::optional<CheckedAhead> run(const std::vector<CheckedCosts> &costs);

private:
  void addUp(size_t number);
  void passBack(size_t number);

  const CheckedChoices &choices_;
  Wide limit_;
  const CheckedAhead *known_;
  /// By table and choice: what it costs at least, and, with it, what is beyond it.
  std::vector<std::vector<Wide>> least_, beyond_;
  /// By eliminated variable and join: what the choices cost.
  CheckedAhead joined_;
  /// Of all that is last.
  Wide sum_ = 0;
};
} // namespace

static Wide add(Wide a, Wide b) { return a == noChoice || b == noChoice ? noChoice : a + b; }

void AheadSearch::addUp(size_t number) {
  const CheckedVariable &variable = choices_.variables[number];
  auto &joined = joined_.emplace_back();
  for (size_t j = 0; j < variable.joins.size(); ++j) {
    const CheckedJoin &join = variable.joins[j];
    std::vector<Wide> costs;
    for (size_t choice = 0; choice < join.from.size(); ++choice) {
      // Before the first join there is nothing.
      const Wide before = j == 0 ? 0 : joined.back()[join.from[choice]];
      const bool isOut = known_ && (*known_)[number][j][choice] == noChoice;
      costs.push_back(isOut ? noChoice : add(before, least_[join.table][join.with[choice]]));
    }
    joined.push_back(std::move(costs));
  }
  std::vector<Wide> left(variable.numLeft, noChoice);
  for (size_t choice = 0; choice < variable.left.size(); ++choice) {
    Wide &ofLeft = left[variable.left[choice]];
    ofLeft = std::min(ofLeft, joined.back()[choice]);
  }
  if (variable.isLast)
    sum_ = add(sum_, left.front());
  least_.push_back(std::move(left));
}

void AheadSearch::passBack(size_t number) {
  const CheckedVariable &variable = choices_.variables[number];
  const size_t table = least_.size() - choices_.variables.size() + number;
  if (variable.isLast)
    beyond_[table].front() = sum_ - least_[table].front();
  // What plans with a choice cost at least.
  std::vector<Wide> whole;
  whole.reserve(variable.left.size());
  for (size_t choice = 0; choice < variable.left.size(); ++choice)
    whole.push_back(add(joined_[number].back()[choice], beyond_[table][variable.left[choice]]));
  for (size_t j = variable.joins.size(); j-- > 0;) {
    const CheckedJoin &join = variable.joins[j];
    std::vector<Wide> &costs = joined_[number][j];
    std::vector<Wide> before(j == 0 ? 0 : joined_[number][j - 1].size(), noChoice);
    for (size_t choice = 0; choice < whole.size(); ++choice) {
      if (whole[choice] >= limit_) {
        costs[choice] = noChoice;
        continue;
      }
      costs[choice] = whole[choice] - costs[choice];
      Wide &ofTable = beyond_[join.table][join.with[choice]];
      ofTable = std::min(ofTable, whole[choice] - least_[join.table][join.with[choice]]);
      if (j > 0)
        before[join.from[choice]] = std::min(before[join.from[choice]], whole[choice]);
    }
    whole = std::move(before);
  }
}

std::optional<CheckedAhead> AheadSearch::run(const std::vector<CheckedCosts> &costs) {
  for (size_t table = 0; table < costs.size(); ++table) {
    auto &least = least_.emplace_back();
    for (size_t entry : choices_.entries[table])
      least.push_back(costs[table].costs[entry]);
    if (costs[table].scope.empty())
      sum_ = add(sum_, least.front());
  }
  for (size_t number = 0; number < choices_.variables.size(); ++number)
    addUp(number);
  if (sum_ >= limit_)
    return std::nullopt;
  for (const std::vector<Wide> &least : least_)
    beyond_.emplace_back(least.size(), noChoice);
  for (size_t number = choices_.variables.size(); number-- > 0;)
    passBack(number);
  return std::move(joined_);
}

std::optional<CheckedAhead> dmc::planner::findAhead(const CheckedChoices &choices,
                                                    const std::vector<CheckedCosts> &costs,
                                                    Wide limit, const CheckedAhead *known) {
  return AheadSearch(choices, limit, known).run(costs);
}

CheckedChoices dmc::planner::keepWithPlan(const CheckedChoices &choices,
                                          const CheckedAhead &ahead) {
  CheckedChoices kept;
  kept.entries = choices.entries;
  // By table and choice: its number among those that are kept.
  std::vector<std::vector<size_t>> numbers;
  for (const std::vector<size_t> &entries : choices.entries) {
    auto &ofTable = numbers.emplace_back();
    for (size_t choice = 0; choice < entries.size(); ++choice)
      ofTable.push_back(choice);
  }
  for (size_t number = 0; number < choices.variables.size(); ++number) {
    const CheckedVariable &variable = choices.variables[number];
    CheckedVariable &made = kept.variables.emplace_back();
    made.isLast = variable.isLast;
    // Of the join before. The first one is with the variable's own table, from its states.
    std::vector<size_t> before = numbers[variable.joins.front().table];
    std::vector<size_t> left(variable.numLeft, variable.left.size());
    for (size_t j = 0; j < variable.joins.size(); ++j) {
      const CheckedJoin &join = variable.joins[j];
      CheckedJoin &madeJoin = made.joins.emplace_back();
      madeJoin.table = join.table;
      std::vector<size_t> own(join.from.size(), 0);
      for (size_t choice = 0; choice < join.from.size(); ++choice) {
        if (ahead[number][j][choice] == noChoice)
          continue;
        own[choice] = madeJoin.from.size();
        madeJoin.from.push_back(before[join.from[choice]]);
        madeJoin.with.push_back(numbers[join.table][join.with[choice]]);
        if (j + 1 < variable.joins.size())
          continue;
        size_t &ofLeft = left[variable.left[choice]];
        if (ofLeft == variable.left.size())
          ofLeft = made.numLeft++;
        made.left.push_back(ofLeft);
      }
      before = std::move(own);
    }
    numbers.push_back(std::move(left));
  }
  return kept;
}
