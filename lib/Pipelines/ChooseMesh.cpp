//===- ChooseMesh.cpp - The mesh of least predicted time ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "ChooseMesh.h"

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Machine/Machine.h"
#include "dmc/Pipelines/Stages.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Debug.h"

#include <tuple>

#define DEBUG_TYPE "dmc-stages"

using namespace mlir;
using namespace dmc;

/// Effort limits: the states of an operation grow with the power of the number of axes, and
/// programs are solved for one mesh after the other. What they leave out, further axes and further
/// divisions, only costs plans that might be faster.
static constexpr unsigned maxAxes = 3, maxMeshes = 32;

static constexpr StringLiteral axisNames[maxAxes] = {"x", "y", "z"};

std::optional<int64_t> dmc::parseAutoMesh(StringRef mesh, std::string &problem) {
  if (mesh != "auto" && !mesh.starts_with("auto:"))
    return std::nullopt;
  int64_t numRanks = 0;
  StringRef number = mesh;
  if (!number.consume_front("auto:") || number.getAsInteger(10, numRanks) || numRanks < 1) {
    problem = "in --mesh: expected auto:N with a number of ranks, found '" + mesh.str() + "'";
    return std::nullopt;
  }
  return numRanks;
}

static unsigned countPrimeFactors(int64_t number) {
  unsigned count = 0;
  for (int64_t factor = 2; number > 1; ++factor) {
    if (factor * factor > number)
      return count + 1;
    for (; number % factor == 0; number /= factor)
      ++count;
  }
  return count;
}

/// Appends all ways to write `rest` as `numAxes` factors of at least 2 behind `sizes`; without an
/// order none is larger than the one before.
static void addFactorizations(int64_t rest, unsigned numAxes, bool isOrdered,
                              SmallVector<int64_t> &sizes,
                              std::vector<SmallVector<int64_t>> &meshes) {
  if (numAxes == 1) {
    if (isOrdered || sizes.empty() || rest <= sizes.back()) {
      meshes.push_back(sizes);
      meshes.back().push_back(rest);
    }
    return;
  }
  for (int64_t size = rest / 2; size >= 2; --size) {
    if (rest % size != 0 || (!isOrdered && !sizes.empty() && size > sizes.back()))
      continue;
    sizes.push_back(size);
    addFactorizations(rest / size, numAxes - 1, isOrdered, sizes, meshes);
    sizes.pop_back();
  }
}

std::vector<SmallVector<int64_t>> dmc::listMeshes(int64_t numRanks, unsigned maxAxes,
                                                  bool isOrdered) {
  std::vector<SmallVector<int64_t>> meshes;
  SmallVector<int64_t> sizes;
  unsigned numAxes = std::max(1u, std::min(maxAxes, countPrimeFactors(numRanks)));
  addFactorizations(numRanks, numAxes, isOrdered, sizes, meshes);
  return meshes;
}

static std::string toText(ArrayRef<int64_t> sizes) {
  std::string text;
  for (auto [name, size] : llvm::zip(axisNames, sizes))
    text += (text.empty() ? "" : ",") + name.str() + "=" + std::to_string(size);
  return text;
}

namespace {
/// A mesh and the plan that is found on it.
struct MeshPlan {
  std::string mesh;
  /// Bytes that it needs more than there are.
  double excess = 0;
  double milliseconds = 0;

  /// Plans that fit come first, then those that need less, then faster ones.
  bool isBetter(const MeshPlan &other) const {
    return std::tie(excess, milliseconds) < std::tie(other.excess, other.milliseconds);
  }
};
} // namespace

LogicalResult Stages::chooseMesh(ModuleOp module, int64_t numRanks) {
  ProgramAttr program = ProgramAttr::of(module);
  if (program.getMesh())
    return module.emitError("expected a program without a mesh for --mesh=auto:")
           << numRanks << ", found one on " << program.getMesh();
  std::string problem;
  std::optional<Machine> machine = parseMachine(parallelize.machine, problem);
  if (!machine)
    return module.emitError(problem);
  if (problem = machine->checkRanks(numRanks); !problem.empty())
    return module.emitError("option 'mesh': ") << problem;
  if (parallelize.strategies.empty() && parallelize.tactics.empty())
    parallelize.strategies = {"auto"};

  std::string lastError;
  auto planOn = [&](const ImportOptions &onMesh, size_t numMeshes,
                    std::optional<PlanSummary> &summary) {
    Stages stages = makeTrial(Target::Parallel, onMesh);
    PlanSearch &search = stages.parallelize.search;
    search.summary = &summary;
    if (search.seconds)
      *search.seconds /= static_cast<double>(numMeshes);
    ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        lastError = diagnostic.str();
      return success();
    });
    OwningOpRef<ModuleOp> copy = module.clone();
    return stages.run(*copy);
  };
  const double capacity = machine->device.capacityBytes;
  std::optional<MeshPlan> best;
  for (unsigned numAxes = maxAxes; numAxes > 0 && !best; --numAxes) {
    std::vector<SmallVector<int64_t>> meshes =
        listMeshes(numRanks, numAxes, /*isOrdered=*/machine->levels.size() > 1);
    if (numAxes > 1 && meshes.size() > maxMeshes)
      continue;
    for (ArrayRef<int64_t> sizes : meshes) {
      ImportOptions onMesh;
      onMesh.mesh = toText(sizes);
      std::optional<PlanSummary> summary;
      LogicalResult done = planOn(onMesh, meshes.size(), summary);
      if (isInterrupted())
        return failure();
      if (failed(done))
        continue;
      if (summary && summary->fingerprint.empty())
        return module.emitError("expected layouts to be solved for with --mesh=auto:")
               << numRanks << ", as --strategy=auto does: nothing else tells meshes apart";
      MeshPlan plan{onMesh.mesh};
      // One rank has nothing to choose among.
      if (summary) {
        plan.milliseconds = summary->predictedMs;
        if (capacity > 0)
          plan.excess = std::max(0.0, summary->peakBytes - capacity);
      }
      LLVM_DEBUG(llvm::dbgs() << DEBUG_TYPE << ": mesh " << plan.mesh << ": " << plan.milliseconds
                              << " ms, exceeds the memory by " << plan.excess << "\n");
      if (!best || plan.isBetter(*best))
        best = std::move(plan);
      if (parallelize.search.isInterrupted()) {
        module->emitWarning("the choice of a mesh was interrupted: the best one until then is ")
            << best->mesh;
        break;
      }
    }
  }
  if (!best)
    return module.emitError("found no mesh of ") << numRanks << " ranks with a plan: " << lastError;
  import.mesh = best->mesh;
  return success();
}
