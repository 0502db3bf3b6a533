//===- Trials.h - What is done with one text --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_TRIALS_H
#define DMC_TOOLS_DMC_FUZZ_TRIALS_H

#include "Builder.h"

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace dmc::fuzz {

struct Verdict {
  enum class Kind {
    Agree,   // all paths give the results of level 0; or the text is compiled
    Refused, // with a diagnostic
    Differ,  // results differ, or it failed without a diagnostic
    Crash,   // the process died
    Hang,    // the process did not end
  };
  Kind kind = Kind::Agree;
  std::string reason;
};

/// Compiles and runs a valid program, interprets its levels 0, 1 and 2, and
/// compares; `library` is a path that may be written. It is compiled for the device (as
/// `cuda:sm_90a`), and run on simulated ones, if one is given.
Verdict tryProgram(mlir::MLIRContext &context, const Program &program, uint64_t seed,
                   const std::string &library, const std::string &device);

/// Parses any text and compiles it up to level 3.
Verdict tryText(mlir::MLIRContext &context, const std::string &text);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_TRIALS_H
