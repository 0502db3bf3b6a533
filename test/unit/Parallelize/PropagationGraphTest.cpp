//===- PropagationGraphTest.cpp - Nodes and values of programs ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is one value, and how often its moves are executed.
//
//===----------------------------------------------------------------------===//
#include "PlanFixture.h"

using namespace mlir;
using namespace dmc;

namespace {

constexpr const char *kOneArgument = R"(arguments ["x" : tensor<4x8xf32, #rows>],
    results ["y" : tensor<4x8xf32, #rows>])";
constexpr const char *kTanh = R"mlir(
      %w = linalg.map { math.tanh } ins(%v : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      scf.yield %w : tensor<4x8xf32>)mlir";

TEST(PropagationGraph, LoopResultIsWhatTheLoopCarries) {
  Plan plan(makeLoop(kOneArgument, "%x: tensor<4x8xf32>", "%x", kTanh));
  ASSERT_TRUE(plan.isDecided);
  auto loop = cast<scf::ForOp>(plan.findOp("scf.for"));
  EXPECT_EQ(plan.graph->getNumber(loop.getResult(0)),
            plan.graph->getNumber(loop.getRegionIterArg(0)));
  EXPECT_NE(plan.graph->getNumber(loop.getResult(0)), plan.find("linalg.map"));
}

TEST(PropagationGraph, LoopMultipliesRepeatsButNotBehindIt) {
  Plan plan(makeLoop(kOneArgument, "%x: tensor<4x8xf32>", "%x", kTanh));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.graph->getValue(plan.find("linalg.map")).repeats, 4);
  const TensorInfo &carried = plan.graph->getValue(plan.find("scf.for"));
  EXPECT_EQ(carried.repeats, 4);
  EXPECT_EQ(carried.resultRepeats, 1);
  EXPECT_FALSE(
      plan.graph->getValue(plan.graph->getNumber(plan.entry.getArgument(0))).resultRepeats);
}

TEST(PropagationGraph, WhatTheLoopDoesNotChangeIsMovedInFrontOfIt) {
  Plan plan(makeLoop(R"(arguments ["x" : tensor<4x8xf32, #rows>, "k" : tensor<4x8xf32, #rows>],
    results ["y" : tensor<4x8xf32, #rows>])",
                     "%x: tensor<4x8xf32>, %k: tensor<4x8xf32>", "%x", R"mlir(
      %t = linalg.map { math.exp } ins(%k : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      %u = linalg.map { math.sin } ins(%t : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      %w = linalg.map { arith.addf } ins(%v, %u : tensor<4x8xf32>, tensor<4x8xf32>)
          outs(%e : tensor<4x8xf32>)
      scf.yield %w : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(plan.graph->getValue(plan.find("linalg.map", 1)).repeats, 1);
  EXPECT_EQ(plan.graph->getValue(plan.find("linalg.map", 1)).hoistedFrom, plan.findOp("scf.for"));
  EXPECT_EQ(plan.graph->getValue(plan.find("linalg.map", 2)).repeats, 4);
  EXPECT_EQ(plan.graph->getValue(plan.find("linalg.map", 2)).hoistedFrom, nullptr);
}

TEST(PropagationGraph, FillsAndDestinationsAreLayoutAgnostic) {
  Plan plan(makeLoop(kOneArgument, "%x: tensor<4x8xf32>", "%x", kTanh));
  ASSERT_TRUE(plan.isDecided);
  EXPECT_FALSE(plan.graph->has(plan.findOp("tensor.empty")->getResult(0)));
  for (const Node &node : plan.graph->getNodes())
    if (node.op->getName().getStringRef() == "linalg.map") {
      EXPECT_EQ(node.operands.back(), Node::kLayoutAgnostic);
    }
}

} // namespace
