//===- Workers.h - Trials in forked processes -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_WORKERS_H
#define DMC_TOOLS_DMC_FUZZ_WORKERS_H

#include "Trials.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace dmc::fuzz {

/// Runs `work` for 0 to `count` - 1 in processes, `jobs` at a time and some trials
/// in each; one that dies or hangs takes no other with it. Gives the verdicts to
/// `done` in any order. Returns what went wrong with the processes themselves, or
/// nothing.
std::string runForked(size_t count, size_t jobs, double timeoutSeconds,
                      llvm::function_ref<Verdict(size_t)> work,
                      llvm::function_ref<void(size_t, Verdict)> done);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_WORKERS_H
