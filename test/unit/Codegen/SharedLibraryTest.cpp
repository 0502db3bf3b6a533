//===- SharedLibraryTest.cpp - What writing a library refuses -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes that the tools find before, and that code which embeds dmc can make.
//
//===----------------------------------------------------------------------===//
#include "dmc/Codegen/SharedLibrary.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace dmc;

namespace {

class SharedLibraryTest : public testing::Test {
protected:
  SharedLibraryTest() {
    DialectRegistry registry;
    registry.insert<LLVM::LLVMDialect>();
    registerCodegenTranslations(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The error of writing an empty module; empty if there is none.
  std::string getError(StringRef path, const SharedLibraryOptions &options = {}) {
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    EXPECT_EQ(succeeded(writeSharedLibrary(*module, path, options)), error.empty());
    return error;
  }

  MLIRContext context;
};

TEST_F(SharedLibraryTest, RefusesAnUnknownProcessor) {
  SharedLibraryOptions options;
  options.targetCpu = "no-such-cpu";
  std::string error = getError("unused.so", options);
  EXPECT_EQ(error.find("cannot compile for this processor: "), 0u) << error;
  EXPECT_NE(error.find("no-such-cpu"), std::string::npos) << error;
}

TEST_F(SharedLibraryTest, RefusesToReplaceADevice) {
  EXPECT_EQ(getError("/dev/null"), "cannot write '/dev/null': it is not a regular file");
}

} // namespace
