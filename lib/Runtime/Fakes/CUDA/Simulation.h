//===- Simulation.h - The state of the simulated driver ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_FAKES_CUDA_SIMULATION_H
#define DMC_LIB_RUNTIME_FAKES_CUDA_SIMULATION_H

#include "Fakes/CUDA/HostMemory.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

namespace dmc::fakes {

using Lock = std::unique_lock<std::mutex>;

/// From the environment (docs/environment.md).
struct Settings {
  uint64_t seed = 0;
  int devices = 8;
  uint64_t memory = uint64_t(80) << 30; // of a device, in bytes: an H100's
  bool approximates = false;            // `.approx` forms are wrong by what is documented
  std::string reportFile, traceFile;

  /// What is wrong with the environment, or nothing.
  std::string read();
};

/// All but `mutex`, `history` and what says so is accessed with the lock.
struct Simulation {
  std::mutex mutex;
  bool isInitialized = false;
  std::atomic<uint64_t> epoch = 0; // counts resets; needs no lock
  Settings settings;
  History history;
  std::set<std::string> names;
  std::vector<std::unique_ptr<Context>> contexts; // a device each; a device keeps its context
  std::map<ptx::Address, ptx::Region *> regions;  // allocations of all devices
  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Module> modules;
  Handles<Function> functions;
  Handles<Graph> graphs;
  Handles<GraphExec> execs;
  std::vector<std::shared_ptr<Capture>> captures; // those not ended
  HostMemory host;
  uint32_t numLanes = 0;

  const std::string *intern(std::string name) { return &*names.insert(std::move(name)).first; }
  /// The context with this handle, if it is in use.
  Context *find(CUcontext handle) const;
  /// The live allocation that has all of the bytes, or null.
  ptx::Region *regionOf(ptx::Address address, uint64_t bytes) const;
};
Simulation &simulation();

/// The first address of a device's memory: devices share the room below that of other spaces.
ptx::Address firstAddressOf(int device, int numDevices);

/// What belongs to the calling thread.
struct Thread {
  uint64_t epoch = 0;
  Context *current = nullptr;
  Clock host; // what it waited for
  bool isInWork = false;
  uint64_t numExecuted = 0;              // operations
  double workBegin = 0, workSeconds = 0; // of the work: in its device's time; what it says itself
};
Thread &thread();

//===----------------------------------------------------------------------===//
// Reports; the lock is not needed
//===----------------------------------------------------------------------===//

/// Records a report. From then on synchronising calls in the context fail with `error`.
void report(Context *context, const std::string &kind, const std::string &message,
            Result error = Result::Assert);
/// As that, of an operation.
void report(const Operation &operation, const std::string &kind, const std::string &message,
            Result error = Result::Assert);
std::vector<std::string> reports();
void clearReports();
/// Says on the standard error stream why a call is refused.
Result refuse(Result result, const std::string &why);

} // namespace dmc::fakes

#endif // DMC_LIB_RUNTIME_FAKES_CUDA_SIMULATION_H
