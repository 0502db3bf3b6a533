//===- Requests.h - What tactics ask, kept on the program -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute `dmc.requests`: a list, in the order in which they were made, of
// `[kind : i64, loc(...), dim : i64, #dmc.axes or unit, #dmc.layout or unit]`.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_REQUESTS_H
#define DMC_DIALECT_DMC_REQUESTS_H

#include "dmc/Dialect/DMC/DMC.h"

namespace dmc {

/// The program says it (`given`), propagation has decided it, or a tactic asks.
enum class RequestKind { given, decided, shard, replicate, pin };

/// Whether the list is one of requests for a value of `rank` dimensions on the mesh: `shard`
/// has axes and a dimension, `given` and `decided` have a layout.
mlir::LogicalResult verifyRequests(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                   mlir::Attribute requests, MeshAttr mesh, int64_t rank);

} // namespace dmc

#endif // DMC_DIALECT_DMC_REQUESTS_H
