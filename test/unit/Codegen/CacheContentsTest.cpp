//===- CacheContentsTest.cpp - What of a rank's buffers is in caches ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Host/CacheContents.h"

#include "gtest/gtest.h"

#include <limits>

using namespace dmc;
using namespace dmc::codegen;

namespace {

using Bytes = llvm::SmallVector<double>;

class CacheContentsTest : public ::testing::Test {
protected:
  CacheContentsTest()
      : levels({{100, {}}, {1000, {}}, {std::numeric_limits<double>::infinity(), {}}}),
        caches(levels) {}

  Bytes touch(llvm::StringRef name, int64_t offset, int64_t bytes) {
    Buffer buffer;
    buffer.global = name;
    buffer.offset = offset;
    buffer.size = bytes;
    return caches.touch(buffer, bytes);
  }

  llvm::SmallVector<MemoryLevel> levels;
  CacheContents caches;
  static constexpr llvm::StringLiteral a = "a", b = "b";
};

TEST_F(CacheContentsTest, KeepsWhatWasTouchedLast) {
  EXPECT_EQ(touch(a, 0, 60), (Bytes{0, 0, 60}));
  EXPECT_EQ(touch(a, 0, 60), (Bytes{60, 0, 0}));
  EXPECT_EQ(touch(b, 0, 60), (Bytes{0, 0, 60}));
  // Both do not fit into the first level.
  EXPECT_EQ(touch(a, 0, 60), (Bytes{0, 60, 0}));
  EXPECT_EQ(touch(b, 0, 30), (Bytes{30, 0, 0}));
}

TEST_F(CacheContentsTest, ForgetsWhatNoLevelHas) {
  touch(a, 0, 60);
  touch(b, 0, 960);
  EXPECT_EQ(touch(a, 0, 60), (Bytes{0, 0, 60}));
  touch(b, 0, 2000);
  // Each pass over more than the last cache has finds nothing.
  EXPECT_EQ(touch(b, 0, 2000), (Bytes{0, 0, 2000}));
}

TEST_F(CacheContentsTest, KnowsPartsOfBuffers) {
  touch(a, 100, 50);
  EXPECT_EQ(touch(a, 80, 40), (Bytes{20, 0, 20}));
  // What was left of the first, and what the second added.
  EXPECT_EQ(touch(a, 70, 80), (Bytes{70, 0, 10}));
  EXPECT_EQ(touch(b, 100, 50), (Bytes{0, 0, 50}));
}

TEST_F(CacheContentsTest, FindsPartsWhereTheirBuffersAre) {
  Buffer table;
  table.global = a;
  table.size = 500;
  EXPECT_EQ(caches.touch(table, 50), (Bytes{0, 0, 50}));
  // The first level has room for these 50, but not for all that they may be among.
  EXPECT_EQ(caches.touch(table, 50), (Bytes{0, 50, 0}));
}

TEST_F(CacheContentsTest, OfBuffersThatAreNotKnownNothingIsThere) {
  EXPECT_EQ(caches.touch(Buffer(), 8), (Bytes{0, 0, 8}));
  EXPECT_EQ(caches.touch(Buffer(), 8), (Bytes{0, 0, 8}));
}

} // namespace
