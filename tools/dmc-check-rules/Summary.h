//===- Summary.h - What was found, by operation -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_CHECK_RULES_SUMMARY_H
#define DMC_TOOLS_DMC_CHECK_RULES_SUMMARY_H

#include "Known.h"

#include "dmc/RuleCheck/RuleCheck.h"

#include <map>
#include <set>

namespace dmc::rulecheck {

/// Of one function on all meshes.
struct Outcome {
  Report report;
  std::string error; // why it could not be checked
  double seconds = 0;
};

std::string serialize(const Outcome &outcome);
Outcome deserialize(const std::string &text);

/// Prints findings as they come and a table in the end.
class Summary {
public:
  explicit Summary(const std::vector<Known> &known) : known(known) {}
  void add(const std::string &function, const Outcome &outcome);
  void print() const;
  /// Writes the table and the known missing rules in markdown.
  bool writeTable(const std::string &path, std::string &error) const;
  bool hasFailed(bool isStrict) const { return numWrong != 0 || (isStrict && numMissing != 0); }

private:
  struct Row {
    size_t functions = 0, tried = 0, accepted = 0, lowered = 0;
    size_t wrong = 0, missing = 0, knownMissing = 0;
    double seconds = 0;
  };
  void printFinding(const char *word, const std::string &op, const std::string &function,
                    const Finding &finding) const;

  const std::vector<Known> &known;
  std::map<std::string, Row> rows;
  /// Known missing rules that were found, by operation.
  std::map<std::string, std::map<std::string, size_t>> reasons;
  std::set<std::string> printed; // missing rules, by function and message
  size_t numWrong = 0, numMissing = 0;
};

} // namespace dmc::rulecheck

#endif // DMC_TOOLS_DMC_CHECK_RULES_SUMMARY_H
