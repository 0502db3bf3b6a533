//===- Redistribute.cpp - Transfers from any split to any other -----------===//
//
// Who sends which box to whom, in as few rounds as the busiest rank has boxes.
//
//===----------------------------------------------------------------------===//
#include "ReshardTools.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>

using namespace dmc;

namespace {
using Box = std::vector<DimBlock>;

/// A redistribution without what both layouts split alike: that part runs within each
/// block of the common cut.
struct Reduced {
  Layout from, to;
  std::vector<int64_t> shape;
  std::vector<AxisRef> axes;
};

/// A box that a position lacks, and the block that it lies in.
struct Demand {
  int64_t target;
  size_t block;
  Box box;
  int64_t volume;
};

/// The blocks of a layout and the positions that hold each.
struct Holders {
  std::vector<Box> boxes;
  std::vector<std::vector<int64_t>> positions;
  /// Of each position; nothing where it holds no element.
  std::vector<std::optional<size_t>> blockOf;
};
} // namespace

static int64_t volumeOf(const Box &box) {
  int64_t volume = 1;
  for (const DimBlock &block : box)
    volume *= block.valid();
  return volume;
}

static Box intersect(const Box &a, const Box &b) {
  Box result(a.size());
  for (size_t d = 0; d < a.size(); ++d) {
    result[d].begin = std::max(a[d].begin, b[d].begin);
    result[d].end = std::max(result[d].begin, std::min(a[d].end, b[d].end));
  }
  return result;
}

static Reduced reduceProblem(const Mesh &mesh, const Layout &from, const Layout &to,
                             const std::vector<int64_t> &shape) {
  Reduced result{from.canonical(), to.canonical(), shape, {}};
  Layout &a = result.from, &b = result.to;
  AxisCuts cuts(mesh, {&a, &b});
  if (a.placed == b.placed) {
    a.placed.clear();
    b.placed.clear();
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    size_t common = 0;
    while (common < a.dims[d].size() && common < b.dims[d].size() &&
           a.dims[d][common] == b.dims[d][common] && cuts.isAgreed(a.dims[d][common])) {
      result.shape[d] = localSize(result.shape[d], {a.dims[d][common].size});
      ++common;
    }
    a.dims[d].erase(a.dims[d].begin(), a.dims[d].begin() + common);
    b.dims[d].erase(b.dims[d].begin(), b.dims[d].begin() + common);
  }
  result.axes = cuts.partsOf({&a, &b});
  return result;
}

static Holders findHolders(const Mesh &mesh, const Layout &layout,
                           const std::vector<int64_t> &shape, const std::vector<int64_t> &ranks) {
  Holders result;
  result.blockOf.resize(ranks.size());
  std::map<std::vector<int64_t>, size_t> numbers;
  for (size_t position = 0; position < ranks.size(); ++position) {
    if (!holds(mesh, layout, ranks[position]))
      continue;
    Box box = blocks(mesh, layout, shape, ranks[position]);
    if (volumeOf(box) == 0)
      continue;
    std::vector<int64_t> begins;
    for (const DimBlock &block : box)
      begins.push_back(block.begin);
    auto [entry, isNew] = numbers.try_emplace(std::move(begins), result.boxes.size());
    if (isNew) {
      result.boxes.push_back(std::move(box));
      result.positions.emplace_back();
    }
    result.positions[entry->second].push_back(static_cast<int64_t>(position));
    result.blockOf[position] = entry->second;
  }
  return result;
}

static Transfer makeTransfer(int64_t source, int64_t target, const Box &box, const Box &held,
                             const Box &wanted) {
  Transfer transfer{source, target, {}, {}, {}};
  for (size_t d = 0; d < box.size(); ++d) {
    transfer.sourceOffset.push_back(box[d].begin - held[d].begin);
    transfer.targetOffset.push_back(box[d].begin - wanted[d].begin);
    transfer.size.push_back(box[d].valid());
  }
  return transfer;
}

/// Gives the transfers, largest first, the colours of a bipartite edge colouring with as
/// few colours as the largest degree: each colour is a round.
static std::vector<int64_t> colour(const std::vector<Transfer> &transfers, int64_t positions,
                                   int64_t colours) {
  // Vertices: senders, then receivers; at each the edge of every colour.
  std::vector<int64_t> edgeAt(static_cast<size_t>(2 * positions * colours), -1);
  std::vector<int64_t> result(transfers.size(), -1);
  auto at = [&](int64_t vertex, int64_t c) -> int64_t & { return edgeAt[vertex * colours + c]; };
  auto firstFree = [&](int64_t vertex) {
    int64_t c = 0;
    while (at(vertex, c) >= 0)
      ++c;
    return c;
  };
  auto ends = [&](int64_t edge) {
    return std::pair(transfers[edge].source, positions + transfers[edge].target);
  };
  for (int64_t edge = 0; edge < static_cast<int64_t>(transfers.size()); ++edge) {
    auto [u, v] = ends(edge);
    int64_t both = 0;
    while (both < colours && (at(u, both) >= 0 || at(v, both) >= 0))
      ++both;
    if (both == colours) {
      // The path from v that alternates between u's and v's free colours cannot reach u.
      int64_t a = firstFree(u), b = firstFree(v);
      std::vector<int64_t> path;
      for (int64_t vertex = v, c = a; at(vertex, c) >= 0; c = c == a ? b : a) {
        int64_t next = at(vertex, c);
        path.push_back(next);
        auto [s, t] = ends(next);
        vertex = vertex == s ? t : s;
      }
      for (int64_t other : path) {
        auto [s, t] = ends(other);
        at(s, result[other]) = at(t, result[other]) = -1;
      }
      for (int64_t other : path) {
        auto [s, t] = ends(other);
        result[other] = result[other] == a ? b : a;
        at(s, result[other]) = at(t, result[other]) = other;
      }
      both = a;
    }
    result[edge] = both;
    at(u, both) = at(v, both) = edge;
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
  auto volume = [](const Transfer &transfer) {
    int64_t result = 1;
    for (int64_t size : transfer.size)
      result *= size;
    return result;
  };
  stableSort(transfers,
             [&](const Transfer &a, const Transfer &b) { return volume(a) > volume(b); });
  std::vector<int64_t> colours = colour(transfers, positions, count);
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

/// The boxes that a target lacks, one for each block that has a part of it.
static void collectDemands(const Holders &held, int64_t target, const Box &wanted,
                           std::vector<Demand> &demands) {
  for (size_t block = 0; block < held.boxes.size(); ++block) {
    if (held.blockOf[target] == block)
      continue;
    Box box = intersect(held.boxes[block], wanted);
    if (int64_t volume = volumeOf(box))
      demands.push_back({target, block, std::move(box), volume});
  }
}

std::optional<Redistribution> dmc::planRedistribution(const Mesh &mesh, const Layout &from,
                                                      const Layout &to,
                                                      const std::vector<int64_t> &shape,
                                                      int64_t maxPositions) {
  Layout before = from.canonical(), after = to.canonical();
  if (before.partial != after.partial || before.combiner != after.combiner)
    return std::nullopt;
  Reduced problem = reduceProblem(mesh, from, to, shape);
  if (groupSize(problem.axes) > maxPositions)
    return std::nullopt;
  std::vector<int64_t> ranks = group(mesh, problem.axes, 0);
  Holders held = findHolders(mesh, problem.from, problem.shape, ranks);
  Holders wanted = findHolders(mesh, problem.to, problem.shape, ranks);

  Redistribution result;
  result.axes = problem.axes;
  std::vector<Demand> demands;
  std::vector<char> keepsAll(ranks.size(), 0);
  for (size_t target = 0; target < ranks.size(); ++target) {
    if (!wanted.blockOf[target])
      continue;
    const Box &box = wanted.boxes[*wanted.blockOf[target]];
    if (held.blockOf[target]) {
      const Box &own = held.boxes[*held.blockOf[target]];
      Box kept = intersect(own, box);
      int64_t volume = volumeOf(kept);
      keepsAll[target] = volume == volumeOf(box);
      if (volume > 0)
        result.kept.push_back(makeTransfer(target, target, kept, own, box));
    }
    if (!keepsAll[target])
      collectDemands(held, target, box, demands);
  }

  // The holders of a block take turns, those first that need not serve themselves, so
  // that a permutation is one.
  for (std::vector<int64_t> &positions : held.positions)
    stableSort(positions, [&](int64_t a, int64_t b) { return keepsAll[a] < keepsAll[b]; });
  stableSort(demands, [](const Demand &a, const Demand &b) { return a.volume > b.volume; });
  std::vector<size_t> turns(held.boxes.size(), 0);
  std::vector<Transfer> transfers;
  for (const Demand &demand : demands) {
    const std::vector<int64_t> &holders = held.positions[demand.block];
    int64_t source = holders[turns[demand.block]++ % holders.size()];
    transfers.push_back(makeTransfer(source, demand.target, demand.box, held.boxes[demand.block],
                                     wanted.boxes[*wanted.blockOf[demand.target]]));
  }
  result.rounds = makeRounds(std::move(transfers), static_cast<int64_t>(ranks.size()));
  return result;
}

Traffic Redistribution::traffic(int64_t elementBytes) const {
  Traffic result;
  for (const TransferRound &round : rounds) {
    double bytes = static_cast<double>(elementBytes);
    for (int64_t size : round.shape)
      bytes *= static_cast<double>(size);
    result += {bytes, 1};
  }
  return result;
}

int64_t dmc::missingBytes(const Mesh &mesh, const Layout &from, const Layout &to,
                          const std::vector<int64_t> &shape, int64_t elementBytes) {
  Reduced problem = reduceProblem(mesh, from, to, shape);
  int64_t most = 0;
  for (int64_t rank : group(mesh, problem.axes, 0)) {
    if (!holds(mesh, problem.to, rank))
      continue;
    Box wanted = blocks(mesh, problem.to, problem.shape, rank);
    int64_t missing = volumeOf(wanted);
    if (holds(mesh, problem.from, rank))
      missing -= volumeOf(intersect(blocks(mesh, problem.from, problem.shape, rank), wanted));
    most = std::max(most, missing);
  }
  return most * elementBytes;
}
