//===- WriteDecisions.h - Decided layouts in the program --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions of a graph as attributes of the operations, what is kept in another layout as
// constraints, and the boundary's layouts in `dmc.program`.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_WRITEDECISIONS_H
#define DMC_LIB_PARALLELIZE_WRITEDECISIONS_H

#include "Propagation.h"

namespace dmc {

/// Removes what was asked of the boundary beside its layouts.
void removeBoundaryRequests(mlir::func::FuncOp entry);

/// Of graphs that are built from one program.
class DecisionWriter {
public:
  DecisionWriter(mlir::func::FuncOp entry, ProgramAttr program, LayoutCache &cache)
      : entry(entry), program(program), cache(cache) {}

  /// Into the program itself.
  void write(Propagation &graph) { writeTo(graph, entry, nullptr); }
  /// Into a clone of the program; `mapping` says what is what there.
  void writeTo(Propagation &graph, mlir::func::FuncOp clone, const mlir::IRMapping &mapping) {
    writeTo(graph, clone, &mapping);
  }

private:
  void writeTo(Propagation &graph, mlir::func::FuncOp target, const mlir::IRMapping *mapping);
  void writeOperations(Propagation &graph, const mlir::IRMapping *mapping);
  void writeKept(Propagation &graph, const mlir::IRMapping *mapping);
  ProgramAttr complete(Propagation &graph);

  mlir::func::FuncOp entry;
  ProgramAttr program;
  LayoutCache &cache;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_WRITEDECISIONS_H
