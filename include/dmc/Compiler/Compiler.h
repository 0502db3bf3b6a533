//===- Compiler.h - From a text to a program --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dmc-compile and the C interface are thin users of: one compilation, in
// process, whose outputs are files or texts in memory.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_COMPILER_COMPILER_H
#define DMC_COMPILER_COMPILER_H

#include "dmc/Compiler/Options.h"
#include "dmc/Explain/Explanation.h"

#include <optional>

namespace dmc::compiler {

struct Request {
  Options options;
  /// Makes the report even if no file is to be written.
  bool wantsReport = false;
  bool wantsExplanation = false;
  /// Is told about stages, by the thread that compiles.
  StageObserver *observer = nullptr;
  /// Ends the compilation when it becomes true, as soon as a pass or a part of the object code is
  /// done; may be null. Outputs that are written by then are complete.
  const std::atomic<bool> *interrupt = nullptr;
  /// As Stages::configure.
  std::function<mlir::LogicalResult(mlir::PassManager &pm, llvm::StringRef stage)> configure;
};

struct Result {
  /// The text of the level or the bytes of the library, where `o` names no file.
  std::string output;
  /// JSON; empty if not asked for.
  std::string report;
  std::optional<explain::Explanation> explanation;
  runtime::CompileTimes times;
  ObjectCacheUse cacheUse;
  /// What is wrong, if it is not a diagnostic of the context.
  std::string problem;
};

/// Everything that can be refused before work starts; nothing if all is well.
std::string checkRequest(const Request &request);

/// The stages that the observer of a compilation is told about, in order. A program that
/// enters at a later level skips some.
std::vector<llvm::StringLiteral> getStages(const Request &request);

/// The dialects and translations that a compilation needs.
void registerEverything(mlir::DialectRegistry &registry);

/// Compiles the main file. After a failure `result.problem` or the context's diagnostics say why,
/// and no output is half written.
mlir::LogicalResult compile(const Request &request, llvm::SourceMgr &sources,
                            mlir::MLIRContext &context, Result &result);

/// Where files that locations name are looked for: locations are relative to where a program was
/// made, which is the folder of its file or one around it.
std::vector<std::string> getSourceFolders(llvm::StringRef file);

} // namespace dmc::compiler

#endif // DMC_COMPILER_COMPILER_H
