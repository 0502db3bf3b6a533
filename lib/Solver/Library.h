//===- Library.h - A solver that is loaded at run time ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_SOLVER_LIBRARY_H
#define DMC_LIB_SOLVER_LIBRARY_H

#include "dmc/Solver/Solver.h"

#include <string>
#include <utility>
#include <vector>

namespace dmc::solver {

/// A shared library, open until the process ends: its threads would lose their code.
class Library {
public:
  /// Opens the `chosen` file, which is the value of the environment's `variable`; if that is null
  /// or empty, the first of `names` that the system's loader finds. Says in `error` what was looked
  /// for.
  static std::optional<Library> open(const char *variable, const char *chosen,
                                     const std::vector<std::string> &names, std::string &error);
  /// Sets a pointer to the function of that name; false and `error` if there is none.
  template <typename Function>
  bool find(const char *name, Function *&function, std::string &error) const {
    function = reinterpret_cast<Function *>(address(name, error));
    return function;
  }

private:
  Library(void *handle, std::string file) : handle_(handle), file_(std::move(file)) {}
  void *address(const char *name, std::string &error) const;

  void *handle_;
  std::string file_;
};

/// The coefficients of all rows, one after another: row i has those from starts[i] to
/// starts[i + 1] - 1.
struct RowMajor {
  std::vector<int32_t> starts, columns;
  std::vector<double> values;
  explicit RowMajor(const LinearProblem &problem);
};

/// Sets integers to what they are nearly, which solvers return within their tolerance, and the
/// objective to that of the values.
void finish(const LinearProblem &problem, Result &result);

std::unique_ptr<Solver> makeHighs(std::string &error);
std::unique_ptr<Solver> makeCbc(std::string &error);
std::unique_ptr<Solver> makeOwn();

} // namespace dmc::solver

#endif // DMC_LIB_SOLVER_LIBRARY_H
