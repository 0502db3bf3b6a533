//===- CheckCertificate.cpp - Recomputes what a certificate proves --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Checker.h.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include <algorithm>
#include <map>
#include <set>

using namespace dmc::planner;
using namespace dmc::planner::check;

void Checker::findLinks() {
  std::map<std::pair<uint32_t, uint32_t>, Link> links;
  for (const Pair &pair : problem_.parts().pairs) {
    auto ends = std::minmax(pair.first, pair.second);
    Link &link = links[ends];
    const Table &table = problem_.parts().tables[pair.table];
    link.parts.push_back({&table, problem_.getTrips(pair.loop), pair.first != ends.first});
    for (int64_t cost : table.costs)
      link.hasInfeasible |= cost == infeasible;
  }
  for (auto &[ends, link] : links) {
    link.first = ends.first;
    link.second = ends.second;
    link.offset = numPotentials_;
    numPotentials_ += problem_.getNumStates(link.first) + problem_.getNumStates(link.second);
    links_.push_back(std::move(link));
  }
}

std::string Checker::checkElimination() const {
  const auto &within = certificate_.withinRows;
  const bool inParts = certificate_.bucketEntries || !certificate_.clusters.empty();
  if (certificate_.isExact + within.has_value() + inParts > 1)
    return "expected one kind of elimination";
  auto hasEachOnce = [](const std::vector<uint32_t> &variables) {
    return std::set<uint32_t>(variables.begin(), variables.end()).size() == variables.size();
  };
  if (!std::all_of(certificate_.clusters.begin(), certificate_.clusters.end(), hasEachOnce))
    return "a variable is in a cluster twice";
  if (certificate_.bucketEntries.value_or(1) < 1)
    return "expected buckets of at least 1 entry";
  if (!within)
    return "";
  if (!hasEachOnce(within->order))
    return "a variable is in the order of the elimination twice";
  if (within->cutoff < 1 || within->cutoff > sumLimit + 1)
    return "expected a cutoff from 1 to " + std::to_string(sumLimit + 1);
  return "";
}

/// All sums below then fit: those of a link 64 bits, the others 128.
std::string Checker::checkNumbers() const {
  if (certificate_.scale < 1 || certificate_.priceScale < 1)
    return "expected scales of at least 1";
  if (certificate_.scale > (int64_t(1) << 24) || certificate_.priceScale > (int64_t(1) << 40) ||
      static_cast<Wide>(problem_.getLargestCost()) * certificate_.scale > (Wide(1) << 58))
    return "the scale is too large for the problem's costs";
  if (certificate_.stages.empty())
    return "expected at least one stage";
  for (const CertificateStage &stage : certificate_.stages) {
    if (stage.prices.size() != problem_.parts().rows.size())
      return "expected " + std::to_string(problem_.parts().rows.size()) + " prices, found " +
             std::to_string(stage.prices.size());
    if (stage.potentials.size() != numPotentials_)
      return "expected " + std::to_string(numPotentials_) + " potentials, found " +
             std::to_string(stage.potentials.size());
    for (int64_t potential : stage.potentials)
      if (potential > (int64_t(1) << 61) || potential < -(int64_t(1) << 61))
        return "a potential is larger than 2^61";
    for (size_t row = 0; row < stage.prices.size(); ++row) {
      int64_t price = stage.prices[row];
      if (price < 0)
        return "the price of row \"" + problem_.parts().rows[row].name + "\" is negative";
      Wide most = problem_.parts().rows[row].capacity;
      for (const MemoryUse &use : problem_.parts().rows[row].uses)
        most += use.bytes;
      if (price > (int64_t(1) << 62) || most * certificate_.scale > (Wide(1) << 112) / (price + 1))
        return "the price of row \"" + problem_.parts().rows[row].name + "\" is too large";
    }
  }
  return checkElimination();
}

bool Checker::hasStates() const {
  return std::all_of(isLeft_.begin(), isLeft_.end(), [](const std::vector<bool> &states) {
    return std::find(states.begin(), states.end(), true) != states.end();
  });
}

bool Checker::removeWithoutPartner(const Link &link) {
  if (!link.hasInfeasible)
    return false;
  auto &first = isLeft_[link.first], &second = isLeft_[link.second];
  std::vector<bool> firstHas(first.size(), false), secondHas(second.size(), false);
  for (uint32_t a = 0; a < first.size(); ++a)
    for (uint32_t b = 0; b < second.size(); ++b)
      if (first[a] && second[b] && link.getCost(a, b) != infeasible)
        firstHas[a] = secondHas[b] = true;
  bool isChanged = false;
  for (uint32_t a = 0; a < first.size(); ++a)
    if (first[a] && !firstHas[a]) {
      first[a] = false;
      isChanged = true;
    }
  for (uint32_t b = 0; b < second.size(); ++b)
    if (second[b] && !secondHas[b]) {
      second[b] = false;
      isChanged = true;
    }
  return isChanged;
}

/// States with which the row is exceeded even if all other variables use the least.
bool Checker::removeWithoutRoom(const Row &row) {
  std::map<uint32_t, std::vector<int64_t>> uses;
  for (const MemoryUse &use : row.uses)
    uses.try_emplace(use.variable, problem_.getNumStates(use.variable), 0)
        .first->second[use.state] = use.bytes;
  std::map<uint32_t, int64_t> least;
  int64_t sum = 0;
  for (const auto &[variable, bytes] : uses) {
    int64_t smallest = infeasible;
    for (size_t s = 0; s < bytes.size(); ++s)
      if (isLeft_[variable][s])
        smallest = std::min(smallest, bytes[s]);
    if (smallest == infeasible)
      return false;
    least[variable] = smallest;
    sum += smallest;
  }
  bool isChanged = false;
  for (const auto &[variable, bytes] : uses)
    for (size_t s = 0; s < bytes.size(); ++s)
      if (isLeft_[variable][s] && sum - least[variable] + bytes[s] > row.capacity) {
        isLeft_[variable][s] = false;
        isChanged = true;
      }
  return isChanged;
}

bool Checker::removeInconsistent() {
  bool isChanged = true;
  while (isChanged && hasStates()) {
    isChanged = false;
    for (const Link &link : links_)
      isChanged |= removeWithoutPartner(link);
    for (const Row &row : problem_.parts().rows)
      isChanged |= removeWithoutRoom(row);
  }
  return hasStates();
}

/// Rounded up: costs are integers.
int64_t Checker::toPicoseconds(Wide sum) const {
  Wide common = static_cast<Wide>(certificate_.scale) * certificate_.priceScale;
  Wide whole = sum / common + (sum > 0 && sum % common != 0);
  return static_cast<int64_t>(std::clamp<Wide>(whole, -sumLimit - 1, sumLimit + 1));
}

/// By variable and state, those that are left: costs with prices.
std::vector<std::vector<Wide>> Checker::getPricedCosts(const CertificateStage &stage) const {
  Wide scale = certificate_.scale, priceScale = certificate_.priceScale;
  std::vector<std::vector<Wide>> costs;
  for (size_t v = 0; v < problem_.getNumVariables(); ++v) {
    costs.emplace_back(problem_.getNumStates(v), 0);
    for (uint32_t s = 0; s < problem_.getNumStates(v); ++s)
      if (isLeft_[v][s])
        costs[v][s] = problem_.getCost(v, s) * scale * priceScale;
  }
  for (size_t row = 0; row < stage.prices.size(); ++row)
    for (const MemoryUse &use : problem_.parts().rows[row].uses)
      costs[use.variable][use.state] += stage.prices[row] * scale * use.bytes;
  return costs;
}

Wide Checker::getCapacityCosts(const CertificateStage &stage) const {
  Wide sum = 0;
  for (size_t row = 0; row < stage.prices.size(); ++row)
    sum += static_cast<Wide>(stage.prices[row]) * certificate_.scale *
           problem_.parts().rows[row].capacity;
  return sum;
}

void Checker::addPotentials(const CertificateStage &stage,
                            std::vector<std::vector<Wide>> &costs) const {
  for (const Link &link : links_) {
    size_t at = link.offset;
    for (uint32_t v : {link.first, link.second})
      for (Wide &value : costs[v])
        value += static_cast<Wide>(stage.potentials[at++]) * certificate_.priceScale;
  }
}

void Checker::addVariables(const CertificateStage &stage) {
  excess_ = getPricedCosts(stage);
  bound_ -= getCapacityCosts(stage);
  addPotentials(stage, excess_);
  for (size_t v = 0; v < excess_.size(); ++v) {
    std::optional<Wide> least;
    for (size_t s = 0; s < excess_[v].size(); ++s)
      if (isLeft_[v][s] && (!least || excess_[v][s] < *least))
        least = excess_[v][s];
    for (Wide &value : excess_[v])
      value -= *least;
    bound_ += *least;
  }
}

void Checker::addLink(const Link &link, const CertificateStage &stage) {
  const int64_t *ofFirst = stage.potentials.data() + link.offset;
  const int64_t *ofSecond = ofFirst + problem_.getNumStates(link.first);
  const auto &first = isLeft_[link.first], &second = isLeft_[link.second];
  std::vector<int64_t> firstLeast(first.size(), infeasible), secondLeast(second.size(), infeasible);
  int64_t least = infeasible;
  for (uint32_t a = 0; a < first.size(); ++a)
    for (uint32_t b = 0; first[a] && b < second.size(); ++b) {
      int64_t cost = second[b] ? link.getCost(a, b) : infeasible;
      if (cost == infeasible)
        continue;
      cost = cost * certificate_.scale - ofFirst[a] - ofSecond[b];
      firstLeast[a] = std::min(firstLeast[a], cost);
      secondLeast[b] = std::min(secondLeast[b], cost);
      least = std::min(least, cost);
    }
  Wide priceScale = certificate_.priceScale;
  bound_ += least * priceScale;
  for (size_t a = 0; a < first.size(); ++a)
    if (first[a])
      excess_[link.first][a] += (static_cast<Wide>(firstLeast[a]) - least) * priceScale;
  for (size_t b = 0; b < second.size(); ++b)
    if (second[b])
      excess_[link.second][b] += (static_cast<Wide>(secondLeast[b]) - least) * priceScale;
}

/// What a stage proves of the states that are left.
void Checker::addStage(const CertificateStage &stage) {
  bound_ = 0;
  addVariables(stage);
  for (const Link &link : links_)
    addLink(link, stage);
}

/// The bound of a stage. Removes the states with which no plan costs less than `cost`.
int64_t Checker::runStage(const CertificateStage &stage, int64_t cost) {
  addStage(stage);
  int64_t bound = toPicoseconds(bound_);
  if (cost == infeasible)
    return bound > problem_.getLargestCost() ? infeasible : bound;
  for (size_t v = 0; v < excess_.size(); ++v)
    for (size_t s = 0; s < excess_[v].size(); ++s)
      if (isLeft_[v][s] && toPicoseconds(bound_ + excess_[v][s]) >= cost)
        isLeft_[v][s] = false;
  return std::min(bound, cost);
}

/// All states that are feasible by themselves.
void Checker::setStates() {
  for (size_t v = 0; v < problem_.getNumVariables(); ++v) {
    isLeft_.emplace_back();
    for (uint32_t s = 0; s < problem_.getNumStates(v); ++s)
      isLeft_[v].push_back(problem_.getCost(v, s) != infeasible);
  }
}

/// What all stages prove, and whether they leave states; or what is wrong.
std::string Checker::runStages(llvm::ArrayRef<uint32_t> assignment, CheckedCertificate &result,
                               bool &hasMore) {
  findLinks();
  std::string error = checkNumbers();
  if (error.empty() && !assignment.empty())
    error = problem_.check(assignment);
  if (!error.empty())
    return error;
  if (!assignment.empty() || problem_.getNumVariables() == 0)
    result.cost = problem_.getCost(assignment);
  setStates();
  hasMore = removeInconsistent();
  for (const CertificateStage &stage : certificate_.stages)
    if (hasMore) {
      result.bound = std::max(result.bound, runStage(stage, result.cost));
      hasMore = removeInconsistent();
    }
  return "";
}

CheckedCertificate Checker::run(llvm::ArrayRef<uint32_t> assignment) {
  CheckedCertificate result;
  bool hasMore = false;
  result.error = runStages(assignment, result, hasMore);
  if (!result.error.empty())
    return result;
  for (size_t row = 0; row < problem_.parts().rows.size() && !assignment.empty(); ++row)
    result.bytes.push_back(problem_.getBytes(row, assignment));
  auto raise = [&](std::optional<int64_t> bound, const std::string &what) {
    if (!bound)
      result.error = what;
    result.bound = std::max(result.bound, bound.value_or(0));
  };
  if (hasMore && certificate_.isExact)
    raise(eliminate(result.cost), "the tables of an exact certificate have more than " +
                                      std::to_string(checkedEntries) + " entries");
  if (hasMore && certificate_.withinRows)
    raise(eliminateWithin(result.cost), "the elimination within rows takes more than " +
                                            std::to_string(checkedEntriesWithin) + " entries or " +
                                            std::to_string(steps_) + " partial plans");
  if (hasMore && (certificate_.bucketEntries || !certificate_.clusters.empty()))
    raise(eliminateInParts(certificate_.bucketEntries, result.cost, checkedEntriesOfBuckets),
          "the clusters and buckets have more than " + std::to_string(checkedEntriesOfBuckets) +
              " entries");
  // Nothing is left that is better than the assignment, or there is no plan.
  if (!hasMore)
    result.bound = result.cost;
  return result;
}

std::optional<BucketChoice> Checker::chooseBuckets(llvm::ArrayRef<uint32_t> assignment,
                                                   llvm::ArrayRef<int64_t> entries, int64_t enough,
                                                   llvm::function_ref<int64_t(int64_t)> getLimit) {
  CheckedCertificate result;
  bool hasMore = false;
  std::optional<BucketChoice> best;
  if (!runStages(assignment, result, hasMore).empty() || !hasMore)
    return best;
  for (int64_t size : entries) {
    std::optional<int64_t> bound = eliminateInParts(
        size, result.cost, std::min(getLimit(result.bound), checkedEntriesOfBuckets));
    if (!bound)
      break;
    if (*bound > result.bound) {
      result.bound = *bound;
      best = {size, *bound};
    }
    if (result.bound >= enough)
      break;
  }
  return best;
}

std::vector<std::vector<int64_t>> Checker::getStateBounds(llvm::ArrayRef<uint32_t> assignment) {
  findLinks();
  setStates();
  bool hasMore = removeInconsistent();
  const std::vector<std::vector<bool>> consistent = isLeft_;
  std::vector<std::vector<int64_t>> bounds;
  for (const std::vector<bool> &states : consistent) {
    bounds.emplace_back(states.size(), infeasible);
    for (size_t s = 0; s < states.size(); ++s)
      if (states[s])
        bounds.back()[s] = 0;
  }
  auto raise = [&](const std::vector<std::vector<bool>> &states, int64_t most) {
    for (size_t v = 0; v < states.size(); ++v)
      for (size_t s = 0; s < states[v].size(); ++s)
        if (states[v][s])
          bounds[v][s] =
              std::max(bounds[v][s], std::min(toPicoseconds(bound_ + excess_[v][s]), most));
  };
  if (!hasMore)
    return bounds;
  // Of all states, each stage by itself.
  for (const CertificateStage &stage : certificate_.stages) {
    addStage(stage);
    raise(consistent, infeasible);
  }
  // Of those that earlier stages leave: a plan with another state costs no less than the known one.
  int64_t cost = problem_.getCost(assignment);
  for (const CertificateStage &stage : certificate_.stages) {
    const std::vector<std::vector<bool>> before = isLeft_;
    if (!hasMore)
      break;
    runStage(stage, cost);
    raise(before, cost);
    hasMore = removeInconsistent();
  }
  for (size_t v = 0; v < bounds.size(); ++v)
    for (size_t s = 0; s < bounds[v].size(); ++s)
      if (!isLeft_[v][s])
        bounds[v][s] = std::max(bounds[v][s], cost);
  return bounds;
}

CheckedCertificate dmc::planner::checkCertificate(const LayoutProblem &problem,
                                                  const Certificate &certificate,
                                                  llvm::ArrayRef<uint32_t> assignment,
                                                  int64_t steps) {
  return Checker(problem, certificate, std::min(steps, checkedSteps)).run(assignment);
}

std::optional<BucketChoice>
dmc::planner::chooseBuckets(const LayoutProblem &problem, const Certificate &certificate,
                            llvm::ArrayRef<uint32_t> assignment, llvm::ArrayRef<int64_t> entries,
                            int64_t enough, llvm::function_ref<int64_t(int64_t)> getLimit) {
  return Checker(problem, certificate).chooseBuckets(assignment, entries, enough, getLimit);
}

std::vector<std::vector<int64_t>>
dmc::planner::getStateBounds(const LayoutProblem &problem, const Certificate &certificate,
                             llvm::ArrayRef<uint32_t> assignment) {
  return Checker(problem, certificate).getStateBounds(assignment);
}

std::string dmc::planner::checkStated(const SavedPlan &plan, const CheckedCertificate &checked) {
  auto describe = [](int64_t cost) {
    return cost == infeasible ? std::string("none") : std::to_string(cost);
  };
  if (plan.cost && *plan.cost != checked.cost)
    return "the plan is said to cost " + describe(*plan.cost) + ", but its states cost " +
           describe(checked.cost);
  if (plan.bound && *plan.bound != checked.bound)
    return "the bound is said to be " + describe(*plan.bound) +
           ", but the potentials and prices prove " + describe(checked.bound);
  if (!plan.isAsWritten)
    return "the text was changed after it was written: its digest is another one";
  return "";
}
