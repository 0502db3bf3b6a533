//===- Generator.h - Random valid programs ----------------------*- C++ -*-===//
#ifndef DMC_TOOLS_DMC_FUZZ_GENERATOR_H
#define DMC_TOOLS_DMC_FUZZ_GENERATOR_H

#include <cstdint>
#include <string>

namespace dmc::fuzz {

/// The text of a small valid program of level 0 with layouts on a mesh of 1 to 8
/// ranks. On arguments that are small integers its float results are exact.
std::string generateProgram(uint64_t seed);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_GENERATOR_H
