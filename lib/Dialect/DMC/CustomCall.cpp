//===- CustomCall.cpp - Calls of kernels by name --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Check numbers are those of the operation's documentation.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/CustomCall.h"
#include "dmc/Dialect/DMC/RuleText.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dmc;

#define GET_OP_CLASSES
#include "dmc/Dialect/DMC/CustomCallOps.cpp.inc"

LogicalResult CustomCallOp::verify() {
  if (getResults().empty()) // custom_call_c1; the interface compares types with destinations
    return emitOpError("expected at least one result");
  size_t count = getInputs().size() + getResults().size(); // custom_call_c2
  if (auto areUnsigned = getAreUnsigned(); areUnsigned && areUnsigned->size() != count)
    return emitOpError("expected 'are_unsigned' to have ")
           << count << " entries, found " << areUnsigned->size();
  if (std::optional<StringRef> text = getRule()) { // custom_call_c3
    ShardingRule rule;
    if (std::string problem = readRule(*text, getInputs(), getResults(), rule); !problem.empty())
      return emitOpError("with rule \"") << *text << "\": " << problem;
  }
  return success();
}

ShardingRule CustomCallOp::getShardingRule() {
  ShardingRule rule;
  std::string problem = "none";
  if (std::optional<StringRef> text = getRule())
    problem = readRule(*text, getInputs(), getResults(), rule);
  if (!problem.empty()) {
    // Without a rule every position needs everything; a wrong one the verifier has refused.
    rule = {};
    auto add = [&](Value value) {
      ValueFactors factors;
      for (int64_t size : cast<RankedTensorType>(value.getType()).getShape())
        factors.push_back({rule.addFactor(size, FactorKind::NeedsReplication)});
      return factors;
    };
    for (Value input : getInputs())
      rule.operands.push_back(add(input));
    for (Value result : getResults())
      rule.results.push_back(add(result));
  }
  rule.operands.append(rule.results.begin(), rule.results.end()); // the destinations
  return rule;
}

/// Nothing is known of sums of its results.
std::optional<SmallVector<std::optional<CombinerKind>>>
CustomCallOp::getPartialResults(const llvm::BitVector &, CombinerKind) {
  return std::nullopt;
}
