//===- dmc-explain.cpp - Why does this data move? -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a program as dmc-compile does and says what moves, for which consumer, and what
// else it might have cost.
//
//===----------------------------------------------------------------------===//
#include "dmc/Compiler/CommandLine.h"
#include "dmc/Compiler/Compiler.h"
#include "dmc/Explain/Explain.h"
#include "dmc/Pipelines/Driver.h"
#include "dmc/Support/Files.h"
#include "dmc/Support/VersionPrinter.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace dmc;

namespace cl = llvm::cl;

namespace {
enum class Format { Text, Json, Html };
} // namespace

static const char overview[] =
    R"(dmc-explain: tells why the data of a program moves

Compiles a program as dmc-compile does and prints the collectives by bytes, which operation needs each of
them and at which source line, what the alternatives would have cost, and how much memory a rank needs. With
--kernels it prints how the loops of the generated kernels are executed.
For instance, as a page for the browser, and on the terminal for one line of the source:

  dmc-explain step.mlir --mesh=data=2,model=2 --format=html -o step.html
  dmc-explain step.mlir --at=train.py:42
  dmc-explain step.mlir --kernels --target=cuda:sm_90a
)";

static cl::OptionCategory programCategory("The program and its plan");
static cl::OptionCategory category("What is printed, and how");
static cl::opt<std::string> input(cl::Positional, cl::init("-"), cl::cat(programCategory),
                                  cl::desc("<program at any level, - for standard input>"));
static compiler::CommandLine commandLine({{compiler::OptionGroup::Program, programCategory}});
static cl::opt<Format>
    format("format", cl::desc("How to say it"), cl::init(Format::Text),
           cl::values(clEnumValN(Format::Text, "text", "for a terminal (default)"),
                      clEnumValN(Format::Json, "json", "everything, for programs"),
                      clEnumValN(Format::Html, "html", "one page that needs nothing else")),
           cl::cat(category));
static cl::opt<bool> kernels("kernels", cl::cat(category),
                             cl::desc("The loop nests of kernels, who executes their loops, and "
                                      "what they access, instead of what moves"));
static cl::opt<bool> sensitivity("sensitivity", cl::cat(category),
                                 cl::desc("What links or a memory that are 10 % larger would "
                                          "change: the program is planned again for each"));
static cl::opt<std::string> output("o", cl::desc("Where to write it; standard output if not given"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<unsigned> top("top", cl::init(10), cl::cat(category), cl::value_desc("number"),
                             cl::desc("Collectives and tensors that the text lists; 0: all"));
static cl::opt<std::string>
    value("value", cl::cat(category), cl::value_desc("name"),
          cl::desc("Only tensors with this in their name or scope, and what moves them"));
static cl::opt<std::string> op("op", cl::cat(category), cl::value_desc("name"),
                               cl::desc("Only what operations with this in their name make or "
                                        "want, as linalg.matmul"));
static cl::opt<std::string>
    at("at", cl::cat(category), cl::value_desc("[file:]line"),
       cl::desc("Only what stands at a line of the source, in a file, or at that line of any"));
static cl::list<std::string>
    sourceFolders("source", cl::cat(category), cl::value_desc("folder"),
                  cl::desc("Where the files that locations name are, besides the program's "
                           "folder and those around it"));

static int fail(const Twine &message) {
  llvm::errs() << "dmc-explain: error: " << message << "\n";
  return EXIT_FAILURE;
}

/// Everything that can be refused before work starts.
static std::string checkArguments(compiler::Options &options) {
  if (std::string problem = commandLine.apply(options); !problem.empty())
    return problem;
  if (std::string problem = compiler::checkProgramOptions(options); !problem.empty())
    return problem;
  if (kernels && format == Format::Html)
    return "--kernels is for --format=text and json: the page has no table of them";
  unsigned line;
  if (llvm::StringRef(at).contains(':') &&
      llvm::StringRef(at).rsplit(':').second.getAsInteger(10, line))
    return "--at expects FILE:LINE, FILE or LINE, found '" + at + "'";
  if (!output.empty() && output != "-")
    if (std::string problem = support::checkWritable(output); !problem.empty())
      return "cannot write '" + output + "': " + problem;
  return {};
}

static std::vector<std::string> getFolders() {
  std::vector<std::string> folders(sourceFolders.begin(), sourceFolders.end());
  llvm::append_range(folders, compiler::getSourceFolders(input));
  return folders;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  registerVersionPrinter();
  cl::HideUnrelatedOptions({&programCategory, &category});
  cl::ParseCommandLineOptions(argc, argv, overview);
  compiler::Options options;
  if (std::string problem = checkArguments(options); !problem.empty())
    return fail(problem);

  DialectRegistry registry;
  compiler::registerEverything(registry);
  MLIRContext context(registry);
  ProgramText text;
  if (std::string problem = text.open(input, context); !problem.empty())
    return fail(problem);

  Speaker speaker("dmc-explain");
  explain::Request request{options.import, options.parallelize, options.bucketBytes, getFolders(),
                           &speaker,       options.targetCpu,   options.target,      kernels,
                           kernels};
  request.sensitivity = sensitivity;
  OwningOpRef<ModuleOp> module =
      Stages(Target::Tensor, {}, &speaker).parse(text.getSources(), context);
  if (!module)
    return EXIT_FAILURE;
  FailureOr<explain::Explanation> explanation = explain::explain(*module, request);
  if (failed(explanation))
    return EXIT_FAILURE;
  explanation->file = input;

  explain::Filter filter{top, value, op, at, kernels};
  std::string answer = format == Format::Text   ? explain::toText(*explanation, filter)
                       : format == Format::Json ? explain::toJson(*explanation, filter)
                                                : explain::toHtml(*explanation, filter);
  if (std::string problem = writeText(output, answer); !problem.empty())
    return fail(problem);
  return EXIT_SUCCESS;
}
