//===- Harness.h - Calls the simulated driver -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_UNIT_FAKES_HARNESS_H
#define DMC_TEST_UNIT_FAKES_HARNESS_H

#include "CUDA/Driver.h"
#include "Fakes/Enqueue.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include <dlfcn.h>

namespace dmc::cuda {
inline void PrintTo(Result result, std::ostream *stream) { *stream << describe(result); }
} // namespace dmc::cuda

namespace dmc::fakes::test {

using namespace dmc::cuda;

/// The entries beside those of a driver.
struct Private {
  decltype(&dmcFakeEnqueue) enqueue;
  decltype(&dmcFakeHostAddress) hostAddress;
  decltype(&dmcFakeReport) report;
  decltype(&dmcFakeWake) wake;
  decltype(&dmcFakeSeed) seed;
  decltype(&dmcFakeDevice) device;
  decltype(&dmcFakeReportCount) reportCount;
  decltype(&dmcFakeReportText) reportText;
  decltype(&dmcFakeReset) reset;
};

inline const Private &fake() {
  static const Private entries = [] {
    Private found = {};
    void *library = dlopen(TEST_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    auto find = [&](auto &entry, const char *name) {
      entry =
          reinterpret_cast<std::decay_t<decltype(entry)>>(library ? dlsym(library, name) : nullptr);
    };
    find(found.enqueue, "dmcFakeEnqueue");
    find(found.hostAddress, "dmcFakeHostAddress");
    find(found.report, "dmcFakeReport");
    find(found.wake, "dmcFakeWake");
    find(found.seed, "dmcFakeSeed");
    find(found.device, "dmcFakeDevice");
    find(found.reportCount, "dmcFakeReportCount");
    find(found.reportText, "dmcFakeReportText");
    find(found.reset, "dmcFakeReset");
    return found;
  }();
  return entries;
}

inline const Driver &cu() {
  static const Driver *driver = [] {
    std::string error;
    const Driver *loaded = Driver::load(/*simulated=*/true, error);
    if (!loaded) {
      ADD_FAILURE() << error;
      std::abort();
    }
    return loaded;
  }();
  return *driver;
}

#define OK(call) ASSERT_EQ((call), Result::Success)

/// A call fails with this code, and says why.
template <typename Function>
void expectRefused(Result expected, const std::string &why, const Function &call) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(), expected) << why;
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("simulated CUDA driver: "), std::string::npos) << said;
  EXPECT_NE(said.find(why), std::string::npos) << said;
}

/// `twice` writes doubled elements of `in` to `out`, `fill` a value to all; a thread an element.
inline const char *const kernels = R"(
.version 8.0
.target sm_90a
.address_size 64
.global .align 4 .u32 counter = 5;
.visible .entry twice(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r5, [%rd1];
  add.s32 %r5, %r5, %r5;
  st.global.u32 [%rd2], %r5;
  ret;
}
.visible .entry fill(.param .u64 out, .param .u32 value)
.maxntid 128, 1, 1
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .shared .align 4 .b8 unused[1024];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r5, [value];
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r5;
  ret;
}
)";

/// The driver from its beginning, with a context of device 0 and both kernels. Destroyed, the test
/// fails if there are reports that it did not take.
class Session {
public:
  explicit Session(uint64_t seed = 0, const char *devices = "2") {
    fake().reset();
    setenv("DMC_SIMULATED_SEED", std::to_string(seed).c_str(), 1);
    setenv("DMC_SIMULATED_DEVICES", devices, 1);
    begin();
  }
  ~Session() {
    EXPECT_EQ(reports(), "");
    for (void *memory : pinned_)
      cu().memFreeHost(memory);
  }

  CUdeviceptr allocate(size_t count) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cu().memAlloc(&address, 4 * count), Result::Success);
    return address;
  }
  uint32_t *pinned(size_t count) {
    void *memory = nullptr;
    EXPECT_EQ(cu().memHostAlloc(&memory, 4 * count, 0), Result::Success);
    pinned_.push_back(memory);
    return static_cast<uint32_t *>(memory);
  }
  CUstream stream() {
    CUstream made = nullptr;
    EXPECT_EQ(cu().streamCreateWithPriority(&made, streamNonBlocking, 0), Result::Success);
    return made;
  }
  CUevent event() {
    CUevent made = nullptr;
    EXPECT_EQ(cu().eventCreate(&made, 0), Result::Success);
    return made;
  }
  /// What runs in `second` from now on comes after what `first` has by now.
  void order(CUstream first, CUstream second) {
    CUevent made = event();
    EXPECT_EQ(cu().eventRecord(made, first), Result::Success);
    EXPECT_EQ(cu().streamWaitEvent(second, made, 0), Result::Success);
    EXPECT_EQ(cu().eventDestroy(made), Result::Success);
  }
  Result launch(CUfunction function, size_t count, CUstream stream, std::vector<void *> arguments) {
    auto threads = static_cast<unsigned>(count < 64 ? count : 64);
    return cu().launchKernel(function, static_cast<unsigned>(count) / threads, 1, 1, threads, 1, 1,
                             0, stream, arguments.data(), nullptr);
  }
  void doubleInto(CUdeviceptr in, CUdeviceptr out, size_t count, CUstream stream) {
    EXPECT_EQ(launch(twice, count, stream, {&in, &out}), Result::Success);
  }
  void fillWith(CUdeviceptr out, uint32_t value, size_t count, CUstream stream) {
    EXPECT_EQ(launch(fill, count, stream, {&out, &value}), Result::Success);
  }
  /// The elements after all work, read by a copy to memory that is not pinned.
  std::vector<uint32_t> values(CUdeviceptr from, size_t count, CUstream stream) {
    std::vector<uint32_t> read(count);
    cu().memcpyDtoHAsync(read.data(), from, 4 * count, stream);
    return read;
  }

  /// All reports since they were taken last.
  std::string reports() {
    std::string all;
    for (; taken_ < fake().reportCount(); ++taken_)
      all += std::string(fake().reportText(taken_)) + "\n";
    return all;
  }

  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction twice = nullptr, fill = nullptr;

private:
  void begin() {
    OK(cu().init(0));
    OK(cu().devicePrimaryCtxRetain(&context, 0));
    OK(cu().ctxSetCurrent(context));
    OK(cu().moduleLoadData(&module, kernels));
    OK(cu().moduleGetFunction(&twice, module, "twice"));
    OK(cu().moduleGetFunction(&fill, module, "fill"));
  }

  uint64_t taken_ = 0;
  std::vector<void *> pinned_;
};

} // namespace dmc::fakes::test

#endif // DMC_TEST_UNIT_FAKES_HARNESS_H
