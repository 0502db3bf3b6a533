//===- PlanSearchTest.cpp - What a search is asked and tells --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Progress while layouts are chosen as a problem, and searches that are interrupted.
//
//===----------------------------------------------------------------------===//
#include "PlanFixture.h"

using namespace mlir;
using namespace dmc;

namespace {

/// Layouts that no argument has but the first.
const char *const program = R"mlir(
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
      arguments ["x" : tensor<64x64xf32, #rows>, "w" : tensor<64x64xf32>],
      results ["y" : tensor<64x64xf32>]>} {
  func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x64xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    %y = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    %z = linalg.matmul ins(%w, %y : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %z : tensor<64x64xf32>
  }
})mlir";

/// Decides the program with a search, of which the summary is returned, or nothing after an error.
std::optional<PlanSummary> decide(PlanSearch search) {
  MLIRContext context(Plan::getRegistry());
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kLayouts + std::string(program), ParserConfig(&context));
  if (!module)
    return std::nullopt;
  std::optional<PlanSummary> summary;
  search.summary = &summary;
  PropagateLayoutsOptions options;
  options.solve = true;
  PassManager pm(&context);
  pm.addPass(createPropagateLayouts(options, /*record=*/nullptr, search));
  if (failed(pm.run(*module)))
    return std::nullopt;
  return summary;
}

TEST(PlanSearch, TellsHowFarItIs) {
  std::vector<PlanProgress> told;
  PlanSearch search;
  search.onProgress = [&](const PlanProgress &now) { told.push_back(now); };
  std::optional<PlanSummary> summary = decide(search);
  ASSERT_TRUE(summary);
  EXPECT_FALSE(summary->wasInterrupted);
  ASSERT_FALSE(told.empty());
  for (size_t i = 1; i < told.size(); ++i)
    EXPECT_GE(told[i].boundMs, told[i - 1].boundMs);
  ASSERT_TRUE(told.back().bestMs);
  EXPECT_GE(*told.back().bestMs, summary->boundMs);
  EXPECT_EQ(told.back().rounds, 0u);
  EXPECT_LE(told.back().getGap(), 1);
}

TEST(PlanSearch, HasAPlanOnceItIsInterrupted) {
  const std::atomic<bool> interrupt{true};
  PlanSearch search;
  search.interrupt = &interrupt;
  std::optional<PlanSummary> summary = decide(search);
  ASSERT_TRUE(summary);
  EXPECT_TRUE(summary->wasInterrupted);
  EXPECT_GT(summary->predictedMs, 0);
  EXPECT_LE(summary->boundMs, summary->predictedMs);
}

TEST(PlanSearch, AGapIsAShareOfTheBestPlan) {
  EXPECT_EQ((PlanProgress{std::nullopt, 3}).getGap(), 1);
  EXPECT_EQ((PlanProgress{4.0, 3}).getGap(), 0.25);
  // Uses that share a move are not in the problem: a plan may lie below the bound.
  EXPECT_EQ((PlanProgress{3.0, 4}).getGap(), 0);
}

} // namespace
