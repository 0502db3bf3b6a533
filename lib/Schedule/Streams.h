//===- Streams.h - Where what a device does may overlap ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_SCHEDULE_STREAMS_H
#define DMC_LIB_SCHEDULE_STREAMS_H

#include "dmc/Dialect/Comm/Comm.h"

namespace dmc {

/// The groups of a collective. Those within the same groups share a stream, on which they run in
/// the order of the program, the same on all ranks.
inline mlir::Attribute getGroupKey(comm::CollectiveOpInterface collective) {
  if (mlir::DenseIntElementsAttr groups = collective.getListedGroups())
    return groups;
  return collective.getGroupAxes();
}

} // namespace dmc

#endif // DMC_LIB_SCHEDULE_STREAMS_H
