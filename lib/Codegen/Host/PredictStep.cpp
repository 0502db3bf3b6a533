//===- PredictStep.cpp - What a step takes on a machine -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through a step as a rank executes it, with what caches hold.
//
//===----------------------------------------------------------------------===//

#include "Host/PredictStep.h"
#include "Host/CacheContents.h"

#include "dmc/Dialect/Comm/Volume.h"
#include "dmc/Layout/Reshard.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {
/// Of one kernel, call or collective.
struct Sum {
  double seconds = 0, executions = 0;
};

class Predictor {
public:
  Predictor(const ProgramFacts &facts, const Machine &machine, int64_t numRanks)
      : facts(facts), model(machine, numRanks), caches(model.getMemoryLevels()),
        sums(facts.kernels.size() + facts.calls.size() + facts.collectives.size()) {}

  void runStep();
  SmallVector<int64_t> getPicoseconds() const;
  void forget() { llvm::fill(sums, Sum()); }

private:
  double runNest(const ProgramFacts::Nest &nest, ArrayRef<Buffer> buffers);
  double runKernel(const ProgramFacts::Execution &execution);
  double runCall(const ProgramFacts::Execution &execution);
  double runCollective(const ProgramFacts::Execution &execution);

  const ProgramFacts &facts;
  StepModel model;
  CacheContents caches;
  std::vector<Sum> sums;
};
} // namespace

static void add(SmallVectorImpl<double> &sums, ArrayRef<double> found) {
  for (auto [sum, bytes] : llvm::zip_equal(sums, found))
    sum += bytes;
}

double Predictor::runNest(const ProgramFacts::Nest &nest, ArrayRef<Buffer> buffers) {
  AccessedBytes bytes(model.getMemoryLevels().size());
  // Where the reads found their buffers: what is written there replaces it.
  SmallVector<std::pair<const Buffer *, SmallVector<double>>> reads;
  for (const auto &access : nest.accesses) {
    const Buffer &buffer = buffers[access.argument];
    auto *read = llvm::find_if(
        reads, [&](const auto &other) { return buffer.size > 0 && *other.first == buffer; });
    if (access.isWrite && read != reads.end()) {
      add(bytes.update, read->second);
      continue;
    }
    SmallVector<double> found = caches.touch(buffer, access.bytes);
    add(access.isWrite ? bytes.write : bytes.read, found);
    if (!access.isWrite)
      reads.push_back({&buffer, std::move(found)});
  }
  return model.getNest(bytes, static_cast<double>(nest.flops));
}

double Predictor::runKernel(const ProgramFacts::Execution &execution) {
  double seconds = 0;
  for (const ProgramFacts::Nest &nest : facts.kernels[execution.number].nests)
    seconds += runNest(nest, execution.buffers);
  return seconds;
}

double Predictor::runCall(const ProgramFacts::Execution &execution) {
  func::FuncOp callee = facts.calls[execution.number].callee;
  AccessedBytes bytes(model.getMemoryLevels().size());
  for (auto [i, buffer] : llvm::enumerate(execution.buffers))
    add(i + 1 < execution.buffers.size() ? bytes.read : bytes.write,
        caches.touch(buffer, buffer.size));
  auto contraction = callee->getAttrOfType<DictionaryAttr>("dmc.contraction");
  if (!contraction) // a kernel by name: nothing is known of it but its operands
    return model.getNest(bytes, /*flops=*/0);
  ArrayRef<int64_t> loops = contraction.getAs<DenseI64ArrayAttr>("loops").asArrayRef();
  ArrayRef<int64_t> sizes = contraction.getAs<DenseI64ArrayAttr>("sizes").asArrayRef();
  double extents[4] = {1, 1, 1, 1}; // batch, m, n, k
  for (auto [extent, count] : llvm::zip(extents, loops)) {
    for (int64_t size : sizes.take_front(count))
      extent *= static_cast<double>(size);
    sizes = sizes.drop_front(count);
  }
  std::string type;
  llvm::raw_string_ostream(type) << getElementTypeOrSelf(callee.getArgumentTypes()[0]);
  return model.getMatmuls(type, extents[0], extents[1], extents[2], extents[3], bytes);
}

double Predictor::runCollective(const ProgramFacts::Execution &execution) {
  comm::CollectiveOpInterface op = facts.collectives[execution.number].op;
  for (const Buffer &buffer : execution.buffers)
    caches.touch(buffer, buffer.size);
  int64_t ranks = op.getGroupSize();
  return model.getCollective(stringify(op.getKind()), static_cast<double>(comm::getBytes(op)),
                             ranks, comm::getWireBytes(op),
                             static_cast<double>(messageCount(op.getKind(), ranks)));
}

void Predictor::runStep() {
  for (const ProgramFacts::Execution &execution : facts.trace) {
    size_t row = execution.number;
    double seconds = 0;
    switch (execution.kind) {
    case ProgramFacts::Execution::kernel:
      seconds = runKernel(execution);
      break;
    case ProgramFacts::Execution::call:
      row += facts.kernels.size();
      seconds = runCall(execution);
      break;
    case ProgramFacts::Execution::collective:
      row += facts.kernels.size() + facts.calls.size();
      seconds = runCollective(execution);
      break;
    }
    auto times = static_cast<double>(std::max<int64_t>(execution.executions, 1));
    sums[row].seconds += times * seconds;
    sums[row].executions += times;
  }
}

SmallVector<int64_t> Predictor::getPicoseconds() const {
  SmallVector<int64_t> all;
  for (const Sum &sum : sums)
    all.push_back(toPicoseconds(sum.executions > 0 ? sum.seconds / sum.executions : 0));
  return all;
}

void codegen::predictStep(ProgramFacts &facts, const Machine &machine, int64_t numRanks) {
  Predictor predictor(facts, machine, numRanks);
  // The second step finds what the first one left.
  predictor.runStep();
  predictor.forget();
  predictor.runStep();
  facts.predictedPicoseconds = predictor.getPicoseconds();
}
