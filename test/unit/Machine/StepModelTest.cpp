//===- StepModelTest.cpp - What the parts of a step take ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Machine/StepModel.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace dmc;

namespace {

/// Four devices of two cores.
Machine getMachine() {
  Machine machine;
  machine.name = "m";
  MachineDevice &device = machine.device;
  device.cores = 2;
  device.memoryBytesPerSecond = 7e9;
  device.flopsPerSecond = {{"f32", 5e10}};
  device.launchSeconds = 1e-6;
  device.callSeconds = 2e-6;
  device.coreFlopsPerSecond = 1e9;
  device.caches = {{2, 4 << 20, 64, 4}, {1, 1 << 15, 64, 1}};
  machine.levels = {{"node", 4, 1e9, 1e-5, {}}};
  return machine;
}

TEST(StepModel, HasTheMemoryAloneWithoutCopies) {
  Machine machine = getMachine();
  StepModel model(machine, 4);
  ASSERT_EQ(model.getMemoryLevels().size(), 1u);
  EXPECT_EQ(model.getMemoryLevels()[0].seconds.read, 1 / 7e9);
  EXPECT_TRUE(std::isinf(model.getMemoryLevels()[0].bytes));
  // The longer of moving and computing, after the launch.
  AccessedBytes bytes(1);
  bytes.read = {4e9};
  bytes.update = {2e9};
  bytes.write = {1e9};
  EXPECT_DOUBLE_EQ(model.getNest(bytes, 1e9), 1 + 1e-6);
  EXPECT_DOUBLE_EQ(model.getNest(bytes, 4e9), 2 + 1e-6);
}

TEST(StepModel, HasTheCachesThatWereMeasured) {
  Machine machine = getMachine();
  machine.device.copies = {{2, 1e10, 0}, {2, 8e10, 1 << 14}, {2, 4e10, 1 << 19}};
  StepModel model(machine, 4);
  llvm::ArrayRef<MemoryLevel> levels = model.getMemoryLevels();
  ASSERT_EQ(levels.size(), 3u);
  // Of both cores; of the second level a core has a quarter.
  EXPECT_EQ(levels[0].bytes, 2 << 15);
  EXPECT_EQ(levels[0].seconds.write, 1 / 8e10);
  EXPECT_EQ(levels[1].bytes, 2 << 20);
  EXPECT_EQ(levels[1].seconds.update, 1 / 4e10);
  EXPECT_EQ(levels[2].seconds.read, 1 / 1e10);
  AccessedBytes bytes(3);
  bytes.read = {8e10, 4e10, 1e10};
  EXPECT_DOUBLE_EQ(model.getNest(bytes, 0), 3 + 1e-6);
}

TEST(StepModel, TellsReadsFromUpdatesAndWrites) {
  Machine machine = getMachine();
  // Four ranks share what eight threads reached.
  machine.device.copies = {{8, 4e10, 0, 8e10, 1e11}};
  AccessSeconds seconds = StepModel(machine, 4).getMemoryLevels().back().seconds;
  EXPECT_DOUBLE_EQ(seconds.read, 4 / 8e10);
  // Two accesses at the rate of updates, of which one is a read; and of copies.
  EXPECT_DOUBLE_EQ(seconds.update, 8 / 1e11 - 4 / 8e10);
  EXPECT_DOUBLE_EQ(seconds.write, 8 / 4e10 - 4 / 8e10);
  // Updates that are no slower than reads alone take nothing more.
  machine.device.copies[0].updateBytesPerSecond = 2e11;
  EXPECT_EQ(StepModel(machine, 4).getMemoryLevels().back().seconds.update, 0);
}

TEST(StepModel, HasPartsOfCaches) {
  Machine machine = getMachine();
  // A quarter of what a core has of the second level is faster than half of it.
  machine.device.copies = {{2, 1e10, 0}, {2, 4e10, 1 << 19}, {2, 6e10, 1 << 17}};
  machine.device.caches = {{2, 4 << 20, 64, 4}};
  StepModel model(machine, 4);
  llvm::ArrayRef<MemoryLevel> levels = model.getMemoryLevels();
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[0].bytes, 2 << 18);
  EXPECT_EQ(levels[0].seconds.read, 1 / 6e10);
  EXPECT_EQ(levels[1].bytes, 2 << 20);
  EXPECT_EQ(levels[1].seconds.read, 1 / 4e10);
}

TEST(StepModel, SharesWhatAllRanksReachedTogether) {
  Machine machine = getMachine();
  // By one rank of two threads, and by the eight of four ranks.
  machine.device.copies = {{2, 3e10, 0}, {8, 4e10, 0}};
  EXPECT_EQ(StepModel(machine, 4).getMemoryLevels().back().seconds.read, 4 / 4e10);
  // Two share what was measured with at most their threads.
  EXPECT_EQ(StepModel(machine, 2).getMemoryLevels().back().seconds.read, 2 / 3e10);
}

TEST(StepModel, InterpolatesMatmuls) {
  Machine machine = getMachine();
  StepModel model(machine, 4);
  double flops = 2.0 * 3 * 8 * 16 * 32;
  AccessedBytes none(1), some(1);
  some.read = {7e3};
  EXPECT_DOUBLE_EQ(model.getMatmuls("f32", 3, 8, 16, 32, none), flops / 5e10 + 2e-6);
  EXPECT_DOUBLE_EQ(model.getMatmuls("f32", 3, 8, 16, 32, some), flops / 5e10 + 3e-6);
  // Caches that take next to nothing.
  machine.device.copies = {{2, 1e18, 0}};
  StepModel fast(machine, 4);
  machine.device.matmuls = {{"f32", 8, 16, 32, 2, 1e10},
                            {"f32", 512, 16, 32, 2, 4e10},
                            {"f32", 8, 16, 32, 8, 9e10},
                            {"f64", 8, 16, 32, 2, 3e9}};
  EXPECT_NEAR(fast.getMatmuls("f32", 3, 8, 16, 32, none), flops / 1e10 + 2e-6, 1e-12);
  // As far from both.
  EXPECT_NEAR(fast.getMatmuls("f32", 1, 64, 16, 32, none), 2.0 * 64 * 16 * 32 / 2e10 + 2e-6, 1e-12);
  // Nearer to the second: (3 / 1) ^ 4 times the weight, in logarithms of two.
  double rate = std::exp((81 * std::log(4e10) + std::log(1e10) * 81 / 625) / (81 + 81.0 / 625));
  EXPECT_NEAR(fast.getMatmuls("f32", 1, 256, 16, 32, none), 2.0 * 256 * 16 * 32 / rate + 2e-6,
              1e-12);
}

TEST(StepModel, TakesWhatOperandsTookOffMeasuredMatmuls) {
  Machine machine = getMachine();
  // 4 KB in the first cache: 3 KB are read, and 1 KB is written at another rate.
  machine.device.copies = {{2, 1e9, 0}, {2, 2e9, 1 << 14, 4e9, 4e9}};
  machine.device.matmuls = {{"f32", 16, 16, 24, 2, 1e9}, {"f32", 4, 4, 4, 2, 2e9}};
  StepModel model(machine, 4);
  AccessedBytes none(model.getMemoryLevels().size());
  double flops = 2.0 * 16 * 16 * 24, moving = 3072 / 4e9 + 1024 * (2 / 2e9 - 1 / 4e9);
  EXPECT_NEAR(model.getMatmuls("f32", 1, 16, 16, 24, none), flops / 1e9 - moving + 2e-6, 1e-12);
  // What would be faster than all that was measured is not.
  machine.device.matmuls[0].flopsPerSecond = 1.99e9;
  EXPECT_NEAR(model.getMatmuls("f32", 1, 16, 16, 24, none), flops / 2e9 + 2e-6, 1e-12);
}

TEST(StepModel, InterpolatesCollectives) {
  Machine machine = getMachine();
  machine.levels[0].collectives = {
      {"all_reduce", 1 << 12, 1e-5}, {"all_reduce", 1 << 16, 1e-3}, {"all_gather", 1 << 12, 1}};
  StepModel model(machine, 4);
  auto reduce = [&](double bytes) { return model.getCollective("all_reduce", bytes, 4, 2e9, 3); };
  EXPECT_DOUBLE_EQ(reduce(64), 1e-5);
  EXPECT_DOUBLE_EQ(reduce(1 << 12), 1e-5);
  EXPECT_NEAR(reduce(1 << 14), 1e-4, 1e-10);
  EXPECT_DOUBLE_EQ(reduce(1 << 16), 1e-3);
  EXPECT_DOUBLE_EQ(reduce(1 << 17), 2e-3);
  // Of other groups and kinds nothing was measured: bytes by the link, and messages.
  EXPECT_DOUBLE_EQ(model.getCollective("all_reduce", 64, 2, 2e9, 3), 2 + 3e-5);
  EXPECT_DOUBLE_EQ(model.getCollective("permute", 64, 4, 2e9, 1), 2 + 1e-5);
}

} // namespace
