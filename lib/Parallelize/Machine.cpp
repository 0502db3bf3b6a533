//===- Machine.cpp - What moves and computing cost ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Machine.h.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cmath>

using namespace dmc;

ReshardOptions Machine::getReshardOptions() const {
  ReshardOptions options;
  options.rates = {link, latency};
  if (capacity > 0 && capacity < static_cast<double>(options.memoryBytes))
    options.memoryBytes = static_cast<int64_t>(capacity);
  return options;
}

std::optional<Machine> dmc::parseMachine(llvm::StringRef text, std::string &error) {
  Machine machine;
  std::pair<llvm::StringRef, double *> rates[] = {{"link", &machine.link},
                                                  {"latency", &machine.latency},
                                                  {"flops", &machine.flops},
                                                  {"memory", &machine.memory},
                                                  {"capacity", &machine.capacity}};
  llvm::SmallVector<llvm::StringRef> entries;
  text.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef entry : entries) {
    auto [key, number] = entry.split('=');
    llvm::StringRef name = key.trim();
    auto *rate = llvm::find_if(rates, [&](auto &known) { return known.first == name; });
    if (rate == std::end(rates)) {
      error = "expected link, latency, flops, memory or capacity, found '" + name.str() + "'";
      return std::nullopt;
    }
    double value = 0;
    bool isPositive = !number.trim().getAsDouble(value) && std::isfinite(value) &&
                      (value > 0 || (value == 0 && name == "latency"));
    if (!isPositive) {
      error = "expected a positive number for " + name.str() + ", found '" + number.str() + "'";
      return std::nullopt;
    }
    *rate->second = value;
  }
  return machine;
}
