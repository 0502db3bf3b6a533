//===- Summary.cpp - What was found, by operation -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Summary.h.
//
//===----------------------------------------------------------------------===//
#include "Summary.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace dmc;
using namespace dmc::rulecheck;

namespace json = llvm::json;

std::string rulecheck::serialize(const Outcome &outcome) {
  json::Array findings;
  for (const Finding &finding : outcome.report.findings)
    findings.push_back(json::Object{{"kind", static_cast<int64_t>(finding.kind)},
                                    {"mesh", finding.mesh},
                                    {"layouts", finding.layouts},
                                    {"detail", json::fixUTF8(finding.detail)},
                                    {"count", static_cast<int64_t>(finding.count)}});
  json::Value value = json::Object{{"tried", static_cast<int64_t>(outcome.report.tried)},
                                   {"accepted", static_cast<int64_t>(outcome.report.accepted)},
                                   {"lowered", static_cast<int64_t>(outcome.report.lowered)},
                                   {"seconds", outcome.seconds},
                                   {"error", json::fixUTF8(outcome.error)},
                                   {"findings", std::move(findings)}};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << value;
  return text;
}

Outcome rulecheck::deserialize(const std::string &text) {
  Outcome outcome;
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    outcome.error = llvm::toString(value.takeError());
    return outcome;
  }
  const json::Object &object = *value->getAsObject();
  outcome.report.tried = object.getInteger("tried").value_or(0);
  outcome.report.accepted = object.getInteger("accepted").value_or(0);
  outcome.report.lowered = object.getInteger("lowered").value_or(0);
  outcome.seconds = object.getNumber("seconds").value_or(0);
  outcome.error = object.getString("error").value_or("").str();
  for (const json::Value &item : *object.getArray("findings")) {
    const json::Object &finding = *item.getAsObject();
    outcome.report.findings.push_back(
        {static_cast<Finding::Kind>(*finding.getInteger("kind")), finding.getString("mesh")->str(),
         finding.getString("layouts")->str(), finding.getString("detail")->str(),
         static_cast<size_t>(*finding.getInteger("count"))});
  }
  return outcome;
}

void Summary::printFinding(const char *word, const std::string &op, const std::string &function,
                           const Finding &finding) const {
  llvm::outs() << word << ": " << op << " @" << function << " on mesh " << finding.mesh;
  if (finding.count > 1)
    llvm::outs() << " (" << finding.count << " layouts)";
  llvm::outs() << "\n    " << finding.layouts << "\n    " << finding.detail << "\n";
}

void Summary::add(const std::string &function, const Outcome &outcome) {
  const std::string &op = outcome.report.op;
  Row &row = rows[op];
  ++row.functions;
  row.tried += outcome.report.tried;
  row.accepted += outcome.report.accepted;
  row.lowered += outcome.report.lowered;
  row.seconds += outcome.seconds;
  if (!outcome.error.empty()) {
    ++numWrong;
    ++row.wrong;
    llvm::outs() << "cannot be checked: " << op << " @" << function << ": " << outcome.error
                 << "\n";
  }
  for (const Finding &finding : outcome.report.findings) {
    if (finding.kind == Finding::Kind::Missing) {
      if (const Known *entry = findKnown(known, op, finding.detail)) {
        row.knownMissing += finding.count;
        reasons[op][entry->reason] += finding.count;
        continue;
      }
      row.missing += finding.count;
      numMissing += finding.count;
      // Meshes have it alike.
      if (printed.insert(function + finding.detail).second)
        printFinding("missing", op, function, finding);
      continue;
    }
    row.wrong += finding.count;
    numWrong += finding.count;
    printFinding(finding.kind == Finding::Kind::Wrong       ? "wrong at level 1"
                 : finding.kind == Finding::Kind::WrongRank ? "wrong at level 2"
                                                            : "refused by dmc-ranks",
                 op, function, finding);
  }
  llvm::outs().flush();
}

void Summary::print() const {
  llvm::outs() << llvm::format("%-32s %9s %9s %9s %9s %6s %8s %6s %8s\n", "operation", "functions",
                               "layouts", "accepted", "level 2", "wrong", "missing", "known",
                               "seconds");
  Row total;
  auto print = [](const std::string &name, const Row &row) {
    llvm::outs() << llvm::format("%-32s %9zu %9zu %9zu %9zu %6zu %8zu %6zu %8.1f\n", name.c_str(),
                                 row.functions, row.tried, row.accepted, row.lowered, row.wrong,
                                 row.missing, row.knownMissing, row.seconds);
  };
  for (const auto &[name, row] : rows) {
    print(name, row);
    total.functions += row.functions;
    total.tried += row.tried;
    total.accepted += row.accepted;
    total.lowered += row.lowered;
    total.wrong += row.wrong;
    total.missing += row.missing;
    total.knownMissing += row.knownMissing;
    total.seconds += row.seconds;
  }
  print("all", total);
}

bool Summary::writeTable(const std::string &path, std::string &error) const {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code) {
    error = "cannot write " + path + ": " + code.message();
    return false;
  }
  os << "| operation | functions | layouts tried | accepted | wrong | not accepted although right "
        "|\n| --- | --- | --- | --- | --- | --- |\n";
  for (const auto &[name, row] : rows) {
    os << "| `" << name << "` | " << row.functions << " | " << row.tried << " | " << row.accepted
       << " | " << row.wrong << " | ";
    auto it = reasons.find(name);
    if (row.missing)
      os << row.missing << " for no known reason" << (it == reasons.end() ? "" : "; ");
    if (it == reasons.end() && !row.missing)
      os << "none";
    if (it != reasons.end())
      for (auto [i, entry] : llvm::enumerate(it->second))
        os << (i ? "; " : "") << entry.second << ": " << entry.first;
    os << " |\n";
  }
  return true;
}
