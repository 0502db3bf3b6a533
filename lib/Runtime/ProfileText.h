//===- ProfileText.h - Parts of a profile's texts ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_PROFILETEXT_H
#define DMC_LIB_RUNTIME_PROFILETEXT_H

#include "dmc/Runtime/Profile.h"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace dmc::runtime::profile {

/// As printf, of at most 511 characters.
template <typename... Ts>
std::string format(const char *pattern, Ts... values) {
  char text[512];
  int length = std::snprintf(text, sizeof text, pattern, values...);
  return {text, std::min<size_t>(static_cast<size_t>(length), sizeof text - 1)};
}

inline std::string textOf(const char *text) { return text ? text : ""; }

/// Bytes and floating-point operations.
std::pair<double, double> costOf(const dmc_kernel &kernel);
std::pair<double, double> costOf(const dmc_call &call);
/// Seconds that an execution was predicted to take; nothing of copies, and where the program does
/// not say.
std::optional<double> predictionOf(const dmc_program &program, ProfileEvent::Kind kind,
                                   uint32_t index);
/// What an event is called.
std::string nameOf(const dmc_program &program, ProfileEvent::Kind kind, uint32_t index);

} // namespace dmc::runtime::profile

#endif // DMC_LIB_RUNTIME_PROFILETEXT_H
