//===- DescribeProblem.cpp - What a solved problem says -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "DescribeProblem.h"

#include <map>

using namespace mlir;
using namespace dmc;

std::vector<LayoutChoice::TensorChoice> LayoutChoice::getTensorChoices() const {
  std::vector<TensorChoice> choices;
  for (auto [number, value] : llvm::enumerate(values)) {
    TensorChoice choice;
    choice.value = number;
    auto take = [&](const std::optional<Source> &source) {
      if (!source || layouts.getList(source->layouts).size() < 2)
        return false;
      choice.variable = source->variable;
      for (unsigned layout : layouts.getList(source->layouts))
        choice.layouts.push_back(layouts.get(layout));
      return true;
    };
    if (value.producer && variables[*value.producer]) {
      choice.variable = *variables[*value.producer];
      for (const NodeState &state : states.get(classes[*value.producer]).states)
        choice.layouts.push_back(layouts.get(state.results[value.result]));
      choices.push_back(std::move(choice));
    } else if (take(value.boundary) || take(value.hub)) {
      choices.push_back(std::move(choice));
    }
  }
  return choices;
}

/// The two layouts of least bounds.
static std::vector<SolvedProblem::LayoutBound> getLeast(const planner::LayoutProblem &problem,
                                                        const LayoutChoice::TensorChoice &choice,
                                                        ArrayRef<int64_t> stateBounds) {
  std::vector<SolvedProblem::LayoutBound> bounds;
  for (auto [layout, bound] : llvm::zip_equal(choice.layouts, stateBounds)) {
    if (bound == planner::infeasible)
      continue;
    double seconds = problem.getSeconds(bound);
    auto known = llvm::find_if(
        bounds, [&, &layout = layout](const auto &other) { return other.layout == layout; });
    if (known == bounds.end())
      bounds.push_back({layout, seconds});
    else
      known->seconds = std::min(known->seconds, seconds);
  }
  llvm::stable_sort(bounds, [](const auto &a, const auto &b) { return a.seconds < b.seconds; });
  bounds.resize(std::min<size_t>(bounds.size(), 2));
  return bounds;
}

/// How many rows of memory a reader takes in.
static constexpr size_t maxDescribedRows = 5;

/// Seconds that a byte of a row costs.
static double getPrice(const planner::LayoutProblem &problem,
                       const planner::Certificate &certificate, unsigned row) {
  if (certificate.stages.empty())
    return 0;
  return problem.getSeconds(certificate.stages.back().prices[row]) /
         static_cast<double>(certificate.priceScale);
}

/// The rows whose bytes cost the most, then those with the least room.
static std::vector<unsigned> findBindingRows(const planner::LayoutProblem &problem,
                                             const planner::SavedPlan &plan) {
  std::vector<std::tuple<double, int64_t, unsigned>> order;
  for (auto [number, row] : llvm::enumerate(problem.parts().rows))
    order.push_back({-getPrice(problem, plan.certificate, number),
                     row.capacity - problem.getBytes(number, plan.assignment), number});
  llvm::sort(order);
  std::vector<unsigned> rows;
  for (auto [price, room, number] : ArrayRef(order).take_front(maxDescribedRows))
    rows.push_back(number);
  return rows;
}

SolvedProblem dmc::describeProblem(const planner::LayoutProblem &problem,
                                   const LayoutChoice &choice, const planner::SavedPlan &plan,
                                   ArrayRef<RowOrigin> origins) {
  SolvedProblem solved;
  solved.boundSeconds = problem.getSeconds(plan.bound.value_or(0));
  const planner::Certificate &certificate = plan.certificate;
  for (unsigned number : findBindingRows(problem, plan)) {
    const RowOrigin &origin = origins[number];
    SolvedProblem::MemoryRow &described = solved.rows.emplace_back();
    described.bytes = problem.getBytes(number, plan.assignment);
    described.capacity = problem.parts().rows[number].capacity;
    described.node = origin.node;
    described.secondsPerByte = getPrice(problem, certificate, number);
    std::map<unsigned, int64_t> held;
    for (const RowOrigin::Use &use : origin.uses)
      if (plan.assignment[use.variable] == use.state)
        held[use.value] += use.bytes;
    described.tensors.assign(held.begin(), held.end());
    llvm::stable_sort(described.tensors,
                      [](const auto &a, const auto &b) { return a.second > b.second; });
  }
  std::vector<std::vector<int64_t>> bounds =
      planner::getStateBounds(problem, certificate, plan.assignment);
  for (const LayoutChoice::TensorChoice &tensor : choice.getTensorChoices())
    if (auto least = getLeast(problem, tensor, bounds[tensor.variable]); !least.empty())
      solved.layoutBounds[tensor.value] = std::move(least);
  return solved;
}
