//===- ReshardSpace.h - Layouts between two layouts -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states that a reshard can pass through and the moves between them: layouts that
// cut the mesh's axes where its ends do.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_LAYOUT_RESHARDSPACE_H
#define DMC_LIB_LAYOUT_RESHARDSPACE_H

#include "ReshardCuts.h"

#include <functional>

namespace dmc {

/// A layout of the space.
struct ReshardState {
  /// The lists of all dimensions.
  uint32_t split = 0;
  AtomSet partial = 0;
  AtomSet placed = 0;
  /// The placed atoms that are at the target's coordinate; the others are where the
  /// start has them.
  AtomSet arrived = 0;
  /// Partial axes hold partial values of `targetCombiner` (or of the start's).
  bool hasTargetPartials = false;

  bool operator==(const ReshardState &o) const {
    return split == o.split && partial == o.partial && placed == o.placed && arrived == o.arrived &&
           hasTargetPartials == o.hasTargetPartials;
  }
  uint64_t getHash() const {
    uint64_t hash = mixHash(0, split);
    for (uint64_t word : {partial, placed, arrived, uint64_t(hasTargetPartials)})
      hash = mixHash(hash, word);
    return hash;
  }
};

/// A move, or the two that are one collective.
struct ReshardStep {
  MoveKind kind = MoveKind::Partition;
  /// Of a reduce: the next partition is part of the step.
  bool isScattered = false;
  /// Of partial and placed axes.
  AtomSet atoms = 0;
  int64_t dim = 0, targetDim = 0;
  Traffic traffic;
  /// Along which atoms it sends; 0: along any.
  AtomSet sentAlong = 0;
};

/// What is done with the steps from a state.
class StepVisitor {
public:
  enum class Answer { Take, Skip, Stop };
  virtual ~StepVisitor() = default;
  /// Whether a step is wanted that leads to a state of so many bytes.
  virtual Answer offer(const ReshardStep &step, int64_t bytes) = 0;
  virtual void take(const ReshardStep &step, const ReshardState &next) = 0;
};

class ReshardSpace {
public:
  ReshardSpace(const Mesh &mesh, RedistributionPrices &prices, const Layout &from, const Layout &to,
               const std::vector<int64_t> &shape, int64_t elementBytes);

  /// More axes than the space can number.
  bool isTooLarge() const { return tooLarge; }
  std::vector<AxisRef> toAxes(AtomSet atoms) const;
  /// All layouts that a way can pass through are there.
  bool isComplete() const { return complete; }
  const ReshardState &start() const { return first; }
  const ReshardState &goal() const { return last; }

  /// The moves from a state, redistributions aside.
  void visitSteps(const ReshardState &state, StepVisitor &visitor);
  /// The redistribution from a state to the target; nothing where there is none or
  /// `isTooMuch` says so of a bound on what it sends.
  std::optional<ReshardStep>
  redistribute(const ReshardState &state,
               const std::function<bool(const Traffic &)> &isTooMuch) const;
  Traffic leastOfRedistribution(const ReshardState &state) const;

  /// Less than what leads from the state to the target sends.
  Traffic lowerBound(const ReshardState &state) const;
  int64_t bytesOf(const ReshardState &state) const;
  /// The moves of a step that leads to `next`.
  void appendMoves(const ReshardState &state, const ReshardStep &step, const ReshardState &next,
                   std::vector<Move> &moves) const;
  Layout toLayout(const ReshardState &state) const;

private:
  /// A rank, and what it wants of the target.
  struct Witness {
    std::vector<int64_t> coordinates;
    std::vector<DimBlock> wanted;
    double elements;
  };
  /// Two sets of atoms that are one part of an axis, cut differently by the two ends. A
  /// set that has one of them has both.
  struct Twins {
    AtomSet a = 0, b = 0;
    AtomSet both() const { return a | b; }
  };
  class Expansion;

  void addAxis(uint32_t axis, const Layout &from, const Layout &to);
  /// Of partial values that the target has or, where it has none, that are made on the way.
  Combiner targetCombiner() const {
    return to.combiner ? *to.combiner : from.combiner.value_or(Combiner::Sum);
  }
  void addTwins(uint32_t axis, const std::vector<int64_t> &a, const std::vector<int64_t> &b);
  /// The atoms that make up a part of an axis; those of one chain of cuts.
  AtomSet atomsWithin(const AxisRef &axis) const;
  AtomSet atomsWithin(const AxisRef &axis, const std::vector<int64_t> &cuts) const;
  void separateTwins();
  /// The set with the twins of what it has.
  AtomSet completed(AtomSet set) const;
  /// The set with one of two twins.
  AtomSet chosen(AtomSet set) const;
  /// The set and what cannot be used beside it.
  AtomSet withConflicts(AtomSet set) const;
  /// Parts of axes that one factorisation has, with their twins.
  bool isProper(AtomSet set) const;
  /// The least factor by which the partial values of a state must become fewer.
  int64_t partialsToReduce(const ReshardState &state) const;
  uint32_t splitOf(const Layout &layout);
  ReshardState makeState(const Layout &layout, bool isTarget);
  std::vector<AxisRef> toAxes(const RefList &list) const;
  int64_t sizeOf(AtomSet atoms) const;
  std::vector<PlacedAxis> placesOf(const ReshardState &state) const;
  /// What the longer of two lists of a dimension has at its minor end.
  RefList differenceOf(uint32_t longer, uint32_t shorter, size_t dim) const;
  Layout redistributed(const ReshardState &state) const;
  std::vector<int64_t> coordinatesAt(AtomSet atLast) const;
  void chooseWitnesses();
  void findWanted();
  double missing(const ReshardState &state) const;

  const Mesh &mesh;
  RedistributionPrices &prices;
  const Layout from, to;
  const std::vector<int64_t> shape;
  const int64_t elementBytes;
  /// Of each axis, where the two ends cut it, together if one factorisation has all cuts.
  std::vector<std::vector<std::vector<int64_t>>> chainsOf;
  std::vector<AxisRef> atoms;
  /// Of atoms, the others that cannot be used beside them.
  std::vector<AtomSet> rivals;
  std::vector<Twins> twins;
  /// Atoms of axes of which a layout uses those of one end alone.
  AtomSet apart = 0;
  std::vector<Reference> refs;
  /// Of atoms, what is not free where they are used.
  std::vector<AtomSet> conflicts;
  /// Of atoms, the distance along their axis.
  std::vector<int64_t> strides;
  /// Of placed atoms, where start and target have them.
  std::vector<int64_t> startCoordinate, targetCoordinate;
  /// Placed atoms that start and target have at one coordinate.
  AtomSet settled = 0;
  /// Every split by axes of the space is even.
  bool even = true;
  bool tooLarge = false, complete = true;
  std::vector<Witness> witnesses;
  std::optional<SplitTable> splits;
  ReshardState first, last;
  std::vector<int64_t> lastShape;
};

} // namespace dmc

#endif // DMC_LIB_LAYOUT_RESHARDSPACE_H
