//===- Strategies.cpp - The library of strategies -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files in Strategies/ travel in the library, by name.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Tactics/Tactics.h"

using llvm::SmallVector, llvm::StringRef;

namespace {
struct File {
  const char *name;
  const char *text;
};
} // namespace

static const File files[] = {
#include "Strategies.inc"
};

SmallVector<StringRef> dmc::getStrategyNames() {
  SmallVector<StringRef> names;
  for (const File &file : files)
    names.push_back(StringRef(file.name).drop_back(StringRef(".mlir").size()));
  return names;
}

StringRef dmc::getStrategyText(StringRef name) {
  for (const File &file : files)
    if (StringRef(file.name).drop_back(StringRef(".mlir").size()) == name)
      return file.text;
  return {};
}
