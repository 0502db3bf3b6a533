//===- Tally.cpp - Verdicts by kind and reason ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tally.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

using namespace dmc::fuzz;

/// A reason without names, types and numbers: what refusals are counted by.
static std::string generalize(const std::string &reason) {
  std::string result;
  for (size_t i = 0; i < reason.size(); ++i) {
    char c = reason[i];
    size_t end = std::string::npos;
    if (c == '"' || c == '\'')
      end = reason.find(c, i + 1);
    else if (c == '<')
      end = reason.find('>', i + 1);
    if (end != std::string::npos) {
      // An operation's name says what the refusal is about.
      bool isName = c == '\'' && reason.find_first_of("<> ", i) > end;
      result += isName ? reason.substr(i, end + 1 - i) : c == '<' ? "<...>" : "'...'";
      i = end;
    } else if (!llvm::isDigit(c)) {
      result += c;
    } else if (result.empty() || result.back() != '#') {
      result += '#';
    }
  }
  return result;
}

void Tally::add(uint64_t seed, const Verdict &verdict) {
  ++counts[static_cast<size_t>(verdict.kind)];
  bool isRefused = verdict.kind == Verdict::Kind::Refused;
  bool isExplained = isMutating || verdict.reason.find("unsupported") != std::string::npos;
  if (isRefused && isExplained) {
    ++reasons.try_emplace(generalize(verdict.reason), Reason{0, seed}).first->second.count;
    if (listRefused)
      std::printf("refused seed %" PRIu64 ": %s\n", seed, verdict.reason.c_str());
  } else if (verdict.kind != Verdict::Kind::Agree) {
    unexplained += isRefused;
    std::printf("FAILED seed %" PRIu64 ": %s\n", seed, verdict.reason.c_str());
  }
  std::fflush(stdout);
}

bool Tally::report() const {
  auto [agree, refused, differ, crash, hang] = counts;
  std::printf("%zu agree, %zu refused, %zu differ, %zu crash, %zu hang\n", agree, refused, differ,
              crash, hang);
  if (unexplained)
    std::printf("%zu of the refusals do not say what is unsupported\n", unexplained);
  std::vector<std::pair<std::string, Reason>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto &a, auto &b) { return a.second.count > b.second.count; });
  // Damaged texts have as many reasons as faults.
  for (auto &[reason, entry] : sorted)
    if (!isMutating || reason.find("MLIR's parser failed") != std::string::npos)
      std::printf("refused %zu times (seed %" PRIu64 "): %s\n", entry.count, entry.seed,
                  reason.c_str());
  size_t failed = differ + crash + hang + unexplained;
  std::printf("%zu passed, %zu failed\n", agree + refused - unexplained, failed);
  return failed == 0;
}
