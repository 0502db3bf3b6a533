//===- MemoryRowsTest.cpp - What a point holds in other layouts -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor that a rank has half of at a point: whether the point would hold all of it, were it in
// the layout in which each rank has all.
//
//===----------------------------------------------------------------------===//
#include "PlanFixture.h"

#include "Solve/MemoryRows.h"

using namespace mlir;
using namespace dmc;

namespace {

/// `makes` makes %t, %p is made next, then `reads` reads %t for %u, each of 4x8 on two ranks.
std::string makeProgram(const std::string &makes, const std::string &reads) {
  return R"mlir(module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
      arguments ["x" : tensor<4x8xf32, #rows>, "w" : tensor<8x8xf32, #r>],
      results ["y" : tensor<4x8xf32, #rows>, "z" : tensor<4x8xf32, #rows>]>} {
  func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>)
      -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %e = tensor.empty() : tensor<4x8xf32>
)mlir" + makes +
         R"mlir(
    %p = linalg.map { math.sin } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
)mlir" + reads +
         R"mlir(
    return %p, %u : tensor<4x8xf32>, tensor<4x8xf32>
  }
})mlir";
}

constexpr const char *product =
    R"mlir(%t = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>)
                     outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>)mlir";
constexpr const char *tangent =
    "%t = linalg.map { math.tanh } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)";
constexpr const char *exponential =
    "%u = linalg.map { math.exp } ins(%t : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)";

/// The most bytes that %t takes in the states of a row of the point at which `place` runs.
int64_t getMost(const std::string &program, llvm::StringRef maker, const char *place,
                unsigned number) {
  Plan plan(program);
  EXPECT_TRUE(plan.isDecided);
  if (!plan.isDecided)
    return 0;
  // What was decided is not asked for.
  for (Node &node : plan.graph->getNodes()) {
    node.isFixed = false;
    node.kept.clear();
  }
  unsigned value = plan.find(maker);
  MovePrices prices(*plan.plans, &plan.context);
  StatedChoice stated = stateChoice(*plan.graph, plan.entry, ProgramAttr::of(*plan.module),
                                    /*choosesBoundary=*/true, prices);
  EXPECT_TRUE(stated.problem) << stated.whyNot;
  PeakMemory peak;
  peak.bytes = 1000;
  peak.ops.push_back(plan.findOp(place, number));
  peak.versions.push_back({value, plan.graph->getValue(value).produced});
  EXPECT_EQ(getLocalBytes({4, 8}, peak.versions.front().layout, 4), 64);
  std::vector<MemoryRow> rows =
      makeRows(*stated.choice, {1000, {peak}, {}}, 900, stated.choice->getCurrent());
  int64_t most = 0;
  for (const RowOrigin::Use &use : rows.front().origin.uses)
    if (use.value == value)
      most = std::max(most, use.bytes);
  return most;
}

TEST(MemoryRows, WhatIsMadeBeforeAndReadBehindCountsInFull) {
  EXPECT_EQ(getMost(makeProgram(product, exponential), "linalg.matmul", "linalg.map", 0), 128);
}

TEST(MemoryRows, WhatThePointMakesOrReadsCountsAsItIs) {
  EXPECT_EQ(getMost(makeProgram(product, exponential), "linalg.matmul", "linalg.matmul", 0), 64);
  EXPECT_EQ(getMost(makeProgram(product, exponential), "linalg.matmul", "linalg.map", 1), 64);
}

/// It is fused with its only reader.
TEST(MemoryRows, WhatIsMadeElementByElementForOneUseCountsAsItIs) {
  EXPECT_EQ(getMost(makeProgram(tangent, exponential), "linalg.map", "linalg.map", 1), 64);
}

} // namespace
