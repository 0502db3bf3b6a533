//===- BranchAndBound.cpp - dmc's own solver ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branch and bound over the relaxation without integers. From each node the search goes down,
// to the side that is nearer, until the branch ends; it continues at the newest open node as long
// as there is no solution, then at that of the least bound. Solutions are also looked for by
// rounding all values of a relaxation. Columns to branch on are chosen by pseudo-costs: what the
// bound gained, on average, when this column was rounded down or up before (T. Achterberg,
// Constraint Integer Programming, 5.3).
//
//===----------------------------------------------------------------------===//
#include "Library.h"
#include "Simplex.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace dmc;
using namespace dmc::solver;

namespace {
/// How far from an integer a value may lie that counts as one.
constexpr double integerTolerance = 1e-6;

struct Bounds {
  int32_t column;
  double lower, upper;
};

struct Node {
  double bound = -infinity;
  int64_t number = 0;
  std::vector<Bounds> changes; // of the problem's bounds, later ones count
};

/// Of one direction of one column.
struct PseudoCost {
  double sum = 0; // of the bound's gain for each unit that the value was rounded by
  int64_t count = 0;
};

class Search {
public:
  Search(const LinearProblem &problem, const Options &options)
      : problem_(problem), options_(options), simplex_(problem), down_(problem.columns.size()),
        up_(problem.columns.size()) {
    auto limit = std::min(options.seconds, 1e9);
    deadline_ = start_ + std::chrono::duration_cast<Simplex::Clock::duration>(
                             std::chrono::duration<double>(limit));
  }
  std::optional<Result> run(std::string &error);

private:
  using Clock = Simplex::Clock;
  bool explore(Node node, std::string &error);
  int32_t chooseColumn(const std::vector<double> &values) const;
  void apply(const Node &node);
  bool accept(std::vector<double> values);
  void tryRounding(const std::vector<double> &values);
  Node takeNext();
  bool isWorthless(double bound) const;
  double openBound() const;
  void tell();
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const LinearProblem &problem_;
  const Options &options_;
  Simplex simplex_;
  Clock::time_point start_ = Clock::now(), deadline_;
  std::vector<PseudoCost> down_, up_;
  std::multimap<double, Node> open_; // by bound; equal ones in order
  Result best_;
  double cutBound_ = infinity; // the least bound of what was left out as no better than the best
  double lastTold_ = 0;
  int64_t nodes_ = 0;
  bool isLimited_ = false;
};
} // namespace

bool Search::isWorthless(double bound) const {
  double margin = std::max(options_.gap * std::abs(best_.objective),
                           1e-9 * std::max(1.0, std::abs(best_.objective)));
  return best_.hasValues() && bound >= best_.objective - margin;
}

double Search::openBound() const {
  double bound = std::min(cutBound_, best_.objective);
  return open_.empty() ? bound : std::min(bound, open_.begin()->first);
}

void Search::tell() {
  if (!options_.onProgress || elapsed() < lastTold_ + 0.5)
    return;
  lastTold_ = elapsed();
  options_.onProgress({lastTold_, best_.objective, openBound()});
}

/// Takes values as the best solution, if they are one.
bool Search::accept(std::vector<double> values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (problem_.columns[i].isInteger)
      values[i] = std::round(values[i]);
  if (!problem_.isFeasible(values))
    return false;
  double objective = problem_.objective(values);
  if (!best_.hasValues() || objective < best_.objective) {
    best_.values = std::move(values);
    best_.objective = objective;
  }
  return true;
}

/// Everything down, up, or to the nearest integer.
void Search::tryRounding(const std::vector<double> &values) {
  for (double (*rounded)(double) :
       {static_cast<double (*)(double)>(std::floor), static_cast<double (*)(double)>(std::ceil),
        static_cast<double (*)(double)>(std::round)}) {
    std::vector<double> attempt = values;
    for (size_t i = 0; i < values.size(); ++i)
      if (problem_.columns[i].isInteger &&
          std::abs(values[i] - std::round(values[i])) > integerTolerance)
        attempt[i] = rounded(values[i]);
    accept(std::move(attempt));
  }
}

Node Search::takeNext() {
  auto next = open_.begin();
  if (!best_.hasValues())
    next = std::max_element(open_.begin(), open_.end(), [](const auto &a, const auto &b) {
      return a.second.number < b.second.number;
    });
  Node node = std::move(next->second);
  open_.erase(next);
  return node;
}

/// The column whose rounding raises the bound most in both directions; -1 if all are integers.
int32_t Search::chooseColumn(const std::vector<double> &values) const {
  auto average = [](const std::vector<PseudoCost> &costs) {
    double sum = 0;
    int64_t count = 0;
    for (const PseudoCost &cost : costs) {
      sum += cost.sum;
      count += cost.count;
    }
    return count ? sum / static_cast<double>(count) : 1;
  };
  double usualDown = average(down_), usualUp = average(up_);
  auto gain = [](const PseudoCost &cost, double usual, double distance) {
    double unit = cost.count ? cost.sum / static_cast<double>(cost.count) : usual;
    return std::max(unit * distance, 1e-6);
  };
  int32_t chosen = -1;
  double best = -1;
  for (size_t i = 0; i < values.size(); ++i) {
    double fraction = values[i] - std::floor(values[i]);
    if (!problem_.columns[i].isInteger || fraction <= integerTolerance ||
        fraction >= 1 - integerTolerance)
      continue;
    double score = gain(down_[i], usualDown, fraction) * gain(up_[i], usualUp, 1 - fraction);
    if (score > best) {
      best = score;
      chosen = static_cast<int32_t>(i);
    }
  }
  return chosen;
}

void Search::apply(const Node &node) {
  for (size_t i = 0; i < problem_.columns.size(); ++i)
    simplex_.setBounds(static_cast<int32_t>(i), problem_.columns[i].lower,
                       problem_.columns[i].upper);
  for (const Bounds &bounds : node.changes)
    simplex_.setBounds(bounds.column, bounds.lower, bounds.upper);
}

/// Works on a node and on one child after another. False after a failure.
bool Search::explore(Node node, std::string &error) {
  apply(node);
  int32_t branched = -1;
  double distance = 0, before = 0;
  bool wasUp = false;
  while (true) {
    tell();
    if (nodes_ >= options_.nodes || Clock::now() > deadline_) {
      isLimited_ = true;
      open_.emplace(node.bound, std::move(node));
      return true;
    }
    ++nodes_;
    SimplexStatus status = simplex_.solve(deadline_);
    if (status == SimplexStatus::TimeLimit) {
      isLimited_ = true;
      open_.emplace(node.bound, std::move(node));
      return true;
    }
    if (status == SimplexStatus::Failed || status == SimplexStatus::Unbounded) {
      error = status == SimplexStatus::Failed ? "met numerical difficulties" : "";
      best_.status = Status::Unbounded;
      return false;
    }
    if (status == SimplexStatus::Infeasible)
      return true;
    double bound = std::max(node.bound, simplex_.objective());
    if (branched >= 0) {
      PseudoCost &cost = (wasUp ? up_ : down_)[static_cast<size_t>(branched)];
      cost.sum += std::max(0.0, bound - before) / distance;
      ++cost.count;
    }
    if (isWorthless(bound)) {
      cutBound_ = std::min(cutBound_, bound);
      return true;
    }
    std::vector<double> values = simplex_.values();
    branched = chooseColumn(values);
    if (branched < 0) {
      if (accept(values))
        return true;
      // The integers are nearly so, and the rest does not fit once they are rounded.
      for (size_t i = 0; i < values.size(); ++i)
        if (problem_.columns[i].isInteger)
          simplex_.setBounds(static_cast<int32_t>(i), std::round(values[i]), std::round(values[i]));
      if (simplex_.solve(deadline_) == SimplexStatus::Optimal)
        accept(simplex_.values());
      cutBound_ = std::min(cutBound_, bound);
      return true;
    }
    tryRounding(values);
    auto index = static_cast<size_t>(branched);
    double low = std::floor(values[index]), fraction = values[index] - low;
    double lower = problem_.columns[index].lower, upper = problem_.columns[index].upper;
    for (const Bounds &bounds : node.changes)
      if (bounds.column == branched) {
        lower = bounds.lower;
        upper = bounds.upper;
      }
    wasUp = fraction > 0.5;
    distance = wasUp ? 1 - fraction : fraction;
    before = bound;
    node.bound = bound;
    Node other = node;
    other.number = nodes_;
    Bounds below = {branched, lower, low}, above = {branched, low + 1, upper};
    other.changes.push_back(wasUp ? below : above);
    open_.emplace(bound, std::move(other));
    node.changes.push_back(wasUp ? above : below);
    simplex_.setBounds(branched, node.changes.back().lower, node.changes.back().upper);
  }
}

std::optional<Result> Search::run(std::string &error) {
  if (!options_.start.empty())
    accept(options_.start);
  open_.emplace(-infinity, Node());
  while (!open_.empty() && !isLimited_) {
    Node node = takeNext();
    if (isWorthless(node.bound)) { // and so are all others
      cutBound_ = std::min(cutBound_, node.bound);
      open_.clear();
      break;
    }
    if (!explore(std::move(node), error)) {
      if (!error.empty())
        return std::nullopt;
      best_.values.clear();
      best_.objective = best_.bound = -infinity;
      return best_;
    }
  }
  best_.bound = openBound();
  if (best_.hasValues())
    best_.status = isLimited_ && !isWorthless(best_.bound) ? Status::Feasible : Status::Optimal;
  else
    best_.status = isLimited_ ? Status::Unknown : Status::Infeasible;
  finish(problem_, best_);
  return best_;
}

/// Effort limit: coefficients of a dictionary, which is dense; a gibibyte.
static constexpr size_t mostCoefficients = size_t(1) << 27;

namespace {
class Own final : public Solver {
public:
  std::string name() const override { return "dmc's own branch and bound"; }

protected:
  std::optional<Result> run(const LinearProblem &problem, const Options &options,
                            std::string &error) override {
    size_t numRows = problem.rows.size(), numColumns = problem.columns.size();
    if (numRows && numColumns > mostCoefficients / numRows) {
      error = name() + ": expected at most " + std::to_string(mostCoefficients) +
              " coefficients, zeros among them, found " + std::to_string(numRows) + " rows of " +
              std::to_string(numColumns);
      return std::nullopt;
    }
    return Search(problem, options).run(error);
  }
};
} // namespace

std::unique_ptr<Solver> solver::makeOwn() { return std::make_unique<Own>(); }
