//===- SessionOptions.cpp - What the environment says of sessions ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Session.h"

#include <cstdlib>

using namespace dmc;
using namespace dmc::runtime;

/// True if the variable is set, and not to nothing or 0.
static bool isOn(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value && std::string(value) != "0";
}

std::optional<SessionOptions> SessionOptions::fromEnvironment(std::string &error) {
  SessionOptions options;
  if (const char *text = std::getenv("DMC_WATCHDOG_SECONDS")) {
    char *end = nullptr;
    options.watchdogSeconds = std::strtod(text, &end);
    if (end == text || *end || !(options.watchdogSeconds >= 0)) {
      error = std::string("malformed DMC_WATCHDOG_SECONDS \"") + text +
              "\", expected a number of seconds";
      return std::nullopt;
    }
  }
  options.poison = isOn("DMC_POISON");
  options.checkCopies = isOn("DMC_CHECK_COPIES");
  options.sharesDevices = isOn("DMC_SHARE_DEVICES");
  if (const char *fault = std::getenv("DMC_FAULT"))
    options.fault = fault;
  return options;
}
