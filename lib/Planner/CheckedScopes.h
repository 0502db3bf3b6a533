//===- CheckedScopes.h - Which tables name which variables ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_CHECKEDSCOPES_H
#define DMC_LIB_PLANNER_CHECKEDSCOPES_H

#include <cstdint>
#include <set>
#include <vector>

namespace dmc::planner {

/// The scopes of tables, by number, while variables are eliminated.
struct CheckedScopes {
  explicit CheckedScopes(size_t numVariables) : uses(numVariables), neighbours(numVariables) {}

  /// By variable: the tables that name it, and the other variables of these.
  std::vector<std::set<size_t>> uses;
  std::vector<std::set<uint32_t>> neighbours;

  void addTable(const std::vector<uint32_t> &scope, size_t table) {
    for (uint32_t variable : scope) {
      uses[variable].insert(table);
      for (uint32_t other : scope)
        if (other != variable)
          neighbours[variable].insert(other);
    }
  }
  void removeTable(const std::vector<uint32_t> &scope, size_t table) {
    for (uint32_t variable : scope)
      uses[variable].erase(table);
  }
  /// Others do not have the variable as a neighbour any more.
  void removeVariable(uint32_t variable) {
    for (uint32_t other : neighbours[variable])
      neighbours[other].erase(variable);
  }
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CHECKEDSCOPES_H
