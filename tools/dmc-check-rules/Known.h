//===- Known.h - Missing rules that are known -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_CHECK_RULES_KNOWN_H
#define DMC_TOOLS_DMC_CHECK_RULES_KNOWN_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace dmc::rulecheck {

/// A class of layouts that an operation could take and does not, and why.
struct Known {
  std::string op;     // a name; with `*` at the end what it begins with
  std::string saying; // what the verifier's message contains
  std::string reason;
};

/// Reads lines `op | part of the message | reason`; `#` starts a comment. Nothing
/// and `error` for a line of another form.
std::optional<std::vector<Known>> parseKnown(llvm::StringRef text, std::string &error);

const Known *findKnown(const std::vector<Known> &known, llvm::StringRef op,
                       llvm::StringRef message);

} // namespace dmc::rulecheck

#endif // DMC_TOOLS_DMC_CHECK_RULES_KNOWN_H
