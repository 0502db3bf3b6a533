//===- CheckCertificate.cpp - Recomputes what a certificate proves --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As plain as can be, and with none of the solver's code: what is wrong there shall show here.
//
//===----------------------------------------------------------------------===//
#include "CheckElimination.h"

#include "dmc/Planner/Certificate.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

using namespace dmc::planner;

namespace {
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
  Checker(const LayoutProblem &problem, const Certificate &certificate)
      : problem_(problem), certificate_(certificate) {}
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
  CheckedRows makeRows() const;
  std::optional<Wide> addClusters(std::vector<CheckedCosts> &excess, int64_t &limit) const;
  std::optional<int64_t> eliminateInParts(std::optional<int64_t> bucketEntries, int64_t cost,
                                          int64_t limit) const;
  int64_t toPicoseconds(Wide sum) const;

  const LayoutProblem &problem_;
  const Certificate &certificate_;
  std::vector<Link> links_;
  size_t numPotentials_ = 0;
  std::vector<std::vector<bool>> isLeft_;
  /// Of a stage: the sum of all minima, and how much more each state of a variable needs.
  Wide bound_ = 0;
  std::vector<std::vector<Wide>> excess_;
};
} // namespace

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
  for (const std::vector<uint32_t> &cluster : certificate_.clusters)
    if (std::set<uint32_t>(cluster.begin(), cluster.end()).size() != cluster.size())
      return "a variable is in a cluster twice";
  if (certificate_.bucketEntries.value_or(1) < 1)
    return "expected buckets of at least 1 entry";
  if (!within)
    return "";
  if (within->cutoff < 1 || within->cutoff > sumLimit + 1)
    return "expected a cutoff from 1 to " + std::to_string(sumLimit + 1);
  std::vector<bool> isKept(problem_.parts().rows.size(), false);
  for (uint32_t row : within->rows)
    isKept[row] = true;
  for (size_t row = 0; row < isKept.size(); ++row)
    if (certificate_.stages.back().prices[row] && !isKept[row])
      return "row \"" + problem_.parts().rows[row].name +
             "\" has a price but is not among those of the elimination";
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

std::vector<uint32_t> Checker::getSizes() const {
  std::vector<uint32_t> sizes;
  sizes.reserve(isLeft_.size());
  for (const std::vector<bool> &states : isLeft_)
    sizes.push_back(static_cast<uint32_t>(std::count(states.begin(), states.end(), true)));
  return sizes;
}

/// What one variable or two cost, by the states that are left. What has one state connects nothing.
template <typename Cost>
CheckedCosts Checker::makeTable(llvm::ArrayRef<uint32_t> variables, const Cost &cost) const {
  CheckedCosts table;
  for (uint32_t v : variables)
    if (std::count(isLeft_[v].begin(), isLeft_[v].end(), true) > 1)
      table.scope.push_back(v);
  const std::vector<bool> &first = isLeft_[variables.front()], &second = isLeft_[variables.back()];
  for (uint32_t a = 0; a < first.size(); ++a)
    for (uint32_t b = 0; first[a] && b < second.size(); ++b)
      if (variables.size() == 1 ? a == b : second[b])
        table.costs.push_back(cost(a, b));
  return table;
}

/// The least cost with the prices of the last stage among the states that are left, if it is less
/// than `cost`; nothing, if that takes too many entries.
std::optional<int64_t> Checker::eliminate(int64_t cost) const {
  int64_t limit = checkedEntries;
  const CertificateStage &stage = certificate_.stages.back();
  Wide common = static_cast<Wide>(certificate_.scale) * certificate_.priceScale;
  const std::vector<std::vector<Wide>> own = getPricedCosts(stage);
  std::vector<CheckedCosts> costs;
  costs.reserve(own.size() + links_.size());
  for (uint32_t v = 0; v < own.size(); ++v)
    costs.push_back(makeTable({v}, [&](uint32_t s, uint32_t) { return own[v][s]; }));
  for (const Link &link : links_)
    costs.push_back(makeTable({link.first, link.second}, [&](uint32_t a, uint32_t b) {
      int64_t pair = link.getCost(a, b);
      return pair == infeasible ? noChoice : pair * common;
    }));
  std::optional<Wide> least = findLeastSum(getSizes(), std::move(costs), limit);
  if (!least)
    return std::nullopt;
  if (*least == noChoice)
    return cost;
  int64_t bound = toPicoseconds(*least - getCapacityCosts(stage));
  if (cost == infeasible)
    return bound > problem_.getLargestCost() ? infeasible : bound;
  return std::min(bound, cost);
}

/// What the states that are left, and pairs of them, exceed the bound of a stage by.
std::vector<CheckedCosts> Checker::makeExcess(const CertificateStage &stage, Wide &bound) const {
  Wide priceScale = certificate_.priceScale;
  std::vector<CheckedCosts> excess;
  bound = -getCapacityCosts(stage);
  auto add = [&](CheckedCosts table) {
    Wide least = *std::min_element(table.costs.begin(), table.costs.end());
    for (Wide &value : table.costs)
      if (value != noChoice)
        value -= least;
    bound += least;
    excess.push_back(std::move(table));
  };
  std::vector<std::vector<Wide>> priced = getPricedCosts(stage);
  addPotentials(stage, priced);
  for (uint32_t v = 0; v < priced.size(); ++v)
    add(makeTable({v}, [&](uint32_t s, uint32_t) { return priced[v][s]; }));
  for (const Link &link : links_) {
    const int64_t *ofFirst = stage.potentials.data() + link.offset;
    const int64_t *ofSecond = ofFirst + problem_.getNumStates(link.first);
    add(makeTable({link.first, link.second}, [&](uint32_t a, uint32_t b) {
      Wide cost = link.getCost(a, b);
      return cost == infeasible
                 ? noChoice
                 : (cost * certificate_.scale - ofFirst[a] - ofSecond[b]) * priceScale;
    }));
  }
  return excess;
}

/// The states that are left with their costs and what they use of the certificate's rows.
CheckedRows Checker::makeRows() const {
  CheckedRows result;
  result.sizes = getSizes();
  for (uint32_t v = 0; v < isLeft_.size(); ++v)
    result.costs.push_back(
        makeTable({v}, [&](uint32_t s, uint32_t) -> Wide { return problem_.getCost(v, s); }));
  for (const Link &link : links_)
    result.costs.push_back(
        makeTable({link.first, link.second}, [&](uint32_t a, uint32_t b) -> Wide {
          int64_t cost = link.getCost(a, b);
          return cost == infeasible ? noChoice : cost;
        }));
  const std::vector<uint32_t> &rows = certificate_.withinRows->rows;
  std::vector<std::vector<int64_t>> bytes;
  bytes.reserve(isLeft_.size());
  for (size_t v = 0; v < isLeft_.size(); ++v)
    bytes.emplace_back(isLeft_[v].size() * rows.size(), 0);
  for (size_t r = 0; r < rows.size(); ++r) {
    const Row &row = problem_.parts().rows[rows[r]];
    result.capacities.push_back(row.capacity);
    for (const MemoryUse &use : row.uses)
      bytes[use.variable][use.state * rows.size() + r] = use.bytes;
  }
  for (size_t v = 0; v < isLeft_.size(); ++v) {
    std::vector<int64_t> &left = result.bytes.emplace_back();
    for (size_t s = 0; s < isLeft_[v].size(); ++s)
      if (isLeft_[v][s])
        left.insert(left.end(), bytes[v].begin() + s * rows.size(),
                    bytes[v].begin() + (s + 1) * rows.size());
  }
  return result;
}

/// The least cost within the certificate's rows among the states that are left, if it is less than
/// the certificate's cutoff and than `cost`, or else the lesser of these; nothing, if that takes
/// too much.
std::optional<int64_t> Checker::eliminateWithin(int64_t cost) {
  const CertificateStage &stage = certificate_.stages.back();
  const CertificateElimination &within = *certificate_.withinRows;
  int64_t cutoff = std::min(within.cutoff, cost);
  Wide least = noChoice;
  runStage(stage, cutoff);
  if (removeInconsistent()) {
    Wide bound = 0;
    CheckedRows rows = makeRows();
    rows.excess = makeExcess(stage, bound);
    // Bounds are rounded up: with this much and more they are the cutoff at least.
    Wide common = static_cast<Wide>(certificate_.scale) * certificate_.priceScale;
    auto found = findLeastWithin(rows, (cutoff - 1) * common - bound + 1, checkedEntriesWithin,
                                 checkedSteps);
    if (!found)
      return std::nullopt;
    least = *found;
  }
  int64_t result = least < cutoff ? static_cast<int64_t>(least) : cutoff;
  return result > problem_.getLargestCost() ? cost : result;
}

/// What the states of clusters cost at least together, of all tables above the bound, which are
/// then empty; nothing, if that takes more than `limit` entries, which is then less by those.
std::optional<Wide> Checker::addClusters(std::vector<CheckedCosts> &excess, int64_t &limit) const {
  const size_t numVariables = isLeft_.size();
  std::vector<std::vector<size_t>> linksOf(numVariables);
  for (size_t l = 0; l < links_.size(); ++l)
    linksOf[links_[l].first].push_back(l);
  const std::vector<uint32_t> sizes = getSizes();
  Wide sum = 0;
  for (const std::vector<uint32_t> &cluster : certificate_.clusters) {
    std::map<uint32_t, uint32_t> places;
    std::vector<uint32_t> sizesOfCluster;
    for (uint32_t v : cluster) {
      places[v] = static_cast<uint32_t>(sizesOfCluster.size());
      sizesOfCluster.push_back(sizes[v]);
    }
    std::vector<CheckedCosts> costs;
    auto take = [&](size_t table) {
      // No later cluster counts it.
      CheckedCosts from = std::exchange(excess[table], {{}, {0}});
      for (uint32_t &v : from.scope)
        v = places.at(v);
      // Clusters list variables in any order.
      if (from.scope.size() == 2 && from.scope[0] > from.scope[1]) {
        size_t rows = sizesOfCluster[from.scope[0]], columns = sizesOfCluster[from.scope[1]];
        std::vector<Wide> turned(from.costs.size());
        for (size_t i = 0; i < rows; ++i)
          for (size_t j = 0; j < columns; ++j)
            turned[j * rows + i] = from.costs[i * columns + j];
        from.costs = std::move(turned);
        std::swap(from.scope[0], from.scope[1]);
      }
      costs.push_back(std::move(from));
    };
    for (uint32_t v : cluster) {
      take(v);
      for (size_t l : linksOf[v])
        if (places.count(links_[l].second))
          take(numVariables + l);
    }
    auto least = findLeastSum(sizesOfCluster, std::move(costs), limit);
    if (!least)
      return std::nullopt;
    if (*least == noChoice)
      return noChoice;
    sum += *least;
  }
  return sum;
}

/// The bound of the last stage, for the states that are left, with what clusters, and mini-buckets
/// of the rest, add to it; nothing, if these have more than `limit` entries together.
std::optional<int64_t> Checker::eliminateInParts(std::optional<int64_t> bucketEntries, int64_t cost,
                                                 int64_t limit) const {
  Wide bound = 0;
  std::vector<CheckedCosts> excess = makeExcess(certificate_.stages.back(), bound);
  auto least = addClusters(excess, limit);
  if (least && least != noChoice && bucketEntries) {
    auto rest = findLeastSum(getSizes(), std::move(excess), limit, *bucketEntries);
    if (!rest)
      return std::nullopt;
    least = *rest == noChoice ? noChoice : *least + *rest;
  }
  if (!least)
    return std::nullopt;
  if (*least == noChoice)
    return cost;
  int64_t result = toPicoseconds(bound + *least);
  return result > problem_.getLargestCost() ? cost : std::min(result, cost);
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
                                            std::to_string(checkedSteps) + " partial plans");
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
                                                  llvm::ArrayRef<uint32_t> assignment) {
  return Checker(problem, certificate).run(assignment);
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
