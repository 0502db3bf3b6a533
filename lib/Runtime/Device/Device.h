//===- Device.h - What executes the kernels of a rank -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a rank and the units that execute its kernels. One device per rank; only the
// thread that runs the rank calls it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_DEVICE_DEVICE_H
#define DMC_LIB_RUNTIME_DEVICE_DEVICE_H

#include "Device/DeviceClock.h"
#include "Device/DeviceGraph.h"
#include "dmc-c/Program.h"
#include "dmc/Runtime/Session.h"

#include <functional>
#include <memory>

namespace dmc::runtime {

class Team;

/// What one thread does in a second: bytes that it reads and writes, operations in nests. 0: not
/// known.
struct ThreadRates {
  double bytes = 0, flops = 0;
};

class Device {
public:
  virtual ~Device() = default;
  /// Starts what executes kernels, before the first step.
  virtual Failure start() = 0;
  /// Prepares the program's library calls, before the first step. `scratch` is memory of the size
  /// that the calls state for as many threads as there are (`callScratchOf`).
  virtual Failure prepare(const dmc_program &, void * /*scratch*/) { return std::nullopt; }
  /// Threads that kernels and library calls may use.
  virtual int threads() const = 0;
  /// These threads, for library calls; null before `start` and where there are none to share.
  virtual Team *team() { return nullptr; }
  /// Runs the nests of a kernel, one after the other: the code of the first that failed, or 0.
  /// `usedThreads` becomes the most threads that ran one of them; `why` says what the device finds
  /// wrong.
  virtual int32_t launch(dmc_rank_context &rank, const dmc_runtime_api &api,
                         const dmc_kernel &kernel, const void *arguments, int &usedThreads,
                         Failure &why) = 0;
  /// Calls a library. `usedThreads` becomes the threads that it may use.
  virtual Failure call(const dmc_call &call, void *const *operands, int &usedThreads) = 0;
  /// Records an event on a stream, or makes the stream wait for it.
  virtual Failure event(int64_t event, dmc_event_kind kind, uint32_t stream) = 0;
  /// Copies bytes within and between memory spaces (dmc_memory_space).
  virtual Failure copy(void *to, uint32_t toSpace, const void *from, uint32_t fromSpace,
                       int64_t bytes, uint32_t stream) = 0;
  //===--- Memory that the host cannot address; also called between steps, by any thread ---===//
  /// Whether the program's arguments, results and device arena are in such memory.
  virtual bool hasOwnMemory() const { return false; }
  /// Memory of so many bytes, aligned to 256. Null, and why.
  virtual void *allocate(int64_t, Failure &why) {
    why = noMemory();
    return nullptr;
  }
  virtual void release(void *) {}
  /// Copies from and to the host, after all that was launched before; ended when they return.
  virtual Failure upload(void *, const void *, int64_t) { return noMemory(); }
  virtual Failure download(void *, const void *, int64_t) { return noMemory(); }
  /// Sets bytes, before what is launched afterwards.
  virtual Failure fill(void *, int, int64_t, uint32_t /*stream*/ = 0) { return noMemory(); }
  /// Waits for the end of everything that was launched: what went wrong.
  virtual Failure synchronize() { return std::nullopt; }
  /// Makes the device the one that the calling thread's calls of its libraries use.
  virtual Failure enter() { return noMemory(); }
  /// What the device's libraries call a stream of the program.
  virtual void *stream(uint32_t) const { return nullptr; }
  /// Times what is in its streams; null where the host's clock does.
  virtual DeviceClock *clock() { return nullptr; }
  /// Keeps what a step launches; null where nothing can.
  virtual DeviceGraph *graph() { return nullptr; }
  /// Bytes a second that a large copy within its memory reads and writes; 0: not known. Between
  /// steps.
  virtual Failure measureCopyRate(double &rate) {
    rate = 0;
    return std::nullopt;
  }
  /// Asked again and again while the host waits for a stream: whether others wait in vain, and why.
  /// After that nothing in the streams may wait for other devices.
  void setWatch(std::function<Failure()> watch) { watch_ = std::move(watch); }

  /// Calls body(part, parts) for every part of something that reads and writes so many bytes, on as
  /// many threads as it pays for, and waits for all.
  template <typename Body>
  void divide(int64_t bytes, Body body) {
    divideBytes(
        bytes,
        [](void *data, size_t part, size_t parts) { (*static_cast<Body *>(data))(part, parts); },
        &body);
  }

  /// The processor, with so many threads for the rank. Library calls get `libraryThreads` of them,
  /// but one if they have fewer operations than `leastDividedFlops`.
  static std::unique_ptr<Device> createHost(int threads, const ThreadRates &rates,
                                            int libraryThreads, double leastDividedFlops);

protected:
  static Failure noMemory() { return std::string("the processor has no memory of its own"); }
  virtual void divideBytes(int64_t bytes, void (*body)(void *data, size_t part, size_t parts),
                           void *data) = 0;

  std::function<Failure()> watch_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_DEVICE_DEVICE_H
