//===- CollectiveTraffic.h - What collectives send --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PARALLELIZE_COLLECTIVETRAFFIC_H
#define DMC_LIB_PARALLELIZE_COLLECTIVETRAFFIC_H

#include "Factors.h"

#include "dmc/Layout/Reshard.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace dmc {

/// What collectives of one kind over the same axes send in a step.
struct CollectiveTraffic {
  CollectiveKind kind;
  AxisList axes;
  double bytes = 0, messages = 0;
};

/// What a program sends, by collective. Negative where a loop saves some of it.
class TrafficByCollective {
public:
  void add(CollectiveKind kind, llvm::ArrayRef<AxisRef> axes, const Traffic &traffic);
  TrafficByCollective &operator+=(const TrafficByCollective &other);
  TrafficByCollective operator*(double times) const;
  llvm::ArrayRef<CollectiveTraffic> getRows() const & { return rows; }
  // The rows of a temporary would be gone before they are read.
  llvm::ArrayRef<CollectiveTraffic> getRows() const && = delete;

private:
  CollectiveTraffic &getRow(CollectiveKind kind, llvm::ArrayRef<AxisRef> axes);

  std::vector<CollectiveTraffic> rows;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_COLLECTIVETRAFFIC_H
