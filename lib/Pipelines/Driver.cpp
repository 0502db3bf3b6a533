//===- Driver.cpp - What tools that read a program share ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/Driver.h"

#include "dmc/Machine/Machine.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace dmc;

namespace cl = llvm::cl;

ProgramOptions::ProgramOptions(cl::OptionCategory &category)
    : input(cl::Positional, cl::desc("<program at any level, - for standard input>"), cl::init("-"),
            cl::cat(category)),
      mesh("mesh", cl::desc("Axes and sizes of the mesh"), cl::value_desc("data=4,model=2"),
           cl::cat(category)),
      layouts("layouts", cl::desc("JSON file of layouts by case"), cl::value_desc("file"),
              cl::cat(category)),
      layoutsCase("case", cl::desc("The case to take of --layouts"), cl::value_desc("name"),
                  cl::cat(category)),
      machine("machine",
              cl::desc("The machine for which plans are made: a file of dmc-calibrate, or rates of "
                       "a rank: bytes/s that leave it, seconds a message, flops/s, bytes/s of "
                       "memory; and the bytes it has"),
              cl::value_desc("file|link=1e9,latency=1e-7,flops=8e9,memory=1e12,capacity=1e9"),
              cl::cat(category)),
      ranks("ranks", cl::init(0), cl::cat(category),
            cl::desc("How many ranks run a program of ranks (with collectives of "
                     "its own) that does not say it")),
      tactics("tactics",
              cl::desc("Transform script that says how to parallelize, or a saved "
                       "plan; several are run in turn"),
              cl::value_desc("file"), cl::cat(category)),
      strategies("strategy",
                 cl::desc("Named strategy, or several: data_parallel, megatron, zero1, zero2, "
                          "zero3, fsdp, expert_parallel, sequence_parallel, spatial"),
                 cl::value_desc("name[:axis=data,...]"), cl::cat(category)),
      bucketBytes("bucket-bytes",
                  cl::desc("Combine small collectives into such of at most so many bytes "
                           "(default 0: none)"),
                  cl::value_desc("N"), cl::init(0), cl::cat(category)),
      narrowPartials("narrow-partials",
                     cl::desc("Permit partial sums of contractions with a narrow result (as "
                              "bfloat16) to be rounded before they are added across ranks: "
                              "fewer bytes, less precision (default: no)"),
                     cl::cat(category)) {}

std::string ProgramOptions::check() const {
  if (layouts.empty() != layoutsCase.empty())
    return "--layouts and --case need each other";
  if (ranks < 0)
    return "--ranks expects how many, found " + std::to_string(ranks);
  std::string error;
  if (!parseMachine(machine, error))
    return "in --machine: " + error;
  return {};
}

std::string ProgramText::open(const std::string &path, mlir::MLIRContext &context) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = mlir::openInputFile(path, &error);
  if (!buffer)
    return error;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  diagnostics.emplace(sources, &context);
  // With the operation, a diagnostic on the module would print all of it.
  context.printOpOnDiagnostic(false);
  return {};
}

std::string dmc::writeText(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    if (!llvm::outs().has_error())
      return {};
    std::string problem = llvm::outs().error().message();
    llvm::outs().clear_error();
    return "cannot write to standard output: " + problem;
  }
  return runtime::writeFileAtomically(path, text).value_or("");
}
