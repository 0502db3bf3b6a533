//===- Options.h - What a compilation can be asked for ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of dmc-compile, defined once: the command line and the C interface
// set them by name, with the same meaning and the same refusals.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_COMPILER_OPTIONS_H
#define DMC_COMPILER_OPTIONS_H

#include "dmc/Pipelines/Stages.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace dmc::compiler {

/// What a text is: a level of dmc, or the plan for a compiler that reads StableHLO.
enum class TextForm { Level, Shardings, StableHLO };

struct Options {
  ImportOptions import;
  ParallelizeOptions parallelize;
  /// As Stages::bucketBytes.
  int64_t bucketBytes = 0;
  /// Where to stop.
  Target emit = Target::Library;
  TextForm form = TextForm::Level;
  /// Where to write the library or the text, and its report; `-` is standard output.
  std::string output, report;
  /// As Stages::targetCpu and Stages::targetDevice.
  std::string targetCpu, target;
  /// As SharedLibraryOptions.
  std::string linker, cacheDir;
  bool verifyEach = false, noThreads = false;
  /// The names of the options that were set.
  llvm::StringSet<> given;
};

/// Which of an option's users understand it: dmc-explain those of the program alone.
enum class OptionGroup { Program, Output };

struct OptionInfo {
  llvm::StringLiteral name;
  /// What a value looks like; empty for a flag, whose value may be absent, true or false.
  llvm::StringLiteral valueName;
  llvm::StringLiteral description;
  OptionGroup group;
  /// May be given several times.
  bool isList;
  /// Sets the option. Returns what is wrong with the value, or nothing.
  std::string (*parse)(llvm::StringRef value, Options &options);
};

/// All options, in the order in which they are listed.
llvm::ArrayRef<OptionInfo> getOptionInfos();

/// Sets the option of a name without dashes. Returns what is wrong, or nothing.
std::string setOption(Options &options, llvm::StringRef name, llvm::StringRef value);

/// What is wrong with the options of the program together, or nothing.
std::string checkProgramOptions(const Options &options);

} // namespace dmc::compiler

#endif // DMC_COMPILER_OPTIONS_H
