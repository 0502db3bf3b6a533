//===- Order.cpp - Which accesses of a launch are ordered -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Order.h"

using namespace dmc::ptx;

void dmc::ptx::join(BlockView &view, const BlockView &other) {
  if (view.size() < other.size())
    view.resize(other.size());
  for (size_t line = 0; line < other.size(); ++line)
    view[line].join(other[line]);
}

View dmc::ptx::join(const View &a, const View &b) {
  if (!b || a == b)
    return a;
  if (!a)
    return b;
  auto joined = std::make_shared<std::map<uint32_t, std::shared_ptr<const BlockView>>>(*a);
  bool isNew = false;
  for (const auto &[block, of] : *b) {
    std::shared_ptr<const BlockView> &known = (*joined)[block];
    if (known == of)
      continue;
    isNew = true;
    if (!known) {
      known = of;
      continue;
    }
    BlockView both = *known;
    join(both, *of);
    known = std::make_shared<const BlockView>(std::move(both));
  }
  return isNew ? View(joined) : a;
}

View dmc::ptx::with(const View &view, uint32_t block, BlockView of) {
  auto result = view ? std::make_shared<std::map<uint32_t, std::shared_ptr<const BlockView>>>(*view)
                     : std::make_shared<std::map<uint32_t, std::shared_ptr<const BlockView>>>();
  (*result)[block] = std::make_shared<const BlockView>(std::move(of));
  return result;
}

const Known *dmc::ptx::find(const View &view, uint32_t block, uint32_t line) {
  if (!view)
    return nullptr;
  auto found = view->find(block);
  return found == view->end() || line >= found->second->size() ? nullptr : &(*found->second)[line];
}
