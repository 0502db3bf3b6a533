//===- PackedCases.h - Many small cases in one file -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of packed cases holds the programs and the arrays too: an object with an
// array "cases". docs/testing.md has the format.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TOOLS_DMC_TEST_PACKEDCASES_H
#define DMC_TOOLS_DMC_TEST_PACKEDCASES_H

#include <optional>
#include <string>

namespace dmc::test {

/// Writes the cases of a file of packed cases, or of all in a folder without a cases.json, into
/// `target`, an empty folder, as a cases.json with the files that belong to it; case NAME of
/// GROUP.json is GROUP.NAME there. Returns the folder
/// to read cases from: `target`, or `path` itself where nothing is packed; nothing, and why in
/// `error`, if a file is malformed.
std::optional<std::string> unpackCases(const std::string &path, const std::string &target,
                                       std::string &error);

} // namespace dmc::test

#endif // DMC_TOOLS_DMC_TEST_PACKEDCASES_H
