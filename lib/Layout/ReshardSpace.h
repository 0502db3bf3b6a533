//===- ReshardSpace.h - Layouts between two layouts -------------*- C++ -*-===//
//
// The states that a reshard can pass through and the moves between them: layouts that
// cut the mesh's axes where its ends do.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_LAYOUT_RESHARDSPACE_H
#define DMC_LIB_LAYOUT_RESHARDSPACE_H

#include "ReshardTools.h"

#include <functional>

namespace dmc {

/// A set of atoms, the finest parts of axes.
using AtomSet = uint64_t;
/// References, by their number.
using RefList = std::string;

/// A layout of the space.
struct ReshardState {
  /// The lists of all dimensions, each ended by `kEnd`.
  RefList dims;
  AtomSet partial = 0;
  AtomSet placed = 0;
  /// The placed atoms that are at the target's coordinate; the others are where the
  /// start has them.
  AtomSet arrived = 0;
  /// Partial axes hold terms of `targetCombiner` (or of the start's).
  bool hasTargetTerms = false;

  static constexpr char kEnd = '\xff';
  bool operator==(const ReshardState &o) const {
    return dims == o.dims && partial == o.partial && placed == o.placed && arrived == o.arrived &&
           hasTargetTerms == o.hasTargetTerms;
  }
};

/// A move, or the two that are one collective.
struct ReshardStep {
  MoveKind kind = MoveKind::Partition;
  /// Of a reduce: the next partition is part of the step, `refs` its axes in order.
  bool isScattered = false;
  RefList refs;
  AtomSet atoms = 0;
  int64_t dim = 0, targetDim = 0;
  Traffic traffic;
};

class ReshardSpace {
public:
  ReshardSpace(const Mesh &mesh, const Layout &from, const Layout &to,
               const std::vector<int64_t> &shape, int64_t elementBytes);

  /// More axes than the space can number.
  bool isTooLarge() const { return tooLarge; }
  /// All layouts that a way can pass through are there.
  bool isWhole() const { return whole; }
  const ReshardState &start() const { return first; }
  const ReshardState &goal() const { return last; }

  /// The moves from a state, redistributions aside; stops where `visit` returns false.
  using Visitor = std::function<bool(ReshardStep &&, ReshardState &&)>;
  void visitSteps(const ReshardState &state, const Visitor &visit) const;
  /// The redistribution from a state to the target, or nothing.
  std::optional<ReshardStep> redistribute(const ReshardState &state) const;
  Traffic leastOfRedistribution(const ReshardState &state) const;

  /// Less than what leads from the state to the target sends.
  Traffic lowerBound(const ReshardState &state) const;
  int64_t bytesOf(const ReshardState &state) const;
  /// The moves of a step that leads to `next`.
  void appendMoves(const ReshardState &state, const ReshardStep &step, const ReshardState &next,
                   std::vector<Move> &moves) const;
  Layout toLayout(const ReshardState &state) const;

private:
  struct Reference {
    AxisRef axis;
    AtomSet atoms = 0;
    /// Atoms that cannot be used beside it.
    AtomSet conflicts = 0;
    /// The distance along its axis.
    int64_t stride = 1;
  };
  /// A rank, and what it holds of the target.
  struct Witness {
    std::vector<int64_t> coordinates;
    std::vector<DimBlock> wanted;
    double elements;
  };
  class Expansion;

  void addAxis(uint32_t axis, const Layout &from, const Layout &to);
  /// Of terms that the target has or, where it has none, that are made on the way.
  Combiner targetCombiner() const {
    return to.combiner ? *to.combiner : from.combiner.value_or(Combiner::Sum);
  }
  AtomSet atomsWithin(const AxisRef &axis) const;
  RefList numbersOf(const Layout &layout) const;
  ReshardState makeState(const Layout &layout, bool isTarget) const;
  std::vector<AxisRef> toAxes(AtomSet atoms) const;
  std::vector<AxisRef> toAxes(const RefList &list) const;
  int64_t sizeOf(AtomSet atoms) const;
  int64_t sizeOf(char ref) const { return refs[static_cast<uint8_t>(ref)].axis.size; }
  Layout redistributed(const ReshardState &state) const;
  std::vector<int64_t> coordinatesAt(AtomSet atLast) const;
  void chooseWitnesses();
  DimBlock cut(const RefList &dims, size_t &at, int64_t size,
               const std::vector<int64_t> &coordinates) const;
  double missing(const ReshardState &state) const;

  const Mesh &mesh;
  const Layout from, to;
  const std::vector<int64_t> shape;
  const int64_t elementBytes;
  std::vector<AxisRef> atoms;
  /// Of atoms, the others that cannot be used beside them.
  std::vector<AtomSet> rivals;
  std::vector<Reference> refs;
  /// Of atoms, the distance along their axis.
  std::vector<int64_t> strides;
  /// Of placed atoms, where start and target have them.
  std::vector<int64_t> startCoordinate, targetCoordinate;
  /// Placed atoms that start and target have at one coordinate.
  AtomSet settled = 0;
  /// Every split by axes of the space is even.
  bool even = true;
  bool tooLarge = false, whole = true;
  ReshardState first, last;
  std::vector<int64_t> lastShape;
  std::vector<Witness> witnesses;
};

} // namespace dmc

#endif // DMC_LIB_LAYOUT_RESHARDSPACE_H
