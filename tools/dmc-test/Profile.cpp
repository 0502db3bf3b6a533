//===- Profile.cpp - What the steps of cases take -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Profile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

using namespace dmc::test;

void Profile::add(const StepTimes &times) {
  for (size_t step = 0; step < times.size(); ++step)
    if (times[step] > 0)
      samples[step].push_back(times[step]);
}

static double getSum(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// The least value that 95 of 100 do not exceed.
static double getPercentile95(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::ceil(0.95 * values.size())) - 1];
}

std::string Profile::toTable() const {
  double all = 0;
  size_t numCases = 0;
  for (const std::vector<double> &values : samples) {
    all += getSum(values);
    numCases = std::max(numCases, values.size());
  }
  std::string table;
  char line[96];
  auto add = [&](auto... values) {
    std::snprintf(line, sizeof line, values...);
    table += line;
  };
  add("%-12s%8s%12s%12s%8s\n", "step", "cases", "mean", "p95", "share");
  for (size_t step = 0; step < samples.size(); ++step) {
    const std::vector<double> &values = samples[step];
    if (values.empty())
      continue;
    double sum = getSum(values);
    add("%-12s%8zu%9.3f ms%9.3f ms%6.1f %%\n", getName(static_cast<Step>(step)), values.size(),
        sum / values.size(), getPercentile95(values), 100 * sum / all);
  }
  if (numCases)
    add("%-12s%8zu%9.3f ms\n", "together", numCases, all / numCases);
  return table;
}
