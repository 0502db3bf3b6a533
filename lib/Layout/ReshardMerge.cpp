//===- ReshardMerge.cpp - Moves that are fewer collectives ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours of a sequence of moves that one collective can do, merged where the
// machine's links make that no slower.
//
//===----------------------------------------------------------------------===//
#include "ReshardTools.h"

using namespace dmc;

bool dmc::isOneGather(int64_t operand, int64_t between, int64_t p) {
  return between / p >= operand; // The product may overflow.
}

double dmc::getSeconds(const std::vector<Move> &moves, const ReshardOptions &options) {
  double seconds = 0;
  for (const Move &move : moves)
    seconds += move.traffic.seconds(
        options.ratesAlong && !move.axes.empty() ? options.ratesAlong(move.axes) : options.rates);
  return seconds;
}

namespace {
/// Merges the moves of one sequence.
class Merging {
public:
  Merging(const Mesh &mesh, const Layout &from, const std::vector<int64_t> &shape,
          int64_t elementBytes, const ReshardOptions &options)
      : mesh(mesh), from(from), shape(shape), elementBytes(elementBytes), options(options) {}
  bool run(std::vector<Move> &moves) const;

private:
  const Layout &before(const std::vector<Move> &moves, size_t i) const {
    return i ? moves[i - 1].layout : from;
  }
  std::optional<Move> mergePair(const std::vector<Move> &moves, size_t i) const;
  bool splitReduction(std::vector<Move> &moves, size_t i) const;
  bool splitReductions(std::vector<Move> &moves) const;
  double priceFrom(const std::vector<Move> &moves, size_t first) const;

  const Mesh &mesh;
  const Layout &from;
  const std::vector<int64_t> &shape;
  const int64_t elementBytes;
  const ReshardOptions &options;
};
} // namespace

/// Part of a sum of seconds that rounding may change.
static constexpr double rounding = 0x1p-40;

/// A move and the next as one, if one collective or slice can do both.
std::optional<Move> Merging::mergePair(const std::vector<Move> &moves, size_t i) const {
  const Move &first = moves[i];
  Move both = moves[i + 1];
  if (first.kind != both.kind)
    return std::nullopt;
  auto getBlock = [&](const Layout &layout) { return localShape(layout, shape)[first.dim]; };
  switch (first.kind) {
  case MoveKind::Reduce:
    both.axes.insert(both.axes.begin(), first.axes.begin(), first.axes.end());
    return both;
  case MoveKind::Combine:
    if (first.dim != both.dim ||
        !isOneGather(getBlock(before(moves, i)), getBlock(first.layout), groupSize(first.axes)))
      return std::nullopt;
    both.axes.insert(both.axes.end(), first.axes.begin(), first.axes.end());
    return both;
  case MoveKind::Partition:
    // The first one may complete a reduce-scatter.
    if (first.dim != both.dim || (i > 0 && moves[i - 1].kind == MoveKind::Reduce))
      return std::nullopt;
    both.axes.insert(both.axes.begin(), first.axes.begin(), first.axes.end());
    return both;
  default:
    return std::nullopt;
  }
}

/// A reduction along more axes than the next move partitions: the reduce-scatter comes first, so
/// that the rest reduces less.
bool Merging::splitReduction(std::vector<Move> &moves, size_t i) const {
  const Move reduce = moves[i], partition = moves[i + 1];
  if (reduce.kind != MoveKind::Reduce || partition.kind != MoveKind::Partition)
    return false;
  auto isIn = [](const AxisRef &axis, const std::vector<AxisRef> &axes) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  const std::vector<AxisRef> &scattered = partition.axes;
  for (const AxisRef &axis : scattered)
    if (!isIn(axis, reduce.axes))
      return false;
  std::vector<AxisRef> rest;
  for (const AxisRef &axis : reduce.axes)
    if (!isIn(axis, scattered))
      rest.push_back(axis);
  if (rest.empty())
    return false;
  // Padded blocks could make two collectives send more than one.
  if (localShape(partition.layout, shape)[partition.dim] * groupSize(scattered) !=
      localShape(reduce.layout, shape)[partition.dim])
    return false;
  std::optional<Layout> reduced = withoutPartial(before(moves, i), scattered);
  if (!reduced)
    return false;
  Layout split = *reduced;
  auto &axes = split.dims[partition.dim];
  axes.insert(axes.end(), scattered.begin(), scattered.end());
  moves[i].axes = scattered;
  moves[i].layout = std::move(*reduced);
  moves[i + 1].layout = std::move(split);
  Move last{MoveKind::Reduce, std::move(rest), 0, 0, partition.layout, {}};
  moves.insert(moves.begin() + static_cast<std::ptrdiff_t>(i + 2), std::move(last));
  return true;
}

bool Merging::splitReductions(std::vector<Move> &moves) const {
  bool changed = false;
  // What is left to reduce may be split by the partition behind it.
  for (size_t i = 0; i + 1 < moves.size(); ++i)
    changed |= splitReduction(moves, i);
  return changed;
}

/// Seconds of the moves from one on, up to the first that merging leaves as it is.
double Merging::priceFrom(const std::vector<Move> &moves, size_t first) const {
  auto begin = moves.begin() + static_cast<std::ptrdiff_t>(first);
  auto end = std::find_if(begin, moves.end(), [](const Move &move) {
    return move.kind != MoveKind::Reduce && move.kind != MoveKind::Combine &&
           move.kind != MoveKind::Partition;
  });
  const Layout &start = before(moves, first);
  std::vector<Move> priced(begin, end);
  Merging(mesh, start, shape, elementBytes, options).splitReductions(priced);
  setTraffic(mesh, start, priced, shape, elementBytes);
  return getSeconds(priced, options);
}

bool Merging::run(std::vector<Move> &moves) const {
  bool changed = false;
  for (size_t i = 0; i + 1 < moves.size();) {
    std::optional<Move> both = mergePair(moves, i);
    if (!both) {
      ++i;
      continue;
    }
    std::vector<Move> merged = moves;
    merged[i] = std::move(*both);
    merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(i + 1));
    // A slice sends nothing, and along links that are alike one collective is never slower.
    if (options.ratesAlong && moves[i].kind != MoveKind::Partition &&
        priceFrom(merged, i) > priceFrom(moves, i) * (1 + rounding)) {
      ++i;
      continue;
    }
    moves = std::move(merged);
    changed = true;
  }
  return splitReductions(moves) || changed;
}

bool dmc::mergeMoves(const Mesh &mesh, const Layout &from, std::vector<Move> &moves,
                     const std::vector<int64_t> &shape, int64_t elementBytes,
                     const ReshardOptions &options) {
  return Merging(mesh, from, shape, elementBytes, options).run(moves);
}
