//===- dmc-test.cpp - Runs a folder of cases ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles and runs, and interprets, every case that a cases.json lists, each
// isolated from the others, and compares with the results that lie beside it.
//
//===----------------------------------------------------------------------===//

#include "Outcome.h"
#include "PackedCases.h"
#include "Profile.h"

#include "dmc/Codegen/DeviceCode.h"
#include "dmc/Codegen/SharedLibrary.h"
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Support/Files.h"
#include "dmc/Support/Progress.h"
#include "dmc/Support/VersionPrinter.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Regex.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

using namespace dmc;
using namespace dmc::test;
namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-test: runs a folder of cases and compares their results

Compiles and runs, and interprets, every case that a cases.json lists (NAME.mlir, NAME.in0.npy, ...,
NAME.out0.npy, ...), several at a time in processes of their own, and compares with the expected arrays by
the case's tolerance. A case that crashes or hangs is named and disturbs no other. For instance:

  dmc-test test/Conformance/Cases --filter='^products' --profile
)";

static cl::OptionCategory category("dmc-test options");
static cl::opt<std::string>
    casesFile(cl::Positional, cl::desc("<cases.json, file of packed cases, or a folder of either>"),
              cl::cat(category));
static cl::opt<std::string> filter("filter", cl::value_desc("regex"), cl::cat(category),
                                   cl::desc("Only cases in whose name this is found"));
static cl::opt<int> jobs("jobs", cl::init(0), cl::cat(category),
                         cl::desc("Cases at the same time (default: one per core)"));
static cl::opt<bool> compiled("compiled", cl::cat(category),
                              cl::desc("Only compile and run; default: interpret too"));
static cl::opt<bool> interpreted("interpreted", cl::cat(category),
                                 cl::desc("Only interpret; default: compile and run too"));
static cl::opt<std::string> target("target", cl::value_desc("cuda:sm_90a"), cl::cat(category),
                                   cl::desc("Compile for devices, and run there"));
static cl::opt<runtime::DeviceChoice>
    device("device", cl::init(runtime::DeviceChoice::Simulated), cl::cat(category),
           cl::desc("With --target, what runs the cases:"),
           cl::values(clEnumValN(runtime::DeviceChoice::Installed, "cuda",
                                 "the devices of the installed driver"),
                      clEnumValN(runtime::DeviceChoice::Simulated, "simulated",
                                 "simulated ones, which check every access (the default)")));
static cl::opt<double> timeout("timeout", cl::init(60), cl::value_desc("seconds"),
                               cl::cat(category),
                               cl::desc("Longest time for a case (default 60, 0: no limit)"));
static cl::opt<bool> profiled("profile", cl::cat(category),
                              cl::desc("Print what each step takes in a case: the mean, the 95th "
                                       "percentile, its share in all"));

static volatile std::sig_atomic_t interrupted = 0;

static int fail(const std::string &why) {
  std::fprintf(stderr, "dmc-test: error: %s\n", why.c_str());
  return 1;
}

namespace {
using Clock = std::chrono::steady_clock;

/// Counts outcomes, and prints them in the order of the cases.
class Summary {
public:
  explicit Summary(const std::vector<Case> &cases) : cases(cases), outcomes(cases.size()) {}

  void add(size_t index, Outcome outcome) {
    ++(outcome.hasFailed() ? numFailed : numPassed);
    profile.add(outcome.times);
    outcomes[index] = std::move(outcome);
    for (; next < cases.size() && outcomes[next]; ++next) {
      print(cases[next], *outcomes[next]);
      outcomes[next].emplace();
    }
    std::fflush(stdout);
  }

  void showProgress() {
    if (progress.isDue())
      progress.show(std::to_string(numPassed + numFailed) + " of " + std::to_string(cases.size()) +
                    " cases, " + std::to_string(numFailed) + " failed");
  }

  void finish() {
    progress.clear();
    if (profiled) {
      double wall = std::chrono::duration<double>(Clock::now() - start).count();
      std::printf("%s%-12s%19.3f s\n", profile.toTable().c_str(), "wall clock", wall);
    }
    // An interrupt skips those that are left.
    std::printf("%zu passed, %zu failed, %zu skipped\n", numPassed, numFailed,
                cases.size() - numPassed - numFailed);
  }

  size_t numFailed = 0;

private:
  void print(const Case &test, const Outcome &outcome) {
    if (outcome.hasFailed())
      progress.clear();
    for (const Outcome::Entry &problem : outcome.problems)
      std::printf("FAILED %s (%s): %s\n", test.name.c_str(), problem.path.c_str(),
                  problem.text.c_str());
  }

  const std::vector<Case> &cases;
  std::vector<std::optional<Outcome>> outcomes;
  size_t next = 0, numPassed = 0;
  Profile profile;
  Clock::time_point start = Clock::now();
  support::ProgressLine progress{"dmc-test"};
};
} // namespace

/// The cases to run, packed ones unpacked into a folder; nothing to run is a mistake.
static std::optional<std::vector<Case>> selectCases(const std::string &folder, std::string &error) {
  std::optional<std::string> path = unpackCases(casesFile, folder, error);
  if (!path)
    return std::nullopt;
  auto cases = readCases(*path, error);
  if (cases && cases->empty()) {
    error = casesFile + ": expected at least one case";
    return std::nullopt;
  }
  if (!cases || filter.empty())
    return cases;
  llvm::Regex regex(filter);
  if (!regex.isValid(error)) {
    error = "--filter is malformed: " + error;
    return std::nullopt;
  }
  llvm::erase_if(*cases, [&](const Case &test) { return !regex.match(test.name); });
  if (!cases->empty())
    return cases;
  error = "--filter matches no case of " + casesFile;
  return std::nullopt;
}

int main(int argc, char **argv) {
  registerVersionPrinter();
  // Without LLVM's handlers, which print stacks: a crash is told in one line.
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);

  if (casesFile.empty())
    return fail("expected a cases.json, or its folder");
  if (jobs < 0 || (jobs.getNumOccurrences() && jobs == 0))
    return fail("--jobs expects a positive number");
  if (!(timeout >= 0))
    return fail("--timeout expects a number that is not negative");
  if (device.getNumOccurrences() && target.empty())
    return fail("--device needs --target");
  if (target.getNumOccurrences())
    if (std::string problem = checkDeviceTarget(target); !problem.empty())
      return fail("in --target: " + problem);
  support::TemporaryFolder folder;
  std::string error = folder.create("dmc-test");
  if (!error.empty())
    return fail(error);
  auto cases = selectCases(folder.path(), error);
  if (!cases)
    return fail(error);

  // What a worker leaves when it is killed goes with the folder.
  setenv("TMPDIR", folder.path().c_str(), 1);
  for (int number : {SIGINT, SIGTERM})
    signal(number, [](int) { interrupted = 1; });
  support::ProcessPoolOptions options;
  options.interrupted = &interrupted;
  options.jobs = support::getNumJobs(jobs);
  options.timeoutSeconds = timeout;
  RunnerOptions how;
  how.compiled = compiled || !interpreted;
  how.interpreted = interpreted || !compiled;
  how.watchdogSeconds = timeout / 2;
  how.target = target;
  how.device = device;
  how.folder = folder.path();

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerCodegenTranslations(registry);
  // Threads would not be there in a fork.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);

  Summary summary(*cases);
  CaseRunner runner(context, how);
  support::ProcessPool pool(options);
  error = pool.run(
      cases->size(),
      [&](size_t index, support::TaskChannel &channel) {
        runCase(runner, (*cases)[index], channel);
      },
      [&](size_t index, const support::TaskOutcome &task) {
        summary.add(index, readOutcome(task, timeout));
      },
      [&] { summary.showProgress(); });
  summary.finish();
  if (!error.empty())
    return fail(error);
  return summary.numFailed ? 1 : 0;
}
