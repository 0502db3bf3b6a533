//===- Mutator.h - Small damages of a text ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_MUTATOR_H
#define DMC_TOOLS_DMC_FUZZ_MUTATOR_H

#include <cstdint>
#include <string>
#include <vector>

namespace dmc::fuzz {

/// Adds the `.mlir` files below a folder, in order, in parts between `// -----`.
/// Where a part has several entries, each of its functions becomes one in turn.
bool readTexts(const std::string &folder, std::vector<std::string> &texts, std::string &error);

/// One of the texts with a few bytes, numbers, words or lines changed, or parts of
/// another in it.
std::string mutate(const std::vector<std::string> &texts, uint64_t seed);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_MUTATOR_H
