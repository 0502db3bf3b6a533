//===- LaunchesTest.cpp - Modules, functions, launches and copies ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

#include <cstring>

using namespace dmc::fakes::test;

namespace {
using Values = std::vector<uint32_t>;

TEST(Launches, ModulesAreChecked) {
  Session session;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  std::string unknown = kernels;
  unknown.replace(unknown.find("add.s32 %r5"), 3, "foo");
  testing::internal::CaptureStderr();
  EXPECT_EQ(cu().moduleLoadData(&module, unknown.c_str()), Result::InvalidPtx);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("line 20"), std::string::npos);
  EXPECT_EQ(cu().moduleLoadData(&module, "\x7f"
                                         "ELF"),
            Result::NoBinaryForGpu);
  for (const char *target : {"sm_100", "sm_80a"}) {
    std::string other = kernels;
    other.replace(other.find("sm_90a"), 6, target);
    EXPECT_EQ(cu().moduleLoadData(&module, other.c_str()), Result::NoBinaryForGpu) << target;
  }
  EXPECT_EQ(cu().moduleGetFunction(&function, session.module, "thrice"), Result::NotFound);
  EXPECT_EQ(cu().moduleGetFunction(&function, module, "twice"), Result::InvalidHandle);

  CUdeviceptr counter = 0;
  size_t bytes = 0;
  OK(cu().moduleGetGlobal(&counter, &bytes, session.module, "counter"));
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(session.values(counter, 1, nullptr), Values{5});
  EXPECT_EQ(cu().memFree(counter), Result::InvalidValue);
  EXPECT_EQ(cu().moduleGetGlobal(&counter, &bytes, session.module, "other"), Result::NotFound);
  OK(cu().moduleUnload(session.module));
  EXPECT_EQ(cu().moduleUnload(session.module), Result::InvalidHandle);
  EXPECT_EQ(session.launch(session.twice, 1, nullptr, {}), Result::InvalidHandle);
}

TEST(Launches, SizesAreChecked) {
  Session session;
  CUdeviceptr out = session.allocate(2048);
  uint32_t value = 1;
  void *arguments[] = {&out, &value};
  auto launch = [&](unsigned grid, unsigned block, unsigned shared) {
    return cu().launchKernel(session.fill, grid, 1, 1, block, 1, 1, shared, nullptr, arguments,
                             nullptr);
  };
  EXPECT_EQ(launch(1, 2048, 0), Result::InvalidValue);
  EXPECT_EQ(launch(1, 256, 0), Result::LaunchOutOfResources); // .maxntid 128
  EXPECT_EQ(launch(0, 128, 0), Result::InvalidValue);
  EXPECT_EQ(launch(1, 128, (48 << 10) - 1023), Result::InvalidValue);
  EXPECT_EQ(launch(1, 128, (48 << 10) - 1024), Result::Success);
  EXPECT_EQ(
      cu().funcSetAttribute(session.fill, FunctionAttribute::MaxDynamicSharedBytes, 227 << 10),
      Result::InvalidValue);
  OK(cu().funcSetAttribute(session.fill, FunctionAttribute::MaxDynamicSharedBytes, 200 << 10));
  EXPECT_EQ(launch(1, 128, 200 << 10), Result::Success);
  EXPECT_EQ(launch(1, 128, (200 << 10) + 1), Result::InvalidValue);
  int most = 0, shared = 0;
  OK(cu().funcGetAttribute(&most, FunctionAttribute::MaxThreadsPerBlock, session.fill));
  OK(cu().funcGetAttribute(&shared, FunctionAttribute::SharedBytes, session.fill));
  EXPECT_EQ(most, 128);
  EXPECT_EQ(shared, 1024);
  EXPECT_EQ(cu().launchKernel(session.fill, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            Result::InvalidValue);
  OK(cu().streamSynchronize(nullptr));
}

TEST(Launches, ArgumentsAreCopied) {
  Session session;
  CUdeviceptr out = session.allocate(64);
  CUdeviceptr address = out;
  uint32_t value = 7;
  OK(session.launch(session.fill, 64, nullptr, {&address, &value}));
  address = 0;
  value = 8;
  EXPECT_EQ(session.values(out, 64, nullptr), Values(64, 7));

  struct {
    CUdeviceptr out;
    uint32_t value;
  } buffer = {out, 9};
  size_t size = 12;
  void *extra[] = {launchParamBufferPointer(), &buffer, launchParamBufferSize(), &size,
                   launchParamEnd()};
  OK(cu().launchKernel(session.fill, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
  buffer = {};
  EXPECT_EQ(session.values(out, 64, nullptr), Values(64, 9));
  size = 8;
  EXPECT_EQ(cu().launchKernel(session.fill, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra),
            Result::InvalidValue);
}

TEST(Launches, ExtendedLaunches) {
  Session session;
  CUdeviceptr out = session.allocate(64);
  uint32_t value = 7;
  void *arguments[] = {&out, &value};
  LaunchAttribute attribute = {};
  LaunchConfig config = {1, 1, 1, 64, 1, 1, 0, nullptr, &attribute, 1};
  attribute.id = LaunchAttributeId::ProgrammaticStreamSerialization;
  OK(cu().launchKernelEx(&config, session.fill, arguments, nullptr));
  attribute.id = LaunchAttributeId::ClusterDimension;
  attribute.value.clusterDimension = {2, 1, 1};
  EXPECT_EQ(cu().launchKernelEx(&config, session.fill, arguments, nullptr), Result::NotSupported);
  EXPECT_EQ(session.values(out, 64, nullptr), Values(64, 7));
}

TEST(Launches, CopiesAndFills) {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr a = session.allocate(64), b = session.allocate(64);
  uint32_t *source = session.pinned(64), *target = session.pinned(64);
  for (uint32_t i = 0; i < 64; ++i)
    source[i] = i;
  OK(cu().memcpyHtoDAsync(a, source, 256, stream));
  OK(cu().memcpyDtoDAsync(b, a, 128, stream));
  OK(cu().memsetD32Async(b + 128, 77, 16, stream));
  OK(cu().memsetD8Async(b + 192, 1, 64, stream));
  OK(cu().memcpyDtoHAsync(target, b, 256, stream));
  OK(cu().streamSynchronize(stream));
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(target[i], i < 32 ? i : i < 48 ? 77 : 0x01010101) << i;

  EXPECT_EQ(cu().memcpyHtoDAsync(a + 4, source, 256, stream), Result::InvalidValue);
  EXPECT_EQ(cu().memcpyHtoDAsync(0, source, 4, stream), Result::InvalidValue);
  EXPECT_EQ(cu().memsetD32Async(a + 2, 0, 1, stream), Result::InvalidValue);
  EXPECT_EQ(cu().memFree(a + 4), Result::InvalidValue);
  EXPECT_EQ(cu().memFreeHost(source + 1), Result::InvalidValue);
}

TEST(Launches, PinnedMemoryIsReadWhenTheCopyRuns) {
  Session session;
  CUdeviceptr a = session.allocate(1);
  uint32_t *pinned = session.pinned(1), plain = 1;
  *pinned = 1;
  OK(cu().memcpyHtoDAsync(a, pinned, 4, nullptr));
  *pinned = 2; // too early, and the copy sees it
  EXPECT_EQ(session.values(a, 1, nullptr), Values{2});
  EXPECT_NE(session.reports().find("unordered host access"), std::string::npos);

  Session other;
  a = other.allocate(1);
  OK(cu().memcpyHtoDAsync(a, &plain, 4, nullptr));
  plain = 2;
  EXPECT_EQ(other.values(a, 1, nullptr), Values{1});
}

TEST(Launches, UnwrittenMemory) {
  Session session;
  CUdeviceptr a = session.allocate(64), b = session.allocate(64);
  OK(cu().memcpyDtoDAsync(b, a, 256, nullptr)); // no use of a value
  OK(cu().streamSynchronize(nullptr));
  session.doubleInto(b, a, 64, nullptr);
  EXPECT_EQ(cu().streamSynchronize(nullptr), Result::Assert);
  EXPECT_NE(session.reports().find("uninitialized: twice"), std::string::npos);
  uint32_t value = 0;
  cu().memcpyDtoHAsync(&value, b, 4, nullptr);
  EXPECT_NE(session.reports().find("uninitialized: DtoH copy"), std::string::npos);
}

TEST(Launches, HostFunctions) {
  Session session;
  CUdeviceptr a = session.allocate(1);
  struct State {
    int calls = 0;
    Result inner = Result::Success;
  } state;
  OK(cu().memsetD32Async(a, 3, 1, nullptr));
  OK(cu().launchHostFunc(
      nullptr,
      [](void *data) {
        auto *state = static_cast<State *>(data);
        ++state->calls;
        state->inner = cu().streamSynchronize(nullptr);
      },
      &state));
  EXPECT_EQ(state.calls, 0);
  EXPECT_EQ(cu().streamSynchronize(nullptr), Result::Assert);
  EXPECT_EQ(state.calls, 1);
  EXPECT_EQ(state.inner, Result::NotPermitted);
  EXPECT_NE(session.reports().find("call in a callback"), std::string::npos);
}
} // namespace
