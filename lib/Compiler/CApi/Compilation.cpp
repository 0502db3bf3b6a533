//===- Compilation.cpp - Compiling programs from C and other languages ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests become those of the compiler, which dmc-compile makes of its command
// line; what it says becomes a list.
//
//===----------------------------------------------------------------------===//
#include "Diagnostics.h"

#include "dmc-c/Compiler.h"
#include "dmc/Compiler/Compiler.h"
#include "dmc/Explain/Explain.h"
#include "dmc/Version.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <cstring>
#include <map>

using namespace mlir;
using namespace dmc;
using namespace dmc::compiler;

struct dmc_interrupt {
  std::atomic<bool> isRequested{false};
};
// A handler of a signal may set it.
static_assert(std::atomic<bool>::is_always_lock_free);

struct dmc_compilation {
  dmc_compile_status status = DMC_COMPILE_FAILED;
  std::deque<DiagnosticEntry> diagnostics;
  std::map<dmc_compile_output, std::string> outputs;
};

/// The members of the first version of a request, of which a pointer is the last.
using Interrupt = decltype(dmc_compile_request::interrupt);
static constexpr size_t requestSize = offsetof(dmc_compile_request, interrupt) + sizeof(Interrupt);
static constexpr uint32_t explanations =
    DMC_OUTPUT_EXPLANATION_JSON | DMC_OUTPUT_EXPLANATION_HTML | DMC_OUTPUT_EXPLANATION_TEXT;
static constexpr uint32_t allOutputs = DMC_OUTPUT_PROGRAM | DMC_OUTPUT_REPORT | explanations;

namespace {
/// Counts the stages for the caller.
class ProgressCaller : public StageObserver {
public:
  ProgressCaller(const dmc_compile_request &request, std::vector<llvm::StringLiteral> stages)
      : function(request.progress), data(request.progress_data), stages(std::move(stages)) {}

  void begin(const char *stage) override {
    llvm::StringRef name = stage;
    // A stage may have several steps.
    if (name == last)
      return;
    last = name;
    if (!function)
      return;
    dmc_compile_progress progress = {};
    progress.struct_size = sizeof progress;
    progress.stage = 1 + (llvm::find(stages, name) - stages.begin());
    progress.num_stages = stages.size();
    progress.name = stage;
    function(&progress, data);
  }
  void end() override {}
  /// The stage that began last; empty before the first.
  llvm::StringRef getLast() const { return last; }

private:
  dmc_compile_progress_fn function;
  void *data;
  std::vector<llvm::StringLiteral> stages;
  llvm::StringRef last;
};
} // namespace

/// What is wrong with a request as such, or nothing.
static std::string checkStruct(const dmc_compile_request *given) {
  if (!given)
    return "the request is null";
  if (given->struct_size < requestSize)
    return "expected a request of at least " + std::to_string(requestSize) +
           " bytes, found a struct_size of " + std::to_string(given->struct_size);
  const char *bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof *given; i < given->struct_size; ++i)
    if (bytes[i])
      return "the request has members that version " + std::to_string(DMC_COMPILER_API_VERSION) +
             " of the interface does not know";
  if (!given->source)
    return "the source is null";
  if (!given->options && given->num_options)
    return "the options are null";
  if (uint32_t unknown = given->outputs & ~allOutputs)
    return "unknown outputs " + std::to_string(unknown);
  return {};
}

/// Sets the options and outputs. Returns what is wrong, or nothing.
static std::string readRequest(const dmc_compile_request &given, compiler::Request &request) {
  for (size_t i = 0; i < given.num_options; ++i) {
    auto [name, value] = given.options[i];
    if (!name)
      return "the name of option " + std::to_string(i) + " is null";
    if (std::string problem = setOption(request.options, name, value ? value : "");
        !problem.empty())
      return problem;
  }
  request.wantsReport = given.outputs & DMC_OUTPUT_REPORT;
  request.wantsExplanation = given.outputs & explanations;
  request.interrupt = given.interrupt ? &given.interrupt->isRequested : nullptr;
  return checkRequest(request);
}

static void addSource(const dmc_compile_request &given, llvm::SourceMgr &sources) {
  // Bytecode states how it is to be aligned: a mapped file is, to a page.
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
          given.source_bytes, given.source_name ? given.source_name : "<memory>",
          llvm::Align(4096));
  std::memcpy(buffer->getBufferStart(), given.source, given.source_bytes);
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
}

static void keepOutputs(const dmc_compile_request &given, const Options &options,
                        compiler::Result &result, dmc_compilation &compilation) {
  auto keep = [&](dmc_compile_output output, auto &&make) {
    if (given.outputs & output)
      compilation.outputs[output] = make();
  };
  if (options.output.empty())
    compilation.outputs[DMC_OUTPUT_PROGRAM] = std::move(result.output);
  keep(DMC_OUTPUT_REPORT, [&] { return std::move(result.report); });
  if (!result.explanation)
    return;
  explain::Filter filter;
  keep(DMC_OUTPUT_EXPLANATION_JSON, [&] { return explain::toJson(*result.explanation, filter); });
  keep(DMC_OUTPUT_EXPLANATION_HTML, [&] { return explain::toHtml(*result.explanation, filter); });
  keep(DMC_OUTPUT_EXPLANATION_TEXT, [&] { return explain::toText(*result.explanation, filter); });
}

static void run(const dmc_compile_request &given, compiler::Request &request,
                dmc_compilation &compilation) {
  ProgressCaller progress(given, getStages(request));
  request.observer = &progress;
  DialectRegistry registry;
  registerEverything(registry);
  MLIRContext context(registry, request.options.noThreads ? MLIRContext::Threading::DISABLED
                                                          : MLIRContext::Threading::ENABLED);
  // With the operation, a diagnostic on the module would print all of it.
  context.printOpOnDiagnostic(false);
  auto isInterrupted = [&] { return request.interrupt && *request.interrupt; };
  ScopedDiagnosticHandler collector(&context, [&](Diagnostic &diagnostic) {
    // What follows from an interrupt is not about the program.
    if (!isInterrupted())
      compilation.diagnostics.emplace_back(diagnostic);
  });
  llvm::SourceMgr sources;
  addSource(given, sources);
  compiler::Result result;
  if (succeeded(compile(request, sources, context, result))) {
    compilation.status = DMC_COMPILE_SUCCEEDED;
    keepOutputs(given, request.options, result, compilation);
  } else if (isInterrupted()) {
    compilation.status = DMC_COMPILE_INTERRUPTED;
    std::string where =
        progress.getLast().empty() ? "" : " in stage '" + progress.getLast().str() + "'";
    compilation.diagnostics.emplace_back(DMC_ERROR, "the compilation was interrupted" + where);
  } else if (!result.problem.empty()) {
    compilation.diagnostics.emplace_back(DMC_ERROR, std::move(result.problem));
  }
}

uint32_t dmc_compiler_version(void) { return DMC_COMPILER_API_VERSION; }

const char *dmc_compiler_release(void) { return DMC_VERSION; }

const dmc_compile_option_info *dmc_compile_option_at(uint32_t index) {
  static const std::vector<dmc_compile_option_info> table = [] {
    std::vector<dmc_compile_option_info> rows;
    for (const OptionInfo &info : getOptionInfos())
      rows.push_back({sizeof(dmc_compile_option_info), info.isList, info.name.data(),
                      info.valueName.data(), info.description.data()});
    return rows;
  }();
  return index < table.size() ? &table[index] : nullptr;
}

dmc_interrupt *dmc_interrupt_create(void) { return new dmc_interrupt; }

void dmc_interrupt_request(dmc_interrupt *interrupt) {
  if (interrupt)
    interrupt->isRequested = true;
}

void dmc_interrupt_destroy(dmc_interrupt *interrupt) { delete interrupt; }

dmc_compilation *dmc_compile(const dmc_compile_request *given) {
  auto *compilation = new dmc_compilation;
  compiler::Request request;
  std::string problem = checkStruct(given);
  if (problem.empty())
    problem = readRequest(*given, request);
  if (problem.empty())
    run(*given, request, *compilation);
  else
    compilation->diagnostics.emplace_back(DMC_ERROR, std::move(problem));
  return compilation;
}

void dmc_compilation_destroy(dmc_compilation *compilation) { delete compilation; }

uint32_t dmc_compilation_status(const dmc_compilation *compilation) {
  return compilation ? compilation->status : DMC_COMPILE_FAILED;
}

const char *dmc_compilation_output(const dmc_compilation *compilation, dmc_compile_output output,
                                   size_t *bytes) {
  if (bytes)
    *bytes = 0;
  if (!compilation)
    return nullptr;
  auto found = compilation->outputs.find(output);
  if (found == compilation->outputs.end())
    return nullptr;
  if (bytes)
    *bytes = found->second.size();
  return found->second.c_str();
}

uint32_t dmc_compilation_num_diagnostics(const dmc_compilation *compilation) {
  return compilation ? compilation->diagnostics.size() : 0;
}

const dmc_diagnostic *dmc_compilation_diagnostic(const dmc_compilation *compilation,
                                                 uint32_t index) {
  return index < dmc_compilation_num_diagnostics(compilation)
             ? &compilation->diagnostics[index].getTable()
             : nullptr;
}

const dmc_diagnostic *dmc_compilation_note(const dmc_compilation *compilation, uint32_t index,
                                           uint32_t note) {
  return index < dmc_compilation_num_diagnostics(compilation)
             ? compilation->diagnostics[index].getNote(note)
             : nullptr;
}
