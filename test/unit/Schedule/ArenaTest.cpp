//===- ArenaTest.cpp - The arena planner ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of random and of known instances, and that wrong plans are refused.
//
//===----------------------------------------------------------------------===//
#include "dmc/Schedule/Arena.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <array>
#include <ctime>
#include <limits>
#include <random>

using namespace dmc;

namespace {

ArenaProblem makeRandom(unsigned seed, int count, int64_t steps, int64_t length, int64_t maxBytes) {
  std::mt19937 random(seed);
  auto upTo = [&](int64_t n) { return static_cast<int64_t>(random() % (n + 1)); };
  ArenaProblem problem;
  for (int i = 0; i < count; ++i) {
    int64_t first = upTo(steps);
    problem.buffers.push_back({first, first + upTo(length), upTo(maxBytes)});
  }
  return problem;
}

/// By definition, pair by pair.
bool overlapsSomewhere(const ArenaProblem &problem, const ArenaPlan &plan) {
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const ArenaBuffer &a = problem.buffers[i], &b = problem.buffers[j];
      bool time = a.first <= b.last && b.first <= a.last;
      bool space = plan.offsets[i] < plan.offsets[j] + b.bytes &&
                   plan.offsets[j] < plan.offsets[i] + a.bytes;
      if (time && space && a.bytes > 0 && b.bytes > 0)
        return true;
    }
  return false;
}

TEST(Arena, EmptyProblem) {
  ArenaProblem problem;
  ArenaPlan plan = planArena(problem);
  EXPECT_EQ(plan.bytes, 0);
  EXPECT_EQ(plan.verify(problem), "");
}

TEST(Arena, DisjointRangesShareBytes) {
  ArenaProblem problem{{{0, 1, 100}, {2, 3, 128}, {4, 4, 1}}};
  ArenaPlan plan = planArena(problem);
  EXPECT_EQ(plan.verify(problem), "");
  EXPECT_EQ(plan.bytes, 128);
}

TEST(Arena, SearchFindsOrders) {
  ArenaProblem problem{
      {{8, 8, 384}, {6, 10, 256}, {8, 8, 64}, {3, 7, 256}, {3, 5, 320}, {7, 10, 128}}};
  EXPECT_EQ(planArena(problem).bytes, 1024);
  ArenaPlan plan = planArena(problem, /*comparisons=*/1 << 16);
  EXPECT_EQ(plan.verify(problem), "");
  EXPECT_EQ(plan.bytes, 832);
  EXPECT_EQ(plan.bytes, problem.getLowerBound());
}

TEST(Arena, SearchIsRightAndRepeatable) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    ArenaProblem problem = makeRandom(seed, 60, 100, 20, 3000);
    ArenaPlan plan = planArena(problem, /*comparisons=*/1 << 18);
    EXPECT_EQ(plan.verify(problem), "");
    EXPECT_FALSE(overlapsSomewhere(problem, plan));
    EXPECT_LE(plan.bytes, planArena(problem).bytes);
    EXPECT_GE(plan.bytes, problem.getLowerBound());
    EXPECT_EQ(plan.offsets, planArena(problem, /*comparisons=*/1 << 18).offsets);
  }
}

/// The arena of buffers that are placed one after the other in the tightest gap among those that
/// are alive with them, pair by pair.
int64_t placeSimply(const ArenaProblem &problem, const std::vector<size_t> &order) {
  auto alignTo = [](int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; };
  std::vector<std::array<int64_t, 2>> placed;
  std::vector<size_t> before;
  int64_t arena = 0;
  for (size_t index : order) {
    const ArenaBuffer &buffer = problem.buffers[index];
    int64_t unit = getArenaAlignment(buffer.bytes), bytes = alignTo(buffer.bytes, unit);
    std::vector<std::array<int64_t, 2>> alive;
    for (auto [place, other] : llvm::zip_equal(placed, before))
      if (problem.buffers[other].first <= buffer.last &&
          buffer.first <= problem.buffers[other].last)
        alive.push_back(place);
    llvm::sort(alive);
    int64_t best = -1, bestGap = std::numeric_limits<int64_t>::max(), end = 0;
    for (auto [offset, last] : alive) {
      int64_t start = alignTo(end, unit), gap = offset - start;
      if (gap >= bytes && gap < bestGap) {
        best = start;
        bestGap = gap;
      }
      end = std::max(end, last);
    }
    int64_t offset = best < 0 ? alignTo(end, unit) : best;
    placed.push_back({offset, offset + bytes});
    before.push_back(index);
    arena = std::max(arena, offset + bytes);
  }
  return alignTo(arena, arenaAlignment);
}

// Most are alive for a few steps, some for all: gaps are looked for by parts of time.
TEST(Arena, ManyBuffersAreAsIfPlacedOneByOne) {
  ArenaProblem problem = makeRandom(/*seed=*/7, 1500, 3000, 6, 3000);
  ArenaProblem lasting = makeRandom(/*seed=*/8, 150, 1000, 2500, 3000);
  llvm::append_range(problem.buffers, lasting.buffers);
  ArenaPlan plan = planArena(problem);
  EXPECT_EQ(plan.verify(problem), "");
  EXPECT_FALSE(overlapsSomewhere(problem, plan));
  std::vector<size_t> order;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (problem.buffers[i].bytes > 0)
      order.push_back(i);
  int64_t least = std::numeric_limits<int64_t>::max();
  auto tryOrder = [&](auto key) {
    std::vector<size_t> sorted = order;
    llvm::stable_sort(sorted, [&](size_t a, size_t b) {
      return key(problem.buffers[a]) > key(problem.buffers[b]);
    });
    least = std::min(least, placeSimply(problem, sorted));
  };
  tryOrder([](const ArenaBuffer &b) { return b.bytes; });
  tryOrder([](const ArenaBuffer &b) { return b.bytes * (b.last - b.first + 1); });
  tryOrder([](const ArenaBuffer &b) { return b.last - b.first; });
  tryOrder([](const ArenaBuffer &b) { return -b.first; });
  EXPECT_EQ(plan.bytes, least);
}

TEST(Arena, RangesAreInclusive) {
  ArenaProblem problem{{{0, 1, 64}, {1, 2, 64}}};
  EXPECT_EQ(planArena(problem).bytes, 128);
}

TEST(Arena, BuffersWithoutBytesTakeNoSpace) {
  ArenaProblem problem{{{0, 9, 0}, {0, 9, 64}, {3, 3, 0}}};
  ArenaPlan plan = planArena(problem);
  EXPECT_EQ(plan.verify(problem), "");
  EXPECT_EQ(plan.bytes, 64);
}

TEST(Arena, SmallBuffersShareACacheLine) {
  ArenaProblem problem{{{0, 9, 4}, {0, 9, 4}, {0, 9, 4}, {0, 9, 64}, {0, 9, 16}}};
  ArenaPlan plan = planArena(problem);
  EXPECT_EQ(plan.verify(problem), "");
  EXPECT_EQ(plan.bytes, 128);
  plan.offsets[0] += 8;
  EXPECT_NE(plan.verify(problem), "");
}

TEST(Arena, FillsTheTightestGap) {
  // Gaps of 192 and 128 bytes lie free when the last buffer of 128 comes.
  ArenaProblem problem{
      {{0, 9, 640}, {0, 4, 192}, {0, 9, 320}, {0, 4, 128}, {0, 9, 256}, {5, 9, 128}}};
  ArenaPlan plan = planArena(problem);
  EXPECT_EQ(plan.verify(problem), "");
  EXPECT_EQ(plan.bytes, problem.getLowerBound());
}

// In each of these one order alone reaches the bound.
TEST(Arena, TakesTheBestOfSeveralOrders) {
  ArenaProblem bySizeTimesLength{{{2, 5, 192}, {0, 3, 128}, {4, 6, 256}, {0, 1, 384}}};
  ArenaProblem byLength{{{2, 4, 192}, {3, 6, 256}, {1, 2, 128}, {1, 1, 384}}};
  ArenaProblem byTime{{{5, 7, 384}, {1, 3, 256}, {3, 4, 256}, {4, 6, 64}}};
  for (const ArenaProblem &problem : {bySizeTimesLength, byLength, byTime}) {
    ArenaPlan plan = planArena(problem);
    EXPECT_EQ(plan.verify(problem), "");
    EXPECT_EQ(plan.bytes, 512);
    EXPECT_EQ(problem.getLowerBound(), 512);
  }
}

TEST(Arena, RandomPlansAreRightAndNearTheBound) {
  double worst = 1;
  for (unsigned seed = 0; seed < 200; ++seed) {
    ArenaProblem problem = makeRandom(seed, 20 + seed, 50, 1 + seed % 40, 4096);
    ASSERT_EQ(problem.check(), "");
    ArenaPlan plan = planArena(problem);
    ASSERT_EQ(plan.verify(problem), "") << "seed " << seed;
    ASSERT_FALSE(overlapsSomewhere(problem, plan)) << "seed " << seed;
    ASSERT_GE(plan.bytes, problem.getLowerBound());
    worst = std::max(worst, static_cast<double>(plan.bytes) / problem.getLowerBound());
  }
  EXPECT_LT(worst, 1.35);
}

TEST(Arena, VerifyAgreesWithTheDefinition) {
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    ArenaProblem problem = makeRandom(seed, 6, 6, 3, 256);
    std::mt19937 random(seed);
    ArenaPlan plan;
    plan.bytes = 2048;
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      plan.offsets.push_back(arenaAlignment * (random() % 20));
    bool overlaps = overlapsSomewhere(problem, plan);
    wrong += overlaps;
    ASSERT_EQ(plan.verify(problem) != "", overlaps) << "seed " << seed;
  }
  EXPECT_GT(wrong, 50u);
  EXPECT_LT(wrong, 450u);
}

TEST(Arena, VerifyRefuses) {
  ArenaProblem problem{{{0, 1, 64}, {1, 2, 64}}};
  EXPECT_EQ((ArenaPlan{{0}, 128}).verify(problem), "expected 2 offsets, found 1");
  EXPECT_EQ((ArenaPlan{{0, 32}, 128}).verify(problem), "buffer 1 has unaligned offset 32");
  EXPECT_EQ((ArenaPlan{{0, 64}, 100}).verify(problem), "buffer 1 ends behind the arena");
  EXPECT_EQ((ArenaPlan{{0, 0}, 128}).verify(problem), "buffer 1 overlaps buffer 0");
  EXPECT_EQ((ArenaPlan{{64, 0}, 128}).verify(problem), "");
}

TEST(Arena, CheckRefuses) {
  EXPECT_EQ((ArenaProblem{{{0, 0, -1}}}).check(), "buffer 0 has negative size -1");
  EXPECT_EQ((ArenaProblem{{{3, 2, 1}}}).check(),
            "buffer 0 ends at step 2 before it starts at step 3");
  EXPECT_NE((ArenaProblem{{{0, 0, INT64_MAX - 100}, {0, 0, 1000}}}).check(), "");
}

TEST(Arena, EightThousandBuffersTakeLessThanSeconds) {
  ArenaProblem problem = makeRandom(7, 8000, 8000, 200, 1 << 20);
  // Of the processor: other processes on the machine do not count.
  std::clock_t start = std::clock();
  ArenaPlan plan = planArena(problem);
  double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(plan.verify(problem), "");
  EXPECT_LT(seconds, 5.0);
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  EXPECT_LT(plan.bytes, 1.25 * problem.getLowerBound());
}

} // namespace
