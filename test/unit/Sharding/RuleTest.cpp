//===- RuleTest.cpp - Rules of linalg operations --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors, kinds and combiners read off indexing maps, iterator types and bodies; and what
// operations do to partial operands.
//
//===----------------------------------------------------------------------===//
#include "Parse.h"

#include <random>

using namespace mlir;
using namespace dmc;

namespace {

using RuleTest = ShardingTest;
using Kind = CombinerKind;

TEST_F(RuleTest, MatmulHasALoopEach) {
  parse(
      R"(func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = linalg.matmul {test} ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  })");
  FailureOr<ShardingRule> rule = getShardingRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  ASSERT_EQ(rule->factors.size(), 3u);
  EXPECT_EQ(rule->factors[0].size, 4);
  EXPECT_EQ(rule->factors[1].size, 6);
  EXPECT_EQ(rule->factors[2].size, 8);
  EXPECT_EQ(rule->factors[0].kind, FactorKind::Parallel);
  EXPECT_EQ(rule->factors[1].kind, FactorKind::Parallel);
  EXPECT_EQ(rule->factors[2].kind, FactorKind::Reduction);
  EXPECT_EQ(rule->factors[2].combiner, Kind::sum);
  EXPECT_EQ(rule->operands[0], (ValueFactors{{0}, {2}}));
  EXPECT_EQ(rule->operands[1], (ValueFactors{{2}, {1}}));
  EXPECT_EQ(rule->operands[2], (ValueFactors{{0}, {1}}));
  EXPECT_EQ(rule->results[0], (ValueFactors{{0}, {1}}));
  EXPECT_EQ(getDestinations(ops[0]), (SmallVector<std::optional<unsigned>>{2u}));
}

/// One reduction of `tensor<4x8xT>` along dimension 1 by a body that yields %r.
std::string reduction(const std::string &type, const std::string &body) {
  return "func.func @f(%a: tensor<4x8x" + type + ">, %c: tensor<4x" + type + ">) -> tensor<4x" +
         type + R"(> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"], test} ins(%a : tensor<4x8x)" +
         type + ">) outs(%c : tensor<4x" + type + R"(>) {
    ^bb0(%x: )" +
         type + ", %acc: " + type + "):\n" + body + "\nlinalg.yield %r : " + type +
         "\n} -> tensor<4x" + type + ">\nreturn %0 : tensor<4x" + type + ">\n}";
}

TEST_F(RuleTest, TheBodySaysTheCombiner) {
  struct {
    const char *type, *body;
    std::optional<Kind> combiner; // nothing: the loop needs replication
  } const cases[] = {
      {"f32", "%r = arith.addf %acc, %x : f32", Kind::sum},
      {"f32", "%r = arith.addf %x, %acc : f32", Kind::sum},
      {"f32", "%r = arith.mulf %x, %acc : f32", Kind::prod},
      {"f32", "%r = arith.maximumf %x, %acc : f32", Kind::max},
      {"f32", "%r = arith.minimumf %x, %acc : f32", Kind::min},
      {"f32", "%r = arith.subf %acc, %x : f32", Kind::sum},
      {"f32", "%r = arith.subf %x, %acc : f32", std::nullopt},
      {"f32", "%r = arith.divf %acc, %x : f32", std::nullopt},
      {"f32", "%r = arith.maxnumf %x, %acc : f32", std::nullopt},
      {"f32", "%y = math.exp %x : f32\n%r = arith.addf %acc, %y : f32", Kind::sum},
      {"f32", "%y = math.exp %acc : f32\n%r = arith.addf %x, %y : f32", std::nullopt},
      {"f32", "%y = arith.mulf %x, %acc : f32\n%r = arith.addf %acc, %y : f32", std::nullopt},
      {"f32", "%r = arith.addf %acc, %acc : f32", std::nullopt},
      {"i32", "%r = arith.addi %acc, %x : i32", Kind::sum},
      {"i32", "%r = arith.maxsi %acc, %x : i32", Kind::max},
      {"i32", "%r = arith.maxui %acc, %x : i32", std::nullopt},
      {"i32", "%r = arith.ori %acc, %x : i32", std::nullopt},
      {"i1", "%r = arith.ori %acc, %x : i1", Kind::max},
      {"i1", "%r = arith.andi %acc, %x : i1", Kind::min},
      {"i1", "%r = arith.maxsi %acc, %x : i1", Kind::min},
      {"i1", "%r = arith.addi %acc, %x : i1", std::nullopt},
  };
  for (const auto &test : cases) {
    parse(reduction(test.type, test.body));
    FailureOr<ShardingRule> rule = getShardingRule(ops[0]);
    ASSERT_TRUE(succeeded(rule)) << test.body;
    EXPECT_EQ(rule->factors[0].kind, FactorKind::Parallel) << test.body;
    EXPECT_EQ(rule->factors[1].kind,
              test.combiner ? FactorKind::Reduction : FactorKind::NeedsReplication)
        << test.body;
    EXPECT_EQ(rule->factors[1].combiner, test.combiner) << test.body;
  }
}

TEST_F(RuleTest, DiagonalsAndSumsOfLoopsAreWindows) {
  parse(
      R"(func.func @f(%a: tensor<5x5xf32>, %b: tensor<7xf32>, %k: tensor<3xf32>, %c: tensor<5xf32>, %d: tensor<5xf32>)
      -> (tensor<5xf32>, tensor<5xf32>) {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"], test}
        ins(%a : tensor<5x5xf32>) outs(%c : tensor<5xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<5xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, w) -> (i + w)>, affine_map<(i, w) -> (w)>, affine_map<(i, w) -> (i)>],
        iterator_types = ["parallel", "reduction"], test} ins(%b, %k : tensor<7xf32>, tensor<3xf32>) outs(%d : tensor<5xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %m = arith.mulf %x, %y : f32
      %s = arith.addf %m, %o : f32
      linalg.yield %s : f32
    } -> tensor<5xf32>
    return %0, %1 : tensor<5xf32>, tensor<5xf32>
  })");
  for (Operation *op : ops) {
    FailureOr<ShardingRule> rule = getShardingRule(op);
    ASSERT_TRUE(succeeded(rule));
    EXPECT_EQ(rule->factors[0].kind, FactorKind::Window);
    EXPECT_EQ(rule->results[0], (ValueFactors{{0}}));
  }
  FailureOr<ShardingRule> rule = getShardingRule(ops[1]);
  // The dimension of the operand is a factor of its own, which needs replication.
  unsigned dim = rule->operands[0][0].front();
  EXPECT_EQ(rule->factors[dim].size, 7);
  EXPECT_EQ(rule->factors[dim].kind, FactorKind::NeedsReplication);
}

TEST_F(RuleTest, ATensorReadByABodyNeedsReplication) {
  parse(
      R"(func.func @f(%t: tensor<8xf32>, %i: tensor<4xindex>, %c: tensor<4xf32>) -> tensor<4xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"], test}
        ins(%i : tensor<4xindex>) outs(%c : tensor<4xf32>) {
    ^bb0(%at: index, %o: f32):
      %x = tensor.extract %t[%at] : tensor<8xf32>
      linalg.yield %x : f32
    } -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })");
  FailureOr<ShardingRule> rule = getShardingRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  for (const Factor &factor : rule->factors)
    EXPECT_EQ(factor.kind, FactorKind::NeedsReplication);
  // The destination and the result are one array.
  EXPECT_EQ(rule->operands[1], rule->results[0]);
}

TEST_F(RuleTest, AReductionThatIndexesAResultNeedsReplication) {
  // Rows that have no part of a sum: no position would hold a partial value of the others.
  parse(R"(func.func @f(%a: tensor<4x8xf32>, %c: tensor<4xf32>, %d: tensor<8xf32>) {
    %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>],
        iterator_types = ["reduction", "reduction"], test} ins(%a : tensor<4x8xf32>) outs(%c, %d : tensor<4xf32>, tensor<8xf32>) {
    ^bb0(%x: f32, %p: f32, %q: f32):
      %r = arith.addf %p, %x : f32
      %s = arith.addf %q, %x : f32
      linalg.yield %r, %s : f32, f32
    } -> (tensor<4xf32>, tensor<8xf32>)
    return
  })");
  FailureOr<ShardingRule> rule = getShardingRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  ASSERT_EQ(rule->factors.size(), 2u);
  EXPECT_EQ(rule->factors[0].kind, FactorKind::NeedsReplication);
  EXPECT_EQ(rule->factors[1].kind, FactorKind::NeedsReplication);
}

TEST_F(RuleTest, FirstElementsStayWhereBlocksAreAlike) {
  parse(R"(func.func @f(%a: tensor<4x8x6xf32>) {
    %0 = tensor.extract_slice %a[0, 0, 1] [4, 7, 3] [1, 1, 1] {test} : tensor<4x8x6xf32> to tensor<4x7x3xf32>
    %1 = tensor.extract_slice %a[0, 0, 0] [4, 4, 0] [1, 2, 1] {test} : tensor<4x8x6xf32> to tensor<4x4x0xf32>
    return
  })");
  FailureOr<ShardingRule> rule = getShardingRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  // Whole, the first 7 of 8, and 3 from the second on.
  const Factor &whole = rule->factors[rule->results[0][0].front()];
  const Factor &first = rule->factors[rule->results[0][1].front()];
  const Factor &later = rule->factors[rule->results[0][2].front()];
  EXPECT_EQ(whole.kind, FactorKind::Parallel);
  EXPECT_TRUE(whole.alikeSizes.empty());
  EXPECT_EQ(first.kind, FactorKind::Parallel);
  EXPECT_EQ(first.size, 7);
  ASSERT_EQ(first.alikeSizes.size(), 1u);
  EXPECT_EQ(first.alikeSizes[0], 8);
  EXPECT_EQ(later.kind, FactorKind::NeedsReplication);
  EXPECT_EQ(rule->operands[0][0], rule->results[0][0]);
  EXPECT_EQ(rule->operands[0][1], rule->results[0][1]);
  EXPECT_NE(rule->operands[0][2], rule->results[0][2]);
  // Every second element, and none at all.
  rule = getShardingRule(ops[1]);
  ASSERT_TRUE(succeeded(rule));
  for (unsigned dim : {1, 2}) {
    EXPECT_EQ(rule->factors[rule->results[0][dim].front()].kind, FactorKind::NeedsReplication);
    EXPECT_NE(rule->operands[0][dim], rule->results[0][dim]);
  }
}

TEST_F(RuleTest, TruthValuesOfTwoPartialOperands) {
  // Or is the maximum and and the minimum, also of values that are partial under them.
  parse(R"(func.func @f(%p: tensor<4xi1>, %q: tensor<4xi1>) {
    %0 = linalg.map { arith.andi } ins(%p, %q : tensor<4xi1>, tensor<4xi1>) outs(%p : tensor<4xi1>) {test}
    %1 = linalg.map { arith.minui } ins(%p, %q : tensor<4xi1>, tensor<4xi1>) outs(%p : tensor<4xi1>) {test}
    %2 = linalg.map { arith.ori } ins(%p, %q : tensor<4xi1>, tensor<4xi1>) outs(%p : tensor<4xi1>) {test}
    %3 = linalg.map { arith.maxui } ins(%p, %q : tensor<4xi1>, tensor<4xi1>) outs(%p : tensor<4xi1>) {test}
    return
  })");
  for (unsigned i = 0; i < 4; ++i) {
    bool isAnd = i < 2;
    EXPECT_EQ(partials(ops[i], {0, 1}, Kind::min), isAnd ? "min" : "refused");
    EXPECT_EQ(partials(ops[i], {0, 1}, Kind::max), isAnd ? "refused" : "max");
    // Both keep the order of one operand.
    for (unsigned operand : {0, 1}) {
      EXPECT_EQ(partials(ops[i], {operand}, Kind::min), "min");
      EXPECT_EQ(partials(ops[i], {operand}, Kind::max), "max");
    }
    EXPECT_EQ(partials(ops[i], {0}, Kind::sum), "refused");
    EXPECT_EQ(partials(ops[i], {0, 1}, Kind::prod), "refused");
  }
}

TEST_F(RuleTest, TheAccumulatorHasTheCombinerOfTheResult) {
  parse(R"(func.func @f(%a: tensor<4x8xf32>, %c: tensor<4xf32>) {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"], test} ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %n = arith.negf %x : f32
      %r = arith.maximumf %acc, %n : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"], test} ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %n = arith.negf %acc : f32
      %r = arith.maximumf %n, %x : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    return
  })");
  // The maximum of negated values that are partial under min is partial under max: the
  // accumulator is that, too, and so is not jointly partial under min.
  EXPECT_EQ(partials(ops[0], {0, 1}, Kind::min), "refused");
  EXPECT_EQ(partials(ops[0], {1}, Kind::max), "max");
  // A result partial under min that a step reads as partial under max.
  EXPECT_EQ(partials(ops[1], {1}, Kind::max), "refused");
}

TEST_F(RuleTest, DynamicShapesHaveNoRule) {
  parse(R"(func.func @f(%a: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
    %0 = linalg.copy {test} ins(%a : tensor<?xf32>) outs(%c : tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  })");
  EXPECT_TRUE(failed(getShardingRule(ops[0])));
}

/// Random products of tensors: each dimension of each operand and of the result is the loop
/// that indexes it, and loops outside of the result are sums.
TEST_F(RuleTest, RandomContractions) {
  std::mt19937 random(7);
  const int64_t sizes[] = {2, 3, 5, 7};
  const char *const loops[] = {"a", "b", "c", "d"};
  for (unsigned trial = 0; trial < 60; ++trial) {
    // Which loops index lhs, rhs and result: every loop is in one operand at least.
    bool has[3][4];
    std::string types[3], maps[3];
    for (unsigned l = 0; l < 4; ++l) {
      has[0][l] = random() % 2;
      has[1][l] = !has[0][l] || random() % 2;
      has[2][l] = random() % 2;
    }
    std::vector<unsigned> order[3];
    for (unsigned v = 0; v < 3; ++v) {
      for (unsigned l = 0; l < 4; ++l)
        if (has[v][l])
          order[v].push_back(l);
      std::shuffle(order[v].begin(), order[v].end(), random);
      types[v] = "tensor<";
      for (unsigned l : order[v]) {
        types[v] += std::to_string(sizes[l]) + "x";
        maps[v] += (maps[v].empty() ? "" : ", ") + std::string(loops[l]);
      }
      types[v] += "f32>";
    }
    std::string text = "func.func @f(%x: " + types[0] + ", %y: " + types[1] + ", %z: " + types[2] +
                       ") -> " + types[2] + " {\n%0 = linalg.generic {indexing_maps = [";
    for (unsigned v = 0; v < 3; ++v)
      text += std::string(v ? ", " : "") + "affine_map<(a, b, c, d) -> (" + maps[v] + ")>";
    text += "], iterator_types = [";
    for (unsigned l = 0; l < 4; ++l)
      text += std::string(l ? ", " : "") + (has[2][l] ? "\"parallel\"" : "\"reduction\"");
    text += "], test} ins(%x, %y : " + types[0] + ", " + types[1] + ") outs(%z : " + types[2] +
            ") {\n^bb0(%p: f32, %q: f32, %acc: f32):\n%m = arith.mulf %p, %q : f32\n" +
            "%r = arith.addf %acc, %m : f32\nlinalg.yield %r : f32\n} -> " + types[2] +
            "\nreturn %0 : " + types[2] + "\n}";
    parse(text);
    FailureOr<ShardingRule> rule = getShardingRule(ops[0]);
    ASSERT_TRUE(succeeded(rule)) << text;
    ASSERT_EQ(rule->factors.size(), 4u) << text;
    for (unsigned l = 0; l < 4; ++l) {
      EXPECT_EQ(rule->factors[l].size, sizes[l]) << text;
      EXPECT_EQ(rule->factors[l].kind, has[2][l] ? FactorKind::Parallel : FactorKind::Reduction)
          << text;
    }
    for (unsigned v = 0; v < 3; ++v) {
      ValueFactors expected;
      for (unsigned l : order[v])
        expected.push_back({l});
      EXPECT_EQ(rule->operands[v], expected) << text;
      if (v == 2)
        EXPECT_EQ(rule->results[0], expected) << text;
    }
    // A product of a partial factor and a replicated one is partial; of two partial ones not.
    bool readsInit = llvm::any_of(has[2], [](bool isIndexed) { return !isIndexed; });
    if (!readsInit)
      continue;
    EXPECT_EQ(partials(ops[0], {0, 2}, Kind::sum), "sum") << text;
    EXPECT_EQ(partials(ops[0], {1, 2}, Kind::sum), "sum") << text;
    EXPECT_EQ(partials(ops[0], {0, 1, 2}, Kind::sum), "refused") << text;
    EXPECT_EQ(partials(ops[0], {0, 2}, Kind::max), "refused") << text;
    // The accumulator would be added once per device.
    EXPECT_EQ(partials(ops[0], {0}, Kind::sum), "refused") << text;
  }
}

TEST_F(RuleTest, NarrowingOfPartialSumsIsByPermission) {
  parse(R"(func.func @f(%a: tensor<4xf32>, %h: tensor<4xbf16>) {
    %0 = linalg.map { arith.truncf } ins(%a : tensor<4xf32>) outs(%h : tensor<4xbf16>) {test}
    %1 = linalg.map { arith.truncf } ins(%a : tensor<4xf32>) outs(%h : tensor<4xbf16>) {test, dmc.narrow_partials}
    return
  })");
  EXPECT_EQ(partials(ops[0], {0}, Kind::sum), "refused");
  EXPECT_EQ(partials(ops[1], {0}, Kind::sum), "sum");
  // Rounding keeps the order.
  EXPECT_EQ(partials(ops[0], {0}, Kind::max), "max");
  // No permission covers products.
  EXPECT_EQ(partials(ops[1], {0}, Kind::prod), "refused");
}

TEST_F(RuleTest, SeveralResultsAreJudgedEach) {
  parse(
      R"(func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %e: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"], test} ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32, %p: f32):
      %n = arith.negf %x : f32
      linalg.yield %n, %y : f32, f32
    } -> (tensor<4xf32>, tensor<4xf32>)
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
  })");
  EXPECT_EQ(partials(ops[0], {0}, Kind::sum), "sum -");
  EXPECT_EQ(partials(ops[0], {1}, Kind::sum), "- sum");
  EXPECT_EQ(partials(ops[0], {0, 1}, Kind::max), "min max");
  EXPECT_EQ(partials(ops[0], {}, Kind::max), "- -");
}

TEST_F(RuleTest, AQuestionLeavesTheProgramAsItIs) {
  parse(R"(func.func @f(%a: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
    %c = arith.constant 2.0 : f32
    %t = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"], test}
        ins(%a, %t : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%x: f32, %two: f32, %o: f32):
      %one = arith.constant 1.0 : f32
      %s = arith.addf %one, %two : f32
      %z = arith.addf %two, %one : f32
      %m = arith.mulf %s, %z : f32
      %r = arith.mulf %x, %m : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })");
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  };
  std::string before = print();
  EXPECT_EQ(partials(ops[0], {0}, Kind::max), "max");
  EXPECT_EQ(partials(ops[0], {0}, Kind::sum), "sum");
  EXPECT_EQ(print(), before);
}

} // namespace
