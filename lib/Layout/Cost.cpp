//===- Cost.cpp - Bytes that a collective moves ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The most bytes that leave any rank, by the bandwidth-optimal algorithms.
//
//===----------------------------------------------------------------------===//
#include "dmc/Layout/Layout.h"

using namespace dmc;

double dmc::wireBytes(CollectiveKind kind, int64_t bytes, int64_t p) {
  if (p <= 1)
    return 0;
  double total = static_cast<double>(bytes);
  double others = static_cast<double>(p - 1) / static_cast<double>(p);
  switch (kind) {
  case CollectiveKind::AllReduce:
    return 2 * others * total;
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
    return others * total;
  case CollectiveKind::Permute:
  case CollectiveKind::Broadcast:
    return total;
  }
  return total;
}
