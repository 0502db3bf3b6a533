//===- Filter.cpp - Which part of an explanation is shown -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are matched anywhere, places as FILE:LINE or LINE.
//
//===----------------------------------------------------------------------===//
#include "dmc/Explain/Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace dmc::explain;

static bool contains(const std::string &text, const std::string &part) {
  return part.empty() || text.find(part) != std::string::npos;
}

static bool isAt(const Place &place, llvm::StringRef at) {
  if (at.empty())
    return true;
  auto [file, number] = at.rsplit(':');
  unsigned line;
  if (number.empty())
    return !at.getAsInteger(10, line) ? line == place.line : contains(place.file, at.str());
  return !number.getAsInteger(10, line) && line == place.line &&
         llvm::StringRef(place.file).ends_with(file);
}

bool dmc::explain::matches(const Filter &filter, const Tensor &tensor) {
  return (contains(tensor.name, filter.value) ||
          contains(tensor.maker.place.scope, filter.value)) &&
         contains(tensor.maker.op, filter.op) && isAt(tensor.maker.place, filter.at);
}

bool dmc::explain::matches(const Filter &filter, const Kernel &kernel) {
  return contains(kernel.place.scope, filter.value) &&
         (contains(kernel.name, filter.op) || contains(kernel.place.name, filter.op)) &&
         isAt(kernel.place, filter.at);
}

bool dmc::explain::matches(const Filter &filter, const Explanation &all,
                           const Collective &collective) {
  auto anySite = [&](auto test) {
    return test(collective.maker) || llvm::any_of(collective.users, test);
  };
  if (!filter.value.empty()) {
    bool isMoved = collective.tensor &&
                   (contains(all.tensors[*collective.tensor].name, filter.value) ||
                    contains(all.tensors[*collective.tensor].maker.place.scope, filter.value));
    if (!isMoved && llvm::none_of(collective.users, [&](const Site &site) {
          return site.op.empty() && contains(site.name, filter.value);
        }))
      return false;
  }
  return (filter.op.empty() ||
          anySite([&](const Site &site) { return contains(site.op, filter.op); })) &&
         (isAt(collective.place, filter.at) ||
          anySite([&](const Site &site) { return isAt(site.place, filter.at); }));
}
