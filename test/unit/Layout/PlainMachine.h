//===- PlainMachine.h - Moves executed on sets of elements ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks, groups and moves by their definitions, sharing nothing with the library but the
// types and the lists of transfers.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TEST_UNIT_LAYOUT_PLAINMACHINE_H
#define DMC_TEST_UNIT_LAYOUT_PLAINMACHINE_H

#include "dmc/Layout/Reshard.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace dmc::plain {

using AxisList = std::vector<AxisRef>;

inline int64_t coordinateOf(const Mesh &mesh, const AxisRef &ref, int64_t rank) {
  int64_t after = 1;
  for (size_t a = ref.axis + size_t(1); a < mesh.size(); ++a)
    after *= mesh.axis(a).size;
  int64_t onAxis = rank / after % mesh.axis(ref.axis).size;
  return onAxis / (mesh.axis(ref.axis).size / (ref.preSize * ref.size)) % ref.size;
}

struct Interval {
  int64_t begin, end, size;
};

inline Interval intervalOf(const Mesh &mesh, const AxisList &axes, int64_t n, int64_t rank) {
  int64_t b = n, o = 0, e = n;
  for (const AxisRef &ref : axes) {
    b = (b + ref.size - 1) / ref.size;
    o = std::min(o + coordinateOf(mesh, ref, rank) * b, e);
    e = std::min(o + b, e);
  }
  return {o, e, b};
}

inline int64_t positionIn(const Mesh &mesh, const AxisList &axes, int64_t rank) {
  int64_t position = 0;
  for (const AxisRef &ref : axes)
    position = position * ref.size + coordinateOf(mesh, ref, rank);
  return position;
}

inline bool isHolder(const Mesh &mesh, const Layout &layout, int64_t rank) {
  for (const PlacedAxis &entry : layout.placed)
    if (coordinateOf(mesh, entry.axis, rank) != entry.coordinate)
      return false;
  return true;
}

inline int64_t productOf(const AxisList &axes) {
  int64_t product = 1;
  for (const AxisRef &ref : axes)
    product *= ref.size;
  return product;
}

inline int64_t elementsOf(const Layout &layout, const std::vector<int64_t> &shape) {
  int64_t elements = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t n = shape[d];
    for (const AxisRef &ref : layout.dims[d])
      n = (n + ref.size - 1) / ref.size;
    elements *= n;
  }
  return elements;
}

inline int64_t logOf(int64_t p) {
  return static_cast<int64_t>(std::ceil(std::log2(static_cast<double>(p)) - 1e-9));
}

inline bool touches(const Layout &layout, const AxisRef &ref) {
  auto hits = [&](const AxisRef &other) { return overlaps(ref, other); };
  for (const AxisList &axes : layout.dims)
    if (std::any_of(axes.begin(), axes.end(), hits))
      return true;
  return std::any_of(layout.partial.begin(), layout.partial.end(), hits) ||
         std::any_of(layout.placed.begin(), layout.placed.end(),
                     [&](const PlacedAxis &entry) { return hits(entry.axis); });
}

/// For every rank and element of the tensor the set of partial values of the first layout that
/// the rank has of it, and whether it has any value at all.
struct Machine {
  const Mesh &mesh;
  std::vector<int64_t> shape;
  int64_t ranks, elements = 1;
  std::vector<uint32_t> partials;
  std::vector<char> has;

  Machine(const Mesh &mesh, const std::vector<int64_t> &shape)
      : mesh(mesh), shape(shape), ranks(mesh.numRanks()) {
    for (int64_t n : shape)
      elements *= n;
    partials.resize(ranks * elements);
    has.resize(ranks * elements);
  }

  void forEachElement(const Layout &layout, int64_t rank,
                      const std::function<void(int64_t)> &visit) const {
    if (!isHolder(mesh, layout, rank))
      return;
    std::vector<Interval> box;
    box.reserve(shape.size());
    for (size_t d = 0; d < shape.size(); ++d)
      box.push_back(intervalOf(mesh, layout.dims[d], shape[d], rank));
    std::function<void(size_t, int64_t)> walk = [&](size_t d, int64_t index) {
      if (d == shape.size())
        return visit(index);
      for (int64_t i = box[d].begin; i < box[d].end; ++i)
        walk(d + 1, index * shape[d] + i);
    };
    walk(0, 0);
  }

  void start(const Layout &layout) {
    for (int64_t rank = 0; rank < ranks; ++rank)
      forEachElement(layout, rank, [&](int64_t e) {
        has[rank * elements + e] = 1;
        partials[rank * elements + e] = 1u << positionIn(mesh, layout.partial, rank);
      });
  }

  /// For every rank those that differ from it only along axes.
  std::vector<std::vector<int64_t>> groupsOf(const AxisList &axes) const {
    // What the axes do not cover of the ranks' coordinates.
    std::vector<std::vector<int64_t>> others(ranks), groups(ranks);
    for (int64_t rank = 0; rank < ranks; ++rank)
      for (size_t a = 0; a < mesh.size(); ++a) {
        int64_t mine = coordinateOf(mesh, {static_cast<uint32_t>(a), 1, mesh.axis(a).size}, rank);
        for (const AxisRef &ref : axes)
          if (ref.axis == a) {
            int64_t stride = mesh.axis(a).size / (ref.preSize * ref.size);
            mine -= mine / stride % ref.size * stride;
          }
        others[rank].push_back(mine);
      }
    for (int64_t rank = 0; rank < ranks; ++rank)
      for (int64_t other = 0; other < ranks; ++other)
        if (others[rank] == others[other])
          groups[rank].push_back(other);
    return groups;
  }

  /// Executes one move; what is wrong, or nothing.
  std::string apply(const Layout &before, const Move &move) {
    std::vector<uint32_t> nextPartials(partials.size());
    std::vector<char> nextHas(has.size());
    const Layout &after = move.layout;
    std::string error;
    auto copy = [&](int64_t rank, int64_t e, const std::vector<int64_t> &sources) {
      for (int64_t source : sources)
        if (has[source * elements + e]) {
          nextHas[rank * elements + e] = 1;
          nextPartials[rank * elements + e] = partials[source * elements + e];
          return;
        }
      error = std::string(stringify(move.kind)) + " leaves an element out";
    };
    if (move.kind == MoveKind::Permute || move.kind == MoveKind::Redistribute) {
      bool isPermute = move.kind == MoveKind::Permute;
      std::optional<Redistribution> plan = planRedistribution(mesh, before, after, shape);
      if (!plan)
        return "cannot redistribute";
      if (isPermute && plan->rounds.size() > 1)
        return "a permute of several rounds";
      // Local arrays are copied as their transfers say, box by box.
      for (int64_t rank = 0; rank < ranks; ++rank) {
        std::vector<int64_t> members = group(mesh, plan->axes, rank);
        auto run = [&](const Transfer &transfer) {
          if (members[transfer.target] != rank || !error.empty())
            return;
          int64_t source = members[transfer.source];
          if (positionIn(mesh, before.partial, source) != positionIn(mesh, before.partial, rank))
            error = "a transfer between partial values";
          std::function<void(size_t, int64_t, bool)> walk = [&](size_t d, int64_t index,
                                                                bool isValid) {
            if (d == shape.size()) {
              if (!isValid)
                return;
              if (!has[source * elements + index])
                error = "a transfer of what the source has not";
              if (nextHas[rank * elements + index])
                error = "an element arrives twice";
              nextHas[rank * elements + index] = 1;
              nextPartials[rank * elements + index] = partials[source * elements + index];
              return;
            }
            Interval held = intervalOf(mesh, before.dims[d], shape[d], source);
            Interval want = intervalOf(mesh, after.dims[d], shape[d], rank);
            for (int64_t i = 0; i < transfer.size[d]; ++i) {
              int64_t from = held.begin + transfer.sourceOffset[d] + i;
              int64_t to = want.begin + transfer.targetOffset[d] + i;
              bool isPadding = to >= want.end;
              if (transfer.sourceOffset[d] + i >= held.size ||
                  transfer.targetOffset[d] + i >= want.size)
                error = "a transfer beyond a local array";
              if (!isPadding && (from != to || from >= held.end))
                error = "a transfer of another element";
              walk(d + 1, index * shape[d] + from, isValid && !isPadding);
            }
          };
          if (!isHolder(mesh, after, rank))
            return;
          walk(0, 0, true);
        };
        for (const Transfer &transfer : plan->kept)
          run(transfer);
        for (const TransferRound &round : plan->rounds)
          for (const Transfer &transfer : round.transfers)
            run(transfer);
      }
      for (const TransferRound &round : plan->rounds) {
        std::set<int64_t> sources, targets;
        for (const Transfer &transfer : round.transfers)
          if (!sources.insert(transfer.source).second || !targets.insert(transfer.target).second)
            error = "a round with two transfers of one position";
      }
    }
    std::vector<std::vector<int64_t>> groups = groupsOf(move.axes);
    for (int64_t rank = 0; rank < ranks && error.empty(); ++rank) {
      const std::vector<int64_t> &members = groups[rank];
      forEachElement(after, rank, [&](int64_t e) {
        switch (move.kind) {
        case MoveKind::Partition:
        case MoveKind::Place:
          return copy(rank, e, {rank});
        case MoveKind::Combine:
        case MoveKind::Exchange:
        case MoveKind::Replicate:
          return copy(rank, e, members);
        case MoveKind::Permute:
        case MoveKind::Redistribute:
          if (!nextHas[rank * elements + e])
            error = "an element does not arrive";
          return;
        case MoveKind::Reduce: {
          uint32_t all = 0;
          for (int64_t member : members) {
            if (!has[member * elements + e])
              error = "a partial value is missing";
            if (all & partials[member * elements + e])
              error = "a partial value counts twice";
            all |= partials[member * elements + e];
          }
          nextHas[rank * elements + e] = 1;
          nextPartials[rank * elements + e] = all;
          return;
        }
        case MoveKind::Spread: {
          // Of axes that neither split nor place the operand, coordinate 0 keeps it.
          bool keeps = has[rank * elements + e];
          for (const AxisRef &ref : move.axes)
            if (!touches(before, ref) && coordinateOf(mesh, ref, rank) != 0)
              keeps = false;
          nextHas[rank * elements + e] = 1;
          nextPartials[rank * elements + e] = keeps ? partials[rank * elements + e] : 0;
          return;
        }
        }
      });
    }
    partials = std::move(nextPartials);
    has = std::move(nextHas);
    return error;
  }

  /// Every element's partial values are there once, over the positions of the partial axes.
  std::string check(const Layout &layout, uint32_t all) const {
    std::string error;
    std::vector<std::vector<int64_t>> groups = groupsOf(layout.partial);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const std::vector<int64_t> &members = groups[rank];
      forEachElement(layout, rank, [&](int64_t e) {
        uint32_t found = 0;
        for (int64_t member : members) {
          if (!has[member * elements + e] || (found & partials[member * elements + e]))
            error = "partial values of an element are missing or double";
          found |= partials[member * elements + e];
        }
        if (found != all)
          error = "not all partial values of an element";
      });
    }
    return error;
  }
};

/// What is wrong with a plan.
inline std::string simulate(const Mesh &mesh, const std::vector<int64_t> &shape, const Layout &from,
                            const Layout &to, const ReshardPlan &plan) {
  Machine machine(mesh, shape);
  machine.start(from);
  const uint32_t all = static_cast<uint32_t>((uint64_t(1) << productOf(from.partial)) - 1);
  const Layout *before = &from;
  for (const Move &move : plan.moves) {
    if (std::optional<std::string> wrong = verify(mesh, move.layout, shape.size()))
      return *wrong;
    if (std::string error = machine.apply(*before, move); !error.empty())
      return error;
    before = &move.layout;
    // The first half of a reduce-scatter has a layout of its own.
    if (move.kind == MoveKind::Reduce)
      if (std::string error = machine.check(move.layout, all); !error.empty())
        return error;
  }
  if (*before != to)
    return "the last layout is another";
  return machine.check(to, all);
}

} // namespace dmc::plain

#endif // DMC_TEST_UNIT_LAYOUT_PLAINMACHINE_H
