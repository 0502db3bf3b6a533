//===- OperationOrderTest.cpp - Orders of a block's operations ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that an order takes, and what the two greedy orders choose.
//
//===----------------------------------------------------------------------===//
#include "OperationOrder.h"

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace dmc;

namespace {

using Order = std::vector<unsigned>;

/// The problem of a function's block. Kernels need no definition: nothing is verified.
class Problem {
public:
  explicit Problem(const std::string &body) {
    DialectRegistry registry;
    registry.insert<DMCDialect, arith::ArithDialect, func::FuncDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(
        "func.func @main(%x: tensor<1xi8>, %d: tensor<1xi8>, %e: tensor<8xi8>, %f: "
        "tensor<64xi8>, %n: index) {\n" +
            body + "}\n",
        ParserConfig(&context, /*verifyAfterParse=*/false));
    assert(module && "the text is right");
    problem.emplace(cast<func::FuncOp>(module->getBody()->front()).getBody().front());
  }

  const OrderProblem &operator*() const { return *problem; }
  const OrderProblem *operator->() const { return &*problem; }
  int64_t getTextPeak() const { return problem->getPeak(problem->getTextOrder()); }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::optional<OrderProblem> problem;
};

TEST(OrderProblem, ValuesLiveFromTheirMakerToTheirLastUser) {
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    %2 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    %3 = dmc.launch @k ins(%1, %2 : tensor<8xi8>, tensor<8xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %4 = dmc.launch @k ins(%3 : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    return %4 : tensor<64xi8>
  )mlir");
  // At 2: 64, 8 and 8 bytes. What is returned takes no memory here.
  EXPECT_EQ(problem.getTextPeak(), 80);
  ASSERT_EQ(problem->buffers.size(), 4u);
  EXPECT_EQ(problem->buffers[0].users, (SmallVector<unsigned, 4>{1, 2}));
  EXPECT_EQ(problem->nodes[0].after, (SmallVector<unsigned, 4>{1, 2}));
  EXPECT_EQ(problem->nodes[3].before, (SmallVector<unsigned, 4>{1, 2}));
}

TEST(OrderProblem, WhatNobodyUsesIsGoneAtOnce) {
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %2 = dmc.launch @k ins(%1 : tensor<64xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    return %2 : tensor<8xi8>
  )mlir");
  EXPECT_EQ(problem.getTextPeak(), 64);
}

TEST(OrderProblem, AResultTakesOverWhatItIsTheLastToUse) {
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%f : tensor<64xi8>) {in_place = array<i64: 0>} -> tensor<64xi8>
    %2 = dmc.launch @k ins(%1 : tensor<64xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    return %2 : tensor<8xi8>
  )mlir");
  EXPECT_EQ(problem.getTextPeak(), 64);

  Problem usedLater(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%f : tensor<64xi8>) {in_place = array<i64: 0>} -> tensor<64xi8>
    %2 = dmc.launch @k ins(%0, %1 : tensor<64xi8>, tensor<64xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    return %2 : tensor<8xi8>
  )mlir");
  EXPECT_EQ(usedLater.getTextPeak(), 128);

  // Another input is freed after the operation only.
  Problem other(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%f : tensor<64xi8>) {in_place = array<i64: -1>} -> tensor<64xi8>
    %2 = dmc.launch @k ins(%1 : tensor<64xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    return %2 : tensor<8xi8>
  )mlir");
  EXPECT_EQ(other.getTextPeak(), 128);
}

TEST(OrderProblem, AReshapeIsInItsOperandsBuffer) {
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = tensor.expand_shape %0 [[0, 1]] output_shape [8, 8] : tensor<64xi8> into tensor<8x8xi8>
    %2 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    %3 = dmc.launch @k ins(%1, %2 : tensor<8x8xi8>, tensor<8xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    return %3 : tensor<1xi8>
  )mlir");
  EXPECT_EQ(problem.getTextPeak(), 72);
  EXPECT_EQ(problem->buffers[0].users, (SmallVector<unsigned, 4>{1, 3}));
  EXPECT_TRUE(problem->nodes[1].isFree);
  EXPECT_FALSE(problem->nodes[3].isFree);

  // Here it is what leaves the block.
  Problem leaves(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = tensor.expand_shape %0 [[0, 1]] output_shape [8, 8] : tensor<64xi8> into tensor<8x8xi8>
    return %1 : tensor<8x8xi8>
  )mlir");
  EXPECT_EQ(leaves.getTextPeak(), 0);
}

TEST(OrderProblem, ALoopTakesWhatItsBodyTakes) {
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    %1 = scf.for %i = %n to %n step %n iter_args(%s = %x) -> tensor<1xi8> {
      %t = dmc.launch @k ins(%s : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
      %u = dmc.launch @k ins(%t, %0 : tensor<64xi8>, tensor<8xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
      scf.yield %u : tensor<1xi8>
    }
    return %1 : tensor<1xi8>
  )mlir");
  EXPECT_EQ(problem->nodes[1].within, 64);
  EXPECT_EQ(problem->nodes[1].uses, (SmallVector<unsigned, 4>{0}));
  EXPECT_EQ(problem->nodes[1].before, (SmallVector<unsigned, 4>{0}));
  EXPECT_EQ(problem.getTextPeak(), 72);
}

TEST(OrderForwards, TakesWhatFreesMost) {
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %2 = dmc.launch @k ins(%1 : tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %3 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    return %2, %3 : tensor<1xi8>, tensor<1xi8>
  )mlir");
  EXPECT_EQ(orderForwards(*problem), (Order{0, 3, 1, 2}));
  EXPECT_EQ(problem.getTextPeak(), 128);
  EXPECT_EQ(problem->getPeak(orderForwards(*problem)), 64);
}

TEST(OrderForwards, TheLastUserLeftFrees) {
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %2 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %3 = dmc.launch @k ins(%2 : tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %4 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    return %1, %3, %4 : tensor<1xi8>, tensor<1xi8>, tensor<1xi8>
  )mlir");
  EXPECT_EQ(orderForwards(*problem), (Order{0, 1, 4, 2, 3}));
}

TEST(OrderForwards, WhatFreesNothingStaysInTheOrderOfTheText) {
  // 1 takes no memory, and still stays behind 0.
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %2 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    return %1, %2 : tensor<1xi8>, tensor<1xi8>
  )mlir");
  EXPECT_EQ(orderForwards(*problem), (Order{0, 2, 1}));
}

TEST(OrderForwards, ReshapesComeFirst) {
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    %2 = tensor.expand_shape %0 [[0, 1]] output_shape [8, 8] : tensor<64xi8> into tensor<8x8xi8>
    %3 = dmc.launch @k ins(%1 : tensor<8xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %4 = dmc.launch @k ins(%2 : tensor<8x8xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    return %3, %4 : tensor<1xi8>, tensor<1xi8>
  )mlir");
  EXPECT_EQ(orderForwards(*problem), (Order{0, 2, 4, 1, 3}));
}

TEST(OrderBackwards, MakesWhatIsUsedJustBefore) {
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %2 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %3 = dmc.launch @k ins(%1 : tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    return %2, %3 : tensor<1xi8>, tensor<1xi8>
  )mlir");
  EXPECT_EQ(orderBackwards(*problem), (Order{0, 2, 1, 3}));
  EXPECT_EQ(problem->getPeak(orderBackwards(*problem)), 64);
}

TEST(OrderForwardsAndBackwards, OneByteCounts) {
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %1 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %2 = dmc.launch @k ins(%0 : tensor<1xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    return %1, %2 : tensor<1xi8>, tensor<1xi8>
  )mlir");
  EXPECT_EQ(orderForwards(*problem), (Order{0, 2, 1}));
  EXPECT_EQ(orderBackwards(*problem), (Order{1, 0, 2}));
}

TEST(OrderBackwards, WhatLivesAnywayCostsOtherUsersNothing) {
  // 0 is alive before 6, and 1 before 4: then 2 makes 8 bytes less, and goes before 3.
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %1 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %2 = dmc.launch @k ins(%1 : tensor<64xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    %3 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %4 = dmc.launch @k ins(%0, %1 : tensor<64xi8>, tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %5 = dmc.launch @k ins(%2 : tensor<8xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %6 = dmc.launch @k ins(%0 : tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    return %3, %4, %5, %6 : tensor<1xi8>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>
  )mlir");
  EXPECT_EQ(orderBackwards(*problem), (Order{3, 1, 2, 0, 4, 5, 6}));
}

TEST(OrderBackwards, LaterUsersOfTheTextFindItAliveToo) {
  // 1 comes before 2 here, and makes 0 live: then 2 makes one byte less, and goes before 3.
  Problem problem(R"mlir(
    %0 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
    %1 = dmc.launch @k ins(%0 : tensor<8xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
    %2 = dmc.launch @k ins(%0 : tensor<8xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %3 = dmc.launch @k ins(%x : tensor<1xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %4 = dmc.launch @k ins(%2 : tensor<1xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    %5 = dmc.launch @k ins(%1 : tensor<64xi8>) outs(%d : tensor<1xi8>) -> tensor<1xi8>
    return %3, %4, %5 : tensor<1xi8>, tensor<1xi8>, tensor<1xi8>
  )mlir");
  EXPECT_EQ(orderBackwards(*problem), (Order{3, 0, 2, 4, 1, 5}));
}

} // namespace
