//===- DebugOptions.h - Options of those who develop passes -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--mlir-print-ir-*`, `--mlir-timing` and `--debug-only` of a tool that runs the
// stages.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PIPELINES_DEBUGOPTIONS_H
#define DMC_PIPELINES_DEBUGOPTIONS_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"

namespace dmc {

/// Registers `--debug` and `--debug-only`, unless LLVM has: a distribution's LLVM is built
/// without them, but LLVM_DEBUG in dmc's own code works in a build with assertions. In
/// one without, the options are refused. Before the command line is parsed.
void registerDebugOptions();

/// The options of MLIR's context, printing, pass managers and timing; made before the command
/// line is parsed, which `--help` then shows.
class PassManagerOptions {
public:
  PassManagerOptions();
  /// What these options are listed under.
  static const llvm::cl::OptionCategory &getCategory();
  /// After the command line is parsed.
  void start();
  /// Gives a pass manager what the options ask for. `stage` is its name in the times.
  mlir::LogicalResult apply(mlir::PassManager &pm, llvm::StringRef stage);

private:
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root, current;
};

} // namespace dmc

#endif // DMC_PIPELINES_DEBUGOPTIONS_H
