//===- Trials.h - What is done with one text --------------------*- C++ -*-===//
#ifndef DMC_TOOLS_DMC_FUZZ_TRIALS_H
#define DMC_TOOLS_DMC_FUZZ_TRIALS_H

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace dmc::fuzz {

/// What tryText writes on stderr before the parser's diagnostics.
inline constexpr const char *parserErrorMark = "PARSER ERROR: ";

struct Verdict {
  enum class Kind {
    Agree,   // all paths give the results of level 0; or the text is compiled
    Refused, // with a diagnostic
    Differ,  // results differ, or it failed without a diagnostic
    Crash,   // the process died or did not end
  };
  Kind kind = Kind::Agree;
  std::string reason;
};

/// Compiles and runs a valid program of level 0, interprets its levels 0, 1 and 2,
/// and compares; `library` is a path that may be written.
Verdict tryProgram(mlir::MLIRContext &context, const std::string &text, uint64_t seed,
                   const std::string &library);

/// Parses any text and compiles it up to level 3.
Verdict tryText(mlir::MLIRContext &context, const std::string &text);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_TRIALS_H
