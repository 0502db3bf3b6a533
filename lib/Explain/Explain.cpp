//===- Explain.cpp - From a program to its explanation --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level by level: each stage is run as dmc-compile runs it, and what the next one
// forgets is noted before.
//
//===----------------------------------------------------------------------===//
#include "dmc/Explain/Explain.h"

#include "Gather.h"

#include "dmc/Pipelines/NarrowPartials.h"

#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::explain;

static std::string describe(const RankRates &rates) {
  const Machine &machine = rates.getMachine();
  char text[160];
  std::snprintf(text, sizeof text, "link %g bytes/s, latency %g s, %g flops/s, memory %g bytes/s",
                rates.link, rates.latency, machine.getFlops("f32"), rates.memory);
  return machine.name.empty() ? text : machine.name + ": " + text;
}

static void describeProgram(ModuleOp module, Explanation &explanation) {
  ProgramAttr program = ProgramAttr::of(module);
  explanation.program = program.getName().str();
  if (!program.getMesh())
    return;
  Mesh mesh = program.getMesh().toMesh();
  for (const MeshAxis &axis : mesh.axes())
    explanation.mesh.push_back({axis.name, axis.size});
  explanation.numRanks = mesh.numRanks();
}

static void describeRecord(const LayoutRecord &record, Explanation &explanation) {
  explanation.numChanges = record.changes.size();
  for (const PlanChange &change : record.changes) {
    explanation.saved.bytes += change.bytesSaved;
    explanation.saved.seconds += change.secondsSaved;
  }
  for (const RecordedNode &node : record.nodes)
    if (node.hasNoRule) {
      Site site;
      site.op = node.name.getStringRef().str();
      site.place = toPlace(withoutTags(node.loc));
      explanation.wholes.push_back(std::move(site));
    }
}

FailureOr<Explanation> explain::explain(ModuleOp module, const Request &request) {
  Explanation explanation;
  std::string error;
  std::optional<Machine> machine = parseMachine(request.parallelize.machine, error);
  if (!machine)
    return module.emitError(error);
  // The boundary is chosen once, at the start.
  ImportOptions import = request.import;
  ParallelizeOptions parallelize = request.parallelize;
  std::optional<PlanSummary> summary;
  auto run = [&](Target target, LayoutRecord *record = nullptr) {
    ParallelizeOptions options = std::exchange(parallelize, ParallelizeOptions());
    options.record = record;
    if (record)
      options.search.summary = &summary;
    parallelize.machine = options.machine; // all stages are for it
    Stages stages(target, std::exchange(import, ImportOptions()), request.observer, options);
    stages.bucketBytes = request.bucketBytes;
    stages.targetCpu = request.targetCpu;
    stages.targetDevice = request.targetDevice;
    stages.interrupt = request.interrupt;
    return stages.run(module);
  };
  auto isBelow = [&](Level level) {
    return static_cast<int>(ProgramAttr::of(module).getLevel()) < static_cast<int>(level);
  };

  ProgramAttr given = ProgramAttr::of(module);
  if (given && static_cast<int>(given.getLevel()) > static_cast<int>(Level::ranks)) {
    module.emitError("the program is at level '")
        << stringifyLevel(given.getLevel())
        << "', where moves have no reasons any more; expected level 'ranks' or one before";
    return failure();
  }
  explanation.narrowPartials = import.narrowPartials;
  explanation.bytesOtherwise =
      planWireBytesOtherwise(module, import, parallelize, request.bucketBytes, request.interrupt);
  LayoutRecord record;
  OwningOpRef<ModuleOp> original;
  if (request.sensitivity)
    original = module.clone();
  std::optional<ParallelFacts> parallel;
  bool startsBeforeRanks = !given || given.getLevel() != Level::ranks;
  if (startsBeforeRanks) {
    if (failed(run(Target::Parallel, &record)))
      return failure();
    startsBeforeRanks = isBelow(Level::ranks);
  }
  if (!record.isFilled())
    explanation.unknownSince =
        given && given.getLevel() != Level::tensor
            ? "the program is at level '" + stringifyLevel(given.getLevel()).str() + "' already"
            : "a plan or the program itself decides all of them";
  describeProgram(module, explanation);
  if (startsBeforeRanks)
    parallel.emplace(module, record.isFilled() ? &record : nullptr, explanation);
  if (record.isFilled())
    describeRecord(record, explanation);
  if (record.isFilled() && summary)
    gatherPlan(*summary, record, ProgramAttr::of(module), explanation);
  if (request.sensitivity) {
    if (!record.isFilled() || !summary)
      return module.emitError("expected a program whose layouts are planned, to tell what another "
                              "machine would change");
    if (failed(gatherSensitivity(*original, request, *machine, record, ProgramAttr::of(module),
                                 explanation)))
      return failure();
  }
  if (isBelow(Level::ranks) && failed(run(Target::Ranks)))
    return failure();
  RankRates rates(std::move(*machine), explanation.numRanks);
  explanation.machine = describe(rates);
  gatherCollectives(module, parallel ? &*parallel : nullptr, rates, explanation);
  if (failed(run(Target::Scheduled)))
    return failure();
  gatherPeak(module, explanation);
  if (request.kernels) {
    if (failed(run(Target::Device)))
      return failure();
    gatherKernels(module, explanation);
    if (request.vectors && TargetAttr::of(module).isDevice()) {
      if (failed(gatherUses(module, explanation)))
        return failure();
    } else if (request.vectors) {
      if (failed(run(Target::LLVM)) || failed(gatherVectors(module, explanation)))
        return failure();
    }
  }
  readSource(explanation, request.sourceFolders);
  return explanation;
}
