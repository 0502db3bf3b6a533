//===- ArrayFiles.h - How files of arrays are named -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_SUPPORT_ARRAYFILES_H
#define DMC_SUPPORT_ARRAYFILES_H

#include "dmc/Runtime/Session.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace dmc::support {

/// Where a program's arrays are read from or written to.
struct ArrayFiles {
  enum class Kind { None, Folder, Prefix, List } kind = Kind::None;
  std::string base;
  std::vector<std::string> list;

  static ArrayFiles folder(std::string path) { return {Kind::Folder, std::move(path), {}}; }
  static ArrayFiles prefix(std::string path) { return {Kind::Prefix, std::move(path), {}}; }

  /// Folder: base/007.npy; prefix: base.in7.npy, of one rank base.r2.in7.npy, where
  /// `direction` is `in` or `out`.
  std::string path(size_t index, const char *direction, int64_t rank = -1) const;
};

/// How many NNN.npy files a folder holds, by the largest number.
size_t countNumbered(const std::string &folder);

/// Reads, or makes from the seed where there are no files, the arguments and gives
/// them to the session, but for those that are `filled`. `perRank`: each rank has
/// files of its own. Returns what went wrong, or nothing.
runtime::Failure setInputs(runtime::Session &session, const ArrayFiles &files, bool perRank,
                           uint64_t seed, const std::set<uint32_t> &filled);

} // namespace dmc::support

#endif // DMC_SUPPORT_ARRAYFILES_H
