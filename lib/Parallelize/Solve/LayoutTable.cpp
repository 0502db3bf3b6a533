//===- LayoutTable.cpp - Layouts by number --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "LayoutTable.h"

#include "llvm/ADT/Hashing.h"

using llvm::hash_code, llvm::hash_combine, llvm::hash_combine_range;
using llvm::SmallVector;
using namespace dmc;

static hash_code hashAxes(const std::vector<AxisRef> &axes) {
  hash_code hash(axes.size());
  for (const AxisRef &axis : axes)
    hash = hash_combine(hash, axis.axis, axis.preSize, axis.size);
  return hash;
}

/// DenseMap reserves the two largest keys.
static uint64_t toKey(hash_code hash) { return static_cast<size_t>(hash) >> 1; }

unsigned LayoutTable::add(const Layout &given) {
  Layout layout = given.canonical();
  hash_code hash = hash_combine(hashAxes(layout.partial), layout.placed.size());
  if (layout.combiner)
    hash = hash_combine(hash, static_cast<int>(*layout.combiner));
  for (const auto &axes : layout.dims)
    hash = hash_combine(hash, hashAxes(axes));
  SmallVector<unsigned, 1> &candidates = byHash[toKey(hash)];
  for (unsigned number : candidates)
    if (layouts[number].dims == layout.dims && layouts[number] == layout)
      return number;
  layouts.push_back(std::move(layout));
  candidates.push_back(layouts.size() - 1);
  return layouts.size() - 1;
}

unsigned LayoutTable::addList(LayoutList list) {
  SmallVector<unsigned, 1> &candidates =
      listsByHash[toKey(hash_combine_range(list.begin(), list.end()))];
  for (unsigned number : candidates)
    if (lists[number] == list)
      return number;
  lists.push_back(std::move(list));
  candidates.push_back(lists.size() - 1);
  return lists.size() - 1;
}
