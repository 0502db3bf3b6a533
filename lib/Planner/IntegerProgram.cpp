//===- IntegerProgram.cpp - What is left as an integer program ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A column for each state, and one for each pair of classes of a table: those of a state's class
// add up to it. Costs are those that potentials leave, so all that exceed what separates the bound
// from the cutoff are left out, and the solver's tolerances are shares of that.
//
//===----------------------------------------------------------------------===//
#include "IntegerProgram.h"

#include "dmc/Solver/Solver.h"

#include <algorithm>
#include <cmath>

using namespace dmc;
using namespace dmc::planner;

namespace {
/// Of what separates the bound from the cutoff.
constexpr double units = 1000;

class Program {
public:
  Program(const Network &network, const Scales &scales, const Potentials &potentials,
          const std::vector<int64_t> &prices, const std::set<uint32_t> &rows, int64_t cutoff)
      : network_(network), scales_(scales), potentials_(potentials), prices_(prices), rows_(rows),
        exact_(network, scales, potentials, prices) {
    distance_ = static_cast<double>(static_cast<Wide>(cutoff) * scales.common() - exact_.bound());
  }
  bool build(int64_t maxColumns);
  std::optional<IntegerProgramResult> solve(double seconds, const std::string &name, int64_t cutoff,
                                            std::string &error);

private:
  double toUnits(double cost) const { return cost / distance_ * units; }
  void addNodes();
  void addEdge(uint32_t index);
  void addRows();

  const Network &network_;
  const Scales &scales_;
  const Potentials &potentials_;
  const std::vector<int64_t> &prices_;
  const std::set<uint32_t> &rows_;
  ExactBound exact_;
  double distance_ = 0;
  solver::LinearProblem problem_;
  std::vector<int32_t> firstColumn_;
};
} // namespace

/// By class: the most that its states take.
static std::vector<int64_t> getMost(const std::vector<int64_t> &potential,
                                    const std::vector<uint32_t> &classes, uint32_t count) {
  std::vector<int64_t> most(count, std::numeric_limits<int64_t>::min());
  for (size_t s = 0; s < classes.size(); ++s)
    most[classes[s]] = std::max(most[classes[s]], potential[s]);
  return most;
}

void Program::addNodes() {
  for (uint32_t i = 0; i < network_.nodes().size(); ++i) {
    firstColumn_.push_back(static_cast<int32_t>(problem_.columns.size()));
    solver::Row row;
    row.lower = row.upper = 1;
    for (uint32_t s = 0; s < network_.nodes()[i].states.size(); ++s)
      row.entries.push_back(
          {problem_.addBinary(toUnits(static_cast<double>(exact_.ofNode(i, s)))), 1});
    problem_.addRow(std::move(row));
  }
}

void Program::addEdge(uint32_t index) {
  const Edge &edge = network_.edges()[index];
  const CostTable &table = network_.table(edge);
  const auto &first = potentials_.toFirst[index], &second = potentials_.toSecond[index];
  auto rowMost = getMost(first, table.rowClass, table.rowClasses),
       columnMost = getMost(second, table.columnClass, table.columnClasses);
  auto price = static_cast<double>(scales_.price);
  auto addRest = [&](uint32_t node, const std::vector<int64_t> &potential,
                     const std::vector<uint32_t> &classes, const std::vector<int64_t> &most) {
    for (size_t s = 0; s < potential.size(); ++s)
      problem_.columns[firstColumn_[node] + s].cost +=
          toUnits(static_cast<double>(most[classes[s]] - potential[s]) * price);
  };
  addRest(edge.first, first, table.rowClass, rowMost);
  addRest(edge.second, second, table.columnClass, columnMost);
  auto getCost = [&](uint32_t row, uint32_t column) {
    int64_t cost = table.ofClasses(row, column);
    return cost == infeasible ? infeasible
                              : cost * scales_.potential - rowMost[row] - columnMost[column];
  };
  int64_t least = infeasible;
  for (uint32_t row = 0; row < table.rowClasses; ++row)
    for (uint32_t column = 0; column < table.columnClasses; ++column)
      least = std::min(least, getCost(row, column));
  // What all choose alike costs nothing more.
  if (table.rowClasses == 1 && table.columnClasses == 1)
    return;
  std::vector<solver::Row> rows(table.rowClasses), columns(table.columnClasses);
  for (uint32_t row = 0; row < table.rowClasses; ++row)
    for (uint32_t column = 0; column < table.columnClasses; ++column) {
      int64_t cost = getCost(row, column);
      if (cost == infeasible)
        continue;
      double inUnits = toUnits((static_cast<double>(cost) - static_cast<double>(least)) * price);
      if (inUnits > units * 1.0001)
        continue;
      int32_t pair = problem_.addColumn({inUnits, 0, 1, false});
      rows[row].entries.push_back({pair, 1});
      columns[column].entries.push_back({pair, 1});
    }
  auto add = [&](uint32_t node, const std::vector<uint32_t> &classes,
                 std::vector<solver::Row> &sums) {
    for (size_t s = 0; s < classes.size(); ++s)
      sums[classes[s]].entries.push_back({firstColumn_[node] + static_cast<int32_t>(s), -1});
    for (solver::Row &row : sums) {
      row.lower = row.upper = 0;
      problem_.addRow(std::move(row));
    }
  };
  add(edge.first, table.rowClass, rows);
  add(edge.second, table.columnClass, columns);
}

void Program::addRows() {
  std::set<uint32_t> priced = rows_;
  for (uint32_t row = 0; row < prices_.size(); ++row)
    if (prices_[row] != 0)
      priced.insert(row);
  for (uint32_t index : priced) {
    int64_t capacity = network_.problem().parts().rows[index].capacity;
    auto whole = static_cast<double>(std::max<int64_t>(capacity, 1));
    solver::Row row;
    row.lower = row.upper = static_cast<double>(capacity) / whole;
    // The bound counts what is left of the capacity as if it were worth its price.
    double price = static_cast<double>(prices_[index]) * static_cast<double>(scales_.potential);
    row.entries.push_back({problem_.addColumn({toUnits(price * whole), 0, row.upper, false}), 1});
    for (uint32_t i = 0; i < network_.nodes().size(); ++i)
      for (const NodeUse &use : network_.nodes()[i].uses)
        if (use.row == index)
          for (size_t s = 0; s < use.bytes.size(); ++s)
            if (use.bytes[s])
              row.entries.push_back({firstColumn_[i] + static_cast<int32_t>(s),
                                     static_cast<double>(use.bytes[s]) / whole});
    problem_.addRow(std::move(row));
  }
}

bool Program::build(int64_t maxColumns) {
  if (distance_ <= 0)
    return false;
  addNodes();
  for (uint32_t e = 0; e < network_.edges().size(); ++e) {
    addEdge(e);
    if (static_cast<int64_t>(problem_.columns.size()) > maxColumns)
      return false;
  }
  addRows();
  return true;
}

std::optional<IntegerProgramResult> Program::solve(double seconds, const std::string &name,
                                                   int64_t cutoff, std::string &error) {
  auto program = solver::makeSolver(name, error);
  if (!program)
    return std::nullopt;
  solver::Options options;
  options.seconds = seconds;
  auto found = program->solve(problem_, options, error);
  if (!found)
    return std::nullopt;
  IntegerProgramResult result;
  if (found->status == solver::Status::Infeasible) {
    result.bound = cutoff;
    return result;
  }
  // Solvers stop at an absolute difference of 1e-6.
  double bound = std::clamp(found->bound - 1e-5, -1e6, units);
  result.bound = std::min(
      cutoff, scales_.toPicoseconds(exact_.bound() + static_cast<Wide>(bound / units * distance_)));
  if (found->hasValues())
    for (uint32_t i = 0; i < network_.nodes().size(); ++i) {
      auto first = found->values.begin() + firstColumn_[i];
      auto last = first + static_cast<int64_t>(network_.nodes()[i].states.size());
      result.choice.push_back(static_cast<uint32_t>(std::max_element(first, last) - first));
    }
  return result;
}

std::optional<IntegerProgramResult> dmc::planner::solveIntegerProgram(
    const Network &network, const Scales &scales, const Potentials &potentials,
    const std::vector<int64_t> &prices, const std::set<uint32_t> &rows, int64_t cutoff,
    int64_t maxColumns, double seconds, const std::string &name, std::string &error) {
  Program program(network, scales, potentials, prices, rows, cutoff);
  if (!program.build(maxColumns))
    return std::nullopt;
  return program.solve(seconds, name, cutoff, error);
}
