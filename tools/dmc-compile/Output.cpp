//===- Output.cpp - What dmc-compile writes and says ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Output.h"

#include "dmc/Pipelines/Driver.h"
#include "dmc/Runtime/Session.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace dmc;
using namespace dmc::compile;

std::string compile::writeReport(const std::string &library, const std::string &path,
                                 const runtime::CompileTimes &times,
                                 std::optional<runtime::PartialsReport> partials) {
  std::string error;
  // A name without a slash would be searched for in the system's folders.
  std::string file = library.find('/') == std::string::npos ? "./" + library : library;
  std::optional<runtime::Library> loaded = runtime::Library::load(file, error);
  if (!loaded)
    return error;
  runtime::Report report = runtime::makeReport(loaded->program());
  report.compile = times;
  report.partials = partials;
  return writeText(path, runtime::toJson(report));
}

void compile::printTimes(const runtime::CompileTimes &times) {
  auto print = [](const char *name, double milliseconds) {
    llvm::errs() << llvm::format("%-12s%10.1f ms\n", name, milliseconds);
  };
  print("import", times.import);
  print("parallelize", times.parallelize);
  print("ranks", times.ranks);
  print("schedule", times.schedule);
  print("codegen", times.codegen);
}
