//===- Rounds.cpp - Transfers divided into rounds -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a round every position sends and receives once at most: a colouring of the edges of
// a bipartite graph.
//
//===----------------------------------------------------------------------===//
#include "ReshardTools.h"

#include <algorithm>

using namespace dmc;

std::vector<int32_t> dmc::colourEdges(const std::vector<Edge> &edges, int64_t positions,
                                      int64_t colours) {
  // Vertices: senders, then receivers; at each the edge of every colour, and the free colours, as
  // bits.
  std::vector<int32_t> edgeAt(static_cast<size_t>(2 * positions * colours), -1);
  const int64_t words = ceilDiv(colours, 64);
  std::vector<uint64_t> freeAt(static_cast<size_t>(2 * positions * words), 0);
  for (int64_t vertex = 0; vertex < 2 * positions; ++vertex)
    for (int64_t c = 0; c < colours; ++c)
      freeAt[vertex * words + c / 64] |= uint64_t(1) << c % 64;
  std::vector<int32_t> result(edges.size(), -1);
  auto at = [&](int64_t vertex, int64_t c) { return edgeAt[vertex * colours + c]; };
  auto set = [&](int64_t vertex, int64_t c, int32_t edge) {
    edgeAt[vertex * colours + c] = edge;
    uint64_t bit = uint64_t(1) << c % 64, &word = freeAt[vertex * words + c / 64];
    word = edge < 0 ? word | bit : word & ~bit;
  };
  // The first colour that is free at both; `colours`, if there is none.
  auto findFree = [&](int64_t u, int64_t v) {
    for (int64_t word = 0; word < words; ++word)
      if (uint64_t both = freeAt[u * words + word] & freeAt[v * words + word])
        return 64 * word + static_cast<int64_t>(__builtin_ctzll(both));
    return colours;
  };
  auto ends = [&](int32_t edge) {
    return std::pair(edges[edge].source, positions + edges[edge].target);
  };
  for (int32_t edge = 0; edge < static_cast<int32_t>(edges.size()); ++edge) {
    auto [u, v] = ends(edge);
    int64_t both = findFree(u, v);
    if (both == colours) {
      // The path from v that alternates between u's and v's free colours cannot reach u.
      int64_t a = findFree(u, u), b = findFree(v, v);
      std::vector<int32_t> path;
      for (int64_t vertex = v, c = a; at(vertex, c) >= 0; c = c == a ? b : a) {
        int32_t next = at(vertex, c);
        path.push_back(next);
        auto [s, t] = ends(next);
        vertex = vertex == s ? t : s;
      }
      for (int32_t other : path) {
        auto [s, t] = ends(other);
        set(s, result[other], -1);
        set(t, result[other], -1);
      }
      for (int32_t other : path) {
        auto [s, t] = ends(other);
        result[other] = static_cast<int32_t>(result[other] == a ? b : a);
        set(s, result[other], other);
        set(t, result[other], other);
      }
      both = a;
    }
    result[edge] = static_cast<int32_t>(both);
    set(u, both, edge);
    set(v, both, edge);
  }
  return result;
}

std::vector<TransferRound> dmc::makeRounds(std::vector<Transfer> transfers, int64_t positions) {
  if (transfers.empty())
    return {};
  std::vector<int64_t> sends(positions), receives(positions);
  for (const Transfer &transfer : transfers) {
    ++sends[transfer.source];
    ++receives[transfer.target];
  }
  int64_t count = std::max(*std::max_element(sends.begin(), sends.end()),
                           *std::max_element(receives.begin(), receives.end()));
  // Those of like size share rounds, which are as large as their largest.
  sortLargestFirst(transfers, [](const Transfer &transfer) {
    int64_t volume = 1;
    for (int64_t size : transfer.size)
      volume *= size;
    return volume;
  });
  std::vector<Edge> edges;
  edges.reserve(transfers.size());
  for (const Transfer &transfer : transfers)
    edges.push_back({transfer.source, transfer.target});
  std::vector<int32_t> colours = colourEdges(edges, positions, count);
  std::vector<TransferRound> rounds(count);
  for (size_t i = 0; i < transfers.size(); ++i) {
    TransferRound &round = rounds[colours[i]];
    round.shape.resize(transfers[i].size.size());
    for (size_t d = 0; d < round.shape.size(); ++d)
      round.shape[d] = std::max(round.shape[d], transfers[i].size[d]);
    round.transfers.push_back(std::move(transfers[i]));
  }
  for (TransferRound &round : rounds)
    std::sort(round.transfers.begin(), round.transfers.end(),
              [](const Transfer &a, const Transfer &b) { return a.source < b.source; });
  return rounds;
}
