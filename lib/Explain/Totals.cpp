//===- Totals.cpp - Sums and numbers as text ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is added up over collectives, and how figures are written.
//
//===----------------------------------------------------------------------===//
#include "dmc/Explain/Explanation.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace dmc::explain;

std::vector<Total> Explanation::totalsBy(std::string (*key)(const Collective &)) const {
  std::vector<Total> totals;
  std::map<std::string, size_t> numbers;
  for (const Collective &collective : collectives) {
    auto [place, isNew] = numbers.try_emplace(key(collective), totals.size());
    if (isNew)
      totals.push_back({place->first});
    Total &total = totals[place->second];
    total.count += collective.count;
    total.bytes += collective.totalBytes();
    total.seconds += collective.totalSeconds();
  }
  llvm::stable_sort(totals, [](const Total &a, const Total &b) { return a.bytes > b.bytes; });
  return totals;
}

std::string dmc::explain::kindAndAxesOf(const Collective &collective) {
  return collective.kind + " over " + joinNames(collective.axes);
}

std::string dmc::explain::scopeOf(const Collective &collective) {
  return collective.place.scope.empty() ? "(no scope)" : collective.place.scope;
}

std::string dmc::explain::lineOf(const Collective &collective) {
  const Place &place = collective.place;
  return place.file.empty() ? "(no source line)" : place.file + ":" + std::to_string(place.line);
}

std::string dmc::explain::formatTime(double seconds) {
  static const struct {
    const char *name;
    double size;
  } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  double magnitude = std::fabs(seconds);
  for (auto &unit : units)
    if (magnitude >= 0.9995 * unit.size || unit.size == 1e-9) {
      char text[40];
      std::snprintf(text, sizeof text, "%.3g %s", seconds / unit.size, unit.name);
      return magnitude == 0 ? "0 s" : text;
    }
  return "";
}

std::string dmc::explain::formatCount(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.0f", std::fabs(number));
  std::string digits = text, result;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0)
      result += ',';
    result += digits[i];
  }
  return number < -0.5 ? "-" + result : result;
}

std::string dmc::explain::formatDifference(double bytes) {
  std::string count = formatCount(std::abs(bytes));
  return count == "0" ? "the same bytes" : count + " bytes " + (bytes > 0 ? "more" : "less");
}
