//===- Trials.cpp - What is done with one text ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Trials.h"

#include "Inputs.h"

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Interpreter/Arrays.h"
#include "dmc/Pipelines/Stages.h"
#include "dmc/Runtime/Session.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace mlir;
using namespace dmc;
using namespace dmc::fuzz;
using interpreter::Tensor;

namespace {
/// The first error of those emitted while it lives, as one line.
class FirstError {
public:
  explicit FirstError(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error && text.empty())
            text = diagnostic.str();
          std::replace(text.begin(), text.end(), '\n', ' ');
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

/// Compares results at each level with those of level 0.
class Comparer {
public:
  Comparer(const Program &program, uint64_t seed) : program(program), seed(seed) {}

  /// Nothing if the interpreter agrees with what came first.
  std::optional<Verdict> interpret(ModuleOp module, const char *level) {
    FirstError error(*module.getContext());
    auto fail = [&] {
      return Verdict{Verdict::Kind::Differ, std::string(level) + " interpreted: " + error.text};
    };
    FailureOr<interpreter::Signature> found = interpreter::getSignature(module);
    if (failed(found))
      return fail();
    if (expected.empty()) {
      signature = std::move(*found);
      for (auto [i, parameter] : llvm::enumerate(signature.arguments))
        inputs.push_back(makeInput(parameter.type, program.arguments[i], seed, i));
    }
    FailureOr<SmallVector<Tensor>> results = interpreter::interpret(module, inputs);
    if (failed(results))
      return fail();
    if (expected.empty()) {
      expected = std::move(*results);
      return std::nullopt;
    }
    return compare(*results, level);
  }

  std::optional<Verdict> run(const std::string &path, bool isForDevice) {
    std::string error;
    auto fail = [&] { return Verdict{Verdict::Kind::Differ, "run: " + error}; };
    auto options = runtime::SessionOptions::fromEnvironment(error);
    if (!options)
      return fail();
    options->watchdogSeconds = 20;
    options->threadsPerRank = 1;
    if (isForDevice)
      options->device = runtime::DeviceChoice::Simulated;
    options->poison = true; // what must not be read spoils the result
    auto library = runtime::Library::load(path, error);
    if (!library)
      return fail();
    auto session = runtime::Session::create(library->program(), *options, error);
    if (!session)
      return fail();
    for (auto [i, input] : llvm::enumerate(inputs))
      if (auto why = session->setArgument(i, toArray(signature.arguments[i], input))) {
        error = *why;
        return fail();
      }
    if (auto why = session->step()) {
      error = *why;
      return fail();
    }
    SmallVector<Tensor> results;
    for (auto [i, parameter] : llvm::enumerate(signature.results)) {
      auto array = session->result(i, error);
      if (!array)
        return fail();
      Tensor tensor = Tensor::get(parameter.type);
      std::memcpy(tensor.bytes.data(), array->data(), tensor.bytes.size());
      results.push_back(std::move(tensor));
    }
    return compare(results, "compiled");
  }

private:
  std::optional<Verdict> compare(ArrayRef<Tensor> results, const char *level) {
    for (auto [i, want, got] : llvm::enumerate(expected, results))
      if (auto where = fuzz::findDifference(want, got, program.tolerances[i]))
        return Verdict{Verdict::Kind::Differ,
                       std::string(level) + ": result " + std::to_string(i) + ", " + *where};
    return std::nullopt;
  }

  const Program &program;
  uint64_t seed;
  interpreter::Signature signature;
  SmallVector<Tensor> inputs, expected;
};

OwningOpRef<ModuleOp> parse(MLIRContext &context, const std::string &text) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "input.mlir"),
                             llvm::SMLoc());
  return Stages(Target::Tensor).parse(sources, context);
}

Verdict refuse(const char *stage, const FirstError &error) {
  if (error.text.empty())
    return {Verdict::Kind::Differ, std::string(stage) + ": failed without a diagnostic"};
  return {Verdict::Kind::Refused, std::string(stage) + ": " + error.text};
}
} // namespace

/// What ranks do on their own needs ranks: level 1 is the first that has them.
static bool isInterpretable(ModuleOp module, Target target) {
  return target != Target::Tensor ||
         !module.walk([](ManualOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

Verdict fuzz::tryProgram(MLIRContext &context, const Program &program, uint64_t seed,
                         const std::string &library, const std::string &device) {
  FirstError error(context);
  OwningOpRef<ModuleOp> module = parse(context, program.text);
  if (!module)
    return refuse("parse", error);
  Comparer comparer(program, seed);
  // Where computing is dear, what can be split is: rows of windows with halos, too.
  ParallelizeOptions parallelize;
  if (seed / 2 % 2)
    parallelize.machine = "flops=1e5,memory=1e7";
  struct {
    Target target;
    const char *name;
  } levels[] = {{Target::Tensor, "tensor"},
                {Target::Parallel, "parallel"},
                {Target::Ranks, "ranks"},
                {Target::Library, "compiled"}};
  for (auto [target, name] : levels) {
    // A program of ranks has no other levels.
    ProgramAttr attr = ProgramAttr::of(*module);
    if ((target == Target::Tensor || target == Target::Parallel) && attr &&
        attr.getLevel() == Level::ranks)
      continue;
    Stages stages(target, /*import=*/{}, /*observer=*/nullptr, parallelize);
    if (target == Target::Library)
      stages.targetDevice = device;
    if (failed(stages.run(*module)) ||
        (target == Target::Library && failed(stages.writeLibrary(*module, library))))
      return refuse(name, error);
    // A level's text is the program.
    if (seed % 2 && target != Target::Library) {
      std::string printed;
      llvm::raw_string_ostream os(printed);
      module->print(os);
      module = parse(context, printed);
      if (!module)
        return {Verdict::Kind::Differ, std::string(name) + " printed: " + error.text};
    }
    if (!isInterpretable(*module, target))
      continue;
    llvm::FileRemover remover(library, target == Target::Library);
    auto verdict = target == Target::Library ? comparer.run(library, !device.empty())
                                             : comparer.interpret(*module, name);
    if (verdict)
      return *verdict;
  }
  return {};
}

Verdict fuzz::tryText(MLIRContext &context, const std::string &text) {
  FirstError error(context);
  OwningOpRef<ModuleOp> module = parse(context, text);
  if (!module)
    return refuse("parse", error);
  if (failed(Stages(Target::Scheduled).run(*module)))
    return refuse("compile", error);
  return {};
}
