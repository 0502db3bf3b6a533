//===- ReshardBound.cpp - What a state still has to send ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bound for the search: the bytes that some ranks lack, and the partial values to be reduced.
//
//===----------------------------------------------------------------------===//
#include "ReshardSpace.h"

#include <algorithm>
#include <cmath>

using namespace dmc;

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
  for (const auto &axes : to.dims)
    for (const AxisRef &axis : axes)
      inTarget |= atomsWithin(axis);
  for (const PlacedAxis &entry : to.placed)
    last.placed |= atomsWithin(entry.axis);
  std::vector<AtomSet> sets = {0, ~inTarget};
  for (size_t atom = 0; atom < atoms.size(); ++atom)
    sets.push_back(AtomSet(1) << atom);
  for (AtomSet atLast : sets) {
    witnesses.push_back({coordinatesAt(atLast), {}, 1});
    for (Reference &ref : refs)
      ref.digits.push_back(witnesses.back().coordinates[ref.axis.axis] / ref.stride %
                           ref.axis.size);
  }
}

void ReshardSpace::findWanted() {
  for (size_t w = 0; w < witnesses.size(); ++w)
    for (size_t d = 0; d < shape.size(); ++d) {
      witnesses[w].wanted.push_back(splits->dim(d).blockOf(splits->cutOf(last.split, d), w));
      witnesses[w].elements *= static_cast<double>(witnesses[w].wanted.back().valid());
    }
}

/// The most elements that one of the witnesses needs for the target and does not hold.
double ReshardSpace::missing(const ReshardState &state) const {
  double most = 0;
  for (size_t w = 0; w < witnesses.size(); ++w) {
    const Witness &witness = witnesses[w];
    if (witness.elements <= most)
      continue;
    double common = 1;
    AtomSet placed = state.placed;
    for (size_t i = 0; placed; ++i, placed >>= 1)
      if (placed & 1) {
        int64_t place = state.arrived >> i & 1 ? targetCoordinate[i] : startCoordinate[i];
        if (witness.coordinates[atoms[i].axis] / strides[i] % atoms[i].size != place)
          common = 0;
      }
    for (size_t d = 0; d < shape.size() && common > 0; ++d) {
      const DimBlock &held = splits->dim(d).blockOf(splits->cutOf(state.split, d), w);
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
  heldBy *= static_cast<double>((*splits)[state.split].positions);
  wantedBy *= static_cast<double>((*splits)[last.split].positions);
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t local = splits->at(state.split, d).size;
    if (local == 0 || lastShape[d] == 0)
      return {};
    pieces *= static_cast<double>(ceilDiv(lastShape[d], local));
    wanted *= static_cast<double>(ceilDiv(local, lastShape[d]));
  }
  double rounds = std::max(pieces - 1, std::ceil(wanted * heldBy / wantedBy - 1 - 1e-9));
  return {missing(state) * static_cast<double>(elementBytes),
          static_cast<int64_t>(std::max(0.0, rounds))};
}

int64_t ReshardSpace::partialsToReduce(const ReshardState &state) const {
  if (!state.hasTargetPartials)
    return sizeOf(state.partial);
  AtomSet reduced = state.partial & ~last.partial;
  int64_t partials = 1;
  for (const Twins &pair : twins)
    if (AtomSet wanted = last.partial & pair.both()) {
      // All of them may become partial first.
      int64_t rest = sizeOf(pair.both()) / sizeOf(wanted);
      bool isAll = (state.partial & pair.both()) == pair.both();
      partials *= isAll ? rest : std::min(rest, sizeOf(reduced & pair.both()));
      reduced &= ~pair.both();
    }
  return partials * sizeOf(reduced);
}

Traffic ReshardSpace::lowerBound(const ReshardState &state) const {
  // Partial values that must go: each element takes a message for every one but the first, and one
  // for every further copy of the result.
  double partials = static_cast<double>(partialsToReduce(state));
  double ranks = static_cast<double>(mesh.numRanks());
  double total = static_cast<double>(elementBytes);
  for (int64_t size : shape)
    total *= static_cast<double>(size);
  auto ceilLog = [](double x) { return static_cast<int64_t>(std::ceil(std::log2(x) - 1e-9)); };
  double cover = 1, ratio = partials, needed = 1, common = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t local = splits->at(state.split, d).size;
    needed *= static_cast<double>(lastShape[d]);
    common *= static_cast<double>(std::min(local, lastShape[d]));
    if (local > 0) {
      cover *= static_cast<double>(ceilDiv(lastShape[d], local));
      ratio *= static_cast<double>(lastShape[d]) / static_cast<double>(local);
    }
  }
  if (last.partial) {
    // The positions of the target's partial axes have to know a block together.
    double together = static_cast<double>(sizeOf(last.partial));
    double held = static_cast<double>(sizeOf(state.partial));
    double bytes = total * held / ranks * (1 - 1 / partials);
    if (!state.partial)
      bytes = (needed / together - common) * static_cast<double>(elementBytes);
    return {std::max(0.0, bytes),
            std::max(ceilLog(partials), ceilLog(std::max(1.0, cover * held / together)))};
  }

  double bytes = 0, positions = static_cast<double>((*splits)[last.split].positions) *
                                static_cast<double>(sizeOf(last.placed));
  if (partials > 1)
    bytes = std::max(0.0, total / positions + total * (partials - 2) / ranks);
  else
    bytes = missing(state) * static_cast<double>(elementBytes);
  int64_t messages = ceilLog(partials * cover);
  // A reduce-scatter halves the messages of an all-reduce, and splits what must then be
  // gathered again unless the target is split as far.
  if (even && partials > 1)
    messages = std::max<int64_t>(
        messages, static_cast<int64_t>(
                      std::ceil(std::log2(partials) + std::max(0.0, std::log2(ratio)) - 1e-9)));
  if (bytes > 0)
    messages = std::max<int64_t>(messages, 1);
  return {bytes, messages};
}
