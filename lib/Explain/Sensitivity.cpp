//===- Sensitivity.cpp - What another machine would change ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the program again for machines of which one thing is 10 % larger, and compares decisions.
//
//===----------------------------------------------------------------------===//
#include "Gather.h"

#include "dmc/Explain/Explain.h"
#include "dmc/Support/Files.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::explain;

/// What --sensitivity asks: 10 % more of one thing.
static constexpr double factor = 1.1;

/// The machine as the text of an option: the short form where that says all of it, else a file in
/// the folder.
static std::string toOption(const Machine &machine, const support::TemporaryFolder &folder,
                            std::string &problem) {
  if (machine.name.empty()) {
    char text[200];
    int size = std::snprintf(text, sizeof text, "link=%.17g,latency=%.17g,flops=%.17g,memory=%.17g",
                             machine.levels[0].bytesPerSecond, machine.levels[0].latencySeconds,
                             machine.getFlops("f32"), machine.device.memoryBytesPerSecond);
    if (machine.device.capacityBytes > 0)
      std::snprintf(text + size, sizeof text - size, ",capacity=%.17g",
                    machine.device.capacityBytes);
    return text;
  }
  std::string file = folder.file("machine.json");
  if (llvm::Error error = llvm::writeToOutput(file, [&](llvm::raw_ostream &stream) {
        stream << toJson(machine);
        return llvm::Error::success();
      }))
    problem = llvm::toString(std::move(error));
  return file;
}

/// The layout that tells two decisions about an operation apart.
static std::pair<std::string, std::string> compare(const RecordedNode &before,
                                                   const RecordedNode &after, const Mesh &mesh) {
  for (auto lists : {&RecordedNode::resultLayouts, &RecordedNode::operandLayouts})
    for (auto [a, b] : llvm::zip(before.*lists, after.*lists))
      if (!(a == b))
        return {dmc::toString(mesh, a), dmc::toString(mesh, b)};
  return {"", ""};
}

static void compare(const LayoutRecord &before, const LayoutRecord &after, ProgramAttr program,
                    Change &change) {
  // With windows that are not split the graph is another one.
  if (before.nodes.size() != after.nodes.size() || before.values.size() != after.values.size())
    return;
  change.isComparable = true;
  auto add = [&](Site site, std::pair<std::string, std::string> layouts) {
    change.decisions.push_back(
        {std::move(site), std::move(layouts.first), std::move(layouts.second)});
  };
  for (auto [number, argument] : llvm::enumerate(before.arguments)) {
    if (!argument || before.values[*argument].produced == after.values[*argument].produced)
      continue;
    Site site;
    site.name = "argument " + program.getArguments()[number].getName().str();
    add(site, {dmc::toString(before.mesh, before.values[*argument].produced),
               dmc::toString(before.mesh, after.values[*argument].produced)});
  }
  for (auto [a, b] : llvm::zip_equal(before.nodes, after.nodes)) {
    auto layouts = compare(a, b, before.mesh);
    if (layouts.first == layouts.second)
      continue;
    Site site;
    site.op = a.name.getStringRef().str();
    site.place = toPlace(withoutTags(a.loc));
    add(std::move(site), std::move(layouts));
  }
}

LogicalResult explain::gatherSensitivity(ModuleOp module, const Request &request,
                                         const Machine &machine, const LayoutRecord &record,
                                         ProgramAttr program, Explanation &explanation) {
  support::TemporaryFolder folder;
  std::string problem = folder.create("dmc-explain");
  if (!problem.empty())
    return module.emitError(problem);
  struct Variant {
    const char *what;
    void (*apply)(Machine &machine);
    bool isPossible;
  } variants[] = {
      {"links 10 % faster",
       [](Machine &faster) {
         for (MachineLevel &level : faster.levels)
           level.bytesPerSecond *= factor;
       },
       true},
      {"10 % more memory", [](Machine &larger) { larger.device.capacityBytes *= factor; },
       machine.device.capacityBytes > 0},
  };
  for (const Variant &variant : variants) {
    if (!variant.isPossible)
      continue;
    Machine other = machine;
    variant.apply(other);
    LayoutRecord found;
    std::optional<PlanSummary> summary;
    ParallelizeOptions parallelize = request.parallelize;
    parallelize.machine = toOption(other, folder, problem);
    if (!problem.empty())
      return module.emitError(problem);
    parallelize.savePlan.clear();
    parallelize.record = &found;
    parallelize.search.summary = &summary;
    Stages stages(Target::Parallel, request.import, request.observer, parallelize);
    stages.bucketBytes = request.bucketBytes;
    stages.targetCpu = request.targetCpu;
    stages.targetDevice = request.targetDevice;
    stages.interrupt = request.interrupt;
    OwningOpRef<ModuleOp> copy = module.clone();
    // What is said of the program is said once.
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
    });
    if (failed(stages.run(*copy)) || !summary)
      return failure();
    Change &change = explanation.changes.emplace_back();
    change.what = variant.what;
    change.predictedMs = summary->predictedMs;
    compare(record, found, program, change);
  }
  return success();
}
