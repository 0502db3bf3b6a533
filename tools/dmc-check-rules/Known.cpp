//===- Known.cpp - Missing rules that are known ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Known.h.
//
//===----------------------------------------------------------------------===//
#include "Known.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace dmc::rulecheck;

std::optional<std::vector<Known>> dmc::rulecheck::parseKnown(llvm::StringRef text,
                                                             std::string &error) {
  std::vector<Known> known;
  size_t number = 0;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    ++number;
    llvm::StringRef content = line.trim();
    if (content.empty() || content.starts_with("#"))
      continue;
    llvm::SmallVector<llvm::StringRef, 3> parts;
    content.split(parts, '|');
    if (parts.size() != 3) {
      error = "line " + std::to_string(number) +
              ": expected `op | part of the message | reason`, found `" + content.str() + "`";
      return std::nullopt;
    }
    known.push_back({parts[0].trim().str(), parts[1].trim().str(), parts[2].trim().str()});
  }
  return known;
}

const Known *dmc::rulecheck::findKnown(const std::vector<Known> &known, llvm::StringRef op,
                                       llvm::StringRef message) {
  for (const Known &entry : known) {
    llvm::StringRef name = entry.op;
    bool isIt = name.consume_back("*") ? op.starts_with(name) : op == name;
    if (isIt && message.contains(entry.saying))
      return &entry;
  }
  return nullptr;
}
