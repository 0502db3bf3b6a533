//===- Stages.h - The stages of a compilation -------------------*- C++ -*-===//
//
// Which stages an input still needs, and how long each takes.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TOOLS_COMPILE_STAGES_H
#define DMC_TOOLS_COMPILE_STAGES_H

#include "dmc/Codegen/SharedLibrary.h"
#include "dmc/Pipelines/Pipelines.h"
#include "dmc/Runtime/Report.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/SourceMgr.h"

#include <string>

namespace dmc::compile {

/// What to produce; the levels in order.
enum class Target { Tensor, Parallel, Ranks, Scheduled, LLVM, Library };

class Stages {
public:
  Stages(Target target, ImportOptions import) : target(target), import(std::move(import)) {}

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::SourceMgr &sources, mlir::MLIRContext &context);
  /// From the module's own level to the target's.
  mlir::LogicalResult run(mlir::ModuleOp module);
  mlir::LogicalResult writeLibrary(mlir::ModuleOp module, llvm::StringRef path,
                                   const SharedLibraryOptions &options);

  runtime::CompileTimes times;

private:
  mlir::LogicalResult runStage(mlir::ModuleOp module, const char *name, double &milliseconds,
                               llvm::function_ref<void(mlir::OpPassManager &)> build);

  Target target;
  ImportOptions import;
};

/// Writes text to a file, whole or not at all, or to standard output (`-` or
/// empty). Returns what went wrong.
std::string writeText(const std::string &path, const std::string &text);
/// The report of a library that was written. Returns what went wrong.
std::string writeReport(const std::string &library, const std::string &path,
                        const runtime::CompileTimes &times);
void printTimes(const runtime::CompileTimes &times);

} // namespace dmc::compile

#endif // DMC_TOOLS_COMPILE_STAGES_H
