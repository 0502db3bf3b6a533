//===- Mutator.h - Small damages of a text ----------------------*- C++ -*-===//
#ifndef DMC_TOOLS_DMC_FUZZ_MUTATOR_H
#define DMC_TOOLS_DMC_FUZZ_MUTATOR_H

#include <cstdint>
#include <string>
#include <vector>

namespace dmc::fuzz {

/// The `.mlir` files below a folder, in order, and their parts between `// -----`.
std::vector<std::string> readTexts(const std::string &folder, std::string &error);

/// One of the texts with a few bytes, numbers, words or lines changed.
std::string mutate(const std::vector<std::string> &texts, uint64_t seed);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_MUTATOR_H
