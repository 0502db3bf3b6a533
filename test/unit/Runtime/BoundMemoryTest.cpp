//===- BoundMemoryTest.cpp - Tests of BoundMemory.h -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoundMemory.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using namespace dmc::runtime;

// Against every pair of ranges.
TEST(BoundMemory, WhatIsWrittenIsSharedWithNothing) {
  struct Range {
    int begin, bytes;
    bool isWritten;
  };
  std::mt19937 random(7);
  auto draw = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  std::vector<uint8_t> bytes(400);
  int numRefused = 0;
  for (int trial = 0; trial < 200; ++trial) {
    BoundMemory memory;
    std::vector<Range> added;
    for (int i = 0; i < 40; ++i) {
      Range range = {draw(360), draw(40), draw(4) == 0};
      bool isShared = false;
      for (const Range &other : added)
        isShared |= (range.isWritten || other.isWritten) && range.bytes && other.bytes &&
                    range.begin < other.begin + other.bytes &&
                    other.begin < range.begin + range.bytes;
      ASSERT_EQ(memory.add(bytes.data() + range.begin, range.bytes, range.isWritten), !isShared)
          << "trial " << trial << ", range " << i;
      if (!isShared)
        added.push_back(range);
      numRefused += isShared;
    }
    memory.clear();
    ASSERT_TRUE(memory.add(bytes.data(), 400, true));
  }
  EXPECT_GT(numRefused, 1000);
}
