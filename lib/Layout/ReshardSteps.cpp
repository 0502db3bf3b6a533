//===- ReshardSteps.cpp - The moves from a layout -------------------------===//
//
// Every move of the algebra that a state of the space allows, with its price. Lists of
// several axes are one move.
//
//===----------------------------------------------------------------------===//
#include "ReshardSpace.h"

#include <string_view>

using namespace dmc;

static constexpr size_t npos = std::string::npos;

/// Enumerates the steps from one state.
class ReshardSpace::Expansion {
public:
  Expansion(const ReshardSpace &space, const ReshardState &state, const Visitor &visit);

  void run() {
    partition();
    combine();
    reduce();
    scatter();
    exchange();
    permute();
    replicate();
    spread();
    place();
  }

private:
  void partition();
  void combine();
  void reduce();
  void scatter();
  void exchange();
  void permute();
  void replicate();
  void spread();
  void place();

  void emit(ReshardStep &&step, ReshardState &&next) {
    if (!isStopped)
      isStopped = !visit(std::move(step), std::move(next));
  }
  AtomSet atomsOf(std::string_view list) const {
    AtomSet result = 0;
    for (char ref : list)
      result |= space.refs[static_cast<uint8_t>(ref)].atoms;
    return result;
  }
  int64_t sizeOf(std::string_view list) const {
    int64_t size = 1;
    for (char ref : list)
      size *= space.sizeOf(ref);
    return size;
  }
  std::vector<int64_t> axisSizes(std::string_view list) const {
    std::vector<int64_t> result;
    for (char ref : list)
      result.push_back(space.sizeOf(ref));
    return result;
  }
  /// The number of ranks for each holder of a block.
  int64_t positionsOf(const ReshardState &of) const {
    int64_t count = space.sizeOf(of.placed);
    for (char ref : of.dims)
      if (ref != ReshardState::kEnd)
        count *= space.sizeOf(ref);
    return count;
  }
  int64_t local(size_t dim, std::string_view list) const {
    int64_t size = space.shape[dim];
    for (char ref : list)
      size = ceilDiv(size, space.sizeOf(ref));
    return size;
  }
  /// Bytes of the state with other sizes of some dimensions.
  int64_t bytesWith(size_t dim, int64_t size, size_t other = npos, int64_t otherSize = 0) const {
    int64_t bytes = space.elementBytes;
    for (size_t d = 0; d < sizes.size(); ++d)
      bytes *= d == dim ? size : d == other ? otherSize : sizes[d];
    return bytes;
  }
  /// The state's lists with `count` references fewer and others more in a dimension.
  RefList edit(size_t dim, size_t count, std::string_view more) const {
    RefList result;
    for (size_t d = 0; d < lists.size(); ++d) {
      result += d == dim ? lists[d].substr(0, lists[d].size() - count) : lists[d];
      if (d == dim)
        result += more;
      result += ReshardState::kEnd;
    }
    return result;
  }
  static Traffic traffic(CollectiveKind kind, int64_t bytes, int64_t p) {
    return {wireBytes(kind, bytes, p), messageCount(kind, p)};
  }

  /// Visits every list of references that use none of the atoms `used` and, if `within`
  /// is not 0, only atoms of it.
  template <typename Visit>
  void forEachList(AtomSet used, AtomSet within, RefList &list, const Visit &visitList) {
    for (size_t i = 0; i < space.refs.size() && !isStopped; ++i) {
      const Reference &ref = space.refs[i];
      if ((ref.conflicts & used) || (within && (ref.atoms & ~within)))
        continue;
      list += static_cast<char>(i);
      visitList(list);
      forEachList(used | ref.atoms, within, list, visitList);
      list.pop_back();
    }
  }
  bool sends(const ReshardState &next) const;
  void permuteFrom(size_t dim, AtomSet used, ReshardState &next);
  void permuteDim(size_t dim, AtomSet used, int64_t size, RefList &list, ReshardState &next);

  const ReshardSpace &space;
  const ReshardState &state;
  const Visitor &visit;
  std::vector<std::string_view> lists;
  std::vector<int64_t> sizes;
  AtomSet split = 0;
  bool isStopped = false;
};

ReshardSpace::Expansion::Expansion(const ReshardSpace &space, const ReshardState &state,
                                   const Visitor &visit)
    : space(space), state(state), visit(visit) {
  std::string_view rest = state.dims;
  for (size_t d = 0; d < space.shape.size(); ++d) {
    size_t end = rest.find(ReshardState::kEnd);
    lists.push_back(rest.substr(0, end));
    sizes.push_back(local(d, lists.back()));
    split |= atomsOf(lists.back());
    rest.remove_prefix(end + 1);
  }
}

void ReshardSpace::Expansion::partition() {
  RefList list;
  forEachList(split | state.partial | state.placed, 0, list, [&](const RefList &axes) {
    for (size_t d = 0; d < lists.size(); ++d) {
      ReshardState next = state;
      next.dims = edit(d, 0, axes);
      emit({MoveKind::Partition, false, axes, 0, static_cast<int64_t>(d), 0, {}}, std::move(next));
    }
  });
}

void ReshardSpace::Expansion::combine() {
  for (size_t d = 0; d < lists.size(); ++d)
    for (size_t count = 1; count <= lists[d].size(); ++count) {
      RefList axes(lists[d].substr(lists[d].size() - count));
      int64_t p = sizeOf(axes);
      ReshardState next = state;
      next.dims = edit(d, count, "");
      emit({MoveKind::Combine, false, axes, 0, static_cast<int64_t>(d), 0,
            traffic(CollectiveKind::AllGather, p * bytesWith(npos, 0), p)},
           std::move(next));
    }
}

void ReshardSpace::Expansion::reduce() {
  for (AtomSet axes = state.partial; axes && !isStopped; axes = (axes - 1) & state.partial) {
    ReshardState next = state;
    next.partial &= ~axes;
    next.hasTargetTerms &= next.partial != 0;
    emit({MoveKind::Reduce,
          false,
          {},
          axes,
          0,
          0,
          traffic(CollectiveKind::AllReduce, bytesWith(npos, 0), space.sizeOf(axes))},
         std::move(next));
  }
}

void ReshardSpace::Expansion::scatter() {
  if (!state.partial)
    return;
  RefList list;
  forEachList(0, state.partial, list, [&](const RefList &axes) {
    int64_t p = sizeOf(axes);
    for (size_t d = 0; d < lists.size(); ++d) {
      ReshardState next = state;
      next.partial &= ~atomsOf(axes);
      next.hasTargetTerms &= next.partial != 0;
      next.dims = edit(d, 0, axes);
      int64_t size = sizes[d];
      for (char ref : axes)
        size = ceilDiv(size, space.sizeOf(ref));
      int64_t operand = bytesWith(npos, 0), result = bytesWith(d, size);
      // Else it is a reduce and a partition.
      if (isReduceScatter(operand, result, p))
        emit({MoveKind::Reduce, true, axes, 0, static_cast<int64_t>(d), 0,
              traffic(CollectiveKind::ReduceScatter, p * result, p)},
             std::move(next));
    }
  });
}

void ReshardSpace::Expansion::exchange() {
  for (size_t d = 0; d < lists.size(); ++d)
    for (size_t count = 1; count <= lists[d].size(); ++count)
      for (size_t e = 0; e < lists.size(); ++e) {
        if (d == e)
          continue;
        RefList axes(lists[d].substr(lists[d].size() - count));
        int64_t p = sizeOf(axes), size = sizes[e];
        for (char ref : axes)
          size = ceilDiv(size, space.sizeOf(ref));
        ReshardState next = state;
        next.dims = edit(d, count, "");
        // The edit of the other dimension, on what is there now.
        size_t at = 0;
        for (size_t skipped = 0; skipped <= e; ++skipped)
          at = next.dims.find(ReshardState::kEnd, at) + 1;
        next.dims.insert(at - 1, axes);
        emit({MoveKind::Exchange, false, axes, 0, static_cast<int64_t>(d), static_cast<int64_t>(e),
              traffic(CollectiveKind::AllToAll, p * bytesWith(e, size), p)},
             std::move(next));
      }
}

/// All lists of other axes that cut as the state's do. What is placed may move to other
/// places of the start or the target.
void ReshardSpace::Expansion::permute() {
  ReshardState next = state;
  AtomSet places = state.placed ? (space.first.placed | space.last.placed) & ~state.partial : 0;
  for (AtomSet placed = places;; placed = (placed - 1) & places) {
    // Every choice between start and target where both have a place.
    AtomSet atTarget = placed & space.last.placed;
    for (AtomSet arrived = atTarget;; arrived = (arrived - 1) & atTarget) {
      AtomSet atStart = placed & ~arrived, used = state.partial | placed;
      bool isFree = true;
      for (size_t i = 0; i < space.atoms.size(); ++i)
        isFree &= !(placed >> i & 1) || !(space.rivals[i] & used);
      if (isFree && !(atStart & ~space.first.placed) && !(atStart & space.settled) &&
          (placed != 0) == (state.placed != 0)) {
        next.dims.clear();
        next.placed = placed;
        next.arrived = arrived;
        permuteFrom(0, used, next);
      }
      if (!arrived)
        break;
    }
    if (!placed)
      break;
  }
}

void ReshardSpace::Expansion::permuteFrom(size_t dim, AtomSet used, ReshardState &next) {
  if (isStopped)
    return;
  if (dim < lists.size()) {
    RefList list;
    return permuteDim(dim, used, space.shape[dim], list, next);
  }
  // No block may have more holders than before.
  if (next == state || positionsOf(next) < positionsOf(state))
    return;
  Traffic price;
  if (sends(next))
    price = traffic(CollectiveKind::Permute, bytesWith(npos, 0), 2);
  emit({MoveKind::Permute, false, {}, 0, 0, 0, price}, ReshardState(next));
}

/// True if a rank has to send its block for a permute.
bool ReshardSpace::Expansion::sends(const ReshardState &next) const {
  for (const Witness &witness : space.witnesses) {
    size_t from = 0, to = 0;
    bool differs = false, isEmpty = false;
    for (int64_t size : space.shape) {
      DimBlock held = space.cut(state.dims, from, size, witness.coordinates);
      DimBlock wanted = space.cut(next.dims, to, size, witness.coordinates);
      differs |= !(held == wanted);
      isEmpty |= wanted.valid() == 0;
    }
    if (differs && !isEmpty && !next.placed)
      return true;
  }
  return !isSameSplit(space.mesh, space.toLayout(state), space.toLayout(next), space.shape);
}

/// Appends to the list of a dimension, of which `size` elements are left, until it cuts
/// as the state's does.
void ReshardSpace::Expansion::permuteDim(size_t dim, AtomSet used, int64_t size, RefList &list,
                                         ReshardState &next) {
  if (size == sizes[dim] &&
      (list == lists[dim] || cutAlike(space.shape[dim], axisSizes(lists[dim]), axisSizes(list)))) {
    size_t length = next.dims.size();
    next.dims += list;
    next.dims += ReshardState::kEnd;
    permuteFrom(dim + 1, used, next);
    next.dims.resize(length);
  }
  for (size_t i = 0; i < space.refs.size() && !isStopped; ++i) {
    const Reference &ref = space.refs[i];
    int64_t rest = ceilDiv(size, ref.axis.size);
    if ((ref.conflicts & used) || rest < sizes[dim])
      continue;
    list += static_cast<char>(i);
    permuteDim(dim, used | ref.atoms, rest, list, next);
    list.pop_back();
  }
}

void ReshardSpace::Expansion::replicate() {
  for (AtomSet axes = state.placed; axes && !isStopped; axes = (axes - 1) & state.placed) {
    ReshardState next = state;
    next.placed &= ~axes;
    next.arrived &= ~axes;
    emit({MoveKind::Replicate,
          false,
          {},
          axes,
          0,
          0,
          traffic(CollectiveKind::Broadcast, bytesWith(npos, 0), space.sizeOf(axes))},
         std::move(next));
  }
}

/// What is to be partial. If an end has terms or places also what splits or is placed:
/// neutral elements where a rank has none, so that a reduce-scatter can scatter it.
void ReshardSpace::Expansion::spread() {
  AtomSet wanted = space.last.partial;
  if (wanted | space.first.partial | space.first.placed | space.last.placed)
    wanted |= split | state.placed;
  wanted &= ~state.partial;
  for (AtomSet axes = wanted; axes && !isStopped; axes = (axes - 1) & wanted) {
    ReshardState next = state;
    ReshardStep step{MoveKind::Spread, false, {}, axes, 0, 0, {}};
    next.dims.clear();
    AtomSet kept = 0;
    for (std::string_view list : lists) {
      size_t length = list.size();
      while (length > 0 && !(atomsOf(list.substr(length - 1, 1)) & ~axes))
        --length;
      step.refs += list.substr(length);
      kept |= atomsOf(list.substr(0, length));
      next.dims += list.substr(0, length);
      next.dims += ReshardState::kEnd;
    }
    // What keeps its state must not touch what becomes partial, and all of what splits
    // and becomes partial must be a minor end.
    kept |= state.partial | (state.placed & ~axes);
    bool isFree = !(kept & axes);
    for (size_t i = 0; i < space.atoms.size(); ++i)
      isFree &= !(axes >> i & 1) || !(space.rivals[i] & (axes | kept));
    if (!isFree)
      continue;
    next.partial |= axes;
    next.placed &= ~axes;
    next.arrived &= ~axes;
    next.hasTargetTerms = !state.partial || state.hasTargetTerms;
    emit(std::move(step), std::move(next));
  }
}

/// What is replicated and placed in the target.
void ReshardSpace::Expansion::place() {
  AtomSet used = split | state.partial | state.placed, axes = space.last.placed;
  for (size_t i = 0; i < space.atoms.size(); ++i)
    for (const Reference &ref : space.refs)
      if (ref.axis == space.atoms[i] && (ref.conflicts & used))
        axes &= ~(AtomSet(1) << i);
  if (!axes)
    return;
  ReshardState next = state;
  next.placed |= axes;
  next.arrived |= axes;
  emit({MoveKind::Place, false, {}, axes, 0, 0, {}}, std::move(next));
}

void ReshardSpace::visitSteps(const ReshardState &state, const Visitor &visit) const {
  Expansion(*this, state, visit).run();
}
