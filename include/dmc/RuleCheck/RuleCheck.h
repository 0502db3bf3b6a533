//===- RuleCheck.h - Sharding rules against the interpreter -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries layouts on a small function of level 0 and compares its value with level
// 0's: what the verifier accepts must be right, what is right should be accepted.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RULECHECK_RULECHECK_H
#define DMC_RULECHECK_RULECHECK_H

#include "dmc/Interpreter/Interpreter.h"
#include "dmc/Layout/Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace dmc::rulecheck {

struct Options {
  /// Combinations of layouts to try on one axis, and to evaluate on several.
  size_t maxTried = 4000;
  size_t maxEvaluated = 400;
  /// Of those accepted, how many are brought to level 2 on each mesh.
  size_t maxLowered = 40;
  bool findMissing = true;
  uint64_t seed = 1;
  interpreter::Options interpreter = {};
};

struct Finding {
  enum class Kind {
    Wrong,     // accepted, but the value at level 1 differs or cannot be computed
    WrongRank, // the same at level 2
    Refused,   // accepted, but dmc-ranks refuses it
    Missing    // not accepted, but local computation gives the right value
  };
  Kind kind;
  std::string mesh;    // as `x=2,y=3`
  std::string layouts; // of all values
  /// What differs and on which inputs; for a missing rule what the verifier says.
  std::string detail;
  size_t count = 1; // of layouts with the same
};

/// What was tried on one function.
struct Report {
  std::string op; // what the function is about
  size_t tried = 0, accepted = 0, lowered = 0;
  std::vector<Finding> findings;
};

/// The operation that a function is about: the first that computes something, or
/// what the function's attribute `dmc.check` says.
std::string getCheckedOp(mlir::func::FuncOp instance);

/// Tries layouts on `mesh`, a function of level 0 on static tensors. Integer
/// arguments may have an attribute `dmc.range = array<i64: low, high>`. Failure: the
/// function has no value at level 0; an error is emitted.
mlir::LogicalResult checkInstance(mlir::func::FuncOp instance, const Mesh &mesh,
                                  const Options &options, Report &report);

} // namespace dmc::rulecheck

#endif // DMC_RULECHECK_RULECHECK_H
