//===- Driver.cpp - What tools that read a program share ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/Driver.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace dmc;

std::string ProgramText::open(const std::string &path, mlir::MLIRContext &context) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = mlir::openInputFile(path, &error);
  if (!buffer)
    return error;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  diagnostics.emplace(sources, &context);
  // With the operation, a diagnostic on the module would print all of it.
  context.printOpOnDiagnostic(false);
  return {};
}

void Speaker::begin(const char *stage) {
  // Those of the stage before are gone then, with the thread that shows them.
  progress.reset();
  plan.reset();
  progress.emplace(tool, [this, stage] { return describe(stage); });
}

void Speaker::onPlan(const PlanProgress &now) {
  std::lock_guard<std::mutex> lock(mutex);
  plan = now;
}

/// "parallelize: plan 12.3 ms, bound 12.1 ms, gap 1.63 %, round 3 within memory".
std::string Speaker::describe(const char *stage) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string text = stage;
  if (!plan)
    return text;
  llvm::raw_string_ostream os(text);
  if (plan->bestMs)
    os << llvm::format(": plan %.6g ms, bound %.6g ms, gap %.3g %%", *plan->bestMs, plan->boundMs,
                       100 * plan->getGap());
  else
    os << llvm::format(": no plan yet, bound %.6g ms", plan->boundMs);
  if (plan->rounds > 0)
    os << ", round " << plan->rounds << " within memory";
  return text;
}

std::string dmc::writeText(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    if (!llvm::outs().has_error())
      return {};
    std::string problem = llvm::outs().error().message();
    llvm::outs().clear_error();
    return "cannot write to standard output: " + problem;
  }
  return runtime::writeFileAtomically(path, text).value_or("");
}
