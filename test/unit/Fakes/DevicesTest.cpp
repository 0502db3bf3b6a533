//===- DevicesTest.cpp - Settings, devices and contexts -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

#include <cstring>
#include <fstream>
#include <sstream>

#include <sys/resource.h>

using namespace dmc::fakes::test;

namespace {
/// A variable for the time of a test, before which nothing was initialized.
class Setting {
public:
  Setting(const char *name, const std::string &value) : name_(name) {
    fake().reset();
    setenv(name, value.c_str(), 1);
  }
  ~Setting() { unsetenv(name_); }

private:
  const char *name_;
};

TEST(Devices, NeedInitialization) {
  fake().reset();
  int count = 0;
  CUdeviceptr address = 0;
  EXPECT_EQ(cu().deviceGetCount(&count), Result::NotInitialized);
  EXPECT_EQ(cu().memAlloc(&address, 4), Result::NotInitialized);
  EXPECT_EQ(cu().init(1), Result::InvalidValue);
  int version = 0;
  EXPECT_EQ(cu().driverGetVersion(&version), Result::Success);
  EXPECT_GE(version, 12000);
}

TEST(Devices, SettingsAreChecked) {
  for (const char *seed : {"x", "-1", "1e3", "99999999999999999999"}) {
    Setting setting("DMC_SIMULATED_SEED", seed);
    testing::internal::CaptureStderr();
    EXPECT_EQ(cu().init(0), Result::InvalidValue) << seed;
    EXPECT_NE(testing::internal::GetCapturedStderr().find(std::string("DMC_SIMULATED_SEED=") +
                                                          seed + ": expected a number"),
              std::string::npos);
  }
  {
    Setting setting("DMC_SIMULATED_DEVICES", "65");
    expectRefused(Result::InvalidValue, "DMC_SIMULATED_DEVICES=65: expected a number from 0 to 64",
                  [] { return cu().init(0); });
  }
  {
    Setting setting("DMC_SIMULATED_APPROXIMATE", "yes");
    expectRefused(Result::InvalidValue,
                  "DMC_SIMULATED_APPROXIMATE=yes: expected a number from 0 to 1",
                  [] { return cu().init(0); });
  }
  {
    Setting setting("DMC_SIMULATED_DEVICES", "0");
    EXPECT_EQ(cu().init(0), Result::NoDevice);
  }
  {
    Setting setting("DMC_SIMULATED_REPORT", "/no folder/report");
    expectRefused(Result::InvalidValue,
                  "DMC_SIMULATED_REPORT=/no folder/report: expected a file that can be written",
                  [] { return cu().init(0); });
  }
}

/// 2 to the power of elements / 64, approximately.
std::vector<uint32_t> powers(uint64_t seed) {
  Session session(seed);
  std::string text = kernels;
  const char *doubled = "add.s32 %r5, %r5, %r5;", *power = "ex2.approx.f32 %r5, %r5;";
  text.replace(text.find(doubled), std::strlen(doubled), power);
  CUmodule module = nullptr;
  EXPECT_EQ(cu().moduleLoadData(&module, text.c_str()), Result::Success);
  EXPECT_EQ(cu().moduleGetFunction(&session.twice, module, "twice"), Result::Success);
  constexpr size_t count = 512;
  std::vector<float> operands(count);
  for (size_t i = 0; i < count; ++i)
    operands[i] = static_cast<float>(i) / 64;
  CUdeviceptr in = session.allocate(count), out = session.allocate(count);
  EXPECT_EQ(cu().memcpyHtoDAsync(in, operands.data(), 4 * count, nullptr), Result::Success);
  session.doubleInto(in, out, count, nullptr);
  return session.values(out, count, nullptr);
}

TEST(Devices, ApproximateAsTheSettingsSay) {
  std::vector<uint32_t> exact = powers(1);
  EXPECT_EQ(powers(2), exact);
  EXPECT_EQ(exact[64], 0x40000000u);
  Setting setting("DMC_SIMULATED_APPROXIMATE", "1");
  std::vector<uint32_t> first = powers(1);
  EXPECT_NE(first, exact);
  EXPECT_EQ(powers(1), first);
  EXPECT_NE(powers(2), first);
  for (size_t i = 0; i < exact.size(); ++i)
    EXPECT_LE(std::abs(static_cast<int>(first[i] - exact[i])), 2) << i;
}

TEST(Devices, AreAsTheSettingsSay) {
  Setting memory("DMC_SIMULATED_MEMORY", "1000");
  Session session(0, "3");
  int count = 0, value = 0;
  size_t bytes = 0, free = 0;
  CUdevice device = -1;
  char text[32];
  OK(cu().deviceGetCount(&count));
  EXPECT_EQ(count, 3);
  OK(cu().deviceGet(&device, 2));
  EXPECT_EQ(cu().deviceGet(&device, 3), Result::InvalidDevice);
  OK(cu().deviceTotalMem(&bytes, 2));
  EXPECT_EQ(bytes, 1000u);
  OK(cu().deviceGetName(text, sizeof text, 2));
  EXPECT_EQ(std::string(text), "dmc simulated device");
  OK(cu().deviceGetPCIBusId(text, sizeof text, 2));
  EXPECT_EQ(std::string(text), "0000:03:00.0");
  OK(cu().deviceGetAttribute(&value, DeviceAttribute::ComputeCapabilityMajor, 2));
  EXPECT_EQ(value, 9);
  EXPECT_EQ(cu().deviceGetAttribute(&value, static_cast<DeviceAttribute>(9999), 2),
            Result::InvalidValue);

  CUdeviceptr first = 0, second = 0;
  OK(cu().memAlloc(&first, 600));
  EXPECT_EQ(cu().memAlloc(&second, 600), Result::OutOfMemory);
  OK(cu().memGetInfo(&free, &bytes));
  EXPECT_EQ(free, 400u);
  OK(cu().memFree(first));
  OK(cu().memAlloc(&second, 600));
  EXPECT_NE(first, second); // a freed address stays one
}

TEST(Devices, ContextsAreChecked) {
  Session session;
  CUdeviceptr address = 0;
  CUcontext other = nullptr, current = nullptr;
  OK(cu().ctxSetCurrent(nullptr));
  EXPECT_EQ(cu().memAlloc(&address, 4), Result::InvalidContext);
  EXPECT_EQ(cu().ctxSetCurrent(reinterpret_cast<CUcontext>(&session)), Result::InvalidContext);
  EXPECT_EQ(cu().devicePrimaryCtxRelease(1), Result::InvalidContext);
  OK(cu().devicePrimaryCtxRetain(&other, 1));
  OK(cu().ctxSetCurrent(other));
  OK(cu().ctxGetCurrent(&current));
  EXPECT_EQ(current, other);
  // What belongs to another context.
  uint32_t value = 0;
  CUdeviceptr foreign = session.allocate(64);
  EXPECT_EQ(session.launch(session.fill, 64, nullptr, {&foreign, &value}), Result::InvalidHandle);
  CUstream stream = session.stream();
  OK(cu().ctxSetCurrent(session.context));
  EXPECT_EQ(cu().streamSynchronize(stream), Result::InvalidHandle);
  EXPECT_EQ(cu().memcpyHtoDAsync(foreign, &value, 4, nullptr), Result::InvalidValue);
  OK(cu().devicePrimaryCtxRelease(1));
  EXPECT_EQ(cu().ctxSetCurrent(other), Result::InvalidContext);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST(Devices, TheHostsMemoryEnds) {
  auto allocate = [] {
    Session session;
    rlimit limit = {uint64_t(4) << 30, uint64_t(4) << 30};
    setrlimit(RLIMIT_AS, &limit);
    CUdeviceptr address = 0;
    std::_Exit(cu().memAlloc(&address, size_t(8) << 30) == Result::OutOfMemory ? 0 : 1);
  };
  EXPECT_EXIT(allocate(), testing::ExitedWithCode(0),
              "no memory for 8589934592 simulated bytes and what is known of them");
}
#endif
#endif

TEST(Devices, ErrorsHaveNames) {
  const char *text = nullptr;
  OK(cu().getErrorName(Result::IllegalAddress, &text));
  EXPECT_EQ(std::string(text), "CUDA_ERROR_ILLEGAL_ADDRESS");
  OK(cu().getErrorString(Result::OutOfMemory, &text));
  EXPECT_EQ(std::string(text), "out of memory");
  EXPECT_EQ(cu().getErrorName(static_cast<Result>(12345), &text), Result::InvalidValue);
  EXPECT_EQ(describe(Result::NotReady), "CUDA_ERROR_NOT_READY (600): device not ready");
  EXPECT_EQ(describe(static_cast<Result>(12345)), "CUDA error 12345");
}

std::string contents(const std::string &file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(Devices, ReportsAndCallsAreWritten) {
  std::string folder = testing::TempDir(), reportFile = folder + "dmc-fakes-report",
              traceFile = folder + "dmc-fakes-trace";
  std::remove(reportFile.c_str());
  std::remove(traceFile.c_str());
  Setting report("DMC_SIMULATED_REPORT", reportFile), trace("DMC_SIMULATED_TRACE", traceFile);
  Session session;
  EXPECT_EQ(contents(reportFile), "");
  CUdeviceptr array = session.allocate(64);
  session.fillWith(array, 1, 128, nullptr);
  EXPECT_EQ(cu().streamSynchronize(nullptr), Result::IllegalAddress);
  EXPECT_EQ(cu().streamSynchronize(nullptr), Result::IllegalAddress);
  std::string text = contents(reportFile);
  EXPECT_EQ(text.find("simulated device 0: out of bounds: fill (default stream, #1): line "), 0u)
      << text;
  EXPECT_EQ(session.reports(), text);
  EXPECT_NE(contents(traceFile).find("device 0: cuMemAlloc_v2(0x100) = 0\n"), std::string::npos)
      << contents(traceFile);
  EXPECT_NE(contents(traceFile).find("cuStreamSynchronize(0) = 700\n"), std::string::npos);
  std::remove(reportFile.c_str());
  std::remove(traceFile.c_str());
}
} // namespace
