//===- ApplyRules.cpp - Which calls are of kernels, and their rules -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule is checked where the call stands in the program, before anything else is
// done with it.
//
//===----------------------------------------------------------------------===//
#include "CustomCalls.h"
#include "dmc/Dialect/DMC/RuleText.h"
#include "dmc/Import/Passes.h"

#include "llvm/ADT/StringMap.h"

namespace dmc {
#define GEN_PASS_DEF_APPLYRULES
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// The text of Shardy's attribute, which the program has as it was written.
static std::string getShardyRule(stablehlo::CustomCallOp call) {
  Attribute attr = call->getAttr("sdy.sharding_rule");
  std::string text;
  if (attr)
    llvm::raw_string_ostream(text) << attr;
  StringRef rule = text;
  if (!rule.consume_front("#sdy.op_sharding_rule<") || !rule.consume_back(">"))
    return {};
  return rule.str();
}

/// What a kernel cannot do.
static LogicalResult checkCall(stablehlo::CustomCallOp call) {
  auto refuse = [&] {
    return unsupported(call) << "of the kernel '" << call.getCallTargetName() << "' ";
  };
  if (call.getHasSideEffect().value_or(false))
    return refuse() << "with side effects; expected a function of its operands";
  if (ArrayAttr called = call.getCalledComputationsAttr(); called && !called.empty())
    return refuse() << "with called computations; expected operands alone";
  if (ArrayAttr aliases = call.getOutputOperandAliasesAttr(); aliases && !aliases.empty())
    return refuse() << "with results in the place of operands; expected results of their own";
  if (call->getNumResults() == 0)
    return refuse() << "without results; expected one at least";
  for (auto [what, values] : {std::pair<StringRef, ValueRange>{"operand", call->getOperands()},
                              std::pair<StringRef, ValueRange>{"result", call->getResults()}})
    for (auto [i, value] : llvm::enumerate(values)) {
      if (!stablehlo::isTensorOf(value.getType(), stablehlo::kReal))
        return refuse() << "with " << what << " " << i << " of type " << value.getType()
                        << "; expected tensors of static shape of real numbers";
      if (cast<RankedTensorType>(value.getType()).getNumElements() == 0)
        return refuse() << "with " << what << " " << i << " without elements, " << value.getType();
    }
  for (auto [what, layouts] :
       {std::pair<StringRef, ArrayAttr>{"operand", call.getOperandLayoutsAttr()},
        std::pair<StringRef, ArrayAttr>{"result", call.getResultLayoutsAttr()}})
    for (auto [i, layout] : llvm::enumerate(layouts ? layouts.getValue() : ArrayRef<Attribute>())) {
      auto order = dyn_cast<DenseIntElementsAttr>(layout);
      bool isRowMajor = order.operator bool();
      int64_t next = isRowMajor ? order.getNumElements() : 0;
      for (const APInt &dim :
           order ? llvm::to_vector(order.getValues<APInt>()) : SmallVector<APInt>())
        isRowMajor &= dim.getSExtValue() == --next;
      if (!isRowMajor)
        return refuse() << "with " << what << " " << i << " in the order " << layout
                        << "; expected row-major arrays, whose last dimension is the first of it";
    }
  return success();
}

namespace {
struct ApplyRules : dmc::impl::ApplyRulesBase<ApplyRules> {
  using ApplyRulesBase::ApplyRulesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ProgramAttr program = ProgramAttr::of(module);
    if (program && program.getLevel() != Level::tensor && program.getLevel() != Level::ranks)
      return markAllAnalysesPreserved();
    llvm::StringMap<StringRef> rules;
    for (const std::string &kernel : kernels) {
      auto [name, rule] = StringRef(kernel).split('=');
      rules[name.trim()] = rule.trim();
    }
    WalkResult walk = module.walk([&](stablehlo::CustomCallOp call) {
      auto given = rules.find(call.getCallTargetName());
      if (given != rules.end()) {
        std::string rule = given->second.str();
        if (rule.empty())
          rule = getShardyRule(call);
        call->setAttr(kRuleAttrName, StringAttr::get(&getContext(), rule));
      }
      auto rule = call->getAttrOfType<StringAttr>(kRuleAttrName);
      return !rule || succeeded(check(call, rule.getValue())) ? WalkResult::advance()
                                                              : WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  static LogicalResult check(stablehlo::CustomCallOp call, StringRef text) {
    if (failed(checkCall(call)))
      return failure();
    call->removeAttr("sdy.sharding_rule");
    ShardingRule rule;
    std::string problem =
        text.empty() ? "" : readRule(text, call->getOperands(), call->getResults(), rule);
    if (problem.empty())
      return success();
    return call->emitError() << "the rule of the kernel '" << call.getCallTargetName() << "', \""
                             << text << "\", does not fit: " << problem;
  }
};
} // namespace
