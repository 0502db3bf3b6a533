//===- ReshardSpace.cpp - Layouts between two layouts ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References and atoms of the axes in use; states as layouts and back.
//
//===----------------------------------------------------------------------===//
#include "ReshardSpace.h"

#include <algorithm>

using namespace dmc;

/// More would make the lists of an idle axis too many.
static constexpr size_t maxAtomsWithIdleAxes = 6;

ReshardSpace::ReshardSpace(const Mesh &mesh, RedistributionPrices &prices, const Layout &from,
                           const Layout &to, const std::vector<int64_t> &shape,
                           int64_t elementBytes)
    : mesh(mesh), prices(prices), from(from.canonical()), to(to.canonical()), shape(shape),
      elementBytes(elementBytes) {
  chainsOf.resize(mesh.size());
  std::vector<char> used(mesh.size(), 0);
  auto use = [&](const AxisRef &ref) { used[ref.axis] = 1; };
  forEachReference(this->from, use);
  forEachReference(this->to, use);
  for (uint32_t axis = 0; axis < mesh.size(); ++axis)
    if (used[axis])
      addAxis(axis, this->from, this->to);
  for (uint32_t axis = 0; axis < mesh.size(); ++axis) {
    if (used[axis] || mesh.axis(axis).size == 1)
      continue;
    if (atoms.size() < maxAtomsWithIdleAxes)
      addAxis(axis, this->from, this->to);
    else
      complete = false;
  }
  tooLarge = atoms.size() > 64 || refs.size() >= 255;
  if (tooLarge)
    return;

  for (Reference &ref : refs) {
    ref.stride = mesh.axis(ref.axis.axis).size / (ref.axis.preSize * ref.axis.size);
    for (size_t i = 0; i < atoms.size(); ++i)
      if (overlaps(ref.axis, atoms[i]))
        ref.conflicts |= AtomSet(1) << i;
  }
  separateTwins();
  for (const AxisRef &atom : atoms)
    for (const Reference &ref : refs)
      if (ref.axis == atom)
        conflicts.push_back(ref.conflicts);
  for (size_t i = 0; i < atoms.size(); ++i)
    rivals.push_back(conflicts[i] & ~(AtomSet(1) << i));
  int64_t product = 1;
  for (const AxisRef &atom : atoms) {
    product *= atom.size;
    strides.push_back(mesh.axis(atom.axis).size / (atom.preSize * atom.size));
  }
  for (int64_t size : shape)
    even &= size % product == 0;
  startCoordinate.resize(atoms.size());
  targetCoordinate.resize(atoms.size());
  for (size_t i = 0; i < atoms.size(); ++i) {
    startCoordinate[i] = placedCoordinate(this->from, atoms[i]).value_or(0);
    targetCoordinate[i] = placedCoordinate(this->to, atoms[i]).value_or(0);
  }
  AtomSet placedAtEnds = ~AtomSet(0);
  for (const Layout *end : {&this->from, &this->to}) {
    AtomSet placed = 0;
    for (const PlacedAxis &entry : end->placed)
      placed |= atomsWithin(entry.axis);
    placedAtEnds &= placed;
  }
  for (size_t i = 0; i < atoms.size(); ++i)
    if ((placedAtEnds >> i & 1) && startCoordinate[i] == targetCoordinate[i])
      settled |= AtomSet(1) << i;
  chooseWitnesses();
  splits.emplace(mesh, refs, witnesses.size(), shape);
  first = makeState(this->from, /*isTarget=*/false);
  last = makeState(this->to, /*isTarget=*/true);
  lastShape = localShape(this->to, shape);
  findWanted();
}

/// A chain of cuts with those of another that lie where it has none.
static std::vector<int64_t> refined(const std::vector<int64_t> &cuts,
                                    const std::vector<int64_t> &others) {
  std::vector<int64_t> result = {1};
  for (size_t i = 1; i < cuts.size(); ++i) {
    auto begin = std::find(others.begin(), others.end(), cuts[i - 1]);
    auto end = std::find(others.begin(), others.end(), cuts[i]);
    if (begin != others.end() && end != others.end())
      result.insert(result.end(), begin + 1, end);
    result.push_back(cuts[i]);
  }
  return result;
}

void ReshardSpace::addAxis(uint32_t axis, const Layout &from, const Layout &to) {
  auto addChain = [&](const std::vector<int64_t> &cuts) {
    for (size_t i = 0; i < cuts.size(); ++i)
      for (size_t j = i + 1; j < cuts.size(); ++j) {
        AxisRef ref{axis, cuts[i], cuts[j] / cuts[i]};
        bool isNew = std::none_of(refs.begin(), refs.end(),
                                  [&](const Reference &other) { return other.axis == ref; });
        if (isNew) {
          refs.emplace_back();
          refs.back().axis = ref;
        }
        if (isNew && j == i + 1)
          atoms.push_back(ref);
      }
  };
  if (mesh.axis(axis).size == 1) {
    refs.emplace_back();
    refs.back().axis = {axis, 1, 1};
    atoms.push_back({axis, 1, 1});
  }
  std::vector<std::vector<int64_t>> &chains = chainsOf[axis];
  AxisCuts both(mesh, {&from, &to});
  if (both.isChain(axis)) {
    chains = {both.of(axis)};
  } else {
    std::vector<int64_t> a = AxisCuts(mesh, {&from}).of(axis), b = AxisCuts(mesh, {&to}).of(axis);
    chains = {refined(a, b), refined(b, a)};
  }
  for (const std::vector<int64_t> &cuts : chains)
    addChain(cuts);
  if (atoms.size() > 64)
    return;
  for (Reference &ref : refs)
    ref.atoms = atomsWithin(ref.axis);
  if (chains.size() == 2)
    addTwins(axis, chains[0], chains[1]);
}

/// Where two chains of cuts part they meet again at the next cut that they share.
void ReshardSpace::addTwins(uint32_t axis, const std::vector<int64_t> &a,
                            const std::vector<int64_t> &b) {
  std::vector<int64_t> shared;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
  for (size_t i = 1; i < shared.size(); ++i) {
    AxisRef part{axis, shared[i - 1], shared[i] / shared[i - 1]};
    if (Twins pair{atomsWithin(part, a), atomsWithin(part, b)}; pair.a != pair.b)
      twins.push_back(pair);
  }
  // Where one factorisation has cuts of both ends there are more parts for partial and placed axes
  // than there are atoms: those of the two ends are then kept apart.
  if (from.partial.empty() && to.partial.empty() && from.placed.empty() && to.placed.empty())
    return;
  auto isShared = [&](int64_t cut) {
    return std::binary_search(shared.begin(), shared.end(), cut);
  };
  for (int64_t cut : a)
    for (int64_t other : b)
      if (!isShared(cut) && !isShared(other) && (cut % other == 0 || other % cut == 0)) {
        complete = false;
        apart |= atomsWithin({axis, 1, mesh.axis(axis).size});
      }
}

/// Makes conflicts of atoms of two twins that lie apart.
void ReshardSpace::separateTwins() {
  for (const Twins &pair : twins)
    if (pair.both() & apart)
      for (Reference &ref : refs)
        for (auto [one, other] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)})
          if (ref.atoms & one)
            ref.conflicts |= other;
}

AtomSet ReshardSpace::completed(AtomSet set) const {
  for (const Twins &pair : twins)
    if ((set & pair.a) == pair.a || (set & pair.b) == pair.b)
      set |= pair.both();
  return set;
}

AtomSet ReshardSpace::chosen(AtomSet set) const {
  for (const Twins &pair : twins)
    if ((set & pair.both()) == pair.both())
      set &= ~(pair.b & ~pair.a);
  return set;
}

AtomSet ReshardSpace::withConflicts(AtomSet set) const {
  AtomSet result = set;
  if (!twins.empty())
    for (size_t i = 0; i < atoms.size(); ++i)
      if (set >> i & 1)
        result |= rivals[i];
  return result;
}

bool ReshardSpace::isProper(AtomSet set) const {
  if (twins.empty())
    return true;
  AtomSet one = chosen(set);
  for (size_t i = 0; i < atoms.size(); ++i)
    if ((one >> i & 1) && (rivals[i] & one))
      return false;
  return completed(set) == set;
}

AtomSet ReshardSpace::atomsWithin(const AxisRef &axis, const std::vector<int64_t> &cuts) const {
  AtomSet result = 0;
  if (std::binary_search(cuts.begin(), cuts.end(), axis.preSize) &&
      std::binary_search(cuts.begin(), cuts.end(), axis.preSize * axis.size))
    for (size_t i = 0; i < atoms.size(); ++i)
      if (contains(axis, atoms[i]) &&
          std::binary_search(cuts.begin(), cuts.end(), atoms[i].preSize) &&
          std::binary_search(cuts.begin(), cuts.end(), atoms[i].preSize * atoms[i].size))
        result |= AtomSet(1) << i;
  return result;
}

AtomSet ReshardSpace::atomsWithin(const AxisRef &axis) const {
  AtomSet result = 0;
  for (const std::vector<int64_t> &cuts : chainsOf[axis.axis])
    result |= atomsWithin(axis, cuts);
  return result;
}

uint32_t ReshardSpace::splitOf(const Layout &layout) {
  std::vector<uint32_t> lists(layout.dims.size(), 0);
  for (size_t d = 0; d < lists.size(); ++d)
    for (const AxisRef &axis : layout.dims[d])
      for (size_t i = 0; i < refs.size(); ++i)
        if (refs[i].axis == axis)
          lists[d] = splits->dim(d).append(lists[d], i);
  return splits->find(lists);
}

ReshardState ReshardSpace::makeState(const Layout &layout, bool isTarget) {
  ReshardState state;
  state.split = splitOf(layout);
  for (const AxisRef &ref : layout.partial)
    state.partial |= atomsWithin(ref);
  state.hasTargetPartials = state.partial != 0 && layout.combiner == targetCombiner();
  for (const PlacedAxis &entry : layout.placed)
    state.placed |= atomsWithin(entry.axis);
  state.arrived = isTarget ? state.placed : state.placed & settled;
  return state;
}

int64_t ReshardSpace::sizeOf(AtomSet set) const {
  int64_t size = 1;
  set = chosen(set);
  for (size_t i = 0; set; ++i, set >>= 1)
    if (set & 1)
      size *= atoms[i].size;
  return size;
}

std::vector<AxisRef> ReshardSpace::toAxes(AtomSet set) const {
  Layout layout;
  set = chosen(set);
  for (size_t i = 0; i < atoms.size(); ++i)
    if (set >> i & 1)
      layout.partial.push_back(atoms[i]);
  return layout.canonical().partial;
}

std::vector<AxisRef> ReshardSpace::toAxes(const RefList &list) const {
  std::vector<AxisRef> axes;
  for (char ref : list)
    axes.push_back(refs[static_cast<uint8_t>(ref)].axis);
  return axes;
}

std::vector<PlacedAxis> ReshardSpace::placesOf(const ReshardState &state) const {
  Layout layout;
  for (size_t i = 0; i < atoms.size(); ++i)
    if (state.placed >> i & 1)
      layout.placed.push_back(
          {atoms[i], state.arrived >> i & 1 ? targetCoordinate[i] : startCoordinate[i]});
  return layout.canonical().placed;
}

Layout ReshardSpace::toLayout(const ReshardState &state) const {
  Layout layout = Layout::replicated(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    layout.dims[d] = toAxes(splits->dim(d).listOf(splits->cutOf(state.split, d)));
  if (state.partial) {
    layout.partial = toAxes(state.partial);
    layout.combiner = state.hasTargetPartials ? targetCombiner() : from.combiner;
  }
  if (state.placed)
    layout.placed = placesOf(state);
  return layout;
}

int64_t ReshardSpace::bytesOf(const ReshardState &state) const {
  return (*splits)[state.split].elements * elementBytes;
}

//===----------------------------------------------------------------------===//
// Redistribution
//===----------------------------------------------------------------------===//

/// The target, but for its partial axes: those that the state has not are at coordinate 0, from
/// where they spread without traffic.
Layout ReshardSpace::redistributed(const ReshardState &state) const {
  Layout layout = to;
  AtomSet missing = last.partial & ~withConflicts(state.partial);
  layout.partial = toAxes(state.partial);
  if (layout.partial.empty())
    layout.combiner.reset();
  for (const AxisRef &axis : toAxes(missing))
    layout.placed.push_back({axis, 0});
  return layout.canonical();
}

std::optional<ReshardStep>
ReshardSpace::redistribute(const ReshardState &state,
                           const std::function<bool(const Traffic &)> &isTooMuch) const {
  if ((state.partial && !state.hasTargetPartials) || (state.partial & ~last.partial))
    return std::nullopt;
  std::optional<Traffic> traffic =
      prices.get(toLayout(state), redistributed(state), shape, elementBytes, isTooMuch);
  if (!traffic)
    return std::nullopt;
  ReshardStep step;
  step.kind = MoveKind::Redistribute;
  step.traffic = *traffic;
  return step;
}

RefList ReshardSpace::differenceOf(uint32_t longer, uint32_t shorter, size_t dim) const {
  const CutTable &table = splits->dim(dim);
  return table.listOf(splits->cutOf(longer, dim)).substr(table[splits->cutOf(shorter, dim)].length);
}

void ReshardSpace::appendMoves(const ReshardState &state, const ReshardStep &step,
                               const ReshardState &next, std::vector<Move> &moves) const {
  Layout layout = toLayout(next);
  auto add = [&](MoveKind kind, std::vector<AxisRef> axes, Layout after) {
    moves.push_back({kind, std::move(axes), step.dim, step.targetDim, std::move(after), {}});
  };
  switch (step.kind) {
  case MoveKind::Reduce: {
    if (!step.isScattered)
      return add(step.kind, toAxes(step.atoms), layout);
    ReshardState between = state;
    between.partial = next.partial;
    std::vector<AxisRef> axes = toAxes(differenceOf(next.split, state.split, step.dim));
    add(MoveKind::Reduce, axes, toLayout(between));
    return add(MoveKind::Partition, axes, layout);
  }
  case MoveKind::Redistribute: {
    add(step.kind, {}, redistributed(state));
    if (AtomSet missing = last.partial & ~withConflicts(state.partial))
      add(MoveKind::Spread, toAxes(missing), layout);
    return;
  }
  case MoveKind::Partition:
    return add(step.kind, toAxes(differenceOf(next.split, state.split, step.dim)), layout);
  case MoveKind::Combine:
  case MoveKind::Exchange:
    return add(step.kind, toAxes(differenceOf(state.split, next.split, step.dim)), layout);
  case MoveKind::Spread: {
    // What splits a dimension is named as there.
    RefList list;
    for (size_t d = 0; d < shape.size(); ++d)
      list += differenceOf(state.split, next.split, d);
    std::vector<AxisRef> axes = toAxes(list);
    AtomSet named = 0;
    for (char ref : list)
      named |= refs[static_cast<uint8_t>(ref)].atoms;
    // So is what is placed; of the rest coordinate 0 keeps the value.
    for (AtomSet others :
         {step.atoms & state.placed, step.atoms & ~withConflicts(named | state.placed)})
      for (const AxisRef &axis : toAxes(others))
        axes.push_back(axis);
    return add(step.kind, std::move(axes), layout);
  }
  case MoveKind::Replicate:
  case MoveKind::Place:
    return add(step.kind, toAxes(step.atoms), layout);
  case MoveKind::Permute:
    return add(step.kind, {}, layout);
  }
}
