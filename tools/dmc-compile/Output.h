//===- Output.h - What dmc-compile writes and says --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_COMPILE_OUTPUT_H
#define DMC_TOOLS_COMPILE_OUTPUT_H

#include "dmc/Pipelines/Stages.h"

#include <optional>
#include <string>

namespace dmc::compile {

/// The report of a library that was written; `partials` if that is known. Returns what went
/// wrong.
std::string writeReport(const std::string &library, const std::string &path,
                        const runtime::CompileTimes &times,
                        std::optional<runtime::PartialsReport> partials);
void printTimes(const runtime::CompileTimes &times);

} // namespace dmc::compile

#endif // DMC_TOOLS_COMPILE_OUTPUT_H
