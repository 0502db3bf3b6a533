//===- Shadow.h - Checks a warp's access against those before ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PTX_SHADOW_H
#define DMC_LIB_PTX_SHADOW_H

#include "Execution.h"

namespace dmc::ptx {

/// An access of some lanes of a warp to one region, inside of it.
struct Request {
  Region *region = nullptr;
  uint32_t mask = 0;
  unsigned bytes = 0; // of each lane
  bool reads = false, writes = false, isStrong = false;
  bool isCopy = false; // by cp.async: ends when it is waited for
  /// The rows with the elements that are stored: equal values do not conflict; or none.
  unsigned numValues = 0, valueBytes = 0;
  const uint64_t *values[8] = {};
  uint64_t offsets[32];
  /// The lanes are neighbours, and so are their bytes; or all have one address.
  bool isContiguous = false, isUniform = false;
};

/// Says which of the two it is.
void findPattern(Request &request);
/// Notes the access, and reports what is wrong with it.
void check(Warp &warp, const Instruction &instruction, const Request &request);

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_SHADOW_H
