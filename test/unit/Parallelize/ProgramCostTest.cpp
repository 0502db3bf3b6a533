//===- ProgramCostTest.cpp - Prices of plans ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes worked out by hand: on two ranks, gathering or exchanging n bytes sends n / 2, reducing
// them n. A tensor<4x8xf32> has 128 bytes.
//
//===----------------------------------------------------------------------===//
#include "PlanFixture.h"

using namespace mlir;
using namespace dmc;

namespace {

constexpr double kGathered = 64, kExchanged = 32, kReduced = 128;

std::string makeProgram(const std::string &results, const std::string &body) {
  return R"mlir(module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
      arguments ["x" : tensor<4x8xf32, #rows>], results [)mlir" +
         results + R"mlir(]>} {
  func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %e = tensor.empty() : tensor<4x8xf32>)mlir" +
         body + "\n  }\n}";
}

TEST(ProgramCost, NothingMovesWhereLayoutsAgree) {
  Plan plan(makeProgram(R"("y" : tensor<4x8xf32, #rows>)", R"mlir(
    %y = linalg.map { math.tanh } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
    return %y : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.getBytes(), 0);
}

TEST(ProgramCost, UsesInOneLayoutShareAMove) {
  Plan plan(makeProgram(R"("y" : tensor<4x8xf32, #r>)", R"mlir(
    %y = linalg.map { math.tanh } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
    %c = dmc.constrain %y : tensor<4x8xf32> to #r priority [1, 1] allow forward
    return %y : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.getBytes(), kGathered);
}

TEST(ProgramCost, ConstraintsThereAndBackMoveNothing) {
  Plan plan(makeProgram(R"("y" : tensor<4x8xf32, #rows>)", R"mlir(
    %c = dmc.constrain %x : tensor<4x8xf32> to #columns
    %d = dmc.constrain %c : tensor<4x8xf32> to #rows
    %y = linalg.map { math.tanh } ins(%d : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
    return %y : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.getBytes(), 0);
}

TEST(ProgramCost, AConstraintWithoutUsesMovesNothing) {
  Plan plan(makeProgram(R"("y" : tensor<4x8xf32, #rows>)", R"mlir(
    %c = dmc.constrain %x : tensor<4x8xf32> to #r
    return %x : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.getBytes(), 0);
}

TEST(ProgramCost, EqualConstraintsShareMoves) {
  Plan plan(R"mlir(module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
      arguments ["x" : tensor<4x8xf32, #rows>], results ["u" : tensor<4x8xf32, #columns>,
      "v" : tensor<4x8xf32, #r>, "w" : tensor<4x8xf32, #r>]>} {
  func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
    %c = dmc.constrain %x : tensor<4x8xf32> to #columns
    %d = dmc.constrain %x : tensor<4x8xf32> to #columns
    return %c, %c, %d : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
})mlir");
  ASSERT_TRUE(plan.isDecided);
  // To columns, and once to what is replicated.
  EXPECT_EQ(plan.getBytes(), kExchanged + kGathered);
}

TEST(ProgramCost, WindowsBehindASliceThatIsReturnedAreThoseOfWhatItIsOf) {
  // Each rank has all of x, though only its columns of the slice.
  Plan plan(R"mlir(module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
      arguments ["x" : tensor<4x8xf32, #r>], results ["s" : tensor<4x6xf32, #columns>,
      "t" : tensor<4x4xf32, #columns>]>} {
  func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x4xf32>) {
    %s = tensor.extract_slice %x[0, 1] [4, 6] [1, 1] : tensor<4x8xf32> to tensor<4x6xf32>
    %t = tensor.extract_slice %s[0, 2] [4, 4] [1, 1] : tensor<4x6xf32> to tensor<4x4xf32>
    return %s, %t : tensor<4x6xf32>, tensor<4x4xf32>
  }
})mlir");
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.getBytes(), 0);
}

/// What a program sends on four ranks x and y: a vector of 32 numbers arrives in parts over both.
TrafficByCollective getTraffic(const std::string &results, const std::string &body) {
  Plan plan(R"mlir(#grid = #dmc.mesh<"x" = 2, "y" = 2>
#both = #dmc.layout<#grid, [{"x", "y"}]>
#first = #dmc.layout<#grid, [{"x"}]>
#second = #dmc.layout<#grid, [{"y"}]>
#all = #dmc.layout<#grid, [{}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #grid,
      arguments ["x" : tensor<32xf32, #both>], results [)mlir" +
            results + "]>} {\n  func.func @main(%x: tensor<32xf32>) " + body + "\n}");
  EXPECT_TRUE(plan.isDecided);
  return plan.isDecided ? ProgramCost(*plan.graph).getTraffic() : TrafficByCollective();
}

TEST(ProgramCost, MovesBetweenWhichNothingTakesTheTensorAreOne) {
  TrafficByCollective traffic =
      getTraffic(R"("u" : tensor<32xf32, #all>, "v" : tensor<32xf32, #second>)",
                 R"mlir(-> (tensor<32xf32>, tensor<32xf32>) {
    %c = dmc.constrain %x : tensor<32xf32> to #first
    return %c, %c : tensor<32xf32>, tensor<32xf32>
  })mlir");
  // To the constraint's layout and on from there; the second result is a part of the first.
  ASSERT_EQ(traffic.getRows().size(), 1u);
  EXPECT_EQ(traffic.getRows().front().kind, CollectiveKind::AllGather);
  EXPECT_EQ(traffic.getRows().front().axes.size(), 2u);
  EXPECT_EQ(traffic.getRows().front().bytes, 96);
}

TEST(ProgramCost, MovesToWhatIsUsedInBetweenAreTwo) {
  TrafficByCollective traffic = getTraffic(
      R"("u" : tensor<32xf32, #all>, "v" : tensor<32xf32, #second>, "w" : tensor<32xf32, #first>)",
      R"mlir(-> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) {
    %c = dmc.constrain %x : tensor<32xf32> to #first
    return %c, %c, %c : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
  })mlir");
  EXPECT_EQ(traffic.getRows().size(), 2u);
}

TEST(ProgramCost, WindowsBehindAConstraintAreThoseOfWhatItIsOn) {
  // Each rank has 16 elements of both vectors, one behind the other: those of others are sent,
  // since no rank has all of the vector.
  auto getRows = [](const std::string &operand) {
    TrafficByCollective traffic =
        getTraffic(R"("u" : tensor<64xf32, #both>)", R"mlir(-> tensor<64xf32> {
    %c = dmc.constrain %x : tensor<32xf32> to #all
    %p = tensor.concat dim(0) )mlir" + operand +
                                                         R"mlir(, %x
        : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
    return %p : tensor<64xf32>
  })mlir");
    return traffic.getRows().vec();
  };
  std::vector<CollectiveTraffic> constrained = getRows("%c"), direct = getRows("%x");
  ASSERT_EQ(direct.size(), 1u);
  EXPECT_EQ(direct.front().kind, CollectiveKind::Permute);
  ASSERT_EQ(constrained.size(), 1u);
  EXPECT_EQ(constrained.front().kind, CollectiveKind::Permute);
  EXPECT_EQ(constrained.front().bytes, direct.front().bytes);
}

TEST(ProgramCost, AConstrainedConstantIsMadeAsItIsWanted) {
  Plan plan(makeProgram(R"("y" : tensor<4x8xf32, #rows>)", R"mlir(
    %one = arith.constant dense<1.0> : tensor<4x8xf32>
    %c = dmc.constrain %one : tensor<4x8xf32> to #columns priority [1, 1] allow none
    %y = linalg.map { arith.addf } ins(%x, %c : tensor<4x8xf32>, tensor<4x8xf32>)
        outs(%e : tensor<4x8xf32>)
    return %y : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.getBytes(), 0);
}

TEST(ProgramCost, TakesTheMachineOfThePlans) {
  RankRates slow;
  slow.link = 1;
  slow.latency = 1000;
  std::string text = makeProgram(R"("y" : tensor<4x8xf32, #r>)", R"mlir(
    return %x : tensor<4x8xf32>)mlir");
  Plan plan(text, slow), usual(text);
  ASSERT_TRUE(plan.isDecided && usual.isDecided);
  EXPECT_DOUBLE_EQ(ProgramCost(*plan.graph).getTotal().seconds, kGathered + 1000);
  EXPECT_DOUBLE_EQ(ProgramCost(*usual.graph).getTotal().seconds, kGathered / 1e9 + 1e-7);
}

constexpr const char *kArgument = R"(arguments ["x" : tensor<4x8xf32, #rows>])";
constexpr const char *kTwoArguments =
    R"(arguments ["x" : tensor<4x8xf32, #rows>, "k" : tensor<4x8xf32, #rows>])";

std::string results(const std::string &layout) {
  return ", results [\"y\" : tensor<4x8xf32, " + layout + ">]";
}

TEST(ProgramCost, AMoveBehindALoopIsMadeOnce) {
  Plan plan(makeLoop(kArgument + results("#r"), "%x: tensor<4x8xf32>", "%x", R"mlir(
      %w = linalg.map { math.tanh } ins(%v : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      scf.yield %w : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.getBytes(), kGathered);
}

TEST(ProgramCost, AMoveInALoopIsMadeInEachIteration) {
  Plan plan(makeLoop(kArgument + results("#rows"), "%x: tensor<4x8xf32>", "%x", R"mlir(
      %c = dmc.constrain %v : tensor<4x8xf32> to #columns priority [1, 1] allow forward
      %t = linalg.map { math.tanh } ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      %d = dmc.constrain %t : tensor<4x8xf32> to #columns priority [1, 1]
      %w = linalg.map { arith.addf } ins(%v, %v : tensor<4x8xf32>, tensor<4x8xf32>)
          outs(%e : tensor<4x8xf32>)
      %u = linalg.map { arith.addf } ins(%w, %d : tensor<4x8xf32>, tensor<4x8xf32>)
          outs(%e : tensor<4x8xf32>)
      scf.yield %u : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  // There and back.
  EXPECT_EQ(plan.getBytes(), 4 * 2 * kExchanged);
}

TEST(ProgramCost, AMoveOfWhatTheLoopDoesNotChangeIsMadeOnce) {
  Plan plan(makeLoop(kTwoArguments + results("#rows"), "%x: tensor<4x8xf32>, %k: tensor<4x8xf32>",
                     "%x", R"mlir(
      %t = linalg.map { math.exp } ins(%k : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      %p = dmc.constrain %t : tensor<4x8xf32> to #rows priority [1, 1]
      %c = dmc.constrain %p : tensor<4x8xf32> to #columns priority [1, 1] allow forward
      %s = linalg.map { math.tanh } ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      %d = dmc.constrain %s : tensor<4x8xf32> to #columns priority [1, 1]
      %w = linalg.map { arith.addf } ins(%v, %d : tensor<4x8xf32>, tensor<4x8xf32>)
          outs(%e : tensor<4x8xf32>)
      scf.yield %w : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.getBytes(), 2 * kExchanged);
}

TEST(ProgramCost, AMoveThatTheNextIterationUndoesIsMadeOnce) {
  Plan plan(makeLoop(kArgument + results("#rows"), "%x: tensor<4x8xf32>", "%x", R"mlir(
      %c = dmc.constrain %v : tensor<4x8xf32> to #columns priority [1, 1] allow forward
      %t = linalg.map { math.tanh } ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      %d = dmc.constrain %t : tensor<4x8xf32> to #columns priority [1, 1]
      scf.yield %d : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.getBytes(), 2 * kExchanged);
}

TEST(ProgramCost, ASumThatTheLoopAddsUpIsReducedOnce) {
  Plan plan(R"mlir(module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
      arguments ["x" : tensor<4x32xf32, #rows>, "a" : tensor<32xf32, #vector>],
      results ["y" : tensor<32xf32, #vector>]>} {
  func.func @main(%x: tensor<4x32xf32>, %a: tensor<32xf32>) -> tensor<32xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %e2 = tensor.empty() : tensor<4x32xf32>
    %s:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %a, %u = %x)
        -> (tensor<32xf32>, tensor<4x32xf32>) {
      %n = linalg.map { math.tanh } ins(%u : tensor<4x32xf32>) outs(%e2 : tensor<4x32xf32>)
      %p = linalg.reduce { arith.addf } ins(%n : tensor<4x32xf32>) outs(%z : tensor<32xf32>)
          dimensions = [0]
      %w = linalg.map { arith.addf } ins(%v, %p : tensor<32xf32>, tensor<32xf32>)
          outs(%e : tensor<32xf32>)
      scf.yield %w, %n : tensor<32xf32>, tensor<4x32xf32>
    }
    return %s#0 : tensor<32xf32>
  }
})mlir");
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.getBytes(), kReduced);
}

} // namespace
