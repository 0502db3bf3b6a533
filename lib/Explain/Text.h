//===- Text.h - Parts of an explanation for a terminal ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_EXPLAIN_TEXT_H
#define DMC_LIB_EXPLAIN_TEXT_H

#include "dmc/Explain/Explain.h"

namespace dmc::explain {

constexpr size_t kColumns = 120;

/// Breaks a text into lines, the later ones indented.
std::string wrap(const std::string &label, const std::string &text);
std::string kernelsToText(const Explanation &all, const Filter &filter);

} // namespace dmc::explain

#endif // DMC_LIB_EXPLAIN_TEXT_H
