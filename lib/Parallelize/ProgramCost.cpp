//===- ProgramCost.cpp - Predicted time of decided layouts ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes per link rate, flops per rank rate, latency per collective.
//
//===----------------------------------------------------------------------===//
#include "ProgramCost.h"

#include "ManualWork.h"

using namespace mlir;
using namespace dmc;

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

/// The moves of one tensor that are made, as dmc-simplify-moves leaves them: those from the same
/// version that begin alike share their beginning, what the next move undoes is not moved, and
/// moves between which nothing takes the tensor are one sequence, whoever asked for them.
class ProgramCost::MadeMoves {
public:
  explicit MadeMoves(const TensorInfo &value) : value(value) {}

  /// Makes moves from a result, of which 0 is the tensor as it is made. Returns the last one's
  /// result.
  unsigned add(unsigned from, ArrayRef<Move> moves) {
    while (from > 0 && !moves.empty() && isUndone(made[from - 1], moves.front())) {
      from = made[from - 1].from;
      moves = moves.drop_front();
    }
    for (; !moves.empty(); moves = moves.drop_front()) {
      auto *known = llvm::find_if(made, [&](const Made &other) {
        return other.from == from && isSameMove(other.move, moves.front());
      });
      if (known == made.end())
        break;
      from = known - made.begin() + 1;
    }
    for (const Move &move : moves) {
      made.push_back({from, move, sequences});
      from = made.size();
    }
    ++sequences;
    return from;
  }

  /// Says that a use takes a result.
  void use(unsigned result) {
    if (result > 0)
      made[result - 1].isUsed = true;
  }

  template <typename Sum>
  Sum getSum(const ProgramCost &cost) const {
    // Moves of which nothing takes the result are not made.
    SmallVector<unsigned, 8> takers(made.size() + 1, 0), next(made.size(), 0);
    for (size_t i = made.size(); i-- > 0;)
      takers[made[i].from] += isTaken(takers, i + 1);
    for (auto [i, move] : llvm::enumerate(made))
      if (isTaken(takers, i + 1) && continues(takers, move))
        next[move.from - 1] = i;
    Sum total;
    for (auto [i, move] : llvm::enumerate(made))
      if (isTaken(takers, i + 1) && !continues(takers, move))
        total += getSequence<Sum>(cost, i, next);
    return total;
  }

private:
  struct Made {
    unsigned from;
    Move move;
    unsigned sequence; // of the moves that were added together
    bool isUsed = false;
  };

  const Layout &getLayout(unsigned result) const {
    return result == 0 ? value.produced : made[result - 1].move.layout;
  }

  bool isUndone(const Made &last, const Move &next) const {
    return undoes(next, last.move) && next.layout == getLayout(last.from);
  }

  bool isTaken(ArrayRef<unsigned> takers, unsigned result) const {
    return takers[result] > 0 || made[result - 1].isUsed;
  }
  /// Whether nothing but this move takes what it begins with, which was moved, too.
  bool continues(ArrayRef<unsigned> takers, const Made &move) const {
    return move.from > 0 && takers[move.from] == 1 && !made[move.from - 1].isUsed;
  }

  /// What a sequence costs that begins with a move; `next` has the moves after others, or 0.
  template <typename Sum>
  Sum getSequence(const ProgramCost &cost, unsigned first, ArrayRef<unsigned> next) const {
    Sum total;
    bool isAsPlanned = true;
    unsigned last = first;
    for (unsigned i = first;; i = next[i]) {
      isAsPlanned &= made[i].sequence == made[first].sequence;
      total += cost.sum<Sum>(made[i].move);
      last = i;
      if (next[i] == 0)
        break;
    }
    // A reduce-scatter of which the sum is taken, too, is an all-reduce.
    if (isAsPlanned && made[last].move.collective != CollectiveKind::ReduceScatter)
      return total;
    std::vector<Move> moves;
    for (unsigned i = first;; i = next[i]) {
      moves.push_back(made[i].move);
      if (next[i] == 0)
        break;
    }
    const Layout &from = getLayout(made[first].from);
    std::vector<int64_t> shape = value.shape.vec();
    const Mesh &mesh = cost.graph.getMesh();
    mergeMoves(mesh, from, moves, shape, value.elementBytes, cost.graph.plans.getOptions());
    setTraffic(mesh, from, moves, shape, value.elementBytes);
    return cost.sum<Sum>(moves);
  }

  const TensorInfo &value;
  SmallVector<Made, 4> made;
  unsigned sequences = 0;
};

/// Moves a tensor to a layout from whichever of some versions is nearest, the first of equally near
/// ones, and adds it to these.
void ProgramCost::addVersion(const TensorInfo &value, const Layout &to, bool isUsed,
                             MadeMoves &made, SmallVectorImpl<Version> &present) const {
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
  if (const Layout &from = *nearest->layout; from.dims != to.dims || !(from == to))
    version.result =
        made.add(nearest->result, graph.plans.get(from, to, value.shape, value.elementBytes).moves);
  if (isUsed)
    made.use(version.result);
  present.push_back(version);
}

/// Results come after all other uses.
static constexpr uint64_t kReturned = ~uint64_t(0);

const Layout &ProgramCost::getWanted(unsigned user, unsigned operand) const {
  const Node &node = graph.getNodes()[user];
  const Layout &layout = node.operandLayouts[operand];
  std::optional<Layout> whole;
  for (const WindowAccess &access : node.windows) {
    const AxisList &axes = node.assignment[access.factor];
    if (access.operand != operand || axes.empty() || !graph.isMade(node.operands[operand]) ||
        !graph.isOnAll(node, operand, node.assignment, axes))
      continue;
    if (!whole)
      whole = layout;
    whole->dims[access.dim].clear();
  }
  return whole ? wholes[{user, operand}] = std::move(*whole) : layout;
}

void ProgramCost::visitUses(
    unsigned number, Place place,
    llvm::function_ref<void(const Layout &, uint64_t, std::optional<unsigned>)> visit) const {
  const TensorInfo &value = graph.getValue(number);
  // Where others take what is behind a value's pads, windows are taken from there; else the pads
  // are where the windows are made.
  auto isRead = [&](const Node &node, unsigned operand) {
    unsigned direct = node.operands[operand];
    if (direct == Node::kLayoutAgnostic || !graph.isMade(direct))
      return direct == number;
    return graph.getRead(node, operand, node.assignment) == number;
  };
  for (unsigned user : value.nodes) {
    const Node &node = graph.getNodes()[user];
    for (auto [i, operand] : llvm::enumerate(node.operands)) {
      if (operand != number || node.areLoopResults[i] != (place == Place::BehindLoop) ||
          !isRead(node, i))
        continue;
      bool isSource = value.hasConstraints && !node.forwarded && isa<ConstrainOp>(node.op) &&
                      graph.getValue(node.results.front()).constrained == number;
      visit(getWanted(user, i), (uint64_t(user) + 1) << 32 | i,
            isSource ? std::optional(node.results.front()) : std::nullopt);
    }
  }
  for (const TensorInfo::WindowUse &use : value.windowUses)
    if (use.isBehindLoop == (place == Place::BehindLoop) &&
        isRead(graph.getNodes()[use.node], use.operand))
      visit(getWanted(use.node, use.operand), (uint64_t(use.node) + 1) << 32 | use.operand,
            std::nullopt);
  // The program returns what is in no loop.
  if ((place == Place::BehindLoop) != value.resultRepeats.has_value())
    return;
  for (const Layout &layout : value.returned)
    visit(layout, kReturned, std::nullopt);
  if (value.isReturnedInSharding)
    visit(value.base, kReturned, std::nullopt);
}

void ProgramCost::addVersions(unsigned number, Place place, unsigned version, uint64_t order,
                              MoveSources &sources) const {
  const TensorInfo &value = graph.getValue(number);
  bool isKept = value.kept && place == Place::Own;
  unsigned kept = isKept ? sources.add(*value.kept, version, order) : version;
  visitUses(number, place,
            [&](const Layout &layout, uint64_t at, std::optional<unsigned> constraint) {
              unsigned from = isKept && at != kReturned && isNearer(value, layout) ? version : kept;
              if (!constraint)
                return sources.addUse(from, layout, at);
              unsigned made = sources.add(layout, from, at);
              addVersions(*constraint, Place::Own, made, at, sources);
            });
}

MoveSources ProgramCost::getSources(unsigned number, Place place) const {
  const TensorInfo &value = graph.getValue(number);
  MoveSources sources;
  addVersions(number, place, sources.add(value.produced), 0, sources);
  sources.decide([&](const Layout &from, const Layout &to) { return getSeconds(value, from, to); });
  return sources;
}

void ProgramCost::addWanted(unsigned number, Place place, Layouts &wanted) const {
  const TensorInfo &value = graph.getValue(number);
  if (hasVersions(value)) {
    MoveSources sources = getSources(number, place);
    for (const MoveSources::Want &want : sources.getWanted(0))
      wanted.push_back(want.layout);
    return;
  }
  visitUses(number, place, [&](const Layout &layout, uint64_t, std::optional<unsigned>) {
    if (llvm::none_of(wanted, [&](const Layout *other) {
          return other->dims == layout.dims && *other == layout;
        }))
      wanted.push_back(&layout);
  });
}

SmallVector<const Layout *, 4> ProgramCost::getWanted(unsigned number) {
  Layouts wanted;
  for (Place place : {Place::Own, Place::BehindLoop}) {
    if (!hasVersions(graph.getValue(number))) {
      addWanted(number, place, wanted);
      continue;
    }
    MoveSources sources = getSources(number, place);
    for (unsigned version = 0; version < sources.size(); ++version)
      for (const MoveSources::Want &want : sources.getWanted(version))
        wanted.push_back(want.layout);
  }
  return wanted;
}

template <typename Sum>
Sum ProgramCost::sumMoves(unsigned number) {
  const TensorInfo &value = graph.getValue(number);
  if (value.isLayoutAgnostic)
    return {};
  auto getAt = [&](Place place) {
    Sum moves = getHalos<Sum>(number, place);
    if (value.constrained && place == Place::Own)
      return moves;
    if (hasVersions(value))
      return moves += getMovesTo<Sum>(value, getSources(number, place));
    Layouts wanted;
    addWanted(number, place, wanted);
    return moves += getMovesTo<Sum>(value, wanted);
  };
  Sum total = getAt(Place::Own) * value.repeats;
  if (value.resultRepeats)
    total += getAt(Place::BehindLoop) * *value.resultRepeats;
  return total += getHoisted<Sum>(number);
}

Cost ProgramCost::getMoves(unsigned number) { return sumMoves<Cost>(number); }

bool ProgramCost::isNearer(const TensorInfo &value, const Layout &wanted) const {
  return (value.produced.partial.empty() || !wanted.partial.empty()) &&
         getSeconds(value, value.produced, wanted) < getSeconds(value, *value.kept, wanted);
}

/// What of a tensor is there, and what was moved.
class ProgramCost::MovedTensor {
public:
  MovedTensor(const ProgramCost &cost, const TensorInfo &value)
      : cost(cost), value(value), made(value), present({{&value.produced}}) {}

  /// Partial values are combined once, into what all uses share.
  void combine(ArrayRef<const Layout *> wanted) {
    if (value.produced.partial.empty())
      return;
    common = getCommonLayout(wanted);
    if (!common)
      return;
    cost.addVersion(value, *common, /*isUsed=*/false, made, present);
    present.erase(present.begin());
  }

  void move(const Layout &layout, bool isUsed) {
    if (layout.partial.empty() || value.produced.partial.empty()) {
      cost.addVersion(value, layout, isUsed, made, present);
    } else {
      SmallVector<Version, 4> asMade = {{&value.produced}};
      cost.addVersion(value, layout, isUsed, made, asMade);
    }
  }

  /// Versions that constraints make begin with one that is there.
  void move(const MoveSources &sources, unsigned number, const MoveSources::Want &want) {
    if (number == 0)
      return move(*want.layout, want.isUsed);
    behind.resize(sources.size());
    SmallVector<Version, 4> &versions = behind[number];
    if (versions.empty()) {
      unsigned parent = sources.getParent(number);
      ArrayRef<Version> from = parent == 0 ? present : behind[parent];
      const Layout &made = sources.getLayout(number);
      versions.push_back(*llvm::find_if(from, [&](const Version &version) {
        return version.layout->dims == made.dims && *version.layout == made;
      }));
    }
    cost.addVersion(value, *want.layout, want.isUsed, made, versions);
  }

  template <typename Sum>
  Sum getSum() const {
    return made.getSum<Sum>(cost);
  }

private:
  const ProgramCost &cost;
  const TensorInfo &value;
  MadeMoves made;
  std::optional<Layout> common;
  SmallVector<Version, 4> present;
  SmallVector<SmallVector<Version, 4>, 0> behind;
};

template <typename Sum>
Sum ProgramCost::getMovesTo(const TensorInfo &value, ArrayRef<const Layout *> wanted) const {
  if (wanted.size() == 1)
    return getMove<Sum>(value, value.produced, *wanted.front());
  MovedTensor tensor(*this, value);
  tensor.combine(wanted);
  for (const Layout *layout : wanted)
    tensor.move(*layout, /*isUsed=*/true);
  return tensor.getSum<Sum>();
}

template <typename Sum>
Sum ProgramCost::getMovesTo(const TensorInfo &value, const MoveSources &sources) const {
  struct Moved {
    MoveSources::Want want;
    unsigned version;
  };
  SmallVector<Moved, 8> all;
  Layouts combined;
  for (unsigned version = 0; version < sources.size(); ++version)
    if (sources.isMade(version))
      for (const MoveSources::Want &want : sources.getWanted(version)) {
        all.push_back({want, version});
        if (version == 0)
          combined.push_back(want.layout);
      }
  llvm::stable_sort(all,
                    [](const Moved &a, const Moved &b) { return a.want.order < b.want.order; });
  MovedTensor tensor(*this, value);
  tensor.combine(combined);
  for (const Moved &moved : all)
    tensor.move(sources, moved.version, moved.want);
  return tensor.getSum<Sum>();
}

/// The windows that a node makes of an operand along one dimension.
struct ProgramCost::Halo {
  Windows windows;
  unsigned dim;
  const Layout *layout;
  const AxisList *axes;
  Traffic traffic;
  bool operator==(const Halo &o) const {
    return windows == o.windows && dim == o.dim && layout->dims == o.layout->dims;
  }
};

std::optional<ProgramCost::Halo> ProgramCost::getHalo(const Node &node,
                                                      const WindowAccess &access) const {
  const AxisList &axes = node.assignment[access.factor];
  if (axes.empty())
    return std::nullopt;
  return Halo{graph.getWindows(node, access, node.assignment), access.dim,
              &node.operandLayouts[access.operand], &axes,
              graph.getHaloTraffic(node, access, node.assignment)};
}

template <>
void ProgramCost::addHalo(const Halo &halo, double times, Cost &total) const {
  total += Cost{rates.getSeconds(halo.traffic, *halo.axes), halo.traffic.bytes} * times;
}

template <>
void ProgramCost::addHalo(const Halo &halo, double times, TrafficByCollective &total) const {
  if (halo.traffic.messages == 0)
    return;
  TrafficByCollective row;
  row.add(CollectiveKind::Permute, *halo.axes, halo.traffic);
  total += row * times;
}

/// Of the windows that uses make of a value, each once.
template <typename Sum>
Sum ProgramCost::getHalos(unsigned number, Place place) const {
  SmallVector<Halo, 2> halos;
  Sum total;
  for (unsigned user : graph.getValue(number).nodes) {
    const Node &node = graph.getNodes()[user];
    for (const WindowAccess &access : node.windows) {
      if (node.operands[access.operand] != number ||
          node.areLoopResults[access.operand] != (place == Place::BehindLoop))
        continue;
      std::optional<Halo> halo = getHalo(node, access);
      if (!halo || llvm::is_contained(halos, *halo))
        continue;
      halos.push_back(*halo);
      addHalo(*halo, /*times=*/1, total);
    }
  }
  return total;
}

/// What windows of several values that are one behind their pads are counted too often: the pads
/// of a convolution and of its gradient are other ones, but what they send is the same.
template <typename Sum>
Sum ProgramCost::getSharedHalos() const {
  struct Known {
    Halo halo;
    unsigned operand;
  };
  llvm::DenseMap<unsigned, SmallVector<Known, 2>> bySource;
  Sum shared;
  for (const Node &node : graph.getNodes())
    for (const WindowAccess &access : node.windows) {
      unsigned operand = node.operands[access.operand];
      if (operand == Node::kLayoutAgnostic || node.areLoopResults[access.operand])
        continue;
      std::optional<Halo> halo = getHalo(node, access);
      std::optional<unsigned> source = graph.getBehindPads(operand);
      if (!halo || !source)
        continue;
      SmallVector<Known, 2> &all = bySource[*source];
      auto *known = llvm::find_if(all, [&](const Known &other) { return other.halo == *halo; });
      if (known == all.end()) {
        all.push_back({*halo, operand});
        continue;
      }
      auto isOperand = [&](const Known &other) {
        return other.operand == operand && other.halo == *halo;
      };
      if (llvm::any_of(all, isOperand))
        continue;
      all.push_back({*halo, operand});
      addHalo(*halo, graph.getValue(operand).repeats, shared);
    }
  return shared;
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
  if (node.manual)
    return node.repeats * node.manual->flops;
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
  // What a constraint asks for is a move of its value; a barrier is nothing at all.
  if (node.forwarded || isa<ConstrainOp, OptimizationBarrierOp>(node.op))
    return 0;
  if (node.manual)
    return node.repeats * node.manual->getSeconds(rates);
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
  total += getSharedHalos<Cost>() * -1;
  TrafficByCollective manual = getManualTraffic();
  for (const CollectiveTraffic &row : manual.getRows())
    total.bytes += row.bytes;
  return total;
}

TrafficByCollective ProgramCost::getTraffic() {
  TrafficByCollective total;
  for (unsigned value = 0; value < graph.getNumValues(); ++value)
    total += sumMoves<TrafficByCollective>(value);
  total += getSharedHalos<TrafficByCollective>() * -1;
  return total += getManualTraffic();
}

TrafficByCollective ProgramCost::getManualTraffic() const {
  TrafficByCollective total;
  for (const Node &node : graph.getNodes())
    if (node.manual)
      total += node.manual->traffic * node.repeats;
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
