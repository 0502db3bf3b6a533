//===- FusionDecisionTest.cpp - Right and wrong groupings -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrong groupings are refused with what is wrong, and random changes of right ones are
// judged as an execution of their kernels, one after the other, judges them.
//
//===----------------------------------------------------------------------===//
#include "dmc/Fusion/FusionProblem.h"

#include "dmc/Dialect/Comm/Comm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SmallSet.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace dmc;

namespace {

// 0 empty, 1 exp, 2 neg of 1, 3 add of 1 and 2, 4 return.
constexpr const char *diamond = R"mlir(
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
  %b = linalg.map { arith.negf } ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>)
  %c = linalg.map { arith.addf } ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %c : tensor<8xf32>
})mlir";

// 0 and 1 empty, 2 constant, 3 fill, 4 sum of rows, 5 exp of the sums, 6 neg of all, 7 return.
constexpr const char *shapes = R"mlir(
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
  %a = linalg.map { math.exp } ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>)
  %b = linalg.map { arith.negf } ins(%x : tensor<4x8xf32>) outs(%f : tensor<4x8xf32>)
  return %a, %b : tensor<4xf32>, tensor<4x8xf32>
})mlir";

// A collective between kernels, which no kernel may contain: 3.
constexpr const char *collective = R"mlir(
#mesh = #dmc.mesh<"x" = 2>
func.func @main(%x: tensor<8xf32>, %w: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8x8xf32>
  %a = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
  %r = comm.all_reduce sum ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) over {"x"} on #mesh -> tensor<8xf32>
  %b = linalg.map { arith.mulf } ins(%a, %r : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  %c = linalg.broadcast ins(%r : tensor<8xf32>) outs(%f : tensor<8x8xf32>) dimensions = [0]
  %d = linalg.map { arith.subf } ins(%w, %c : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>)
  %g = linalg.map { math.tanh } ins(%d : tensor<8x8xf32>) outs(%f : tensor<8x8xf32>)
  return %b, %g : tensor<8xf32>, tensor<8x8xf32>
})mlir";

class FusionDecisionTest : public ::testing::Test {
protected:
  FusionDecisionTest() {
    context.loadDialect<DMCDialect, comm::CommDialect, arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, math::MathDialect, tensor::TensorDialect>();
  }

  FusionProblem parse(const char *text) {
    module = parseSourceString<ModuleOp>(text, &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    return FusionProblem(function.getBody().front());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

KernelGroup group(SmallVector<unsigned, 4> nodes, SmallVector<unsigned, 1> roots,
                  KernelKind kind = KernelKind::Loop) {
  return {kind, std::move(nodes), std::move(roots)};
}

TEST_F(FusionDecisionTest, AcceptsWhatIsRight) {
  FusionProblem problem = parse(diamond);
  EXPECT_EQ(verifyDecision(problem, {{group({1, 2, 3}, {3})}}), "");
  EXPECT_EQ(verifyDecision(problem, {{group({1}, {1}), group({2}, {2}), group({3}, {3})}}), "");
  // Kernels may stand in any order, and what is copied is in several.
  EXPECT_EQ(verifyDecision(problem, {{group({1, 3}, {3}), group({1, 2}, {2})}}), "");
  // A group with two results.
  EXPECT_EQ(verifyDecision(problem, {{group({1, 2}, {1, 2}), group({3}, {3})}}), "");
}

TEST_F(FusionDecisionTest, RefusesGroupsOutOfOrder) {
  FusionProblem problem = parse(diamond);
  FusionDecision empty{{group({1, 2, 3}, {3}), group({}, {})}};
  EXPECT_EQ(verifyDecision(problem, empty), "group 1 is empty or not in order");
  FusionDecision noRoot{{group({1, 2, 3}, {})}};
  EXPECT_EQ(verifyDecision(problem, noRoot), "group 0 is empty or not in order");
  FusionDecision reversed{{group({3, 2, 1}, {3})}};
  EXPECT_EQ(verifyDecision(problem, reversed), "group 0 is empty or not in order");
  FusionDecision rootsReversed{{group({1, 2}, {2, 1}), group({3}, {3})}};
  EXPECT_EQ(verifyDecision(problem, rootsReversed), "group 0 is empty or not in order");
  // A kernel with an operation twice would compute it twice.
  FusionDecision twice{{group({1, 1, 2, 3}, {3})}};
  EXPECT_EQ(verifyDecision(problem, twice), "group 0 is empty or not in order");
}

TEST_F(FusionDecisionTest, RefusesValuesThatNoKernelGives) {
  FusionProblem problem = parse(diamond);
  // 1 is computed within a kernel, and another reads it.
  FusionDecision hidden{{group({1, 2}, {2}), group({3}, {3})}};
  EXPECT_EQ(verifyDecision(problem, hidden),
            "operation 1 (linalg.map) is read from outside of its kernels");
  // 2 is in no kernel.
  FusionDecision missing{{group({1}, {1}), group({3}, {3})}};
  EXPECT_EQ(verifyDecision(problem, missing),
            "operation 2 (linalg.map) is read from outside of its kernels");
  // What the function returns.
  FusionDecision notReturned{{group({1, 2, 3}, {2})}};
  EXPECT_EQ(verifyDecision(problem, notReturned),
            "operation 3 (linalg.map) is read from outside of its kernels");
  EXPECT_EQ(verifyDecision(problem, {}),
            "operation 3 (linalg.map) is read from outside of its kernels");
}

TEST_F(FusionDecisionTest, RefusesWrongRoots) {
  FusionProblem problem = parse(diamond);
  FusionDecision foreign{{group({1, 2, 3}, {2, 4})}};
  EXPECT_EQ(verifyDecision(problem, foreign),
            "operation 4 (func.return) is a root of a kernel that does not contain it");
  FusionDecision twice{{group({1, 2, 3}, {3}), group({1, 2, 3}, {3})}};
  EXPECT_EQ(verifyDecision(problem, twice), "operation 3 (linalg.map) is a root of two kernels");
}

TEST_F(FusionDecisionTest, RefusesCycles) {
  FusionProblem problem = parse(diamond);
  // 1 and 3 in one kernel, 2 between them in another.
  FusionDecision cycle{{group({1, 3}, {1, 3}), group({2}, {2})}};
  EXPECT_EQ(verifyDecision(problem, cycle), "kernels depend on each other in a cycle");
}

TEST_F(FusionDecisionTest, RefusesForeignIterationSpaces) {
  FusionProblem problem = parse(shapes);
  FusionDecision right{{group({3, 4, 5}, {5}, KernelKind::Reduction), group({6}, {6})}};
  EXPECT_EQ(verifyDecision(problem, right), "");
  FusionDecision joined{{group({3, 4}, {4}, KernelKind::Reduction), group({5, 6}, {5, 6})}};
  EXPECT_EQ(verifyDecision(problem, joined),
            "operation 6 (linalg.map) has another iteration space than its kernel");
}

TEST_F(FusionDecisionTest, KnowsRows) {
  FusionProblem problem = parse(shapes);
  // The rows of 6 are those of the sums, which are a root of fewer dimensions.
  FusionDecision right{{group({3, 4, 5, 6}, {5, 6}, KernelKind::Row)}};
  EXPECT_EQ(verifyDecision(problem, right), "");
  FusionDecision loop{{group({3, 4, 5}, {5})}};
  EXPECT_EQ(verifyDecision(problem, loop),
            "operation 4 (linalg.reduce) cannot be computed within the loops of its kernel");
  // Sums of columns are computed beside the rows, and cannot be read there.
  FusionProblem columns = parse(R"mlir(
func.func @main(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%i : tensor<8xf32>) dimensions = [0]
  %b = linalg.map { arith.negf } ins(%x : tensor<4x8xf32>) outs(%f : tensor<4x8xf32>)
  return %s, %b : tensor<8xf32>, tensor<4x8xf32>
})mlir");
  FusionDecision across{{group({3, 4, 5}, {4, 5}, KernelKind::Row)}};
  EXPECT_EQ(verifyDecision(columns, across), "");
  FusionProblem feeds = parse(R"mlir(
func.func @main(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%i : tensor<8xf32>) dimensions = [0]
  %b = linalg.broadcast ins(%s : tensor<8xf32>) outs(%f : tensor<4x8xf32>) dimensions = [0]
  return %s, %b : tensor<8xf32>, tensor<4x8xf32>
})mlir");
  EXPECT_EQ(verifyDecision(feeds, across),
            "operation 4 (linalg.reduce) is read in the kernel that computes it by blocks");
  // Sums of another shape's columns are not.
  FusionProblem other = parse(R"mlir(
func.func @main(%x: tensor<6x8xf32>, %y: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x8xf32>) outs(%i : tensor<8xf32>) dimensions = [0]
  %b = linalg.map { arith.negf } ins(%y : tensor<4x8xf32>) outs(%f : tensor<4x8xf32>)
  return %s, %b : tensor<8xf32>, tensor<4x8xf32>
})mlir");
  EXPECT_EQ(verifyDecision(other, across),
            "operation 4 (linalg.reduce) has another iteration space than its kernel");
}

TEST_F(FusionDecisionTest, FollowsRowsThroughReductions) {
  // 3 fill, 4 sum of rows, 5 broadcast of the sums, 6 difference.
  FusionProblem problem = parse(R"mlir(
func.func @main(%x: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32xf32>
  %f = tensor.empty() : tensor<32x8xf32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<32x8xf32>) outs(%i : tensor<32xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%s : tensor<32xf32>) outs(%f : tensor<32x8xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%x, %b : tensor<32x8xf32>, tensor<32x8xf32>) outs(%f : tensor<32x8xf32>)
  return %d : tensor<32x8xf32>
})mlir");
  GroupAccesses accesses(problem.getResultShape(6));
  auto through = [&](unsigned node, unsigned position, unsigned read) {
    return accesses.through(problem.nodes[node], {position}, problem.nodes[node].reads[read])
        .front();
  };
  EXPECT_EQ(through(6, 0, 0), 0U);
  EXPECT_EQ(accesses.countEvaluations(0), 256);
  EXPECT_FALSE(accesses.isInRow(0)); // it is the position itself
  unsigned broadcast = through(6, 0, 1), sum = through(5, broadcast, 0);
  EXPECT_EQ(broadcast, 0U);
  EXPECT_EQ(sum, accesses.prefix(1));
  EXPECT_EQ(accesses.countEvaluations(sum), 32);
  unsigned reduced = through(4, sum, 0);
  EXPECT_NE(reduced, 0U);
  EXPECT_TRUE(accesses.isInRow(reduced));
  EXPECT_EQ(accesses.countEvaluations(reduced), 256);
  // The input may be overwritten: its row has been read by then.
  KernelGroup rows = group({3, 4, 5, 6}, {6}, KernelKind::Row);
  Value x = problem.nodes[6].reads[0].value;
  llvm::DenseMap<unsigned, Value> none;
  EXPECT_EQ(getInPlaceInputs(problem, rows, none).front(), x);
}

TEST_F(FusionDecisionTest, KeepsInputsThatOtherRowsRead) {
  // As before, but the sums are of the transposed input: 4 transpose, 5 sums.
  FusionProblem problem = parse(R"mlir(
func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32xf32>
  %f = tensor.empty() : tensor<32x32xf32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %t = linalg.transpose ins(%x : tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) permutation = [1, 0]
  %s = linalg.reduce { arith.addf } ins(%t : tensor<32x32xf32>) outs(%i : tensor<32xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%s : tensor<32xf32>) outs(%f : tensor<32x32xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%x, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>)
  return %d : tensor<32x32xf32>
})mlir");
  KernelGroup rows = group({3, 4, 5, 6, 7}, {7}, KernelKind::Row);
  EXPECT_EQ(verifyDecision(problem, {{rows}}), "");
  llvm::DenseMap<unsigned, Value> none;
  EXPECT_FALSE(getInPlaceInputs(problem, rows, none).front());
}

TEST_F(FusionDecisionTest, RefusesWhatIsOutsideOfKernels) {
  FusionProblem problem = parse(collective);
  FusionDecision right{{group({2}, {2}), group({4}, {4}), group({5, 6, 7}, {7})}};
  EXPECT_EQ(verifyDecision(problem, right), "");
  FusionDecision inside{{group({2, 3, 4}, {2, 4}), group({5, 6, 7}, {7})}};
  EXPECT_EQ(verifyDecision(problem, inside), "operation 3 (comm.all_reduce) cannot be in a kernel");
  // An empty tensor needs no kernel.
  FusionDecision free{{group({0, 2}, {2}), group({4}, {4}), group({5, 6, 7}, {7})}};
  EXPECT_EQ(verifyDecision(problem, free), "operation 0 (tensor.empty) cannot be in a kernel");
  // Before and after the collective in one kernel.
  FusionDecision around{{group({2, 4}, {2, 4}), group({5, 6, 7}, {7})}};
  EXPECT_EQ(verifyDecision(problem, around), "kernels depend on each other in a cycle");
}

//===----------------------------------------------------------------------===//
// Random changes
//===----------------------------------------------------------------------===//

/// Whether every kernel and every operation outside of kernels finds what it reads, one
/// after the other, where results of kernels are their roots.
bool executes(const FusionProblem &problem, const FusionDecision &decision) {
  unsigned numNodes = problem.nodes.size();
  std::vector<bool> isGiven(numNodes), isDone(numNodes + decision.groups.size());
  auto hasReads = [&](unsigned node, ArrayRef<unsigned> computed) {
    return llvm::all_of(problem.nodes[node].reads, [&](const FusionRead &read) {
      return read.producer < 0 || isGiven[read.producer] ||
             llvm::is_contained(computed, unsigned(read.producer));
    });
  };
  auto runGroup = [&](const KernelGroup &group) {
    for (size_t i = 0; i < group.nodes.size(); ++i)
      if (!hasReads(group.nodes[i], ArrayRef(group.nodes).take_front(i)))
        return false;
    for (unsigned root : group.roots)
      isGiven[root] = true;
    return true;
  };
  for (unsigned i = 0; i < numNodes; ++i)
    if (problem.nodes[i].kind == FusionKind::Free)
      isGiven[i] = isDone[i] = true;
    else if (problem.nodes[i].isFusible())
      isDone[i] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < isDone.size(); ++i) {
      if (isDone[i])
        continue;
      bool ran = i < numNodes ? hasReads(i, {}) : runGroup(decision.groups[i - numNodes]);
      if (!ran)
        continue;
      isDone[i] = changed = true;
      if (i < numNodes)
        isGiven[i] = true;
    }
  }
  return llvm::all_of(isDone, [](bool done) { return done; });
}

/// What a decision is, besides executable.
bool isWellFormed(const FusionProblem &problem, const FusionDecision &decision) {
  std::vector<unsigned> timesRoot(problem.nodes.size());
  auto ascends = [](ArrayRef<unsigned> list) {
    for (size_t i = 1; i < list.size(); ++i)
      if (list[i - 1] >= list[i])
        return false;
    return !list.empty();
  };
  for (const KernelGroup &group : decision.groups) {
    if (!ascends(group.nodes) || !ascends(group.roots))
      return false;
    for (unsigned node : group.nodes) {
      if (!problem.nodes[node].isFusible())
        return false;
      // A loop computes one element at a time.
      if (group.kind == KernelKind::Loop && problem.nodes[node].kind == FusionKind::Reduction)
        return false;
    }
    for (unsigned root : group.roots) {
      if (!llvm::is_contained(group.nodes, root) || ++timesRoot[root] > 1)
        return false;
      if (group.kind == KernelKind::Loop &&
          problem.getResultShape(root) != problem.getResultShape(group.roots.front()))
        return false;
    }
  }
  return true;
}

/// One change: an operation or a root put into a group or taken out, groups merged, a group
/// dropped, an order reversed.
void mutate(FusionDecision &decision, unsigned numNodes, std::mt19937 &random) {
  auto below = [&](size_t n) { return static_cast<unsigned>(random() % n); };
  if (decision.groups.empty())
    return;
  unsigned g = below(decision.groups.size());
  KernelGroup &group = decision.groups[g];
  auto insert = [&](auto &list) {
    unsigned node = below(numNodes);
    list.insert(llvm::lower_bound(list, node), node);
  };
  auto remove = [&](auto &list) {
    if (!list.empty())
      list.erase(list.begin() + below(list.size()));
  };
  switch (below(7)) {
  case 0:
    return insert(group.nodes);
  case 1:
    return remove(group.nodes);
  case 2:
    return insert(group.roots);
  case 3:
    return remove(group.roots);
  case 4:
    std::reverse(group.nodes.begin(), group.nodes.end());
    return;
  case 5:
    decision.groups.erase(decision.groups.begin() + g);
    return;
  case 6: {
    const KernelGroup other = decision.groups[below(decision.groups.size())];
    for (unsigned node : other.nodes)
      if (!llvm::is_contained(group.nodes, node))
        group.nodes.insert(llvm::lower_bound(group.nodes, node), node);
    return;
  }
  }
}

TEST_F(FusionDecisionTest, JudgesRandomChangesAsAnExecutionDoes) {
  unsigned numRight = 0, numWrong = 0;
  for (const char *text : {diamond, shapes, collective}) {
    FusionProblem problem = parse(text);
    FusionDecision greedy = fuseGreedily(problem), single;
    for (unsigned i = 0; i < problem.nodes.size(); ++i)
      if (problem.nodes[i].isFusible())
        single.groups.push_back(
            group({i}, {i},
                  isa<linalg::MapOp>(problem.nodes[i].op) ? KernelKind::Loop : KernelKind::Opaque));
    std::mt19937 random(1);
    for (const FusionDecision &start : {greedy, single}) {
      ASSERT_EQ(verifyDecision(problem, start), "");
      for (unsigned trial = 0; trial < 1000; ++trial) {
        FusionDecision changed = start;
        for (unsigned i = 0; i <= trial % 3; ++i)
          mutate(changed, problem.nodes.size(), random);
        bool isRight = isWellFormed(problem, changed) && executes(problem, changed);
        std::string error = verifyDecision(problem, changed);
        EXPECT_EQ(error.empty(), isRight) << text << "\n" << error << "\ntrial " << trial;
        ++(isRight ? numRight : numWrong);
      }
    }
  }
  // Both kinds occur often.
  EXPECT_GT(numRight, 300u);
  EXPECT_GT(numWrong, 300u);
}

} // namespace
