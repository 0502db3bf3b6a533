//===- Stated.cpp - What a report states of a plan ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports have twelve digits of each number.
//
//===----------------------------------------------------------------------===//
#include "Stated.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace dmc;
namespace json = llvm::json;

double dmc::getGap(double predictedMs, double boundMs) {
  return predictedMs > 0 ? std::max(0.0, predictedMs - boundMs) / predictedMs : 0;
}

const json::Object *dmc::getPlan(const json::Value &report, std::string &problem) {
  const json::Object *root = report.getAsObject();
  const json::Object *plan = root ? root->getObject("plan") : nullptr;
  if (!plan)
    problem = "expected a report with a \"plan\", as dmc-compile --report writes it";
  return plan;
}

/// Digits beyond those that are printed do not count, nor the order of additions.
static bool isEqual(double stated, double found) {
  return std::fabs(stated - found) <= 1e-9 * std::max(std::fabs(stated), std::fabs(found));
}

static std::string toText(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", number);
  return text;
}

static std::string compare(const json::Object &plan, const char *key, double found) {
  std::optional<double> stated = plan.getNumber(key);
  if (!stated)
    return std::string("expected a number as \"") + key + "\"";
  if (isEqual(*stated, found))
    return "";
  return std::string("\"") + key + "\" is said to be " + toText(*stated) + ", but is " +
         toText(found);
}

/// By kind and axes: messages and bytes.
using Collectives = std::map<std::string, std::pair<double, double>>;

static std::string compareCollectives(const json::Object &plan, const PlanSummary &saved) {
  Collectives stated, found;
  for (const PredictedCollective &row : saved.collectives)
    found[row.kind + " over " + llvm::join(row.axes, ",")] = {row.messages, row.wireBytes};
  if (const json::Array *rows = plan.getArray("collectives"))
    for (const json::Value &value : *rows) {
      const json::Object *row = value.getAsObject();
      const json::Array *axes = row ? row->getArray("axes") : nullptr;
      if (!axes)
        return "expected \"collectives\" with axes";
      std::vector<std::string> names;
      for (const json::Value &axis : *axes)
        names.push_back(axis.getAsString().value_or("").str());
      stated[row->getString("kind").value_or("").str() + " over " + llvm::join(names, ",")] = {
          row->getNumber("messages").value_or(-1), row->getNumber("wire_bytes").value_or(-1)};
    }
  for (const Collectives &rows : {stated, found})
    for (const auto &[name, row] : rows) {
      auto a = stated.find(name), b = found.find(name);
      if (a == stated.end() || b == found.end())
        return "the collectives \"" + name + "\" are " +
               (a == stated.end() ? "not stated, but the plan has them"
                                  : "stated, but the plan has none");
      if (!isEqual(a->second.first, b->second.first) ||
          !isEqual(a->second.second, b->second.second))
        return "the collectives \"" + name + "\" are said to send " + toText(a->second.second) +
               " bytes in " + toText(a->second.first) + " messages, but send " +
               toText(b->second.second) + " in " + toText(b->second.first);
    }
  return "";
}

std::string dmc::checkReport(const json::Object &plan, const PlanCheck &found,
                             const std::optional<PlanSummary> &saved) {
  llvm::StringRef fingerprint = plan.getString("fingerprint").value_or("");
  if (fingerprint != found.fingerprint)
    return "\"fingerprint\" is said to be " + fingerprint.str() + ", but is " + found.fingerprint;
  double boundMs = 1e3 * found.boundSeconds;
  // What is above the prediction by rounding alone is reported as that.
  if (std::optional<double> limit = plan.getNumber("predicted_ms");
      limit && boundMs * (1 - 1e-6) <= *limit)
    boundMs = std::min(boundMs, *limit);
  if (std::string problem = compare(plan, "bound_ms", boundMs); !problem.empty())
    return problem;
  // As the search decides it: a gap of 0.1 % was asked for.
  bool isCertified = found.costSeconds - found.boundSeconds <= 1e-3 * found.costSeconds;
  if (plan.getBoolean("certified") != isCertified)
    return std::string("\"certified\" is not ") + (isCertified ? "true" : "false") +
           ", as the bound says";
  std::string problem;
  if (saved)
    for (auto [key, number] :
         {std::pair("predicted_ms", saved->predictedMs), std::pair("flops", saved->flops),
          std::pair("peak", std::trunc(saved->peakBytes))})
      if (problem.empty())
        problem = compare(plan, key, number);
  if (problem.empty() && saved)
    problem = compareCollectives(plan, *saved);
  std::optional<double> predicted = plan.getNumber("predicted_ms");
  if (problem.empty() && !predicted)
    problem = "expected a number as \"predicted_ms\"";
  if (!problem.empty())
    return problem;
  std::optional<double> gap = plan.getNumber("gap");
  double expected = getGap(*predicted, boundMs);
  // A difference of two numbers of twelve digits.
  if (!gap || std::fabs(*gap - expected) > 1e-9)
    return "\"gap\" is said to be " + (gap ? toText(*gap) : std::string("nothing")) + ", but is " +
           toText(expected) + " by the prediction and the bound";
  return "";
}
