//===- Workers.h - Tasks in forked processes --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_CHECK_RULES_WORKERS_H
#define DMC_TOOLS_DMC_CHECK_RULES_WORKERS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace dmc::rulecheck {

/// Runs `work` for 0 to `count` - 1, each in a process of its own, `jobs` at a time,
/// and gives what it returns to `done`, in any order; nothing and a reason where
/// the process died or ran for too long. `idle` is called now and then. Returns what
/// went wrong with the processes themselves, or nothing.
std::string runForked(
    size_t count, size_t jobs, double timeoutSeconds, llvm::function_ref<std::string(size_t)> work,
    llvm::function_ref<void(size_t, std::optional<std::string>, const std::string &reason)> done,
    llvm::function_ref<void()> idle);

} // namespace dmc::rulecheck

#endif // DMC_TOOLS_DMC_CHECK_RULES_WORKERS_H
