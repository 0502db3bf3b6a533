//===- CommandLine.cpp - Options on the command line of a tool ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Compiler/CommandLine.h"

using namespace dmc;
using namespace dmc::compiler;

namespace cl = llvm::cl;

namespace {
/// Takes any text: what it means is decided where all users of an option decide it.
class TextParser : public cl::parser<std::string> {
public:
  explicit TextParser(cl::Option &option) : cl::parser<std::string>(option), option(option) {}
  /// A flag has no value in the help.
  llvm::StringRef getValueName() const override { return option.ValueStr; }

private:
  cl::Option &option;
};
} // namespace

class CommandLine::Value {
public:
  Value(const OptionInfo &info, cl::OptionCategory &category)
      : info(info),
        texts(llvm::StringRef(info.name), cl::desc(info.description),
              cl::value_desc(info.valueName),
              info.valueName.empty() ? cl::ValueOptional : cl::ValueRequired, cl::cat(category)) {}

  const OptionInfo &info;
  cl::list<std::string, bool, TextParser> texts;
};

CommandLine::CommandLine(llvm::ArrayRef<Category> categories) {
  for (const OptionInfo &info : getOptionInfos())
    for (const Category &category : categories)
      if (category.group == info.group)
        values.push_back(std::make_unique<Value>(info, category.category));
}

CommandLine::~CommandLine() = default;

std::string CommandLine::apply(Options &options) const {
  for (const std::unique_ptr<Value> &value : values)
    for (const std::string &text : value->texts)
      if (std::string problem = setOption(options, value->info.name, text); !problem.empty())
        return problem;
  return {};
}
