//===- ReshardSteps.cpp - The moves from a layout -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every move of the algebra that a state of the space allows, with its price. Lists of
// several axes are one move.
//
//===----------------------------------------------------------------------===//
#include "ReshardSpace.h"

using namespace dmc;

static constexpr size_t npos = std::string::npos;
/// Of more atoms there are too many lists to keep those that cut alike.
static constexpr size_t maxAtomsOfKeptLists = 6;

/// Enumerates the steps from one state.
class ReshardSpace::Expansion {
public:
  Expansion(ReshardSpace &space, const ReshardState &state, StepVisitor &visitor);

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

  /// Offers a step to a state of so many bytes, of which `makeSplit` makes the lists.
  template <typename MakeSplit>
  void emit(const ReshardStep &step, ReshardState next, int64_t bytes, const MakeSplit &makeSplit) {
    if (isStopped)
      return;
    StepVisitor::Answer answer = visitor.offer(step, bytes);
    isStopped = answer == StepVisitor::Answer::Stop;
    if (answer != StepVisitor::Answer::Take)
      return;
    next.split = makeSplit();
    visitor.take(step, next);
  }
  /// A step that leaves all lists as they are.
  void emit(const ReshardStep &step, const ReshardState &next) {
    emit(step, next, bytesWith(npos, 0), [&] { return state.split; });
  }
  /// The state's split but for the lists of one dimension or two.
  uint32_t edit(size_t dim, uint32_t list, size_t other = npos, uint32_t otherList = 0) {
    edited = lists;
    edited[dim] = list;
    if (other != npos)
      edited[other] = otherList;
    return space.splits->find(edited);
  }
  int64_t sizeOf(size_t ref) const { return space.refs[ref].axis.size; }
  const Cut &cutAt(size_t dim) const { return space.splits->dim(dim)[lists[dim]]; }
  /// The number of ranks for each holder of a block.
  int64_t positionsOf(AtomSet placed, const std::vector<uint32_t> &of) const {
    int64_t count = space.sizeOf(placed);
    for (size_t d = 0; d < of.size(); ++d)
      count *= space.splits->dim(d)[of[d]].positions;
    return count;
  }
  /// Bytes of the state with other sizes of some dimensions.
  int64_t bytesWith(size_t dim, int64_t size, size_t other = npos, int64_t otherSize = 0) const {
    int64_t bytes = space.elementBytes;
    for (size_t d = 0; d < sizes.size(); ++d)
      bytes *= d == dim ? size : d == other ? otherSize : sizes[d];
    return bytes;
  }

  /// Visits, for every list of references that use none of the atoms `used` and, if
  /// `within` is not 0, only atoms of it, each dimension: what the list appended to the
  /// dimension's is, its atoms, and its positions.
  template <typename Visit>
  void forEachList(AtomSet used, AtomSet within, const Visit &visit) {
    appended.assign(1, lists);
    extend(used, within, 0, 1, 0, visit);
  }
  template <typename Visit>
  void extend(AtomSet used, AtomSet within, AtomSet atoms, int64_t positions, size_t depth,
              const Visit &visit) {
    if (appended.size() < depth + 2)
      appended.emplace_back();
    for (size_t i = 0; i < space.refs.size() && !isStopped; ++i) {
      const Reference &ref = space.refs[i];
      if ((ref.conflicts & used) || (within && (ref.atoms & ~within)))
        continue;
      appended[depth + 1].resize(lists.size());
      for (size_t d = 0; d < lists.size(); ++d) {
        uint32_t list = space.splits->dim(d).append(appended[depth][d], i);
        appended[depth + 1][d] = list;
        visit(d, list, atoms | ref.atoms, positions * ref.axis.size);
      }
      extend(used | ref.atoms, within, atoms | ref.atoms, positions * ref.axis.size, depth + 1,
             visit);
    }
  }
  bool sends(const ReshardState &next) const;
  void permuteFrom(size_t dim, AtomSet used, const ReshardState &next);

  ReshardSpace &space;
  const ReshardState state;
  StepVisitor &visitor;
  /// Of each dimension.
  std::vector<uint32_t> lists;
  std::vector<int64_t> sizes;
  /// Those that a permute leads to, and where edits are made.
  std::vector<uint32_t> chosen, edited;
  std::vector<std::vector<uint32_t>> appended;
  AtomSet split = 0;
  bool isStopped = false;
};

ReshardSpace::Expansion::Expansion(ReshardSpace &space, const ReshardState &state,
                                   StepVisitor &visitor)
    : space(space), state(state), visitor(visitor), split((*space.splits)[state.split].atoms) {
  for (size_t d = 0; d < space.shape.size(); ++d) {
    lists.push_back(space.splits->cutOf(state.split, d));
    sizes.push_back(cutAt(d).size);
  }
}

void ReshardSpace::Expansion::partition() {
  ReshardStep step{MoveKind::Partition, false, 0, 0, 0, {}};
  forEachList(split | state.partial | state.placed, 0,
              [&](size_t d, uint32_t list, AtomSet, int64_t) {
                step.dim = static_cast<int64_t>(d);
                emit(step, state, bytesWith(d, space.splits->dim(d)[list].size),
                     [&] { return edit(d, list); });
              });
}

void ReshardSpace::Expansion::combine() {
  for (size_t d = 0; d < lists.size(); ++d) {
    const CutTable &table = space.splits->dim(d);
    int64_t p = 1;
    AtomSet atoms = 0;
    for (uint32_t list = lists[d]; list != 0;) {
      p *= sizeOf(table[list].last);
      atoms |= space.refs[table[list].last].atoms;
      list = table[list].parent;
      emit({MoveKind::Combine, false, 0, static_cast<int64_t>(d), 0,
            trafficOf(MoveKind::Combine, false, bytesWith(npos, 0), p), atoms},
           state, bytesWith(d, table[list].size), [&] { return edit(d, list); });
    }
  }
}

void ReshardSpace::Expansion::reduce() {
  for (AtomSet axes = state.partial; axes && !isStopped; axes = (axes - 1) & state.partial) {
    if (!space.isProper(axes))
      continue;
    ReshardState next = state;
    next.partial &= ~space.withConflicts(axes);
    next.hasTargetPartials &= next.partial != 0;
    emit({MoveKind::Reduce, false, axes, 0, 0,
          trafficOf(MoveKind::Reduce, false, bytesWith(npos, 0), space.sizeOf(axes)), axes},
         next);
  }
}

void ReshardSpace::Expansion::scatter() {
  if (!state.partial)
    return;
  int64_t operand = bytesWith(npos, 0);
  forEachList(0, state.partial, [&](size_t d, uint32_t list, AtomSet atoms, int64_t p) {
    int64_t result = bytesWith(d, space.splits->dim(d)[list].size);
    // Else it is a reduce and a partition.
    if (!isReduceScatter(operand, result, p))
      return;
    ReshardState next = state;
    next.partial &= ~space.withConflicts(atoms);
    next.hasTargetPartials &= next.partial != 0;
    emit({MoveKind::Reduce, true, 0, static_cast<int64_t>(d), 0,
          trafficOf(MoveKind::Reduce, true, result, p), atoms},
         next, result, [&] { return edit(d, list); });
  });
}

void ReshardSpace::Expansion::exchange() {
  for (size_t d = 0; d < lists.size(); ++d) {
    const RefList list = space.splits->dim(d).listOf(lists[d]);
    uint32_t rest = lists[d];
    int64_t p = 1;
    AtomSet atoms = 0;
    for (size_t at = list.size(); at-- > 0;) {
      const CutTable &table = space.splits->dim(d);
      p *= sizeOf(table[rest].last);
      atoms |= space.refs[table[rest].last].atoms;
      rest = table[rest].parent;
      for (size_t e = 0; e < lists.size(); ++e) {
        if (d == e)
          continue;
        CutTable &other = space.splits->dim(e);
        uint32_t longer = lists[e];
        for (size_t i = at; i < list.size(); ++i)
          longer = other.append(longer, static_cast<uint8_t>(list[i]));
        int64_t size = other[longer].size;
        emit({MoveKind::Exchange, false, 0, static_cast<int64_t>(d), static_cast<int64_t>(e),
              trafficOf(MoveKind::Exchange, false, bytesWith(e, size), p), atoms},
             state, bytesWith(d, table[rest].size, e, size),
             [&] { return edit(d, rest, e, longer); });
      }
    }
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
        next.placed = placed;
        next.arrived = arrived;
        chosen = lists;
        permuteFrom(0, used, next);
      }
      if (!arrived)
        break;
    }
    if (!placed)
      break;
  }
}

void ReshardSpace::Expansion::permuteFrom(size_t dim, AtomSet used, const ReshardState &next) {
  if (dim < lists.size()) {
    CutTable &table = space.splits->dim(dim);
    auto choose = [&](uint32_t list) {
      chosen[dim] = list;
      permuteFrom(dim + 1, used | table[list].atoms, next);
      return !isStopped;
    };
    if (space.atoms.size() > maxAtomsOfKeptLists) {
      table.forEachLike(lists[dim], used, choose);
      return;
    }
    for (uint32_t list : table.likeOf(lists[dim]))
      if (!(table[list].conflicts & used) && !choose(list))
        return;
    return;
  }
  // No block may have more holders than before.
  if ((chosen == lists && next == state) ||
      positionsOf(next.placed, chosen) < positionsOf(state.placed, lists))
    return;
  Traffic price;
  if (sends(next))
    price = trafficOf(MoveKind::Permute, false, bytesWith(npos, 0), 2);
  emit({MoveKind::Permute, false, 0, 0, 0, price}, next, bytesWith(npos, 0),
       [&] { return space.splits->find(chosen); });
}

/// True if a rank has to send its block for a permute to the chosen lists.
bool ReshardSpace::Expansion::sends(const ReshardState &next) const {
  for (size_t d = 0; d < lists.size(); ++d)
    if (!space.splits->dim(d).isSame(lists[d], chosen[d]))
      return true;
  // Where the state is placed, all that is wanted is there.
  return !isPlacedWithin(space.mesh, space.placesOf(next), space.placesOf(state));
}

void ReshardSpace::Expansion::replicate() {
  for (AtomSet axes = state.placed; axes && !isStopped; axes = (axes - 1) & state.placed) {
    ReshardState next = state;
    next.placed &= ~axes;
    next.arrived &= ~axes;
    emit({MoveKind::Replicate, false, axes, 0, 0,
          trafficOf(MoveKind::Replicate, false, bytesWith(npos, 0), space.sizeOf(axes)), axes},
         next);
  }
}

/// What is to be partial. If an end has partial or placed axes also what splits or is placed:
/// neutral elements where a rank has none, so that a reduce-scatter can scatter it.
void ReshardSpace::Expansion::spread() {
  AtomSet wanted = space.last.partial;
  if (wanted | space.first.partial | space.first.placed | space.last.placed)
    wanted |= split | state.placed;
  // What one end cuts otherwise than the other does must be whole in between.
  for (const Twins &pair : space.twins)
    if (pair.both() &
        (space.first.partial | space.last.partial | space.first.placed | space.last.placed))
      wanted |= pair.both();
  wanted &= ~state.partial;
  for (AtomSet axes = wanted; axes && !isStopped; axes = (axes - 1) & wanted) {
    if (!space.isProper(axes))
      continue;
    ReshardState next = state;
    chosen = lists;
    int64_t bytes = space.elementBytes;
    AtomSet kept = 0;
    for (size_t d = 0; d < lists.size(); ++d) {
      const CutTable &table = space.splits->dim(d);
      while (chosen[d] != 0 && !(space.refs[table[chosen[d]].last].atoms & ~axes))
        chosen[d] = table[chosen[d]].parent;
      kept |= table[chosen[d]].atoms;
      bytes *= table[chosen[d]].size;
    }
    // What keeps its state must not touch what becomes partial, and all of what splits
    // and becomes partial must be a minor end.
    kept |= state.partial | (state.placed & ~axes);
    bool isFree = !(kept & axes);
    for (size_t i = 0; i < space.atoms.size(); ++i)
      isFree &= !(axes >> i & 1) || !(space.rivals[i] & kept);
    if (!isFree)
      continue;
    next.partial = space.completed(state.partial | axes);
    next.placed &= ~axes;
    next.arrived &= ~axes;
    next.hasTargetPartials = !state.partial || state.hasTargetPartials;
    emit({MoveKind::Spread, false, axes, 0, 0, {}}, next, bytes,
         [&] { return space.splits->find(chosen); });
  }
}

/// What is replicated and placed in the target.
void ReshardSpace::Expansion::place() {
  AtomSet used = split | state.partial | state.placed, axes = space.last.placed;
  for (size_t i = 0; i < space.atoms.size(); ++i)
    if (space.conflicts[i] & used)
      axes &= ~(AtomSet(1) << i);
  if (!axes)
    return;
  ReshardState next = state;
  next.placed |= axes;
  next.arrived |= axes;
  emit({MoveKind::Place, false, axes, 0, 0, {}}, next);
}

void ReshardSpace::visitSteps(const ReshardState &state, StepVisitor &visitor) {
  Expansion(*this, state, visitor).run();
}
