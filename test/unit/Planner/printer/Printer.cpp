//===- Printer.cpp - Prints the problem of a transformer ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Transformer.h"

#include "dmc/Planner/Text.h"

#include "llvm/Support/CommandLine.h"

using namespace dmc::planner;
using namespace dmc::planner::test;
namespace cl = llvm::cl;

static cl::opt<uint32_t> layers("layers", cl::init(2), cl::desc("Number of layers"));
static cl::list<int64_t> axes("axes", cl::CommaSeparated, cl::desc("Sizes of the mesh's axes"));
static cl::opt<bool> copies("copies", cl::init(true), cl::desc("Tensors may have a second layout"));
static cl::opt<int64_t> capacity("capacity", cl::init(0), cl::desc("Bytes of a rank, or 0"));

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "prints the problem of a transformer's training step\n");
  TransformerOptions options;
  options.layers = layers;
  if (!axes.empty()) {
    options.axes.assign(axes.begin(), axes.end());
    options.links.assign(axes.size(), 100e9);
    options.links[0] = 12.5e9;
  }
  options.hasCopies = copies;
  options.capacity = capacity;
  std::vector<Mistake> mistakes;
  ProblemParts parts = makeTransformer(options);
  auto problem = LayoutProblem::create(std::move(parts), mistakes);
  for (const Mistake &mistake : mistakes)
    llvm::errs() << mistake.message << "\n";
  if (!problem)
    return 1;
  printProblem(problem->parts(), llvm::outs());
  return 0;
}
