//===- dmc-calibrate.cpp - Measures the machine ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures what --machine describes and writes it as a machine file.
//
//===----------------------------------------------------------------------===//
#include "Calibrate.h"

#include "dmc/Machine/HostCaches.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/Transport.h"
#include "dmc/Support/Files.h"
#include "dmc/Support/Progress.h"
#include "dmc/Support/VersionPrinter.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <cmath>
#include <cstdio>
#include <set>
#include <thread>

#include <sched.h>

using namespace dmc;
using namespace dmc::calibrate;
using namespace dmc::runtime;
namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-calibrate: measures the machine that programs will run on

Measures copies, reads and updates of memory, matrix multiplications by shape and type, what a launch, a
library call and the waking of threads cost, and collectives between ranks by size; prints a table, and writes
the file that --machine reads. Takes about 30 s; other programs that run meanwhile spoil the figures. For instance:

  dmc-calibrate -o machine.json
  dmc-compile step.mlir --mesh=data=2 --machine=machine.json -o step.so
  mpirun -n 4 dmc-calibrate --engine=mpi -o machine.json
)";

static cl::OptionCategory category("dmc-calibrate options");
static cl::opt<std::string> output("o", cl::value_desc("file"), cl::cat(category),
                                   cl::desc("Write the machine file (default: only the table)"));
static cl::opt<std::string> name("name", cl::init("host"), cl::cat(category),
                                 cl::desc("The machine's name in the file (default: host)"));
static cl::opt<std::string> engine("engine", cl::init("local"), cl::cat(category),
                                   cl::value_desc("local|mpi"),
                                   cl::desc("Ranks are threads, or the processes of a job "
                                            "(default: local)"));
static cl::opt<int>
    ranks("ranks", cl::init(0), cl::cat(category), cl::value_desc("N"),
          cl::desc("Ranks that share the machine, at least 2 (default: its processors)"));
static cl::opt<bool> quick("quick", cl::cat(category),
                           cl::desc("Small sizes and short times: for a test of the tool, the "
                                    "figures are of no use"));

static int fail(const std::string &why) {
  if (!why.empty())
    std::fprintf(stderr, "dmc-calibrate: error: %s\n", why.c_str());
  return 1;
}

/// Four digits: more are noise.
static double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::strtod(text, nullptr);
}

static int countCores() {
  cpu_set_t bound;
  if (sched_getaffinity(0, sizeof bound, &bound) == 0)
    return CPU_COUNT(&bound);
  return std::max(1U, std::thread::hardware_concurrency());
}

namespace {
/// The measurements, one after the other. Processes of a job begin each together.
class Calibration {
public:
  Calibration(Transport *transport, int64_t numRanks) : transport(transport), numRanks(numRanks) {
    if (quick)
      effort = {0.002, int64_t(1) << 20, 64, int64_t(256) << 10};
    cores = countCores();
    // Processes that no launcher has bound share the processors.
    if (transport && cores == static_cast<int>(std::thread::hardware_concurrency()))
      cores =
          std::max<int>(1, cores / static_cast<int>(std::max<int64_t>(transport->localSize(), 1)));
    // Where ranks are threads, a rank has its part of what all cores do together.
    sharing = transport ? 1 : static_cast<double>(numRanks);
  }

  Failure run() {
    Failure why = measure("copies", [&] { return copies(); });
    if (!why)
      why = measure("launches", [&] { return launches(); });
    if (!why)
      why = measure("matrix multiplications", [&] { return matmuls(); });
    if (!why)
      why = measure("collectives", [&] { return collectives(); });
    return why;
  }

  Machine machine;
  std::vector<std::pair<int, double>> triads;

private:
  template <typename Body>
  Failure measure(const char *what, Body body) {
    support::Progress progress("dmc-calibrate", std::string("measuring ") + what);
    Failure why = body();
    return transport ? transport->agree(why) : why;
  }

  /// Of `bytes` of each thread, or 0: far above what caches hold. False: there is no memory.
  bool addCopies(int threads, int64_t bytes) {
    int64_t size = bytes ? bytes : 2 * effort.copyBytes;
    double copy = measureCopy(effort, threads, size), read = measureRead(effort, threads, size),
           update = measureUpdate(effort, threads, size);
    if (copy == 0 || read == 0 || update == 0)
      return false;
    machine.device.copies.push_back(
        {threads, rounded(copy), bytes, rounded(read), rounded(update)});
    return true;
  }

  /// Half of each cache: what else the program reads stays, too. The last cache is used by others,
  /// and that of a virtual machine by its neighbours: parts of it, by fours, that are more than
  /// what the cache before it has.
  std::set<int64_t> getCachedSizes() const {
    std::set<int64_t> sizes;
    int64_t last = 0, before = 0;
    for (const MachineCache &cache : machine.device.caches) {
      int64_t ofCore = cache.bytes / cache.sharedBy;
      before = ofCore > last ? last : std::max(before, ofCore);
      last = std::max(last, ofCore);
      if (ofCore / 2 < 2 * effort.copyBytes)
        sizes.insert(ofCore / 2);
    }
    for (int64_t part = std::min(last / 2, 2 * effort.copyBytes) / 4; before > 0 && part > before;
         part /= 4)
      sizes.insert(part);
    return sizes;
  }

  Failure copies() {
    MachineDevice &device = machine.device;
    device.caches = findHostCaches();
    for (int threads = 1; threads <= cores;
         threads = std::min(2 * threads, cores + (threads == cores))) {
      double triad = measureTriad(effort, threads);
      if (triad == 0 || !addCopies(threads, 0))
        return std::string("not enough memory for arrays to copy");
      triads.push_back({threads, triad});
      device.memoryBytesPerSecond =
          rounded(std::max(device.copies.back().bytesPerSecond, triad) / sharing);
      for (int64_t bytes : getCachedSizes())
        addCopies(threads, bytes);
    }
    device.coreFlopsPerSecond = rounded(measureCoreFlops(effort));
    device.name = findProcessorName();
    device.capacityBytes = std::floor(findMemoryBytes() / static_cast<double>(getNumLocal()));
    device.cores = transport ? cores : std::max<int>(1, cores / static_cast<int>(numRanks));
    return std::nullopt;
  }

  Failure launches() {
    double launch = 0, call = 0;
    if (auto why = measureLaunch(effort, cores, launch, machine.device.forkSeconds))
      return why;
    if (auto why = measureCall(effort, call))
      return why;
    machine.device.launchSeconds = rounded(launch);
    machine.device.callSeconds = rounded(call);
    if (machine.device.forkSeconds)
      machine.device.forkSeconds = rounded(*machine.device.forkSeconds);
    return std::nullopt;
  }

  Failure matmuls() {
    MachineDevice &device = machine.device;
    const auto ofDevice = static_cast<int>(device.cores);
    // Ranks that are threads compute at once, as in a step, as far as there are cores for all.
    const int64_t together = transport ? 1 : std::min<int64_t>(numRanks, cores / ofDevice);
    for (int threads : std::set{1, ofDevice, cores})
      if (auto why =
              measureMatmuls(effort, threads, threads <= ofDevice ? together : 1, device.matmuls))
        return why;
    // More ranks than cores have parts of them.
    const double share = transport ? 1 : static_cast<double>(together) / sharing;
    device.flopsPerSecond.clear();
    for (MatmulRate &rate : device.matmuls) {
      rate.flopsPerSecond = rounded(rate.flopsPerSecond * (rate.threads <= ofDevice ? share : 1));
      double &best = device.flopsPerSecond[rate.type];
      if (rate.threads == ofDevice)
        best = std::max(best, rate.flopsPerSecond);
    }
    return std::nullopt;
  }

  Failure collectives() {
    MachineLevel &level = machine.levels.front();
    level.name = transport ? "processes" : "threads";
    level.size = numRanks;
    if (auto why = measureCollectives(effort, transport, numRanks, level.collectives))
      return why;
    if (transport && transport->rank() != 0)
      return std::nullopt; // the first rank has the times
    for (CollectiveTime &time : level.collectives)
      time.seconds = rounded(time.seconds);
    fitLink(level.collectives, numRanks, level);
    level.bytesPerSecond = rounded(level.bytesPerSecond);
    level.latencySeconds = rounded(level.latencySeconds);
    return std::nullopt;
  }

  int64_t getNumLocal() const { return transport ? transport->localSize() : numRanks; }

  Transport *transport;
  int64_t numRanks;
  int cores;
  double sharing;
  Effort effort;
};
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerVersionPrinter();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  if (engine != "local" && engine != "mpi")
    return fail("--engine expects local or mpi, found \"" + engine + "\"");
  if (ranks.getNumOccurrences() && (engine != "local" || ranks < 2))
    return fail(engine != "local" ? std::string("--ranks is for --engine=local: a job has as many "
                                                "ranks as processes")
                                  : "--ranks expects at least 2, found " + std::to_string(ranks));
  std::string error;
  std::unique_ptr<Transport> transport;
  if (engine != "local") {
    transport = Transport::join(engine, error);
    if (!transport)
      return fail(error);
  }
  bool isFirst = !transport || transport->rank() == 0;
  auto failed = [&](const Failure &mine) {
    Failure why = transport ? transport->agree(mine) : mine;
    return why ? fail(*why) : 0;
  };
  support::Progress::isSilent = !isFirst;
  int64_t numRanks = transport ? transport->size()
                     : ranks   ? int64_t(ranks)
                               : std::max(2, countCores());
  if (numRanks < 2)
    return fail("expected a job of at least 2 processes, found 1");
  std::string problem = isFirst && !output.empty() ? support::checkWritable(output) : "";
  if (failed(problem.empty() ? Failure() : "cannot write '" + output + "': " + problem))
    return 1;
  Calibration calibration(transport.get(), numRanks);
  // All processes agree on what went wrong within.
  if (Failure why = calibration.run())
    return fail(*why);
  calibration.machine.name = name;
  calibration.machine.note =
      quick ? "measured by dmc-calibrate --quick: of no use" : "measured by dmc-calibrate";
  Failure why;
  if (isFirst) {
    std::fputs(toTable(calibration.machine, calibration.triads).c_str(), stdout);
    if (!output.empty())
      why = writeFileAtomically(output, toJson(calibration.machine));
  }
  return failed(why);
}
