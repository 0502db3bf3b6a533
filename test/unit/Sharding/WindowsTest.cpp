//===- WindowsTest.cpp - Loops that read around their position ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The windows of convolutions, pads, slices and concatenations, and which splits they allow.
//
//===----------------------------------------------------------------------===//
#include "Parse.h"

using namespace mlir;
using namespace dmc;

namespace {

using WindowsTest = ShardingTest;

TEST_F(WindowsTest, ConvolutionBehindAPad) {
  parse(
      R"(func.func @f(%x: tensor<2x8x3xf32>, %w: tensor<3x3x5xf32>, %c: tensor<2x4x5xf32>) -> tensor<2x4x5xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %zero : f32
    } : tensor<2x8x3xf32> to tensor<2x10x3xf32>
    %0 = linalg.conv_1d_nwc_wcf {strides = dense<2> : vector<1xi64>, test}
        ins(%p, %w : tensor<2x10x3xf32>, tensor<3x3x5xf32>) outs(%c : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
    return %0 : tensor<2x4x5xf32>
  })");
  // Loops n, w, f, kw, c: in the rule of level 1 the windows' loops are not split.
  FailureOr<ShardingRule> plain = getShardingRule(ops[0]);
  EXPECT_EQ(plain->factors[1].kind, FactorKind::Window);
  FailureOr<WindowRule> rule = getWindowRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  ASSERT_EQ(rule->windows.size(), 1u);
  const WindowAccess &window = rule->windows[0];
  EXPECT_EQ(window.operand, 0u);
  EXPECT_EQ(window.dim, 1u);
  EXPECT_EQ(window.factor, 1u);
  EXPECT_EQ(window.scale, 2);
  EXPECT_EQ(window.offset, 0);
  EXPECT_EQ(window.extent, 3);
  // Behind the pad element 0 is at position 1.
  EXPECT_EQ(window.source.size, 8);
  EXPECT_EQ(window.source.low, 1);
  EXPECT_EQ(window.source.dilation, 1);
  EXPECT_EQ(rule->rule.factors[1].kind, FactorKind::Parallel);
  EXPECT_TRUE(rule->rule.factors[1].needsUniformBlocks);
  EXPECT_EQ(rule->rule.operands[0][1], (DimFactors{1}));
  // The filter's loop stays.
  EXPECT_EQ(rule->rule.factors[3].kind, FactorKind::Window);

  // Two blocks of two positions each read 2 * 2 + 3 - 2 elements, the second from 4 on.
  Windows windows = window.getWindows(2, 2);
  EXPECT_EQ(windows, (Windows{8, 2, 4, -1, 5, 1}));
  EXPECT_EQ(windows.begin(1), 3);
}

TEST_F(WindowsTest, NegativeMultiplesBeginAtTheOtherEnd) {
  parse(R"(func.func @f(%x: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 7)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"], test}
        ins(%x : tensor<8xf32>) outs(%c : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<8xf32>
    return %0 : tensor<8xf32>
  })");
  FailureOr<WindowRule> rule = getWindowRule(ops[0]);
  ASSERT_EQ(rule->windows.size(), 1u);
  const WindowAccess &window = rule->windows[0];
  EXPECT_EQ(window.scale, -1);
  EXPECT_EQ(window.offset, 7);
  // Blocks of 4 positions: the first reads 7, 6, 5, 4.
  EXPECT_EQ(window.getBegin(4), 4);
  EXPECT_EQ(window.getLength(4), 4);
  EXPECT_EQ(window.getWindows(2, 4).begin(1), 0);
}

/// An inner loop that counts down begins before the position of the outer one.
TEST_F(WindowsTest, InnerLoopsThatCountDown) {
  parse(R"(func.func @f(%x: tensor<10xf32>, %w: tensor<3xf32>, %c: tensor<6xf32>) -> tensor<6xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i - k * 2 + 4)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
        iterator_types = ["parallel", "reduction"], test} ins(%x, %w : tensor<10xf32>, tensor<3xf32>) outs(%c : tensor<6xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    return %0 : tensor<6xf32>
  })");
  FailureOr<WindowRule> rule = getWindowRule(ops[0]);
  ASSERT_EQ(rule->windows.size(), 1u);
  const WindowAccess &window = rule->windows[0];
  EXPECT_EQ(window.factor, 0u);
  EXPECT_EQ(window.scale, 1);
  // Position i reads i + 4, i + 2 and i.
  EXPECT_EQ(window.offset, 0);
  EXPECT_EQ(window.extent, 5);
  EXPECT_EQ(window.getBegin(0), 0);
  EXPECT_EQ(window.getLength(3), 7);
}

TEST_F(WindowsTest, PadsOfOneElementAndOfNone) {
  parse(R"(func.func @f(%x: tensor<1x3x0xf32>) -> tensor<4x3x2xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[2, 0, 1] high[1, 0, 1] {
    ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %zero : f32
    } {test} : tensor<1x3x0xf32> to tensor<4x3x2xf32>
    return %p : tensor<4x3x2xf32>
  })");
  // Nothing lies behind a pad of no elements.
  EXPECT_TRUE(getWindowRule(ops[0])->windows.empty());
  parse(R"(func.func @f(%x: tensor<1x3xf32>) -> tensor<4x3xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[2, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } {test} : tensor<1x3xf32> to tensor<4x3xf32>
    return %p : tensor<4x3xf32>
  })");
  FailureOr<WindowRule> rule = getWindowRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  // The dimension that is not padded needs none.
  ASSERT_EQ(rule->windows.size(), 1u);
  EXPECT_EQ(rule->windows[0].dim, 0u);
  EXPECT_EQ(rule->windows[0].source.size, 1);
  EXPECT_EQ(rule->windows[0].source.low, 2);
}

TEST_F(WindowsTest, SlicesAndConcatenations) {
  parse(
      R"(func.func @f(%x: tensor<9x2xf32>, %y: tensor<3x2xf32>) -> (tensor<4x2xf32>, tensor<12x2xf32>) {
    %0 = tensor.extract_slice %x[1, 0] [4, 2] [2, 1] {test} : tensor<9x2xf32> to tensor<4x2xf32>
    %1 = tensor.concat dim(0) %x, %y {test} : (tensor<9x2xf32>, tensor<3x2xf32>) -> tensor<12x2xf32>
    return %0, %1 : tensor<4x2xf32>, tensor<12x2xf32>
  })");
  FailureOr<WindowRule> slice = getWindowRule(ops[0]);
  ASSERT_EQ(slice->windows.size(), 1u);
  EXPECT_EQ(slice->windows[0].scale, 2);
  EXPECT_EQ(slice->windows[0].offset, 1);
  EXPECT_EQ(slice->windows[0].extent, 1);
  FailureOr<WindowRule> concat = getWindowRule(ops[1]);
  ASSERT_EQ(concat->windows.size(), 2u);
  EXPECT_EQ(concat->windows[0].offset, 0);
  EXPECT_EQ(concat->windows[1].offset, -9);
  EXPECT_EQ(concat->windows[1].operand, 1u);
  EXPECT_EQ(concat->windows[1].source.size, 3);
  for (const WindowAccess &window : concat->windows) {
    EXPECT_EQ(window.scale, 1);
    EXPECT_EQ(window.extent, 1);
    EXPECT_EQ(window.source.low, 0);
    EXPECT_EQ(window.source.dilation, 1);
  }
  EXPECT_EQ(concat->windows[0].factor, concat->windows[1].factor);
}

TEST_F(WindowsTest, SourcesOfPadsAndDilations) {
  parse(R"(func.func @f(%x: tensor<3xf32>) -> tensor<9xf32> {
    %zero = arith.constant 0.0 : f32
    %d = tensor.splat %zero : tensor<5xf32>
    %i = tensor.insert_slice %x into %d[0] [3] [2] : tensor<3xf32> into tensor<5xf32>
    %p = tensor.pad %i low[1] high[3] {
    ^bb0(%at: index):
      tensor.yield %zero : f32
    } {test} : tensor<5xf32> to tensor<9xf32>
    return %p : tensor<9xf32>
  })");
  SmallVector<WindowSource> sources = getWindowSources(ops[0]->getResult(0));
  ASSERT_EQ(sources.size(), 3u);
  EXPECT_TRUE(sources[0].isIdentity(0, 9));
  EXPECT_EQ(sources[1].dims[0].size, 5);
  EXPECT_EQ(sources[1].dims[0].low, 1);
  EXPECT_EQ(sources[1].dims[0].dilation, 1);
  // Elements of %x are at 1, 3 and 5.
  EXPECT_EQ(sources[2].dims[0].size, 3);
  EXPECT_EQ(sources[2].dims[0].low, 1);
  EXPECT_EQ(sources[2].dims[0].dilation, 2);
  EXPECT_TRUE(isa<BlockArgument>(sources[2].value));
}

TEST_F(WindowsTest, PaddingsThatDifferEndTheSearch) {
  parse(R"(func.func @f(%x: tensor<3xf32>) -> tensor<7xf32> {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %i = tensor.pad %x low[1] high[1] {
    ^bb0(%at: index):
      tensor.yield %one : f32
    } : tensor<3xf32> to tensor<5xf32>
    %p = tensor.pad %i low[1] high[1] {
    ^bb0(%at: index):
      tensor.yield %zero : f32
    } {test} : tensor<5xf32> to tensor<7xf32>
    return %p : tensor<7xf32>
  })");
  EXPECT_EQ(getWindowSources(ops[0]->getResult(0)).size(), 2u);
}

/// What padding holds would be divided by.
TEST_F(WindowsTest, BodiesThatTrapHaveNone) {
  parse(R"(func.func @f(%x: tensor<6xi32>, %w: tensor<3xi32>, %c: tensor<4xi32>) -> tensor<4xi32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
        iterator_types = ["parallel", "reduction"], test} ins(%x, %w : tensor<6xi32>, tensor<3xi32>) outs(%c : tensor<4xi32>) {
    ^bb0(%a: i32, %b: i32, %acc: i32):
      %q = arith.divsi %b, %a : i32
      %s = arith.addi %acc, %q : i32
      linalg.yield %s : i32
    } -> tensor<4xi32>
    return %0 : tensor<4xi32>
  })");
  FailureOr<WindowRule> rule = getWindowRule(ops[0]);
  ASSERT_TRUE(succeeded(rule));
  EXPECT_TRUE(rule->windows.empty());
}

TEST(MaySplit, BlocksOfOneSizeAndUniformBlocks) {
  Factor plain;
  plain.size = 5;
  EXPECT_TRUE(maySplit(plain, {2}));
  EXPECT_TRUE(maySplit(plain, {2, 4}));
  // 5 and 6 are cut into blocks of 3 by 2 devices, but into 2 and 2 of different ends by 3.
  Factor alike = plain;
  alike.alikeSizes = {6};
  EXPECT_TRUE(maySplit(alike, {2}));
  alike.alikeSizes = {9};
  EXPECT_FALSE(maySplit(alike, {2}));
  // Blocks begin at multiples of their size on one axis; on several not always: 5 in 2 and
  // then 2 is 3 + 2 and then 2 + 1 + 2.
  Factor uniform = plain;
  uniform.needsUniformBlocks = true;
  EXPECT_TRUE(maySplit(uniform, {2}));
  EXPECT_FALSE(maySplit(uniform, {2, 2}));
  uniform.size = 8;
  EXPECT_TRUE(maySplit(uniform, {2, 2}));
  // An axis of one device has no place among the windows' dimensions.
  EXPECT_FALSE(maySplit(uniform, {2, 1}));
}

} // namespace
