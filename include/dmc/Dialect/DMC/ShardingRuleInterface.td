//===- ShardingRuleInterface.td - How an op may be split ---*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one query that verifier, propagation, search and cost ask.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_SHARDING_RULE_INTERFACE_TD
#define DMC_DIALECT_DMC_SHARDING_RULE_INTERFACE_TD

include "mlir/IR/OpBase.td"

def ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::dmc";
  let description = [{
    Says which factors (loops) an operation has, which dimension of which
    operand and result each indexes, and which partial operands it may take.
    Asks and never rewrites. Free functions `dmc::getShardingRule` and
    `dmc::getPartialResults` (Sharding/ShardingRule.h) also cover foreign ops.
  }];
  let methods = [
    InterfaceMethod<"The factors of the operation.",
      "::dmc::ShardingRule", "getShardingRule">,
    InterfaceMethod<[{
        The combiner of each result if exactly the operands in `partial` are
        partial under `combiner` on an axis on which all others are replicated;
        nothing where that would be wrong. An entry without value: that result
        is replicated.
      }],
      "std::optional<::llvm::SmallVector<std::optional<::dmc::CombinerKind>>>",
      "getPartialResults",
      (ins "const ::llvm::BitVector &":$partial, "::dmc::CombinerKind":$combiner),
      /*methodBody=*/"", /*defaultImplementation=*/"return std::nullopt;">
  ];
}

#endif // DMC_DIALECT_DMC_SHARDING_RULE_INTERFACE_TD
