//===- DebugOptions.cpp - Options of those who develop passes -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/DebugOptions.h"

#include "dmc/Pipelines/InitAll.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace mlir;
using namespace dmc;

namespace cl = llvm::cl;

static cl::OptionCategory category("Options to debug passes");

/// LLVM_DEBUG tests the flags that this sets.
static void enableDebugOutput(llvm::ArrayRef<std::string> types) {
#ifdef NDEBUG
  (void)types;
  llvm::errs() << "error: --debug and --debug-only need a build of dmc with assertions\n";
  std::exit(EXIT_FAILURE);
#else
  llvm::DebugFlag = true;
  std::vector<const char *> names;
  for (const std::string &type : types)
    names.push_back(type.c_str());
  if (!names.empty())
    llvm::setCurrentDebugTypes(names.data(), names.size());
#endif
}

namespace {
struct Options {
  cl::opt<bool> debug{"debug", cl::cat(category), cl::desc("Print what LLVM_DEBUG in dmc prints"),
                      cl::callback([](const bool &isOn) {
                        if (isOn)
                          enableDebugOutput({});
                      })};
  cl::list<std::string> debugOnly{
      "debug-only",
      cl::cat(category),
      cl::CommaSeparated,
      cl::value_desc("type"),
      cl::desc("The same of these types only, dmc-stages for instance"),
      cl::callback([this](const std::string &) {
        enableDebugOutput(std::vector<std::string>(debugOnly.begin(), debugOnly.end()));
      })};
};
} // namespace

void dmc::registerDebugOptions() {
  static std::unique_ptr<Options> options;
  if (!options && !cl::getRegisteredOptions().count("debug"))
    options = std::make_unique<Options>();
}

PassManagerOptions::PassManagerOptions() {
  // `--mlir-print-ir-after=dmc-import-program` is an option of registered passes.
  registerAllPasses();
  registerDebugOptions();
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  // LLVM's own hundreds stay hidden, `--help-hidden` lists them.
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (name.starts_with("mlir-print-ir-") || name.starts_with("mlir-timing") ||
        name == "mlir-disable-threading")
      option->addCategory(category);
}

const cl::OptionCategory &PassManagerOptions::getCategory() { return category; }

void PassManagerOptions::start() {
  applyDefaultTimingManagerCLOptions(timing);
  root = timing.getRootScope();
}

LogicalResult PassManagerOptions::apply(PassManager &pm, llvm::StringRef stage) {
  if (failed(applyPassManagerCLOptions(pm)))
    return failure();
  current = root.nest(stage);
  pm.enableTiming(current);
  return success();
}
