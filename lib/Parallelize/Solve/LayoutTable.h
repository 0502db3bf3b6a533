//===- LayoutTable.h - Layouts by number ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each layout once: states of many operations name the same few.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_LAYOUTTABLE_H
#define DMC_LIB_PARALLELIZE_SOLVE_LAYOUTTABLE_H

#include "dmc/Layout/Layout.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>

namespace dmc {

/// The layouts of one operand or result in all states of an operation, or those in which a tensor
/// may be kept: numbers of a LayoutTable.
using LayoutList = std::vector<unsigned>;

class LayoutTable {
public:
  /// The number of a layout; two spellings of the same partial axes are one.
  unsigned add(const Layout &layout);
  /// Stays where it is.
  const Layout &get(unsigned number) const { return layouts[number]; }
  /// The number of a list: equal lists have one.
  unsigned addList(LayoutList list);
  const LayoutList &getList(unsigned number) const { return lists[number]; }

private:
  std::deque<Layout> layouts;
  llvm::DenseMap<uint64_t, llvm::SmallVector<unsigned, 1>> byHash;
  std::deque<LayoutList> lists;
  llvm::DenseMap<uint64_t, llvm::SmallVector<unsigned, 1>> listsByHash;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_LAYOUTTABLE_H
