//===- Handles.cpp - Sessions that callers in C hold ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CApi/Handles.h"

using namespace dmc::runtime;
using namespace dmc::runtime::capi;

static thread_local std::string lastFailure;

int32_t capi::fail(std::string why) {
  lastFailure = std::move(why);
  return 1;
}

const char *capi::lastError() { return lastFailure.c_str(); }

/// Never freed: other threads may use it while the process ends.
Handles &capi::handles() {
  static auto *theHandles = new Handles();
  return *theHandles;
}

std::shared_ptr<Owned> capi::find(const dmc_session *handle) {
  auto owned = handle ? handles().find(handle) : nullptr;
  if (!owned)
    fail(handle ? "the session does not exist: it was destroyed or never created"
                : "the session is null");
  return owned;
}

Failure capi::checkIndex(const char *kind, uint32_t index, uint32_t count) {
  if (index < count)
    return std::nullopt;
  return std::string(kind) + " " + std::to_string(index) + " of a program with " +
         std::to_string(count);
}
