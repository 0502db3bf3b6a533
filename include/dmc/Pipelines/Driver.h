//===- Driver.h - What tools that read a program share ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options by which a user says which program to compile and for what, and
// what a tool tells the user meanwhile.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PIPELINES_DRIVER_H
#define DMC_PIPELINES_DRIVER_H

#include "dmc/Pipelines/Stages.h"
#include "dmc/Support/Progress.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>
#include <string>

namespace dmc {

/// The command line's options of a program and its plan; made once in a tool.
struct ProgramOptions {
  explicit ProgramOptions(llvm::cl::OptionCategory &category);

  llvm::cl::opt<std::string> input, mesh, layouts, layoutsCase, machine;
  llvm::cl::opt<int64_t> ranks;
  llvm::cl::list<std::string> tactics, strategies;
  llvm::cl::opt<unsigned> bucketBytes;
  llvm::cl::opt<bool> narrowPartials;

  /// Empty, or what can be refused before work starts.
  std::string check() const;
  ImportOptions getImport() const { return {mesh, layouts, layoutsCase, ranks, narrowPartials}; }
  ParallelizeOptions getParallelize() const {
    ParallelizeOptions options;
    options.machine = machine;
    options.tactics.assign(tactics.begin(), tactics.end());
    options.strategies.assign(strategies.begin(), strategies.end());
    return options;
  }
};

/// A program's text, which the diagnostics of its context quote as long as this lives.
class ProgramText {
public:
  /// Returns why the file cannot be read, or nothing.
  std::string open(const std::string &path, mlir::MLIRContext &context);
  llvm::SourceMgr &getSources() { return sources; }

private:
  llvm::SourceMgr sources;
  std::optional<mlir::SourceMgrDiagnosticHandler> diagnostics;
};

/// Shows which stage runs, once it has taken two seconds.
class Speaker : public StageObserver {
public:
  explicit Speaker(std::string tool) : tool(std::move(tool)) {}
  void begin(const char *stage) override { progress.emplace(tool, stage); }
  void end() override { progress.reset(); }

private:
  std::string tool;
  std::optional<support::Progress> progress;
};

/// Writes text to a file, whole or not at all, or to standard output (`-` or
/// empty). Returns what went wrong.
std::string writeText(const std::string &path, const std::string &text);

} // namespace dmc

#endif // DMC_PIPELINES_DRIVER_H
