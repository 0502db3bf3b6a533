//===- DriverLaunch.cpp - A launch by the CUDA driver ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DriverLaunch.h"

#include "CUDA/Driver.h"

#include <algorithm>
#include <cstring>

using namespace dmc;
using namespace dmc::cuda;

using Failure = std::optional<std::string>;

namespace {
/// The process ends after it: nothing is given back.
class DriverLaunch {
public:
  DriverLaunch(const Driver &driver, ptx::Launch &launch) : cu(driver), launch(launch) {}

  Failure prepare(const std::string &text) {
    int count = 0;
    if (auto why = failed("cannot start", cu.init(0)))
      return why;
    if (auto why = failed("cannot count the devices", cu.deviceGetCount(&count)))
      return why;
    if (count == 0)
      return "the CUDA driver has no device";
    CUcontext context = nullptr;
    if (auto why = failed("cannot use the device", cu.devicePrimaryCtxRetain(&context, 0)))
      return why;
    if (auto why = failed("cannot use the device", cu.ctxSetCurrent(context)))
      return why;
    CUmodule module = nullptr;
    if (auto why = failed("cannot load the text", cu.moduleLoadData(&module, text.c_str())))
      return why;
    if (auto why = failed("cannot find the kernel",
                          cu.moduleGetFunction(&function_, module, launch.kernel.c_str())))
      return why;
    // A launch may have more than the limit that needs no question.
    constexpr uint64_t unasked = uint64_t(48) << 10;
    if (launch.dynamicShared <= unasked)
      return std::nullopt;
    return failed("cannot have so much shared memory",
                  cu.funcSetAttribute(function_, FunctionAttribute::MaxDynamicSharedBytes,
                                      static_cast<int>(launch.dynamicShared)));
  }

  /// As the simulator's, an array that holds no value yet is of bytes 0xcb.
  Failure give(DeviceArray &entry) {
    size_t bytes = entry.array.numBytes();
    CUdeviceptr address = 0;
    if (auto why = failed("not enough memory for an array",
                          cu.memAlloc(&address, std::max<size_t>(bytes, 1))))
      return why;
    entry.address = address;
    std::memcpy(launch.arguments.data() + entry.offset, &address, sizeof address);
    if (!bytes)
      return std::nullopt;
    return failed("cannot fill an array",
                  entry.isFilled ? cu.memcpyHtoDAsync(address, entry.array.data(), bytes, nullptr)
                                 : cu.memsetD8Async(address, 0xcb, bytes, nullptr));
  }

  Failure run() {
    size_t size = launch.arguments.size();
    void *extra[] = {launchParamBufferPointer(), launch.arguments.data(), launchParamBufferSize(),
                     &size, launchParamEnd()};
    const auto &[grid, block] = std::pair(launch.grid, launch.block);
    if (auto why = failed("cannot launch the kernel",
                          cu.launchKernel(function_, grid[0], grid[1], grid[2], block[0], block[1],
                                          block[2], static_cast<unsigned>(launch.dynamicShared),
                                          nullptr, nullptr, extra)))
      return why;
    return failed("the kernel failed", cu.streamSynchronize(nullptr));
  }

  Failure take(DeviceArray &entry) {
    size_t bytes = entry.array.numBytes();
    if (!bytes)
      return std::nullopt;
    if (auto why = failed("cannot read an array",
                          cu.memcpyDtoHAsync(entry.array.data(), entry.address, bytes, nullptr)))
      return why;
    return failed("cannot read an array", cu.streamSynchronize(nullptr));
  }

private:
  static Failure failed(const char *what, Result result) {
    return result == Result::Success ? Failure() : what + (": " + describe(result));
  }

  const Driver &cu;
  ptx::Launch &launch;
  CUfunction function_ = nullptr;
};
} // namespace

Failure dmc::launchOnDriver(bool isSimulated, const std::string &text, ptx::Launch launch,
                            std::vector<DeviceArray> &arrays) {
  std::string error;
  const Driver *driver = Driver::load(isSimulated, error);
  if (!driver)
    return error;
  DriverLaunch run(*driver, launch);
  if (auto why = run.prepare(text))
    return why;
  for (DeviceArray &entry : arrays)
    if (auto why = run.give(entry))
      return why;
  if (auto why = run.run())
    return why;
  for (DeviceArray &entry : arrays)
    if (!entry.output.empty())
      if (auto why = run.take(entry))
        return why;
  return std::nullopt;
}
