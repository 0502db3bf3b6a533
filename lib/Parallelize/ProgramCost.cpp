//===- ProgramCost.cpp - Predicted time of decided layouts ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes per link rate, flops per rank rate, latency per collective.
//
//===----------------------------------------------------------------------===//
#include "ProgramCost.h"

using namespace mlir;
using namespace dmc;

CollectiveTraffic &TrafficByCollective::getRow(CollectiveKind kind, ArrayRef<AxisRef> axes) {
  auto row = llvm::find_if(rows, [&](const CollectiveTraffic &row) {
    return row.kind == kind && ArrayRef<AxisRef>(row.axes) == axes;
  });
  if (row != rows.end())
    return *row;
  rows.push_back({kind, AxisList(axes.begin(), axes.end())});
  return rows.back();
}

void TrafficByCollective::add(CollectiveKind kind, ArrayRef<AxisRef> axes, const Traffic &traffic) {
  CollectiveTraffic &row = getRow(kind, axes);
  row.bytes += traffic.bytes;
  row.messages += static_cast<double>(traffic.messages);
}

TrafficByCollective &TrafficByCollective::operator+=(const TrafficByCollective &other) {
  for (const CollectiveTraffic &added : other.rows) {
    CollectiveTraffic &row = getRow(added.kind, added.axes);
    row.bytes += added.bytes;
    row.messages += added.messages;
  }
  return *this;
}

TrafficByCollective TrafficByCollective::operator*(double times) const {
  TrafficByCollective product = *this;
  for (CollectiveTraffic &row : product.rows) {
    row.bytes *= times;
    row.messages *= times;
  }
  return product;
}

template <>
Cost ProgramCost::sum(ArrayRef<Move> moves) const {
  Cost total;
  for (const Move &move : moves)
    total += {rates.getSeconds(move.traffic, move.axes), move.traffic.bytes};
  return total;
}

template <>
TrafficByCollective ProgramCost::sum(ArrayRef<Move> moves) const {
  TrafficByCollective total;
  for (const Move &move : moves)
    if (move.collective)
      total.add(*move.collective, move.axes, move.traffic);
  return total;
}

double ProgramCost::getSeconds(const TensorInfo &value, const Layout &from,
                               const Layout &to) const {
  return from.dims == to.dims && from == to
             ? 0
             : graph.plans.getSeconds(from, to, value.shape, value.elementBytes);
}

template <typename Sum>
Sum ProgramCost::getMove(const TensorInfo &value, const Layout &from, const Layout &to) const {
  if (from.dims == to.dims && from == to)
    return {};
  return sum<Sum>(graph.plans.get(from, to, value.shape, value.elementBytes).moves);
}

/// A layout in which a tensor is there.
struct ProgramCost::Version {
  const Layout *layout;
  /// Where it is among the results of MadeMoves.
  unsigned result = 0;
};

/// The moves of one tensor that are made. Those from the same version that begin alike share their
/// beginning: common subexpressions are merged.
class ProgramCost::MadeMoves {
public:
  /// Makes moves from a result, of which 0 is the tensor as it is made. Returns the moves that are
  /// not made yet, and sets `end` to the last one's result.
  ArrayRef<Move> add(unsigned from, ArrayRef<Move> moves, unsigned &end) {
    auto isSame = [](const Move &a, const Move &b) {
      return a.kind == b.kind && a.axes == b.axes && a.dim == b.dim && a.targetDim == b.targetDim &&
             a.layout == b.layout;
    };
    size_t numShared = 0;
    for (; numShared < moves.size(); ++numShared) {
      auto *known = llvm::find_if(made, [&](const Made &other) {
        return other.from == from && isSame(other.move, moves[numShared]);
      });
      if (known == made.end())
        break;
      from = known - made.begin() + 1;
    }
    ArrayRef<Move> added = moves.drop_front(numShared);
    for (const Move &move : added) {
      made.push_back({from, move});
      from = made.size();
    }
    end = from;
    return added;
  }

private:
  struct Made {
    unsigned from;
    Move move;
  };
  SmallVector<Made, 4> made;
};

/// Moves a tensor to a layout from whichever of some versions is nearest, the first of equally near
/// ones, and adds it to these.
template <typename Sum>
Sum ProgramCost::addVersion(const TensorInfo &value, const Layout &to, MadeMoves &made,
                            SmallVectorImpl<Version> &present) const {
  const Version *nearest = &present.front();
  if (present.size() > 1) {
    double least = getSeconds(value, *nearest->layout, to);
    for (const Version &from : ArrayRef<Version>(present).drop_front())
      if (double seconds = getSeconds(value, *from.layout, to); seconds < least) {
        least = seconds;
        nearest = &from;
      }
  }
  Version version{&to, nearest->result};
  Sum added;
  if (const Layout &from = *nearest->layout; from.dims != to.dims || !(from == to))
    added = sum<Sum>(made.add(nearest->result,
                              graph.plans.get(from, to, value.shape, value.elementBytes).moves,
                              version.result));
  present.push_back(version);
  return added;
}

void ProgramCost::addWanted(unsigned number, Place place, Layouts &wanted) const {
  auto add = [&](const Layout &layout) {
    if (llvm::none_of(wanted, [&](const Layout *other) {
          return other->dims == layout.dims && *other == layout;
        }))
      wanted.push_back(&layout);
  };
  const TensorInfo &value = graph.getValue(number);
  for (unsigned user : value.nodes) {
    const Node &node = graph.getNodes()[user];
    for (auto [i, operand] : llvm::enumerate(node.operands))
      if (operand == number && node.areLoopResults[i] == (place == Place::BehindLoop))
        add(node.operandLayouts[i]);
  }
  // The program returns what is in no loop.
  if ((place == Place::BehindLoop) != value.resultRepeats.has_value())
    return;
  for (const Layout &layout : value.returned)
    add(layout);
  if (value.isReturnedInSharding)
    add(value.base);
}

SmallVector<const Layout *, 4> ProgramCost::getWanted(unsigned number) {
  Layouts wanted;
  addWanted(number, Place::Own, wanted);
  addWanted(number, Place::BehindLoop, wanted);
  return wanted;
}

template <typename Sum>
Sum ProgramCost::sumMoves(unsigned number) {
  const TensorInfo &value = graph.getValue(number);
  auto getAt = [&](Place place) {
    Layouts wanted;
    addWanted(number, place, wanted);
    Sum moves = getMovesTo<Sum>(value, wanted);
    return moves += getHalos<Sum>(number, place);
  };
  Sum total = getAt(Place::Own) * value.repeats;
  if (value.resultRepeats)
    total += getAt(Place::BehindLoop) * *value.resultRepeats;
  return total += getHoisted<Sum>(number);
}

Cost ProgramCost::getMoves(unsigned number) { return sumMoves<Cost>(number); }

template <typename Sum>
Sum ProgramCost::getMovesToKept(const TensorInfo &value, ArrayRef<const Layout *> wanted) const {
  if (llvm::all_of(wanted, [&](const Layout *layout) {
        return layout->dims == value.produced.dims && *layout == value.produced;
      }))
    return {};
  MadeMoves made;
  SmallVector<Version, 4> near = {{&value.produced}}, kept;
  Sum total = addVersion<Sum>(value, *value.kept, made, near);
  kept.push_back(near.back());
  // What is nearer to the tensor as it is made does not go by what is kept.
  for (const Layout *layout : wanted)
    total += addVersion<Sum>(value, *layout, made, isNearer(value, *layout) ? near : kept);
  return total;
}

bool ProgramCost::isNearer(const TensorInfo &value, const Layout &wanted) const {
  return (value.produced.partial.empty() || !wanted.partial.empty()) &&
         getSeconds(value, value.produced, wanted) < getSeconds(value, *value.kept, wanted);
}

template <typename Sum>
Sum ProgramCost::getMovesTo(const TensorInfo &value, ArrayRef<const Layout *> wanted) const {
  if (value.kept)
    return getMovesToKept<Sum>(value, wanted);
  if (wanted.size() == 1)
    return getMove<Sum>(value, value.produced, *wanted.front());
  MadeMoves made;
  SmallVector<Version, 4> present = {{&value.produced}};
  Sum total;
  // Partial values are combined once, into what all uses share.
  Layout common;
  if (!value.produced.partial.empty()) {
    bool isFirst = true;
    unsigned numUnsharded = 0;
    for (const Layout *layout : wanted) {
      if (!layout->partial.empty())
        continue;
      ++numUnsharded;
      if (std::exchange(isFirst, false)) {
        common.dims = layout->dims;
        continue;
      }
      for (auto [axes, others] : llvm::zip_equal(common.dims, layout->dims)) {
        auto end = std::mismatch(axes.begin(), axes.end(), others.begin(), others.end()).first;
        axes.erase(end, axes.end());
      }
    }
    if (numUnsharded > 1) {
      total += addVersion<Sum>(value, common, made, present);
      present.erase(present.begin());
    }
  }
  for (const Layout *layout : wanted) {
    if (layout->partial.empty() || value.produced.partial.empty()) {
      total += addVersion<Sum>(value, *layout, made, present);
    } else {
      SmallVector<Version, 4> asMade = {{&value.produced}};
      total += addVersion<Sum>(value, *layout, made, asMade);
    }
  }
  return total;
}

/// Of the windows that uses make of a value, each once.
template <typename Sum>
Sum ProgramCost::getHalos(unsigned number, Place place) const {
  struct Halo {
    Windows windows;
    unsigned dim;
    const Layout *layout;
    bool operator==(const Halo &o) const {
      return windows == o.windows && dim == o.dim && layout->dims == o.layout->dims;
    }
  };
  SmallVector<Halo, 2> halos;
  Sum total;
  for (unsigned user : graph.getValue(number).nodes) {
    const Node &node = graph.getNodes()[user];
    for (const WindowAccess &access : node.windows) {
      if (node.operands[access.operand] != number || node.assignment[access.factor].empty() ||
          node.areLoopResults[access.operand] != (place == Place::BehindLoop))
        continue;
      Halo halo{graph.getWindows(node, access, node.assignment), access.dim,
                &node.operandLayouts[access.operand]};
      if (llvm::is_contained(halos, halo))
        continue;
      halos.push_back(halo);
      const AxisList &axes = node.assignment[access.factor];
      Traffic traffic = graph.getHaloTraffic(node, access, node.assignment);
      if constexpr (std::is_same_v<Sum, Cost>)
        total += {rates.getSeconds(traffic, axes), traffic.bytes};
      else if (traffic.messages > 0)
        total.add(CollectiveKind::Permute, axes, traffic);
    }
  }
  return total;
}

bool ProgramCost::isContraction(const Node &node) {
  if (node.forwarded || !isa<linalg::LinalgOp>(node.op))
    return false;
  bool reduces = llvm::any_of(
      node.rule.factors, [](const Factor &factor) { return factor.kind == FactorKind::Reduction; });
  unsigned sources = node.operands.size() - llvm::count_if(node.destinations, [](auto destination) {
                       return destination.has_value();
                     });
  return reduces && sources >= 2;
}

double ProgramCost::getFlops(const Node &node) {
  if (!isContraction(node))
    return 0;
  double iterations = 1;
  // The loops come first; other factors are dimensions that several loops index.
  unsigned numLoops = cast<linalg::LinalgOp>(node.op).getNumLoops();
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    int64_t local = node.rule.factors[loop].size;
    for (const AxisRef &axis : node.assignment[loop])
      local = (local + axis.size - 1) / axis.size;
    iterations *= local;
  }
  return node.repeats * 2 * iterations;
}

double ProgramCost::getWork(const Node &node) const {
  // What a constraint asks for is a move of its value.
  if (node.forwarded || isa<ConstrainOp>(node.op))
    return 0;
  if (isContraction(node)) {
    auto operand = cast<ShapedType>(node.op->getOperand(0).getType());
    return getFlops(node) / rates.getFlops(operand.getElementType());
  }
  double bytes = 0;
  for (unsigned i = 0; i < node.getNumValues(); ++i) {
    if (node.getValue(i) == Node::kLayoutAgnostic)
      continue;
    double local = graph.getValue(node.getValue(i)).elementBytes;
    for (const DimFactors &dim : node.getFactors(i))
      for (unsigned factor : dim) {
        int64_t size = node.rule.factors[factor].size;
        for (const AxisRef &axis : node.assignment[factor])
          size = (size + axis.size - 1) / axis.size;
        local *= size;
      }
    bytes += local;
  }
  return node.repeats * bytes / rates.memory;
}

Cost ProgramCost::getTotal() {
  Cost total;
  for (unsigned value = 0; value < graph.getNumValues(); ++value)
    total += getMoves(value);
  total.seconds += getTotalWork();
  return total;
}

TrafficByCollective ProgramCost::getTraffic() {
  TrafficByCollective total;
  for (unsigned value = 0; value < graph.getNumValues(); ++value)
    total += sumMoves<TrafficByCollective>(value);
  return total;
}

double ProgramCost::getTotalFlops() const {
  double flops = 0;
  for (const Node &node : graph.getNodes())
    flops += getFlops(node);
  return flops;
}

double ProgramCost::getTotalWork() const {
  double seconds = 0;
  for (const Node &node : graph.getNodes())
    seconds += getWork(node);
  return seconds;
}

static bool splitsWindowsOf(const Node &node) {
  return llvm::any_of(node.windows, [&](const WindowAccess &access) {
    return !node.assignment[access.factor].empty();
  });
}

bool Propagation::splitsWindows() const { return llvm::any_of(nodes, splitsWindowsOf); }
