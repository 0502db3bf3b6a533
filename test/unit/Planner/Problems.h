//===- Problems.h - Problems that the tests draw ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_UNIT_PLANNER_PROBLEMS_H
#define DMC_TEST_UNIT_PLANNER_PROBLEMS_H

#include "dmc/Planner/Text.h"

#include <gtest/gtest.h>
#include <random>

namespace dmc::planner::test {

inline LayoutProblem makeProblem(ProblemParts parts) {
  std::vector<Mistake> mistakes;
  auto problem = LayoutProblem::create(std::move(parts), mistakes);
  for (const Mistake &mistake : mistakes)
    ADD_FAILURE() << mistake.message;
  return std::move(*problem);
}

inline LayoutProblem parse(llvm::StringRef text) {
  std::vector<TextError> errors;
  auto problem = parseProblem(text, errors);
  for (const TextError &error : errors)
    ADD_FAILURE() << error.line << ":" << error.column << ": " << error.message;
  return std::move(*problem);
}

inline std::string print(const LayoutProblem &problem) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printProblem(problem.parts(), stream);
  return text;
}

/// What a random problem may have; probabilities in percent.
struct Draw {
  uint32_t variables = 5, states = 4;
  int64_t cost = 20;
  uint32_t edges = 50, infeasible = 10, loops = 30, rows = 0, requests = 10;
  /// Tables that several pairs use, and equal costs.
  uint32_t shared = 30;
};

class Drawer {
public:
  explicit Drawer(uint32_t seed) : random_(seed) {}
  /// 0 to `count` - 1.
  uint32_t below(uint32_t count) { return random_() % count; }
  bool percent(uint32_t percent) { return below(100) < percent; }

  ProblemParts draw(const Draw &how) {
    ProblemParts parts;
    parts.name = "random";
    if (percent(how.loops))
      parts.loops = {{"outer", 1 + below(4), std::nullopt}, {"inner", 1 + below(4), 0}};
    auto loop = [&]() -> std::optional<uint32_t> {
      uint32_t which = below(static_cast<uint32_t>(parts.loops.size()) + 1);
      return which ? std::optional<uint32_t>(which - 1) : std::nullopt;
    };
    auto cost = [&](uint32_t infeasiblePercent) {
      return percent(infeasiblePercent) ? infeasible : below(how.cost);
    };
    uint32_t count = 1 + below(how.variables);
    for (uint32_t v = 0; v < count; ++v) {
      Variable variable{"v" + std::to_string(v), {}, loop()};
      uint32_t states = 1 + below(how.states);
      for (uint32_t s = 0; s < states; ++s)
        variable.states.push_back({"s" + std::to_string(s), cost(how.infeasible / 2)});
      if (percent(how.requests))
        parts.requests.push_back({v, below(states)});
      parts.variables.push_back(std::move(variable));
    }
    for (uint32_t a = 0; a < count; ++a)
      for (uint32_t b = 0; b < count; ++b)
        if (a != b && percent(how.edges / 2))
          parts.pairs.push_back({a, b, drawTable(parts, how, a, b, cost), loop()});
    for (uint32_t r = 0; r < how.rows; ++r)
      parts.rows.push_back(drawRow(parts, r));
    return parts;
  }

private:
  template <typename Cost>
  uint32_t drawTable(ProblemParts &parts, const Draw &how, uint32_t a, uint32_t b, Cost cost) {
    auto rows = static_cast<uint32_t>(parts.variables[a].states.size());
    auto columns = static_cast<uint32_t>(parts.variables[b].states.size());
    for (uint32_t t = 0; t < parts.tables.size(); ++t)
      if (parts.tables[t].rows == rows && parts.tables[t].columns == columns && percent(how.shared))
        return t;
    Table table{rows, columns, {}};
    for (uint32_t i = 0; i < rows * columns; ++i)
      table.costs.push_back(cost(how.infeasible));
    parts.tables.push_back(std::move(table));
    return static_cast<uint32_t>(parts.tables.size() - 1);
  }

  Row drawRow(const ProblemParts &parts, uint32_t number) {
    Row row{"r" + std::to_string(number), 0, {}};
    int64_t largest = 0;
    for (uint32_t v = 0; v < parts.variables.size(); ++v) {
      if (percent(40))
        continue;
      int64_t most = 0;
      for (uint32_t s = 0; s < parts.variables[v].states.size(); ++s) {
        int64_t bytes = below(50);
        most = std::max(most, bytes);
        if (bytes)
          row.uses.push_back({v, s, bytes});
      }
      largest += most;
    }
    row.capacity = below(static_cast<uint32_t>(largest) + 2);
    return row;
  }

  std::mt19937 random_;
};

/// Variables of eight states, each of which has a pair with each other one: all must be in the same
/// state, or pay ten for each pair that is not. States cost their number, and use memory the less
/// the more they cost.
inline LayoutProblem makeClique(uint32_t variables, int64_t capacity) {
  constexpr uint32_t numStates = 8;
  ProblemParts parts;
  parts.name = "clique";
  Table different{numStates, numStates, {}};
  for (uint32_t a = 0; a < numStates; ++a)
    for (uint32_t b = 0; b < numStates; ++b)
      different.costs.push_back(a == b ? 0 : 10);
  parts.tables.push_back(std::move(different));
  Row row{"memory", capacity, {}};
  for (uint32_t v = 0; v < variables; ++v) {
    Variable variable{"v" + std::to_string(v), {}, {}};
    for (uint32_t s = 0; s < numStates; ++s) {
      variable.states.push_back({"s" + std::to_string(s), s});
      row.uses.push_back({v, s, numStates - 1 - s});
    }
    parts.variables.push_back(std::move(variable));
    for (uint32_t other = 0; other < v; ++other)
      parts.pairs.push_back({other, v, 0, {}});
  }
  parts.rows.push_back(std::move(row));
  return makeProblem(std::move(parts));
}

} // namespace dmc::planner::test

#endif // DMC_TEST_UNIT_PLANNER_PROBLEMS_H
