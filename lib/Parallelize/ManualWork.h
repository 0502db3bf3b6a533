//===- ManualWork.h - What a manual computation takes -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a manual computation says itself what each rank computes and sends. No plan changes
// that, but plans are to say what a step takes.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_MANUALWORK_H
#define DMC_LIB_PARALLELIZE_MANUALWORK_H

#include "CollectiveTraffic.h"

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Parallelize/RankRates.h"

namespace dmc {

/// Of one execution, on one rank. What a loop of unknown length executes counts once.
struct ManualWork {
  ManualWork(ManualOp op, const RankRates &rates);

  /// Those of contractions, and what they and all else take in seconds: the bytes that other
  /// operations read and write pass memory.
  double flops = 0, computed = 0;
  TrafficByCollective traffic;

  /// What it computes and sends, one after the other.
  double getSeconds(const RankRates &rates) const;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_MANUALWORK_H
