//===- RefinementTest.cpp - The local search over decided layouts ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A change is kept if the program gets faster, and undone as a whole otherwise.
//
//===----------------------------------------------------------------------===//
#include "PlanFixture.h"

#include "PlanEdit.h"
#include "Trial.h"

#include <random>
#include <set>

using namespace mlir;
using namespace dmc;

namespace {

/// One value that three operations take; `sizes` are those of its dimensions.
std::string makeUses(const std::string &resultLayout) {
  return R"mlir(module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
      arguments ["x" : tensor<64x64xf32, #rows>], results ["y" : tensor<64x64xf32, )mlir" +
         resultLayout + R"mlir(>]>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %e = tensor.empty() : tensor<64x64xf32>
    %c = dmc.constrain %x : tensor<64x64xf32> to #columns allow forward
    %t = linalg.map { math.tanh } ins(%c : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
    %u = linalg.map { math.exp } ins(%t : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
    return %u : tensor<64x64xf32>
  }
})mlir";
}

std::vector<Assignment> getAssignments(Propagation &graph) {
  std::vector<Assignment> assignments;
  for (const Node &node : graph.getNodes())
    assignments.push_back(node.assignment);
  return assignments;
}

TEST(Refinement, NeverMakesAPlanSlower) {
  for (const char *layout : {"#rows", "#columns", "#r"}) {
    Plan plan(makeUses(layout));
    ASSERT_TRUE(plan.isDecided);
    double before = ProgramCost(*plan.graph).getTotal().seconds;
    plan.graph->refine();
    EXPECT_LE(ProgramCost(*plan.graph).getTotal().seconds, before) << layout;
  }
}

TEST(Refinement, LeavesAPlanThatIsBest) {
  Plan plan(makeUses("#columns"));
  ASSERT_TRUE(plan.isDecided);
  std::vector<Assignment> before = getAssignments(*plan.graph);
  plan.graph->refine();
  EXPECT_EQ(getAssignments(*plan.graph), before);
}

TEST(Refinement, ATrialLeavesNoTrace) {
  Plan plan(makeUses("#rows"));
  ASSERT_TRUE(plan.isDecided);
  Propagation &graph = *plan.graph;
  std::vector<Assignment> before = getAssignments(graph);
  Cost cost = ProgramCost(graph).getTotal();
  unsigned value = plan.find("linalg.map");
  Trial trial(graph);
  trial.setSharding(value, graph.getValue(plan.find("linalg.map", 1)).sharding);
  trial.flow(value, Trial::Reach::All);
  (void)trial.end("elsewhere");
  EXPECT_EQ(getAssignments(graph), before);
  EXPECT_EQ(ProgramCost(graph).getTotal().seconds, cost.seconds);
  EXPECT_EQ(ProgramCost(graph).getTotal().bytes, cost.bytes);
}

TEST(Refinement, PricesOfATrialAreThoseOfTheProgram) {
  // A move that a loop undoes is priced at two values: a trial of one of them counts both.
  Plan plan(makeLoop(R"(arguments ["x" : tensor<4x8xf32, #rows>],
      results ["y" : tensor<4x8xf32, #rows>])",
                     "%x: tensor<4x8xf32>", "%x", R"mlir(
      %c = dmc.constrain %v : tensor<4x8xf32> to #columns priority [1, 1] allow forward
      %t = linalg.map { math.tanh } ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      scf.yield %t : tensor<4x8xf32>)mlir"));
  ASSERT_TRUE(plan.isDecided);
  Propagation &graph = *plan.graph;
  unsigned number = 0;
  while (graph.getNodes()[number].op != plan.findOp("linalg.map"))
    ++number;
  Node &node = graph.getNodes()[number];
  Cost before = ProgramCost(graph).getTotal();
  Assignment whole(node.assignment.size());
  Trial trial(graph);
  trial.assign(number, whole);
  Cost then = ProgramCost(graph).getTotal();
  std::optional<Alternative> alternative = trial.end("replicated");
  ASSERT_TRUE(alternative);
  EXPECT_NEAR(alternative->then.total() - alternative->now.total(), then.seconds - before.seconds,
              1e-12);
  EXPECT_EQ(alternative->then.bytes - alternative->now.bytes, then.bytes - before.bytes);
}

TEST(Refinement, KeepsWithinTheCapacity) {
  RankRates rates;
  std::string text = makeUses("#r");
  Plan free(text);
  ASSERT_TRUE(free.isDecided);
  rates.capacity = estimatePeakBytes(*free.graph);
  Plan plan(text, rates);
  ASSERT_TRUE(plan.isDecided);
  plan.graph->refine();
  EXPECT_LE(estimatePeakBytes(*plan.graph), rates.capacity);
}

TEST(MemoryEstimate, CountsWhatIsDecidedOfTheBoundary) {
  // Nothing is said of "w": it is decided to be split as "x" is.
  Plan plan(R"mlir(module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
      arguments ["x" : tensor<64x64xf32, #rows>, "w" : tensor<64x64xf32>],
      results ["y" : tensor<64x64xf32, #rows>]>} {
  func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %e = tensor.empty() : tensor<64x64xf32>
    %y = linalg.map { arith.addf } ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%e : tensor<64x64xf32>)
    return %y : tensor<64x64xf32>
  }
})mlir");
  ASSERT_TRUE(plan.isDecided);
  EXPECT_EQ(estimatePeakBytes(*plan.graph), 3 * 64 * 64 * 4 / 2);
}

TEST(MemoryEstimate, WhatIsKeptUpToDateIsWhatIsEstimatedAnew) {
  struct Edit : PlanEdit {
    using PlanEdit::getTouched, PlanEdit::undo, PlanEdit::keep;
    using PlanEdit::PlanEdit;
  };
  // Behind its barrier "x" is the argument itself as long as both are split alike.
  Plan plan(R"mlir(module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
      arguments ["x" : tensor<64x64xf32, #rows>], results ["y" : tensor<64x64xf32, #rows>]>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %e = tensor.empty() : tensor<64x64xf32>
    %t = linalg.map { math.tanh } ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
    %b = dmc.optimization_barrier %x : tensor<64x64xf32>
    %d = dmc.optimization_barrier %b : tensor<64x64xf32>
    %u = linalg.map { arith.addf } ins(%t, %d : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%e : tensor<64x64xf32>)
    %v = linalg.map { arith.mulf } ins(%u, %t : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%e : tensor<64x64xf32>)
    %w = linalg.map { arith.addf } ins(%v, %b : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%e : tensor<64x64xf32>)
    return %w : tensor<64x64xf32>
  }
})mlir");
  ASSERT_TRUE(plan.isDecided);
  Propagation &graph = *plan.graph;
  PeakEstimate estimate(graph);
  std::mt19937 random(1);
  std::set<double> peaks;
  for (unsigned draw = 0; draw < 500; ++draw) {
    unsigned number = random() % graph.getNodes().size();
    const Node &node = graph.getNodes()[number];
    Edit edit(graph);
    if (node.forwarded || edit.isFrozen(node))
      continue;
    Assignment assignment(node.assignment.size());
    for (uint32_t axis = 0; axis < graph.getMesh().size(); ++axis)
      if (unsigned factor = random() % (assignment.size() + 1); factor < assignment.size())
        assignment[factor].push_back({axis, 1, graph.getMesh().axis(axis).size});
    edit.assign(number, assignment);
    llvm::SmallSetVector<unsigned, 16> touched = edit.getTouched();
    estimate.update(touched.getArrayRef());
    ASSERT_EQ(estimate.getBytes(), estimatePeakBytes(graph)) << draw;
    peaks.insert(estimate.getBytes());
    if (random() % 2) {
      edit.keep();
      continue;
    }
    edit.undo();
    estimate.update(touched.getArrayRef());
    ASSERT_EQ(estimate.getBytes(), estimatePeakBytes(graph)) << draw;
  }
  EXPECT_GT(peaks.size(), 3u);
}

TEST(MemoryEstimate, AHoistedValueIsAliveAsLongAsTheLoop) {
  auto make = [](const std::string &operand) {
    return makeLoop(R"(arguments ["x" : tensor<4x8xf32, #rows>, "k" : tensor<4x8xf32, #rows>],
      results ["y" : tensor<4x8xf32, #rows>])",
                    "%x: tensor<4x8xf32>, %k: tensor<4x8xf32>", "%x",
                    R"mlir(
      %t = linalg.map { math.exp } ins()mlir" +
                        operand + R"mlir( : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      %c = dmc.constrain %t : tensor<4x8xf32> to #r priority [1, 1] allow forward
      %d = dmc.constrain %c : tensor<4x8xf32> to #rows priority [1, 1] allow forward
      %u = linalg.map { arith.addf } ins(%v, %d : tensor<4x8xf32>, tensor<4x8xf32>)
          outs(%e : tensor<4x8xf32>)
      %f = dmc.constrain %u : tensor<4x8xf32> to #r priority [1, 1] allow forward
      %g = dmc.constrain %f : tensor<4x8xf32> to #rows priority [1, 1] allow forward
      %w = linalg.map { math.sin } ins(%g : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      scf.yield %w : tensor<4x8xf32>)mlir");
  };
  Plan hoisted(make("%k")), inside(make("%v"));
  ASSERT_TRUE(hoisted.isDecided && inside.isDecided);
  EXPECT_NE(hoisted.graph->getValue(hoisted.find("linalg.map")).hoistedFrom, nullptr);
  EXPECT_EQ(inside.graph->getValue(inside.find("linalg.map")).hoistedFrom, nullptr);
  // The gathered tensor of 128 bytes and its part of 64 are there when the other one is gathered.
  EXPECT_EQ(estimatePeakBytes(*hoisted.graph), estimatePeakBytes(*inside.graph) + 128 + 64);
}

} // namespace
