//===- RoundsTest.cpp - Transfers divided into rounds ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReshardTools.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace dmc;

static Transfer transfer(int64_t source, int64_t target, std::vector<int64_t> size) {
  return {source, target, {}, {}, std::move(size)};
}

TEST(Rounds, ColoursAreAsFewAsAPositionHasEdges) {
  // Edges that meet have different colours.
  std::mt19937 random(1);
  for (int draw = 0; draw < 20000; ++draw) {
    int64_t positions = 1 + random() % 6;
    // Some with more colours than a word has bits.
    std::vector<Edge> edges(draw % 100 ? random() % 24 : 400 + random() % 400);
    std::vector<int64_t> sends(positions), receives(positions);
    int64_t colours = 0;
    for (Edge &edge : edges) {
      edge = {int64_t(random() % positions), int64_t(random() % positions)};
      colours = std::max({colours, ++sends[edge.source], ++receives[edge.target]});
    }
    std::vector<int32_t> found = colourEdges(edges, positions, colours);
    ASSERT_EQ(found.size(), edges.size());
    std::set<std::pair<int64_t, int32_t>> sent, received;
    for (size_t i = 0; i < edges.size(); ++i) {
      ASSERT_GE(found[i], 0);
      ASSERT_LT(found[i], colours);
      ASSERT_TRUE(sent.insert({edges[i].source, found[i]}).second);
      ASSERT_TRUE(received.insert({edges[i].target, found[i]}).second);
    }
  }
}

TEST(Rounds, LikeSizesAreSentTogether) {
  // What is large is so by its elements: the small ones are longer on one side.
  std::vector<TransferRound> rounds = makeRounds({transfer(0, 2, {6, 6}), transfer(0, 3, {1, 8}),
                                                  transfer(1, 5, {8, 1}), transfer(1, 4, {6, 5})},
                                                 6);
  ASSERT_EQ(rounds.size(), 2u);
  std::set<std::vector<int64_t>> shapes;
  for (const TransferRound &round : rounds) {
    shapes.insert(round.shape);
    ASSERT_EQ(round.transfers.size(), 2u);
    EXPECT_LT(round.transfers[0].source, round.transfers[1].source);
  }
  EXPECT_EQ(shapes, (std::set<std::vector<int64_t>>{{6, 6}, {8, 8}}));
  EXPECT_TRUE(makeRounds({}, 3).empty());
}

TEST(Rounds, LargestSizeOfEachDimension) {
  std::vector<TransferRound> rounds =
      makeRounds({transfer(0, 1, {1, 8}), transfer(1, 2, {4, 3}), transfer(2, 0, {2, 2})}, 3);
  ASSERT_EQ(rounds.size(), 1u);
  EXPECT_EQ(rounds[0].shape, (std::vector<int64_t>{4, 8}));
}
