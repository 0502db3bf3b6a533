//===- dmc-reshard.cpp - Moves a state to another plan's layout -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the shards that dmc-run --save-state wrote and writes those of another
// plan, one at a time.
//
//===----------------------------------------------------------------------===//

#include "dmc/Runtime/Npy.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/State.h"
#include "dmc/Support/Progress.h"
#include "dmc/Support/VersionPrinter.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"

#include <csignal>
#include <cstdio>

#include <unistd.h>

using namespace dmc;
using namespace dmc::runtime;
namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-reshard: moves a saved state to another plan's layouts

Reads the shards that dmc-run --save-state wrote and writes those of another plan, for other meshes and
layouts, one shard at a time: a checkpoint of four ranks starts a run on eight. For instance:

  dmc-reshard checkpoint --to=step-8-ranks.so -o checkpoint-8-ranks
)";

static cl::OptionCategory category("dmc-reshard options");
static cl::opt<std::string> input(cl::Positional, cl::value_desc("folder"), cl::desc("STATE"),
                                  cl::cat(category));
static cl::opt<std::string>
    target("to", cl::value_desc("plan"), cl::cat(category),
           cl::desc("A compiled program whose arguments say the layouts, or a state or manifest "
                    "of that plan"));
static cl::opt<std::string> output("o", cl::value_desc("folder"), cl::cat(category),
                                   cl::desc("Write the state to this new folder"));

/// Ctrl-C or a job's end: what is half written is removed, as after any other failure.
static volatile std::sig_atomic_t isInterrupted = 0;

static int fail(const std::string &why) {
  std::fprintf(stderr, "dmc-reshard: error: %s\n", why.c_str());
  return 1;
}

/// What the target says about all values it knows, and its mesh.
static std::optional<StateManifest> readPlan(std::string &error) {
  if (llvm::sys::fs::is_directory(target) || llvm::StringRef(target).ends_with(".json"))
    return readManifest(target, error);
  auto library = Library::load(target, error);
  if (!library)
    return std::nullopt;
  const dmc_program &program = library->program();
  StateManifest plan{meshOf(program), {}};
  for (uint32_t i = 0; i < program.num_arguments; ++i)
    plan.values.push_back(valueOf(program, i));
  return plan;
}

/// The state's values in the plan's layouts.
static Failure planValues(const StateManifest &state, const StateManifest &plan,
                          StateManifest &result) {
  result.mesh = plan.mesh;
  for (const StateValue &value : state.values) {
    const StateValue *want = plan.find(value.name);
    if (!want)
      return "the state has " + value.describe() + ", which " + target + " does not know";
    if (want->type != value.type || want->shape != value.shape)
      return "the state has " + value.describe() + ", but " + target + " wants " +
             toString(want->type, want->shape);
    result.values.push_back(layOut(value, plan.mesh, want->layout, result.values.size()));
  }
  return std::nullopt;
}

static Failure writeShards(const StateReader &state, const StateManifest &result,
                           const std::string &folder) {
  support::Progress progress("dmc-reshard", "writing shards to " + output);
  for (size_t v = 0; v < result.values.size(); ++v)
    for (const StateShard &shard : result.values[v].shards) {
      Array block = Array::make(result.values[v].type, shard.size);
      if (!block.buffer)
        return result.values[v].describe() + ": not enough memory for a shard";
      if (auto why = state.read(state.manifest().values[v], shard.offset, shard.size, block.data(),
                                rowMajorStrides(shard.size)))
        return why;
      if (auto why = writeNpy(folder + "/" + shard.file, block))
        return why;
      if (isInterrupted)
        return "interrupted, nothing is written";
    }
  return std::nullopt;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerVersionPrinter();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  // A group's signal may come twice.
  for (int number : {SIGHUP, SIGINT, SIGTERM})
    std::signal(number, [](int) { isInterrupted = 1; });
  for (auto [what, option] : {std::pair{"the folder of a state", &input},
                              {"--to with a plan", &target},
                              {"-o with a new folder", &output}})
    if (option->empty())
      return fail(std::string("expected ") + what);
  std::string error;
  auto state = StateReader::open(input, error);
  if (!state)
    return fail(error);
  auto plan = readPlan(error);
  if (!plan)
    return fail(error);
  StateManifest result;
  if (auto why = planValues(state->manifest(), *plan, result))
    return fail(*why);
  StateFolder folder;
  if (auto why = folder.create(output, getpid(), /*isOwner=*/true))
    return fail(*why);
  if (auto why = writeShards(*state, result, folder.temporary()))
    return fail(*why);
  if (auto why = writeFileAtomically(folder.temporary() + "/" + manifestName, toJson(result)))
    return fail(*why);
  if (auto why = folder.commit())
    return fail(*why);
  size_t files = 0;
  for (const StateValue &value : result.values)
    files += value.shards.size();
  std::string mesh = toString(result.mesh);
  std::printf("%zu values in %zu shards for the mesh %s\n", result.values.size(), files,
              mesh.empty() ? "of one device" : mesh.c_str());
  return 0;
}
