//===- ProgramCost.h - Predicted time of decided layouts --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the moves of a value and the work of a node take, as dmc-materialize-moves
// will insert them.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_PROGRAMCOST_H
#define DMC_LIB_PARALLELIZE_PROGRAMCOST_H

#include "Propagation.h"

#include "dmc/Parallelize/Machine.h"

namespace dmc {

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
};

class ProgramCost {
public:
  ProgramCost(Propagation &graph, const Mesh &mesh, const Machine &machine)
      : graph(graph), mesh(mesh), machine(machine) {}

  /// Of the moves between where a value is made and all its uses.
  Cost getMoves(unsigned value);
  /// True if what a node computes takes its flops, not the bytes that it reads and writes.
  static bool isContraction(const Node &node);
  /// Seconds a rank computes.
  double getWork(const Node &node) const;
  /// Of the whole program: what its values move, and what its nodes compute.
  Cost getTotal();
  /// Of it, seconds a rank computes.
  double getTotalWork() const;
  /// The layouts in which a value's uses want it, each once.
  llvm::SmallVector<const Layout *, 4> getWanted(unsigned value);

private:
  Cost getMove(const TensorInfo &value, const Layout &from, const Layout &to) const;
  Cost getHalos(unsigned value) const;

  Propagation &graph;
  const Mesh &mesh;
  Machine machine;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_PROGRAMCOST_H
