//===- Driver.h - What tools that read a program share ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tool reads a program, and what it tells the user meanwhile.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PIPELINES_DRIVER_H
#define DMC_PIPELINES_DRIVER_H

#include "dmc/Pipelines/Stages.h"
#include "dmc/Support/Progress.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

#include <mutex>
#include <optional>
#include <string>

namespace dmc {

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

/// Shows which stage runs, once it has taken two seconds, and how far a search for a plan is.
class Speaker : public StageObserver {
public:
  explicit Speaker(std::string tool) : tool(std::move(tool)) {}
  void begin(const char *stage) override;
  void end() override { progress.reset(); }
  void onPlan(const PlanProgress &now) override;

private:
  std::string describe(const char *stage);

  std::string tool;
  /// Of the search that runs; another thread shows it.
  std::mutex mutex;
  std::optional<PlanProgress> plan;
  std::optional<support::Progress> progress;
};

/// Writes text to a file, whole or not at all, or to standard output (`-` or
/// empty). Returns what went wrong.
std::string writeText(const std::string &path, const std::string &text);

} // namespace dmc

#endif // DMC_PIPELINES_DRIVER_H
