//===- RuleCheckTest.cpp - Rules that are wrong or missing are found ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives operations of others rules that are not theirs.
//
//===----------------------------------------------------------------------===//
#include "dmc/RuleCheck/RuleCheck.h"

#include "dmc/Pipelines/InitAll.h"
#include "dmc/Sharding/ShardingRule.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace dmc;
using namespace dmc::rulecheck;

namespace {
/// Claims that parts of all operands, as they are, give the part of the result.
struct SplitsConcatenation
    : ShardingRuleOpInterface::ExternalModel<SplitsConcatenation, tensor::ConcatOp> {
  ShardingRule getShardingRule(Operation *op) const {
    ShardingRule rule;
    ValueFactors factors{{rule.addFactor(op->getNumOperands())}};
    rule.operands.assign(op->getNumOperands(), factors);
    rule.results = {factors};
    return rule;
  }
};

/// Claims that partial values may be concatenated with what is not partial.
struct MixesPartials : ShardingRuleOpInterface::ExternalModel<MixesPartials, tensor::ConcatOp> {
  ShardingRule getShardingRule(Operation *op) const {
    ShardingRule rule;
    for (size_t i = 0; i < op->getNumOperands(); ++i)
      rule.operands.push_back({{rule.addFactor(3, FactorKind::NeedsReplication)}});
    rule.results = {{{rule.addFactor(6, FactorKind::NeedsReplication)}}};
    return rule;
  }
  std::optional<SmallVector<std::optional<CombinerKind>>>
  getPartialResults(Operation *, const llvm::BitVector &, CombinerKind combiner) const {
    return SmallVector<std::optional<CombinerKind>>{combiner};
  }
};

/// Claims that a transpose needs all of its operand.
struct KeepsTransposeWhole
    : ShardingRuleOpInterface::ExternalModel<KeepsTransposeWhole, linalg::TransposeOp> {
  ShardingRule getShardingRule(Operation *op) const {
    ShardingRule rule;
    auto whole = [&] { return DimFactors{rule.addFactor(2, FactorKind::NeedsReplication)}; };
    rule.operands = {{whole(), whole()}, {whole(), whole()}};
    rule.results = {rule.operands.back()};
    return rule;
  }
};

class RuleCheckTest : public testing::Test {
protected:
  RuleCheckTest() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  Report check(const char *text, int64_t size) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    Report report;
    EXPECT_TRUE(module);
    if (module)
      for (auto function : module->getOps<func::FuncOp>())
        EXPECT_TRUE(succeeded(checkInstance(function, Mesh({{"x", size}}), Options(), report)));
    return report;
  }

  static bool has(const Report &report, Finding::Kind kind, llvm::StringRef layouts,
                  llvm::StringRef detail) {
    return llvm::any_of(report.findings, [&](const Finding &finding) {
      return finding.kind == kind && llvm::StringRef(finding.layouts).contains(layouts) &&
             llvm::StringRef(finding.detail).contains(detail);
    });
  }

  MLIRContext context;
};

const char *concat = R"(
  func.func @concat(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<6xf32> {
    %r = tensor.concat dim(0) %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    return %r : tensor<6xf32>
  })";

TEST_F(RuleCheckTest, FindsNothing) {
  Report report = check(concat, 2);
  EXPECT_EQ(report.op, "tensor.concat");
  EXPECT_GT(report.accepted, 5u);
  EXPECT_GT(report.lowered, 5u);
  for (const Finding &finding : report.findings)
    EXPECT_EQ(finding.kind, Finding::Kind::Missing) << finding.detail;
}

TEST_F(RuleCheckTest, FindsWrongFactor) {
  tensor::ConcatOp::attachInterface<SplitsConcatenation>(context);
  Report report = check(concat, 2);
  EXPECT_TRUE(has(report, Finding::Kind::Wrong,
                  "argument 0: [{\"x\"}]; argument 1: [{\"x\"}]; tensor.concat: [{\"x\"}]",
                  "needs element"));
}

TEST_F(RuleCheckTest, FindsWrongPartials) {
  tensor::ConcatOp::attachInterface<MixesPartials>(context);
  Report report = check(concat, 2);
  EXPECT_TRUE(has(report, Finding::Kind::Wrong, "argument 0: [{}], sum {\"x\"}; argument 1: [{}]",
                  "expected"));
}

TEST_F(RuleCheckTest, FindsMissingRule) {
  linalg::TransposeOp::attachInterface<KeepsTransposeWhole>(context);
  Report report = check(R"(
    func.func @transpose(%a: tensor<3x2xf32>) -> tensor<2x3xf32> {
      %e = tensor.empty() : tensor<2x3xf32>
      %r = linalg.transpose ins(%a : tensor<3x2xf32>) outs(%e : tensor<2x3xf32>) permutation = [1, 0]
      return %r : tensor<2x3xf32>
    })",
                        2);
  EXPECT_TRUE(has(report, Finding::Kind::Missing,
                  "argument 0: [{}, {\"x\"}]; tensor.empty: [{\"x\"}, {}]", "needs it whole"));
}

TEST_F(RuleCheckTest, RefusesFunctionsWithoutOperation) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> { return %a : tensor<3xf32> }", &context);
  ASSERT_TRUE(module);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) { message = d.str(); });
  Report report;
  EXPECT_TRUE(failed(
      checkInstance(*module->getOps<func::FuncOp>().begin(), Mesh({{"x", 2}}), Options(), report)));
  EXPECT_EQ(message, "expected an operation on tensors to check");
}
} // namespace
