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
  auto load = [&](const std::string &image) {
    return [&module, image] { return cu().moduleLoadData(&module, image.c_str()); };
  };
  std::string unknown = kernels;
  unknown.replace(unknown.find("add.s32 %r5"), 3, "foo");
  expectRefused(Result::InvalidPtx, "cuModuleLoadData: line 20: ", load(unknown));
  expectRefused(Result::NoBinaryForGpu, "cuModuleLoadData: the image is machine code, expected PTX",
                load("\x7f"
                     "ELF"));
  for (const char *target : {"sm_100", "sm_80a"}) {
    std::string other = kernels;
    other.replace(other.find("sm_90a"), 6, target);
    expectRefused(Result::NoBinaryForGpu,
                  std::string("cuModuleLoadData: the PTX is for ") + target +
                      ", the device is sm_90",
                  load(other));
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
  auto launch = [&](unsigned grid, unsigned block, unsigned shared, unsigned rows = 1) {
    return cu().launchKernel(session.fill, grid, rows, 1, block, 1, 1, shared, nullptr, arguments,
                             nullptr);
  };
  auto expect = [&](Result result, const std::string &why, unsigned grid, unsigned block,
                    unsigned shared, unsigned rows = 1) {
    expectRefused(result, "cuLaunchKernel: fill" + why,
                  [&] { return launch(grid, block, shared, rows); });
  };
  expect(Result::InvalidValue, ": a block of 2048 threads, at most 1024", 1, 2048, 0);
  expect(Result::LaunchOutOfResources, ": a block of 256 threads, .maxntid allows 128", 1, 256, 0);
  expect(Result::InvalidValue, ": a grid or a block of no threads", 0, 128, 0);
  expect(Result::InvalidValue, ": a grid that is too large", 1, 128, 0, 65536);
  // The kernel has 1024 bytes of its own.
  std::string tooMuch = " bytes of dynamic shared memory, at most 48128 are allowed "
                        "(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)";
  expect(Result::InvalidValue, ": 48129" + tooMuch, 1, 128, 48129);
  EXPECT_EQ(launch(1, 128, 48128), Result::Success);
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
  expectRefused(Result::InvalidValue, "cuLaunchKernel: fill: arguments are missing", [&] {
    return cu().launchKernel(session.fill, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  });
  OK(cu().streamSynchronize(nullptr));

  std::string required = kernels;
  required.replace(required.find(".maxntid 128"), 12, ".reqntid 128");
  CUmodule module = nullptr;
  OK(cu().moduleLoadData(&module, required.c_str()));
  OK(cu().moduleGetFunction(&session.fill, module, "fill"));
  expect(Result::InvalidValue, ": a block of another shape than .reqntid says", 1, 64, 0);
  EXPECT_EQ(launch(1, 128, 0), Result::Success);
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
  auto launch = [&] { return cu().launchKernelEx(&config, session.fill, arguments, nullptr); };
  expectRefused(Result::NotSupported, "unsupported: clusters of more than one block", launch);
  attribute.id = LaunchAttributeId::Cooperative;
  expectRefused(Result::NotSupported, "unsupported: launch attribute 2", launch);
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

TEST(Launches, WhatIsNotSimulated) {
  Session session;
  CUcontext other = nullptr;
  CUdeviceptr own = session.allocate(1);
  OK(cu().devicePrimaryCtxRetain(&other, 1));
  OK(cu().ctxSetCurrent(other));
  CUdeviceptr foreign = session.allocate(1);
  expectRefused(Result::NotSupported, "unsupported: a copy between devices",
                [&] { return cu().memcpyDtoDAsync(own, foreign, 4, nullptr); });
  OK(cu().ctxSetCurrent(session.context));
  CUevent event = nullptr;
  expectRefused(Result::NotSupported, "unsupported: events of several processes",
                [&] { return cu().eventCreate(&event, eventInterprocess | eventDisableTiming); });
  expectRefused(Result::NotSupported, "unsupported: flags of cuStreamWaitEvent",
                [&] { return cu().streamWaitEvent(nullptr, session.event(), 1); });
  TensorMap map = {};
  expectRefused(Result::NotSupported, "unsupported: cuTensorMapEncodeTiled", [&] {
    return cu().tensorMapEncodeTiled(&map, 0, 1, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0,
                                     0, 0);
  });
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
