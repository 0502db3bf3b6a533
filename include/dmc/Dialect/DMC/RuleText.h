//===- RuleText.h - Sharding rules as text ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an operation that dmc does not know may be split, in the notation of Shardy's
// `sdy.op_sharding_rule`:
//
//   ([i, k], [k, j]) -> ([i, j]) {i=8} reduction={k} need_replication={j}
//
// A factor is a letter, or a letter with a number (i_1). Each dimension of each operand and
// result names its factor, or several, major to minor (ij). A factor that all results have is
// computed block by block. `reduction`: results, which do not have the factor, are added over
// its blocks. `need_replication`: never split. Sizes are needed where no dimension has the
// factor alone.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_RULETEXT_H
#define DMC_DIALECT_DMC_RULETEXT_H

#include "dmc/Dialect/DMC/ShardingRule.h"

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace dmc {

/// Among `alikeSizes` of a factor: a split cuts the factor itself into blocks of one size, so that
/// there is no padding. All factors of a text that may be split have it.
inline constexpr int64_t kOneSize = 0;

/// What is wrong with the text of a rule, whatever it is for; or nothing.
std::string checkRule(llvm::StringRef text);

/// Fills the rule of an operation on these tensors. Returns what is wrong, or nothing.
std::string readRule(llvm::StringRef text, mlir::ValueRange operands, mlir::ValueRange results,
                     ShardingRule &rule);

} // namespace dmc

#endif // DMC_DIALECT_DMC_RULETEXT_H
