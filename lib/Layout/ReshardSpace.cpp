//===- ReshardSpace.cpp - Layouts between two layouts ---------------------===//
//
// References and atoms of the axes in use; states as layouts and back; the bound on what
// a state still has to send.
//
//===----------------------------------------------------------------------===//
#include "ReshardSpace.h"

#include <algorithm>
#include <cmath>

using namespace dmc;

/// More would make the lists of an idle axis too many.
static constexpr size_t maxAtomsWithIdleAxes = 6;

ReshardSpace::ReshardSpace(const Mesh &mesh, const Layout &from, const Layout &to,
                           const std::vector<int64_t> &shape, int64_t elementBytes)
    : mesh(mesh), from(from.canonical()), to(to.canonical()), shape(shape),
      elementBytes(elementBytes) {
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
      whole = false;
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
  for (const AxisRef &atom : atoms) {
    rivals.push_back(0);
    for (size_t i = 0; i < atoms.size(); ++i)
      if (atom != atoms[i] && overlaps(atom, atoms[i]))
        rivals.back() |= AtomSet(1) << i;
  }
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
  first = makeState(this->from, /*isTarget=*/false);
  last = makeState(this->to, /*isTarget=*/true);
  lastShape = localShape(this->to, shape);
  chooseWitnesses();
}

void ReshardSpace::addAxis(uint32_t axis, const Layout &from, const Layout &to) {
  auto addChain = [&](const std::vector<int64_t> &cuts) {
    for (size_t i = 0; i < cuts.size(); ++i)
      for (size_t j = i + 1; j < cuts.size(); ++j) {
        AxisRef ref{axis, cuts[i], cuts[j] / cuts[i]};
        bool isNew = std::none_of(refs.begin(), refs.end(),
                                  [&](const Reference &other) { return other.axis == ref; });
        if (isNew)
          refs.push_back({ref});
        if (isNew && j == i + 1)
          atoms.push_back(ref);
      }
  };
  if (mesh.axis(axis).size == 1) {
    refs.push_back({{axis, 1, 1}});
    atoms.push_back({axis, 1, 1});
  }
  AxisCuts both(mesh, {&from, &to});
  if (both.isChain(axis)) {
    addChain(both.of(axis));
  } else {
    // Terms and places of a whole axis have no one set of atoms here.
    for (const Layout *end : {&from, &to}) {
      for (const AxisRef &ref : end->partial)
        whole &= ref.axis != axis;
      for (const PlacedAxis &entry : end->placed)
        whole &= entry.axis.axis != axis;
    }
    addChain(AxisCuts(mesh, {&from}).of(axis));
    addChain(AxisCuts(mesh, {&to}).of(axis));
  }
  if (atoms.size() <= 64)
    for (Reference &ref : refs)
      ref.atoms = atomsWithin(ref.axis);
}

AtomSet ReshardSpace::atomsWithin(const AxisRef &axis) const {
  AtomSet result = 0;
  for (size_t i = 0; i < atoms.size(); ++i)
    if (contains(axis, atoms[i]))
      result |= AtomSet(1) << i;
  return result;
}

RefList ReshardSpace::numbersOf(const Layout &layout) const {
  RefList result;
  for (const auto &axes : layout.dims) {
    for (const AxisRef &axis : axes)
      for (size_t i = 0; i < refs.size(); ++i)
        if (refs[i].axis == axis)
          result += static_cast<char>(i);
    result += ReshardState::kEnd;
  }
  return result;
}

ReshardState ReshardSpace::makeState(const Layout &layout, bool isTarget) const {
  ReshardState state;
  state.dims = numbersOf(layout);
  for (const AxisRef &ref : layout.partial)
    state.partial |= atomsWithin(ref);
  state.hasTargetTerms = state.partial != 0 && layout.combiner == targetCombiner();
  for (const PlacedAxis &entry : layout.placed)
    state.placed |= atomsWithin(entry.axis);
  state.arrived = isTarget ? state.placed : state.placed & settled;
  return state;
}

int64_t ReshardSpace::sizeOf(AtomSet set) const {
  int64_t size = 1;
  for (size_t i = 0; i < atoms.size(); ++i)
    if (set >> i & 1)
      size *= atoms[i].size;
  return size;
}

std::vector<AxisRef> ReshardSpace::toAxes(AtomSet set) const {
  Layout layout;
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

Layout ReshardSpace::toLayout(const ReshardState &state) const {
  Layout layout = Layout::replicated(shape.size());
  size_t dim = 0;
  for (char ref : state.dims) {
    if (ref == ReshardState::kEnd)
      ++dim;
    else
      layout.dims[dim].push_back(refs[static_cast<uint8_t>(ref)].axis);
  }
  layout.partial = toAxes(state.partial);
  if (state.partial)
    layout.combiner = state.hasTargetTerms ? targetCombiner() : from.combiner;
  for (size_t i = 0; i < atoms.size(); ++i)
    if (state.placed >> i & 1)
      layout.placed.push_back(
          {atoms[i], state.arrived >> i & 1 ? targetCoordinate[i] : startCoordinate[i]});
  return layout.canonical();
}

int64_t ReshardSpace::bytesOf(const ReshardState &state) const {
  int64_t bytes = elementBytes, dim = 0, size = shape.empty() ? 1 : shape.front();
  for (char ref : state.dims) {
    if (ref != ReshardState::kEnd) {
      size = ceilDiv(size, sizeOf(ref));
      continue;
    }
    bytes *= size;
    ++dim;
    size = dim < static_cast<int64_t>(shape.size()) ? shape[dim] : 1;
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Redistribution
//===----------------------------------------------------------------------===//

/// The target, but for its terms: those that the state has not are at coordinate 0, from
/// where they spread without traffic.
Layout ReshardSpace::redistributed(const ReshardState &state) const {
  Layout layout = to;
  AtomSet missing = last.partial & ~state.partial;
  layout.partial = toAxes(state.partial);
  if (layout.partial.empty())
    layout.combiner.reset();
  for (const AxisRef &axis : toAxes(missing))
    layout.placed.push_back({axis, 0});
  return layout.canonical();
}

std::optional<ReshardStep> ReshardSpace::redistribute(const ReshardState &state) const {
  if ((state.partial && !state.hasTargetTerms) || (state.partial & ~last.partial))
    return std::nullopt;
  auto plan = planRedistribution(mesh, toLayout(state), redistributed(state), shape);
  if (!plan)
    return std::nullopt;
  ReshardStep step;
  step.kind = MoveKind::Redistribute;
  step.traffic = plan->traffic(elementBytes);
  return step;
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
    between.hasTargetTerms = next.hasTargetTerms;
    add(MoveKind::Reduce, toAxes(step.refs), toLayout(between));
    return add(MoveKind::Partition, toAxes(step.refs), layout);
  }
  case MoveKind::Redistribute: {
    add(step.kind, {}, redistributed(state));
    if (AtomSet missing = last.partial & ~state.partial)
      add(MoveKind::Spread, toAxes(missing), layout);
    return;
  }
  case MoveKind::Partition:
  case MoveKind::Combine:
  case MoveKind::Exchange:
    return add(step.kind, toAxes(step.refs), layout);
  case MoveKind::Spread: {
    // What splits a dimension is named as there.
    std::vector<AxisRef> axes = toAxes(step.refs);
    AtomSet named = 0;
    for (char ref : step.refs)
      named |= refs[static_cast<uint8_t>(ref)].atoms;
    // So is what is placed; of the rest coordinate 0 keeps the value.
    for (AtomSet others : {step.atoms & state.placed, step.atoms & ~named & ~state.placed})
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

//===----------------------------------------------------------------------===//
// Lower bound
//===----------------------------------------------------------------------===//

/// The coordinate along each axis where some atoms are at their last position and the
/// others at 0, but at the target's where it is placed.
std::vector<int64_t> ReshardSpace::coordinatesAt(AtomSet atLast) const {
  std::vector<int64_t> result(mesh.size(), 0);
  for (size_t i = 0; i < atoms.size(); ++i)
    if (atLast >> i & 1)
      result[atoms[i].axis] = std::min(result[atoms[i].axis] + (atoms[i].size - 1) * strides[i],
                                       mesh.axis(atoms[i].axis).size - 1);
  for (size_t i = 0; i < atoms.size(); ++i)
    if (last.placed >> i & 1) {
      int64_t &coordinate = result[atoms[i].axis];
      coordinate += (targetCoordinate[i] - coordinate / strides[i] % atoms[i].size) * strides[i];
    }
  return result;
}

/// The ranks are those at coordinate 0 of all atoms, or at the last of one or of all that
/// do not split the target.
void ReshardSpace::chooseWitnesses() {
  AtomSet inTarget = 0;
  for (char ref : last.dims)
    if (ref != ReshardState::kEnd)
      inTarget |= refs[static_cast<uint8_t>(ref)].atoms;
  std::vector<AtomSet> sets = {0, ~inTarget};
  for (size_t i = 0; i < atoms.size(); ++i)
    sets.push_back(AtomSet(1) << i);
  for (AtomSet atLast : sets) {
    Witness witness{coordinatesAt(atLast), {}, 1};
    size_t at = 0;
    for (int64_t size : shape) {
      witness.wanted.push_back(cut(last.dims, at, size, witness.coordinates));
      witness.elements *= static_cast<double>(witness.wanted.back().valid());
    }
    witnesses.push_back(std::move(witness));
  }
}

/// The block of a dimension whose list begins at `at`, which moves to the next.
DimBlock ReshardSpace::cut(const RefList &dims, size_t &at, int64_t size,
                           const std::vector<int64_t> &coordinates) const {
  DimBlock block{0, size, size};
  for (; dims[at] != ReshardState::kEnd; ++at) {
    const Reference &ref = refs[static_cast<uint8_t>(dims[at])];
    int64_t coordinate = coordinates[ref.axis.axis] / ref.stride % ref.axis.size;
    block.size = ceilDiv(block.size, ref.axis.size);
    block.begin = std::min(block.begin + coordinate * block.size, block.end);
    block.end = std::min(block.begin + block.size, block.end);
  }
  ++at;
  return block;
}

/// The most elements that one of the witnesses needs for the target and does not hold.
double ReshardSpace::missing(const ReshardState &state) const {
  double most = 0;
  for (const Witness &witness : witnesses) {
    if (witness.elements <= most)
      continue;
    double common = 1;
    for (size_t i = 0; i < atoms.size(); ++i)
      if (state.placed >> i & 1) {
        int64_t place = state.arrived >> i & 1 ? targetCoordinate[i] : startCoordinate[i];
        if (witness.coordinates[atoms[i].axis] / strides[i] % atoms[i].size != place)
          common = 0;
      }
    size_t at = 0;
    for (size_t d = 0; d < shape.size() && common > 0; ++d) {
      DimBlock held = cut(state.dims, at, shape[d], witness.coordinates);
      const DimBlock &wanted = witness.wanted[d];
      common *= static_cast<double>(std::max<int64_t>(0, std::min(held.end, wanted.end) -
                                                             std::max(held.begin, wanted.begin)));
    }
    most = std::max(most, witness.elements - common);
  }
  return most;
}

/// Less than a redistribution to the target sends. The rank at coordinate 0 lacks all
/// blocks that cover its own but one; the holders of the first block serve all who want
/// a part of it, but for themselves.
Traffic ReshardSpace::leastOfRedistribution(const ReshardState &state) const {
  if (last.partial)
    return {};
  double pieces = 1, wanted = 1, heldBy = static_cast<double>(sizeOf(state.placed)),
         wantedBy = static_cast<double>(sizeOf(last.placed));
  size_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t local = shape[d];
    for (; state.dims[at] != ReshardState::kEnd; ++at) {
      local = ceilDiv(local, sizeOf(state.dims[at]));
      heldBy *= static_cast<double>(sizeOf(state.dims[at]));
    }
    ++at;
    if (local == 0 || lastShape[d] == 0)
      return {};
    pieces *= static_cast<double>(ceilDiv(lastShape[d], local));
    wanted *= static_cast<double>(ceilDiv(local, lastShape[d]));
  }
  for (char ref : last.dims)
    if (ref != ReshardState::kEnd)
      wantedBy *= static_cast<double>(sizeOf(ref));
  double rounds = std::max(pieces - 1, std::ceil(wanted * heldBy / wantedBy - 1 - 1e-9));
  return {missing(state) * static_cast<double>(elementBytes),
          static_cast<int64_t>(std::max(0.0, rounds))};
}

Traffic ReshardSpace::lowerBound(const ReshardState &state) const {
  // Terms that must go: each element takes a message for every term but one, and one
  // for every further copy of the result.
  AtomSet reduced = state.hasTargetTerms ? state.partial & ~last.partial : state.partial;
  double terms = static_cast<double>(sizeOf(reduced));
  double ranks = static_cast<double>(mesh.numRanks());
  double total = static_cast<double>(elementBytes);
  for (int64_t size : shape)
    total *= static_cast<double>(size);
  auto ceilLog = [](double x) { return static_cast<int64_t>(std::ceil(std::log2(x) - 1e-9)); };
  double cover = 1, ratio = terms, needed = 1, common = 1;
  size_t i = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t local = shape[d];
    for (; state.dims[i] != ReshardState::kEnd; ++i)
      local = ceilDiv(local, sizeOf(state.dims[i]));
    ++i;
    needed *= static_cast<double>(lastShape[d]);
    common *= static_cast<double>(std::min(local, lastShape[d]));
    if (local > 0) {
      cover *= static_cast<double>(ceilDiv(lastShape[d], local));
      ratio *= static_cast<double>(lastShape[d]) / static_cast<double>(local);
    }
  }
  if (last.partial) {
    // The positions of the target's terms have to know a block together.
    double together = static_cast<double>(sizeOf(last.partial));
    double held = static_cast<double>(sizeOf(state.partial));
    double bytes = total * held / ranks * (1 - 1 / terms);
    if (!state.partial)
      bytes = (needed / together - common) * static_cast<double>(elementBytes);
    return {std::max(0.0, bytes),
            std::max(ceilLog(terms), ceilLog(std::max(1.0, cover * held / together)))};
  }

  double bytes = 0, positions = 1;
  for (char ref : last.dims)
    if (ref != ReshardState::kEnd)
      positions *= static_cast<double>(sizeOf(ref));
  positions *= static_cast<double>(sizeOf(last.placed));
  if (terms > 1)
    bytes = std::max(0.0, total / positions + total * (terms - 2) / ranks);
  else
    bytes = missing(state) * static_cast<double>(elementBytes);
  int64_t messages = ceilLog(terms * cover);
  // A reduce-scatter halves the messages of an all-reduce, and splits what must then be
  // gathered again unless the target is split as far.
  if (even && terms > 1)
    messages = std::max<int64_t>(
        messages,
        static_cast<int64_t>(std::ceil(std::log2(terms) + std::max(0.0, std::log2(ratio)) - 1e-9)));
  if (bytes > 0)
    messages = std::max<int64_t>(messages, 1);
  return {bytes, messages};
}
