//===- ReshardPrice.cpp - What a sequence of moves sends ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collectives that dmc-to-ranks makes of moves, priced with the padding that they
// send.
//
//===----------------------------------------------------------------------===//
#include "ReshardTools.h"

#include <algorithm>
#include <cmath>

using namespace dmc;

const char *dmc::stringify(MoveKind kind) {
  switch (kind) {
  case MoveKind::Partition:
    return "partition";
  case MoveKind::Combine:
    return "combine";
  case MoveKind::Reduce:
    return "reduce";
  case MoveKind::Replicate:
    return "replicate";
  case MoveKind::Spread:
    return "spread";
  case MoveKind::Place:
    return "place";
  case MoveKind::Exchange:
    return "exchange";
  case MoveKind::Permute:
    return "permute";
  case MoveKind::Redistribute:
    return "redistribute";
  }
  return "unknown";
}

bool dmc::undoes(const Move &move, const Move &previous) {
  switch (move.kind) {
  case MoveKind::Partition:
    return previous.kind == MoveKind::Combine && previous.dim == move.dim &&
           previous.axes == move.axes;
  case MoveKind::Combine:
    return previous.kind == MoveKind::Partition && previous.dim == move.dim &&
           previous.axes == move.axes;
  case MoveKind::Reduce:
    return previous.kind == MoveKind::Spread && previous.axes == move.axes;
  case MoveKind::Replicate:
    return previous.kind == MoveKind::Place;
  case MoveKind::Exchange:
    return previous.kind == MoveKind::Exchange && previous.axes == move.axes &&
           previous.dim == move.targetDim && previous.targetDim == move.dim;
  case MoveKind::Permute:
    return previous.kind == MoveKind::Permute;
  case MoveKind::Spread:
  case MoveKind::Place:
  case MoveKind::Redistribute:
    return false;
  }
  return false;
}

bool dmc::isSameMove(const Move &a, const Move &b) {
  if (a.kind != b.kind || a.axes != b.axes || !(a.layout == b.layout))
    return false;
  switch (a.kind) {
  case MoveKind::Exchange:
    return a.dim == b.dim && a.targetDim == b.targetDim;
  case MoveKind::Partition:
  case MoveKind::Combine:
    return a.dim == b.dim;
  default:
    return true;
  }
}

int64_t dmc::messageCount(CollectiveKind kind, int64_t p) {
  if (p <= 1)
    return 0;
  int64_t rounds = 0;
  while ((int64_t(1) << rounds) < p)
    ++rounds;
  switch (kind) {
  case CollectiveKind::AllReduce:
    return 2 * rounds;
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
  case CollectiveKind::Broadcast:
    return rounds;
  case CollectiveKind::Permute:
    return 1;
  }
  return rounds;
}

bool dmc::isReduceScatter(int64_t operand, int64_t result, int64_t p) {
  // Of p * result and 2 * operand bytes, (p - 1) / p are sent. The product may overflow.
  return p == 1 || result <= 2 * operand / p;
}

int64_t dmc::localBytes(const Layout &layout, const std::vector<int64_t> &shape,
                        int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (int64_t size : localShape(layout, shape))
    bytes *= size;
  return bytes;
}

/// Whether a reduce and the move after it (or null) are one reduce-scatter.
static bool isScattered(const Move &move, const Move *next, const Layout &before,
                        const std::vector<int64_t> &shape, int64_t elementBytes) {
  return next && next->kind == MoveKind::Partition && next->axes.size() == move.axes.size() &&
         std::is_permutation(next->axes.begin(), next->axes.end(), move.axes.begin()) &&
         isReduceScatter(localBytes(before, shape, elementBytes),
                         localBytes(next->layout, shape, elementBytes), groupSize(move.axes));
}

/// Of a move whose traffic is known.
static std::optional<CollectiveKind> collectiveOf(const Move &move, const Move *next,
                                                  const Layout &before,
                                                  const std::vector<int64_t> &shape,
                                                  int64_t elementBytes) {
  if (move.traffic.messages == 0)
    return std::nullopt;
  switch (move.kind) {
  case MoveKind::Reduce:
    return isScattered(move, next, before, shape, elementBytes) ? CollectiveKind::ReduceScatter
                                                                : CollectiveKind::AllReduce;
  case MoveKind::Combine:
    return CollectiveKind::AllGather;
  case MoveKind::Exchange:
    return CollectiveKind::AllToAll;
  case MoveKind::Replicate:
    return CollectiveKind::Broadcast;
  case MoveKind::Permute:
  case MoveKind::Redistribute:
    return CollectiveKind::Permute;
  case MoveKind::Partition:
  case MoveKind::Spread:
  case MoveKind::Place:
    break;
  }
  return std::nullopt;
}

/// Of one move; `next` is the move after it, or null.
static Traffic trafficOfMove(RedistributionPrices &prices, const Mesh &mesh, const Layout &before,
                             const Move &move, const Move *next, const std::vector<int64_t> &shape,
                             int64_t elementBytes) {
  auto bytesOf = [&](const Layout &layout) { return localBytes(layout, shape, elementBytes); };
  int64_t p = groupSize(move.axes), bytes = 0;
  bool scatters = false;
  switch (move.kind) {
  case MoveKind::Redistribute:
    return *prices.get(before, move.layout, shape, elementBytes);
  case MoveKind::Permute:
    if (isSameSplit(mesh, before, move.layout, shape))
      return {};
    bytes = bytesOf(before);
    break;
  case MoveKind::Reduce:
    scatters = isScattered(move, next, before, shape, elementBytes);
    bytes = bytesOf(scatters ? next->layout : before);
    break;
  case MoveKind::Exchange: {
    // Blocks of the source dimension's block by the target dimension's.
    Layout both = before;
    auto &target = both.dims[move.targetDim];
    target.insert(target.end(), move.axes.begin(), move.axes.end());
    bytes = bytesOf(both);
    break;
  }
  case MoveKind::Combine:
  case MoveKind::Replicate:
    bytes = bytesOf(before);
    break;
  case MoveKind::Partition:
  case MoveKind::Spread:
  case MoveKind::Place:
    break;
  }
  return trafficOf(move.kind, scatters, bytes, p);
}

Traffic dmc::setTraffic(const Mesh &mesh, const Layout &from, std::vector<Move> &moves,
                        const std::vector<int64_t> &shape, int64_t elementBytes) {
  RedistributionPrices prices(mesh);
  return setTraffic(prices, mesh, from, moves, shape, elementBytes);
}

Traffic dmc::setTraffic(RedistributionPrices &prices, const Mesh &mesh, const Layout &from,
                        std::vector<Move> &moves, const std::vector<int64_t> &shape,
                        int64_t elementBytes) {
  Traffic total;
  const Layout *before = &from;
  for (size_t i = 0; i < moves.size(); ++i) {
    const Move *next = i + 1 < moves.size() ? &moves[i + 1] : nullptr;
    moves[i].traffic = trafficOfMove(prices, mesh, *before, moves[i], next, shape, elementBytes);
    moves[i].collective = collectiveOf(moves[i], next, *before, shape, elementBytes);
    total += moves[i].traffic;
    before = &moves[i].layout;
  }
  return total;
}

int64_t dmc::peakBytes(const Layout &from, const std::vector<Move> &moves,
                       const std::vector<int64_t> &shape, int64_t elementBytes) {
  int64_t held = localBytes(from, shape, elementBytes), peak = held;
  const Layout *before = &from;
  for (size_t i = 0; i < moves.size(); ++i) {
    // What a reduce-scatter reduces is never whole.
    const Move *after = i + 1 < moves.size() ? &moves[i + 1] : nullptr;
    if (moves[i].kind == MoveKind::Reduce &&
        isScattered(moves[i], after, *before, shape, elementBytes))
      ++i;
    before = &moves[i].layout;
    int64_t next = localBytes(moves[i].layout, shape, elementBytes);
    peak = std::max(peak, held + next);
    held = next;
  }
  return peak;
}
