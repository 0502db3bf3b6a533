//===- ProgramCost.h - Predicted time of decided layouts --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the moves of a value and the work of a node take, as dmc-materialize-moves
// will insert them.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_PROGRAMCOST_H
#define DMC_LIB_PARALLELIZE_PROGRAMCOST_H

#include "CollectiveTraffic.h"
#include "MoveSources.h"
#include "Propagation.h"

#include <map>

namespace dmc {

/// The least part of a cost or of memory by which one plan is better than another: rounding alone
/// must not decide.
constexpr double kMinGain = 1e-6;

/// Time and traffic of one rank.
struct Cost {
  double seconds = 0;
  /// Bytes that leave the rank.
  double bytes = 0;
  Cost &operator+=(const Cost &other) {
    seconds += other.seconds;
    bytes += other.bytes;
    return *this;
  }
  Cost operator*(double times) const { return {seconds * times, bytes * times}; }
};

class ProgramCost {
public:
  explicit ProgramCost(Propagation &graph) : graph(graph), rates(graph.getRates()) {}

  /// Of the moves between where a value is made and all its uses, those behind constraints
  /// included: what a constraint makes of a value is priced with the value.
  Cost getMoves(unsigned value);
  /// True if what a node computes takes its flops, not the bytes that it reads and writes.
  static bool isContraction(const Node &node);
  /// Of a contraction, in a step on one rank; 0 of all else.
  static double getFlops(const Node &node);
  /// Seconds a rank computes.
  double getWork(const Node &node) const;
  /// Of the whole program: what its values move, and what its nodes compute.
  Cost getTotal();
  /// Of the whole program, what its values move and manual computations send.
  TrafficByCollective getTraffic();
  /// Of it, seconds a rank computes, and the FLOPs of its contractions.
  double getTotalWork() const;
  double getTotalFlops() const;
  /// The layouts in which a value's uses want it, each once. They belong to the uses: valid
  /// until one of these changes.
  llvm::SmallVector<const Layout *, 4> getWanted(unsigned value);
  /// Of a value that is kept in another layout: true for a layout that is nearer to the one in
  /// which it is made.
  bool isNearer(const TensorInfo &value, const Layout &wanted) const;

private:
  /// Which uses of a value: those of a tensor, or of what a loop carries, and those of a
  /// loop's result.
  enum class Place { Own, BehindLoop };

  struct Version;
  class MadeMoves;
  class MovedTensor;
  using Layouts = llvm::SmallVector<const Layout *, 4>;
  /// Visits the layout in which each use wants a value, in the order of the program, with that
  /// order, and the value that a constraint makes of it, if that is the use.
  void visitUses(
      unsigned value, Place place,
      llvm::function_ref<void(const Layout &, uint64_t, std::optional<unsigned>)> visit) const;
  /// The layout in which a node takes an operand: what all ranks along the axes of windows have is
  /// not split along these, since each rank has its windows, too. Valid until the next call for it.
  const Layout &getWanted(unsigned user, unsigned operand) const;
  /// A value with what constraints make of it, and where their uses take it from.
  MoveSources getSources(unsigned value, Place place) const;
  void addVersions(unsigned value, Place place, unsigned version, uint64_t order,
                   MoveSources &sources) const;
  bool hasVersions(const TensorInfo &value) const { return value.hasConstraints || value.kept; }
  void addWanted(unsigned value, Place place, Layouts &wanted) const;
  double getSeconds(const TensorInfo &value, const Layout &from, const Layout &to) const;
  void addVersion(const TensorInfo &value, const Layout &to, bool isUsed, MadeMoves &made,
                  llvm::SmallVectorImpl<Version> &present) const;

  // What moves cost, or what they send by collective: `Sum` is Cost or TrafficByCollective.
  template <typename Sum>
  Sum sum(llvm::ArrayRef<Move> moves) const;
  template <typename Sum>
  Sum sumMoves(unsigned value);
  template <typename Sum>
  Sum getMove(const TensorInfo &value, const Layout &from, const Layout &to) const;
  template <typename Sum>
  Sum getMovesTo(const TensorInfo &value, llvm::ArrayRef<const Layout *> wanted) const;
  template <typename Sum>
  Sum getMovesTo(const TensorInfo &value, const MoveSources &sources) const;
  struct Halo;
  std::optional<Halo> getHalo(const Node &node, const WindowAccess &access) const;
  template <typename Sum>
  void addHalo(const Halo &halo, double times, Sum &total) const;
  template <typename Sum>
  Sum getHalos(unsigned value, Place place) const;
  template <typename Sum>
  Sum getSharedHalos() const;
  template <typename Sum>
  Sum getHoisted(unsigned value) const;
  template <typename Sum>
  Sum getDeferred(const CarriedValue &carried) const;
  TrafficByCollective getManualTraffic() const;
  template <typename Sum>
  Sum getKeptMoved(const CarriedValue &carried, bool isYielded) const;

  Propagation &graph;
  const RankRates &rates;
  mutable std::map<std::pair<unsigned, unsigned>, Layout> wholes; // of nodes and their operands
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_PROGRAMCOST_H
