//===- RuleTextTest.cpp - Sharding rules as text --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the notation says, and what is said of texts that are wrong.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/RuleText.h"

#include "Parse.h"
#include "dmc/Sharding/Windows.h"

using namespace mlir;
using namespace dmc;

namespace {

using RuleTextTest = ShardingTest;

TEST_F(RuleTextTest, ProductsHaveAReduction) {
  parse(
      R"mlir(func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = dmc.custom_call "product" ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>)
      {rule = "([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k} need_replication={j}, custom", test} -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  })mlir");
  FailureOr<ShardingRule> rule = getShardingRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  ASSERT_EQ(rule->factors.size(), 3u);
  // In the order in which they are named.
  EXPECT_EQ(rule->factors[0].size, 4);
  EXPECT_EQ(rule->factors[1].size, 8);
  EXPECT_EQ(rule->factors[2].size, 6);
  EXPECT_EQ(rule->factors[0].kind, FactorKind::Parallel);
  EXPECT_EQ(rule->factors[1].kind, FactorKind::Reduction);
  EXPECT_EQ(rule->factors[1].combiner, CombinerKind::sum);
  EXPECT_EQ(rule->factors[2].kind, FactorKind::NeedsReplication);
  EXPECT_EQ(rule->operands[0], (ValueFactors{{0}, {1}}));
  EXPECT_EQ(rule->operands[1], (ValueFactors{{1}, {2}}));
  EXPECT_EQ(rule->operands[2], (ValueFactors{{0}, {2}}));
  EXPECT_EQ(rule->results[0], (ValueFactors{{0}, {2}}));
  EXPECT_FALSE(getPartialResults(ops[0], llvm::BitVector(3, true), CombinerKind::sum));
}

TEST_F(RuleTextTest, BlocksHaveOneSize) {
  parse(R"mlir(func.func @f(%a: tensor<12xf32>) -> tensor<12xf32> {
    %0 = dmc.custom_call "f" ins(%a : tensor<12xf32>) outs(%a : tensor<12xf32>) {rule = "([i]) -> ([i])", test} -> tensor<12xf32>
    return %0 : tensor<12xf32>
  })mlir");
  FailureOr<ShardingRule> rule = getShardingRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  EXPECT_TRUE(maySplit(rule->factors[0], {4}));
  EXPECT_TRUE(maySplit(rule->factors[0], {2, 3}));
  EXPECT_FALSE(maySplit(rule->factors[0], {5}));
  EXPECT_FALSE(maySplit(rule->factors[0], {4, 2}));
}

TEST_F(RuleTextTest, DimensionsOfSeveralFactors) {
  parse(R"mlir(func.func @f(%a: tensor<3x5x2xf32>, %c: tensor<15x4xf32>) -> tensor<15x4xf32> {
    %0 = dmc.custom_call "f" ins(%a : tensor<3x5x2xf32>) outs(%c : tensor<15x4xf32>)
      {rule = "([i, j_1, k]) -> ([ij_1, kl])", test} -> tensor<15x4xf32>
    return %0 : tensor<15x4xf32>
  })mlir");
  FailureOr<ShardingRule> rule = getShardingRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  ASSERT_EQ(rule->factors.size(), 4u);
  EXPECT_EQ(rule->factors[3].size, 2); // what is left
  EXPECT_EQ(rule->results[0], (ValueFactors{{0, 1}, {2, 3}}));
}

TEST_F(RuleTextTest, WithoutARuleNothingIsSplit) {
  parse(R"mlir(func.func @f(%a: tensor<4x8xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
    %0 = dmc.custom_call "f" ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) {test} -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })mlir");
  FailureOr<ShardingRule> rule = getShardingRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  ASSERT_EQ(rule->factors.size(), 3u);
  for (const Factor &factor : rule->factors)
    EXPECT_EQ(factor.kind, FactorKind::NeedsReplication);
  EXPECT_EQ(rule->operands[1], rule->results[0]);
}

TEST(CheckRule, Good) {
  for (const char *text :
       {"([i]) -> ([i])", "()->([i]) need_replication={i}", " ( [ ] , [i] )->([i],[i]) ",
        "([ij_12], [j_12])->([i, j_12]) {i=2, j_12=30}",
        "([i, j])->([k, l], []) {i=4, j=4, k=4, l=4} need_replication={i, j, k, l}, custom"})
    EXPECT_EQ(checkRule(text), "") << text;
}

TEST(CheckRule, Wrong) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "expected '(', found the end"},
      {"([i])", "expected '->', found the end"},
      {"([i]) => ([i])", "expected '->', found '=> ([i])'"},
      {"([i] [i]) -> ([i])", "expected ',' or ')', found '[i]) -> ([i]'"},
      {"([i j]) -> ([i])", "expected ',' or ']', found 'j]) -> ([i])"},
      {"([I]) -> ([I])", "expected a factor, as i or i_1, found 'I]) -> ([I])"},
      {"([i,]) -> ([i])", "expected a factor, as i or i_1, found ']) -> ([i])"},
      {"([i, i]) -> ([i])", "factor i stands twice among the dimensions of one tensor"},
      {"([i]) -> ([i]) {k=2}", "unknown factor k, expected one of i"},
      {"([i]) -> ([i]) {i=0}", "expected a size, 1 or more, of factor i"},
      {"([i]) -> ([i]) {i}", "expected '=', found '}'"},
      {"([i]) -> ([i]) reduction={k}", "unknown factor k, expected one of i"},
      {"([i]) -> ([i]) reduction={i}", "factor i is among reduction, but in result 0"},
      {"([i, k]) -> ([i]) reduction={k} need_replication={k}",
       "factor k is among both reduction and need_replication"},
      {"([i]) -> ([i]) permutation={i}",
       "expected reduction={...}, need_replication={...} or the end, found 'permutation='"},
      {"([i]) -> ([i]), other", "expected 'custom', found 'other'"},
      {"([i, k]) -> ([i])", "factor k is in no result; expected it in all of them, or among "
                            "reduction or need_replication"},
      {"([i]) -> ([i], [])", "factor i is in result 0, but not in result 1; expected it in all of "
                             "them, or among need_replication"},
  };
  for (auto [text, problem] : cases)
    EXPECT_EQ(checkRule(text).substr(0, std::string(problem).size()), problem) << text;
}

} // namespace
