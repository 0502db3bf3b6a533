//===- CommandLine.h - Options on the command line of a tool ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_COMPILER_COMMANDLINE_H
#define DMC_COMPILER_COMMANDLINE_H

#include "dmc/Compiler/Options.h"

#include "llvm/Support/CommandLine.h"

#include <memory>
#include <vector>

namespace dmc::compiler {

/// The options of some groups as options of a tool; made once, before the command line is parsed.
class CommandLine {
public:
  struct Category {
    OptionGroup group;
    llvm::cl::OptionCategory &category;
  };
  explicit CommandLine(llvm::ArrayRef<Category> categories);
  ~CommandLine();

  /// After the command line is parsed: sets what it gives. Returns what is wrong, or nothing.
  std::string apply(Options &options) const;

private:
  class Value;
  std::vector<std::unique_ptr<Value>> values;
};

} // namespace dmc::compiler

#endif // DMC_COMPILER_COMMANDLINE_H
