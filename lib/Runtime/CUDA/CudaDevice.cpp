//===- CudaDevice.cpp - A CUDA device as a rank's device ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events, modules and memory of one device. The calling thread's context is set by every
// function: a rank's thread launches, others read results between steps.
//
//===----------------------------------------------------------------------===//

#include "CUDA/CudaDevice.h"
#include "CUDA/CudaClock.h"
#include "CUDA/CudaContraction.h"
#include "CUDA/CudaGraph.h"
#include "CUDA/Driver.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace dmc;
using namespace dmc::cuda;
using namespace dmc::runtime;

namespace {

Failure failed(const char *what, Result result) {
  if (result == Result::Success)
    return std::nullopt;
  return std::string(what) + ": " + describe(result);
}

class CudaDevice final : public Device {
public:
  CudaDevice(const dmc_program &program, int ordinal, bool isSimulated)
      : program_(program), ordinal_(ordinal), isSimulated_(isSimulated) {}
  ~CudaDevice() override;

  Failure start() override;
  int threads() const override { return 1; }
  int32_t launch(dmc_rank_context &rank, const dmc_runtime_api &api, const dmc_kernel &kernel,
                 const void *arguments, int &usedThreads, Failure &why) override;
  Failure call(const dmc_call &call, void *const *operands, int &usedThreads) override;
  Failure event(int64_t event, dmc_event_kind kind, uint32_t stream) override;
  Failure copy(void *to, uint32_t toSpace, const void *from, uint32_t fromSpace, int64_t bytes,
               uint32_t stream) override;

  bool hasOwnMemory() const override { return true; }
  void *allocate(int64_t bytes, Failure &why) override;
  void release(void *pointer) override;
  Failure upload(void *to, const void *from, int64_t bytes) override;
  Failure download(void *to, const void *from, int64_t bytes) override;
  Failure fill(void *to, int value, int64_t bytes, uint32_t stream) override;
  Failure synchronize() override;
  Failure enter() override {
    return failed("cannot use the device", driver_->ctxSetCurrent(context_));
  }
  void *stream(uint32_t number) const override { return streams_[number]; }
  DeviceClock *clock() override { return clock_.get(); }
  DeviceGraph *graph() override { return graph_.get(); }
  Failure measureCopyRate(double &rate) override;

private:
  void divideBytes(int64_t, void (*body)(void *data, size_t part, size_t parts),
                   void *data) override {
    body(data, 0, 1);
  }
  static CUdeviceptr address(const void *pointer) {
    return static_cast<CUdeviceptr>(reinterpret_cast<uintptr_t>(pointer));
  }
  Failure loadModule();
  Failure prepareCalls();
  Failure finish(CUstream stream);
  Failure capture(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);

  const dmc_program &program_;
  int ordinal_;
  bool isSimulated_;
  const Driver *driver_ = nullptr;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  std::vector<CUstream> streams_;
  std::vector<CUevent> events_;
  std::unique_ptr<CudaClock> clock_;
  std::unique_ptr<CudaGraph> graph_;
  std::map<const dmc_nest *, CUfunction> functions_;
  std::vector<void *> parameters_;
  const blas::CublasLt *library_ = nullptr;
  blas::Handle handle_ = nullptr;
  CUdeviceptr workspace_ = 0;
  std::vector<std::unique_ptr<CudaContraction>> contractions_; // by number of the call
};

constexpr auto workspaceBytes = static_cast<size_t>(deviceWorkspaceBytes);

} // namespace

CudaDevice::~CudaDevice() {
  if (!context_ || driver_->ctxSetCurrent(context_) != Result::Success)
    return;
  contractions_.clear();
  clock_.reset();
  graph_.reset();
  if (handle_)
    (void)library_->destroy(handle_);
  if (workspace_)
    (void)driver_->memFree(workspace_);
  for (CUevent event : events_)
    (void)driver_->eventDestroy(event);
  for (CUstream stream : streams_)
    (void)driver_->streamDestroy(stream);
  if (module_)
    (void)driver_->moduleUnload(module_);
  (void)driver_->devicePrimaryCtxRelease(device_);
}

Failure CudaDevice::start() {
  std::string error;
  driver_ = Driver::load(isSimulated_, error);
  if (!driver_)
    return error;
  if (auto why = failed("cannot start CUDA", driver_->init(0)))
    return why;
  if (auto why = failed("found no device", driver_->deviceGet(&device_, ordinal_)))
    return why;
  if (auto why =
          failed("cannot use the device", driver_->devicePrimaryCtxRetain(&context_, device_)))
    return why;
  if (auto why = enter())
    return why;
  for (uint32_t i = 0; i < program_.num_streams; ++i) {
    streams_.push_back(nullptr);
    if (auto why = failed("cannot make a stream", driver_->streamCreateWithPriority(
                                                      &streams_.back(), streamNonBlocking, 0)))
      return why;
  }
  for (uint32_t i = 0; i < program_.num_events; ++i) {
    events_.push_back(nullptr);
    if (auto why = failed("cannot make an event",
                          driver_->eventCreate(&events_.back(), eventDisableTiming)))
      return why;
  }
  clock_ = std::make_unique<CudaClock>(*driver_, context_, streams_, isSimulated_);
  graph_ = std::make_unique<CudaGraph>(*driver_, context_, streams_);
  if (auto why = loadModule())
    return why;
  return program_.num_calls ? prepareCalls() : std::nullopt;
}

Failure CudaDevice::prepareCalls() {
  std::string error;
  library_ = blas::CublasLt::load(isSimulated_, error);
  if (!library_)
    return error;
  if (library_->create(&handle_) != blas::Status::Success)
    return std::string("cuBLASLt cannot be started");
  if (auto why = failed("not enough memory for the workspace of cuBLASLt",
                        driver_->memAlloc(&workspace_, workspaceBytes)))
    return why;
  for (uint32_t i = 0; i < program_.num_calls; ++i) {
    const dmc_call &call = program_.calls[i];
    contractions_.push_back(
        CudaContraction::prepare(*library_, handle_, *call.contraction, workspaceBytes, error));
    if (!contractions_.back())
      return (call.location && *call.location ? std::string(call.location) + ": " : "") +
             call.name + ": " + error;
  }
  return std::nullopt;
}

/// Whether a device runs an image: text for a chip is compiled for all later ones, binary code is
/// for those of one major number; what an `a` stands for, later chips lack.
static bool runsOn(const dmc_image &image, int chip, int major, int minor) {
  std::string name = image.chip;
  int device = 10 * major + minor;
  if (name.back() == 'a')
    return chip == device;
  return chip <= device && (image.kind == DMC_IMAGE_PTX || chip / 10 == major);
}

const dmc_image *cuda::chooseImage(const dmc_program &program, int major, int minor,
                                   bool readsBinaries) {
  const dmc_image *best = nullptr;
  std::pair<bool, int> bestRank;
  for (uint32_t i = 0; i < program.num_images; ++i) {
    const dmc_image &image = program.images[i];
    if (!image.bytes)
      continue; // there was no assembler, or nothing to assemble
    bool isBinary = image.kind == DMC_IMAGE_CUBIN;
    std::string name = image.chip;
    int chip = static_cast<int>(std::strtol(name.c_str() + name.find('_') + 1, nullptr, 10));
    if ((isBinary && !readsBinaries) || !runsOn(image, chip, major, minor))
      continue;
    // Binary code needs no compiler, and code for a later chip has more of the device's
    // instructions.
    std::pair<bool, int> rank(isBinary, chip);
    if (!best || rank > bestRank)
      best = &image, bestRank = rank;
  }
  return best;
}

Failure CudaDevice::loadModule() {
  int major = 0, minor = 0;
  for (auto [attribute, value] : {std::pair(DeviceAttribute::ComputeCapabilityMajor, &major),
                                  std::pair(DeviceAttribute::ComputeCapabilityMinor, &minor)})
    if (auto why =
            failed("cannot ask the device", driver_->deviceGetAttribute(value, attribute, device_)))
      return why;
  std::string chips;
  for (uint32_t i = 0; i < program_.num_images; ++i)
    if (const dmc_image &image = program_.images[i]; image.bytes && image.kind == DMC_IMAGE_PTX)
      chips += (chips.empty() ? "" : ", ") + std::string(image.chip);
  if (chips.empty())
    return std::nullopt;
  // A simulated device reads text alone.
  const dmc_image *best = chooseImage(program_, major, minor, !isSimulated_);
  if (!best)
    return "the program is compiled for " + chips + ", the device has compute capability " +
           std::to_string(major) + "." + std::to_string(minor);
  if (auto why = failed("cannot load the kernels", driver_->moduleLoadData(&module_, best->data)))
    return why;
  for (uint32_t k = 0; k < program_.num_kernels; ++k)
    for (uint32_t n = 0; n < program_.kernels[k].num_nests; ++n) {
      const dmc_nest &nest = program_.kernels[k].nests[n];
      if (!nest.device)
        continue;
      CUfunction &function = functions_[&nest];
      if (auto why = failed(nest.device->entry,
                            driver_->moduleGetFunction(&function, module_, nest.device->entry)))
        return why;
      // Above this a function has to be told.
      constexpr uint32_t plainShared = 48 << 10;
      if (nest.device->shared_bytes > plainShared)
        if (auto why =
                failed(nest.device->entry,
                       driver_->funcSetAttribute(function, FunctionAttribute::MaxDynamicSharedBytes,
                                                 static_cast<int>(nest.device->shared_bytes))))
          return why;
    }
  return std::nullopt;
}

/// Of all blocks.
static int countThreads(const dmc_device_launch &launch) {
  double threads = 1;
  for (int i = 0; i < 3; ++i)
    threads *= static_cast<double>(launch.grid[i]) * launch.block[i];
  return static_cast<int>(std::min<double>(threads, std::numeric_limits<int>::max()));
}

int32_t CudaDevice::launch(dmc_rank_context &, const dmc_runtime_api &, const dmc_kernel &kernel,
                           const void *arguments, int &usedThreads, Failure &why) {
  why = enter();
  usedThreads = 0;
  // The driver reads as much of each slot as the function's parameter has.
  parameters_.resize(std::max<size_t>(parameters_.size(), kernel.num_arguments));
  auto *slots = static_cast<uint64_t *>(const_cast<void *>(arguments));
  for (uint32_t i = 0; i < kernel.num_arguments; ++i)
    parameters_[i] = slots + i;
  for (uint32_t n = 0; n < kernel.num_nests && !why; ++n) {
    const dmc_nest &nest = kernel.nests[n];
    if (!nest.device) {
      why = std::string(kernel.name) + ": is not compiled for the device";
      break;
    }
    const dmc_device_launch &launch = *nest.device;
    usedThreads = std::max(usedThreads, countThreads(launch));
    why = failed(kernel.name,
                 driver_->launchKernel(functions_.at(&nest), launch.grid[0], launch.grid[1],
                                       launch.grid[2], launch.block[0], launch.block[1],
                                       launch.block[2], launch.shared_bytes,
                                       streams_[kernel.stream], parameters_.data(), nullptr));
  }
  return why ? 1 : 0;
}

Failure CudaDevice::call(const dmc_call &call, void *const *operands, int &usedThreads) {
  usedThreads = 0; // as many as the library takes
  if (auto why = enter())
    return why;
  auto number = static_cast<size_t>(&call - program_.calls);
  return contractions_[number]->run(operands[0], operands[1], operands[2],
                                    reinterpret_cast<void *>(static_cast<uintptr_t>(workspace_)),
                                    workspaceBytes, streams_[call.stream]);
}

Failure CudaDevice::event(int64_t event, dmc_event_kind kind, uint32_t stream) {
  if (auto why = enter())
    return why;
  if (kind == DMC_EVENT_RECORD)
    return failed("cannot record an event", driver_->eventRecord(events_[event], streams_[stream]));
  return failed("cannot wait for an event",
                driver_->streamWaitEvent(streams_[stream], events_[event], 0));
}

Failure CudaDevice::copy(void *to, uint32_t toSpace, const void *from, uint32_t fromSpace,
                         int64_t bytes, uint32_t stream) {
  if (auto why = enter())
    return why;
  auto size = static_cast<size_t>(bytes);
  if (!size)
    return std::nullopt;
  CUstream on = streams_[stream];
  if (toSpace == DMC_MEMORY_HOST && fromSpace == DMC_MEMORY_HOST)
    return "a copy within the memory of the host is none of the device's";
  if (graph_->isCapturing() && fromSpace == DMC_MEMORY_HOST)
    return capture(address(to), from, size, on);
  if (graph_->isCapturing() && toSpace == DMC_MEMORY_HOST)
    return "the host cannot wait for values of the device in a graph";
  // Copies from and to pageable memory wait for the stream themselves, where nothing could end
  // them.
  if (toSpace == DMC_MEMORY_HOST || fromSpace == DMC_MEMORY_HOST)
    if (auto why = finish(on))
      return why;
  if (toSpace == DMC_MEMORY_HOST) {
    auto why =
        failed("cannot copy to the host", driver_->memcpyDtoHAsync(to, address(from), size, on));
    return why ? why : finish(on);
  }
  if (fromSpace == DMC_MEMORY_HOST) {
    auto why =
        failed("cannot copy to the device", driver_->memcpyHtoDAsync(address(to), from, size, on));
    // The memory of the host may change when this returns.
    return why ? why : finish(on);
  }
  return failed("cannot copy on the device",
                driver_->memcpyDtoDAsync(address(to), address(from), size, on));
}

/// Scalars that the host computes without the device are the same in every step: the graph has
/// them, since their memory will have changed.
Failure CudaDevice::capture(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  Failure why;
  auto fill = [&](Result result) {
    if (!why)
      why = failed("cannot copy to the device", result);
  };
  if (bytes > sizeof(uint64_t))
    return "the host cannot give values to the device in a graph";
  const auto *data = static_cast<const unsigned char *>(from);
  constexpr size_t wide = sizeof(uint32_t);
  if (bytes % wide)
    for (size_t i = 0; i < bytes; ++i)
      fill(driver_->memsetD8Async(to + i, data[i], 1, stream));
  else
    for (size_t i = 0; i < bytes; i += wide) {
      uint32_t word = 0;
      std::memcpy(&word, data + i, wide);
      fill(driver_->memsetD32Async(to + i, word, 1, stream));
    }
  return why;
}

/// Collectives in a stream may wait for ranks that never come: the watch ends them.
Failure CudaDevice::finish(CUstream stream) {
  Failure given;
  auto pause = std::chrono::microseconds(1);
  while (watch_ && !given) {
    Result result = driver_->streamQuery(stream);
    if (result != Result::NotReady)
      return failed("the device failed", result);
    given = watch_();
    // Short waits end at once, and long ones take no processor.
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(100));
  }
  Failure why = failed("the device failed", driver_->streamSynchronize(stream));
  return given ? given : why;
}

void *CudaDevice::allocate(int64_t bytes, Failure &why) {
  CUdeviceptr pointer = 0;
  why = enter();
  // Nothing has an address, too.
  if (!why)
    why = failed("not enough memory on the device",
                 driver_->memAlloc(&pointer, static_cast<size_t>(std::max<int64_t>(bytes, 1))));
  return reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
}

void CudaDevice::release(void *pointer) {
  if (pointer && !enter())
    (void)driver_->memFree(address(pointer));
}

Failure CudaDevice::upload(void *to, const void *from, int64_t bytes) {
  return copy(to, DMC_MEMORY_DEVICE, from, DMC_MEMORY_HOST, bytes, 0);
}

Failure CudaDevice::download(void *to, const void *from, int64_t bytes) {
  return copy(to, DMC_MEMORY_HOST, from, DMC_MEMORY_DEVICE, bytes, 0);
}

Failure CudaDevice::fill(void *to, int value, int64_t bytes, uint32_t stream) {
  if (auto why = enter())
    return why;
  if (!bytes)
    return std::nullopt;
  return failed("cannot fill memory of the device",
                driver_->memsetD8Async(address(to), static_cast<unsigned char>(value),
                                       static_cast<size_t>(bytes), streams_[stream]));
}

Failure CudaDevice::synchronize() {
  if (auto why = enter())
    return why;
  Failure first;
  // All of them, also after a failure: what runs on uses memory.
  for (CUstream stream : streams_)
    if (auto why = finish(stream); why && !first)
      first = why;
  return first;
}

/// Of a device 256 MiB, above its caches, or what fits in the memory that is free; a simulated one
/// has no caches. The difference of two copies has no fixed cost.
Failure CudaDevice::measureCopyRate(double &rate) {
  rate = 0;
  if (auto why = enter())
    return why;
  size_t free = 0, total = 0;
  if (auto why = failed("cannot ask the device", driver_->memGetInfo(&free, &total)))
    return why;
  size_t bytes =
      std::min(isSimulated_ ? size_t(1) << 20 : size_t(256) << 20, free / 8) & ~size_t(255);
  Failure why;
  void *from = allocate(static_cast<int64_t>(2 * bytes), why), *to = nullptr;
  if (!why)
    to = allocate(static_cast<int64_t>(2 * bytes), why);
  if (!why)
    why = fill(from, 0, static_cast<int64_t>(2 * bytes), 0);
  double best[2] = {};
  for (int i = 0; i < 8 && !why; ++i) {
    size_t copied = (1 + i % 2) * bytes;
    uint32_t first = 0, last = 0;
    double seconds = 0;
    clock_->restart();
    why = clock_->mark(0, first);
    if (!why)
      why = copy(to, DMC_MEMORY_DEVICE, from, DMC_MEMORY_DEVICE, static_cast<int64_t>(copied), 0);
    if (!why)
      why = clock_->mark(0, last);
    if (!why)
      why = synchronize();
    if (!why)
      why = clock_->secondsAt(last, seconds);
    double &found = best[i % 2];
    found = found > 0 ? std::min(found, seconds) : seconds;
  }
  release(from);
  release(to);
  if (!why && best[1] > best[0])
    rate = 2 * static_cast<double>(bytes) / (best[1] - best[0]);
  return why;
}

std::unique_ptr<Device> cuda::createDevice(const dmc_program &program, int ordinal,
                                           bool isSimulated) {
  return std::make_unique<CudaDevice>(program, ordinal, isSimulated);
}

Failure cuda::checkDevices(const dmc_program &program, int64_t count, bool isSimulated) {
  std::string error;
  const Driver *driver = Driver::load(isSimulated, error);
  const char *hint = isSimulated ? "" : "; --device=simulated runs it without a device";
  if (!driver)
    return "the program is for CUDA devices: " + error + hint;
  int found = 0;
  Failure why = failed("cannot start CUDA", driver->init(0));
  if (!why)
    why = failed("cannot count the devices", driver->deviceGetCount(&found));
  if (why)
    return "the program is for CUDA devices: " + *why + hint;
  if (found < count)
    return "the program needs " + std::to_string(count) + " CUDA devices, found " +
           std::to_string(found) + hint +
           (found ? "; DMC_SHARE_DEVICES=1 gives several ranks one device" : "");
  return std::nullopt;
}

int cuda::countDevices(bool isSimulated) {
  std::string error;
  const Driver *driver = Driver::load(isSimulated, error);
  int found = 0;
  bool isKnown = driver && driver->init(0) == Result::Success &&
                 driver->deviceGetCount(&found) == Result::Success;
  return isKnown ? found : 0;
}

int cuda::chooseDevice(int64_t localRank, bool isSimulated) {
  int found = countDevices(isSimulated);
  return found < 1 ? 0 : static_cast<int>(localRank % found);
}

std::string cuda::deviceIdentity(int ordinal, bool isSimulated) {
  std::string error;
  const Driver *driver = Driver::load(isSimulated, error);
  CUdevice device = 0;
  char id[32] = "";
  if (!driver || driver->deviceGet(&device, ordinal) != Result::Success ||
      driver->deviceGetPCIBusId(id, sizeof id, device) != Result::Success)
    return "";
  return id;
}
