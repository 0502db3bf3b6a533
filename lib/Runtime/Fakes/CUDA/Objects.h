//===- Objects.h - What handles of the simulated driver stand for -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_FAKES_CUDA_OBJECTS_H
#define DMC_LIB_RUNTIME_FAKES_CUDA_OBJECTS_H

#include "CUDA/DriverTypes.h"
#include "Fakes/CUDA/Order.h"
#include "dmc/PTX/Simulator.h"

#include <atomic>
#include <deque>
#include <functional>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace dmc::fakes {

using namespace dmc::cuda;

struct Context;
struct Event;
struct Operation;
struct Stream;

struct Range {
  ptx::Address address = 0;
  uint64_t bytes = 0;
};

/// Bytes of the host that work accesses when it is executed.
struct HostRange {
  const uint8_t *pointer = nullptr;
  uint64_t bytes = 0;
  bool isWrite = false;
};

struct Module {
  Context *context = nullptr;
  std::unique_ptr<ptx::Module> program;
  Clock uses; // of the launches of its kernels
};

struct Function {
  std::shared_ptr<Module> module;
  std::string name;
  int dynamicShared = 0; // allowed by an attribute, 0 if not set
};

/// What an operation does; that of a graph is done once a launch.
struct Work {
  std::string name;
  /// Whether it can begin, beyond what streams and events say. Unset: it can.
  std::function<bool()> ready;
  /// Called without the simulation's lock. Returns how long it takes on the modelled device, in
  /// seconds. Unset: nothing is to be done.
  std::function<double(Operation &)> run;
  /// Allocations that it names: they may not be freed before it has ended.
  std::vector<Range> uses;
  std::vector<HostRange> host;
  std::shared_ptr<Module> module; // of a launch
  std::shared_ptr<Event> event;   // that a launch of a graph records here
};

/// Work in a stream.
struct Operation {
  uint32_t number = 0, position = 0;
  uint64_t seed = 0;              // 0: the order of the program
  std::shared_ptr<Stream> stream; // until it is done
  std::shared_ptr<const Work> work;
  std::vector<std::shared_ptr<Operation>> dependencies; // until it is done
  Clock clock;                                          // with itself
  bool isDone = false;
  double notBefore = 0, end = 0; // in the time of the modelled device

  ptx::Accessor accessor() const;
};

/// A sequence of captured operations.
struct Capture {
  struct Node {
    std::shared_ptr<const Work> work;
    size_t branch = 0;          // the number of its stream among those of the capture
    std::vector<size_t> before; // nodes that have ended when it begins
  };

  CaptureMode mode = CaptureMode::Global;
  std::thread::id thread;
  std::vector<std::shared_ptr<Stream>> streams; // the first is where it began
  std::vector<Node> nodes;
  bool isInvalid = false, isEnded = false;
};

struct Stream {
  Context *context = nullptr;
  const std::string *name = nullptr; // "stream 3"
  uint32_t lane = 0, position = 0;
  bool isDefault = false, isBlocking = true;
  std::deque<std::shared_ptr<Operation>> queue; // those not done
  std::shared_ptr<Operation> last;
  double time = 0; // when its last operation ended
  std::shared_ptr<Capture> capture;
  std::vector<size_t> before; // nodes of the capture after which its next one comes
};

struct Event {
  Context *context = nullptr;
  bool hasTime = true;
  std::shared_ptr<Operation> operation; // of its last record; null if there is none
  std::shared_ptr<Capture> capture;     // if that was captured
  std::vector<size_t> before;
};

struct Graph {
  Context *context = nullptr;
  std::vector<Capture::Node> nodes;
  size_t numBranches = 0;
};

/// A graph that can be launched.
struct GraphExec {
  Context *context = nullptr;
  Graph graph;
  std::vector<std::shared_ptr<Stream>> branches;
  std::shared_ptr<Operation> end; // of its last launch, after which the next one comes
};

/// Objects by handle: a handle is the address of its object.
template <typename T>
class Handles {
public:
  template <typename Handle>
  Handle add(std::shared_ptr<T> object) {
    auto *address = object.get();
    objects_[address] = std::move(object);
    return reinterpret_cast<Handle>(address);
  }
  /// Null if there is no such object.
  std::shared_ptr<T> find(const void *handle) const {
    auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  void erase(const void *handle) { objects_.erase(handle); }
  template <typename Predicate>
  void eraseIf(Predicate matches) {
    for (auto at = objects_.begin(); at != objects_.end();)
      at = matches(*at->second) ? objects_.erase(at) : std::next(at);
  }
  template <typename Visit>
  void forEach(Visit visit) const {
    for (const auto &[handle, object] : objects_)
      visit(*object);
  }

private:
  std::unordered_map<const void *, std::shared_ptr<T>> objects_;
};

/// The primary context of a device. It stays where it is as long as the process.
struct Context {
  int device = 0;
  unsigned retained = 0;
  std::unique_ptr<ptx::Memory> memory;          // only by who executes, or after quiesce
  std::unordered_set<ptx::Address> allocated;   // by cuMemAlloc
  uint64_t usedBytes = 0;                       // of these
  std::vector<std::shared_ptr<Stream>> streams; // the default stream is the first
  unsigned numStreams = 0, numGraphs = 0;       // ever made
  uint32_t numOperations = 0;
  Clock host;                                  // what the host waited for
  double hostTime = 0;                         // and when that had ended, in the device's time
  std::atomic<Result> error = Result::Success; // what synchronising calls return
  bool isExecuting = false;                    // by one thread at a time
};

} // namespace dmc::fakes

#endif // DMC_LIB_RUNTIME_FAKES_CUDA_OBJECTS_H
