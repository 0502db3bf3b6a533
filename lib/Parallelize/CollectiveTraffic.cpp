//===- CollectiveTraffic.cpp - What collectives send ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CollectiveTraffic.h"

#include "llvm/ADT/STLExtras.h"

using namespace dmc;
using llvm::ArrayRef;

CollectiveTraffic &TrafficByCollective::getRow(CollectiveKind kind, ArrayRef<AxisRef> axes) {
  auto row = llvm::find_if(rows, [&](const CollectiveTraffic &row) {
    return row.kind == kind && ArrayRef<AxisRef>(row.axes) == axes;
  });
  if (row != rows.end())
    return *row;
  rows.push_back({kind, AxisList(axes.begin(), axes.end())});
  return rows.back();
}

void TrafficByCollective::add(CollectiveKind kind, ArrayRef<AxisRef> axes, const Traffic &traffic) {
  CollectiveTraffic &row = getRow(kind, axes);
  row.bytes += traffic.bytes;
  row.messages += static_cast<double>(traffic.messages);
}

TrafficByCollective &TrafficByCollective::operator+=(const TrafficByCollective &other) {
  for (const CollectiveTraffic &added : other.rows) {
    CollectiveTraffic &row = getRow(added.kind, added.axes);
    row.bytes += added.bytes;
    row.messages += added.messages;
  }
  return *this;
}

TrafficByCollective TrafficByCollective::operator*(double times) const {
  TrafficByCollective product = *this;
  for (CollectiveTraffic &row : product.rows) {
    row.bytes *= times;
    row.messages *= times;
  }
  return product;
}
