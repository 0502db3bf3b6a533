//===- Compile.cpp - Running dmc-compile ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Run.h"

#include "dmc/Support/Files.h"
#include "dmc/Support/Progress.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

using namespace dmc;
using namespace dmc::run;

static void readTimes(const std::string &path, runtime::CompileTimes &times) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return;
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return;
  }
  const llvm::json::Object *root = value->getAsObject();
  const llvm::json::Object *stages = root ? root->getObject("compile_ms") : nullptr;
  if (!stages)
    return;
  auto get = [&](const char *name) { return stages->getNumber(name).value_or(0); };
  times = {get("import"), get("parallelize"), get("ranks"), get("schedule"), get("codegen")};
}

std::optional<runtime::Library> run::compile(const CompileRequest &request,
                                             const std::string &executable,
                                             runtime::CompileTimes &times, std::string &error) {
  llvm::SmallString<128> compiler(llvm::sys::path::parent_path(executable));
  llvm::sys::path::append(compiler, "dmc-compile");
  if (!llvm::sys::fs::can_execute(compiler)) {
    error =
        std::string(compiler) + ": cannot be executed, but is needed to compile " + request.input;
    return std::nullopt;
  }
  support::TemporaryFolder folder;
  if (error = folder.create("dmc-run"); !error.empty())
    return std::nullopt;
  std::string output = folder.file("program.so"), report = folder.file("report.json");
  std::vector<std::string> words = {
      std::string(compiler), request.input, "-o", output, "--report", report};
  auto addOption = [&](const char *name, const std::string &value) {
    if (!value.empty())
      words.push_back(std::string(name) + "=" + value);
  };
  addOption("--mesh", request.mesh);
  addOption("--layouts", request.layouts);
  addOption("--case", request.shardingCase);
  for (const std::string &file : request.tactics)
    addOption("--tactics", file);
  addOption("--machine", request.machine);
  addOption("--target", request.target);
  addOption("--entry", request.entry);
  for (const std::string &kernel : request.customCalls)
    addOption("--custom-call", kernel);
  for (const std::string &strategy : request.strategies)
    addOption("--strategy", strategy);
  addOption("--ranks", request.ranks > 0 ? std::to_string(request.ranks) : "");
  std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  std::string why;
  int code;
  {
    support::Progress progress("dmc-run", "compiling " + request.input);
    code = llvm::sys::ExecuteAndWait(
        compiler, arguments, std::nullopt,
        {request.input == "-" ? std::nullopt : std::optional(llvm::StringRef("")), std::nullopt,
         std::nullopt},
        0, 0, &why);
  }
  if (code < 0) {
    error = "dmc-compile did not end properly: " + why;
    return std::nullopt;
  }
  if (code > 0)
    return std::nullopt;
  readTimes(report, times);
  auto library = runtime::Library::load(output, error);
  if (!library)
    error = "dmc-compile wrote a wrong program: " + error;
  return library;
}
