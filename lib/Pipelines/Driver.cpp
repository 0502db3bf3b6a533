//===- Driver.cpp - What tools that read a program share ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/Driver.h"

#include "mlir/Support/FileUtilities.h"
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
