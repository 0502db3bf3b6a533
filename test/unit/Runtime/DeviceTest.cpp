//===- DeviceTest.cpp - Sessions on simulated devices ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs whose tables, step and PTX are written by hand.
//
//===----------------------------------------------------------------------===//

#include "CUDA/CudaDevice.h"
#include "TestSupport.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

// y[i] = 2 * x[i] for i < 100, in blocks of 64 threads.
static const char ptx[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y)
{
.reg .pred %p<2>;
.reg .b32 %r<6>;
.reg .f32 %f<3>;
.reg .b64 %rd<6>;
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.s32 %r3, %r1, 64, %r2;
setp.ge.s32 %p1, %r3, 100;
@%p1 bra done;
ld.param.u64 %rd1, [x];
ld.param.u64 %rd2, [y];
mul.wide.s32 %rd3, %r3, 4;
add.s64 %rd4, %rd1, %rd3;
add.s64 %rd5, %rd2, %rd3;
ld.global.f32 %f1, [%rd4];
add.rn.f32 %f2, %f1, %f1;
st.global.f32 [%rd5], %f2;
done:
ret;
}
)";

static constexpr int64_t count = 100, bytes = 4 * count;
static const dmc_device_launch twice = {"twice", {2, 1, 1}, {64, 1, 1}, 0, 0};
static const dmc_device_launch missing = {"thrice", {2, 1, 1}, {64, 1, 1}, 0, 0};
static const dmc_nest nest = {nullptr, count, 2 * bytes, count, &twice};
static const dmc_nest missingNest = {nullptr, count, 2 * bytes, count, &missing};
static const dmc_kernel kernel = {"twice", 1, "model.py:1", 1, 2, &nest, 0, 0};
static const dmc_kernel missingKernel = {"thrice", 1, "model.py:1", 1, 2, &missingNest, 0, 0};
static const dmc_image image = {DMC_IMAGE_PTX, 0, "sm_80", ptx, sizeof ptx};
static const dmc_image otherImage = {DMC_IMAGE_PTX, 0, "sm_80a", ptx, sizeof ptx};
static const dmc_arena arena = {DMC_MEMORY_DEVICE, 0, bytes, 64};

static SessionOptions simulated() {
  SessionOptions options;
  options.device = DeviceChoice::Simulated;
  return options;
}

static dmc_program &forDevice(dmc_program &program) {
  program.device = DMC_DEVICE_CUDA;
  program.num_kernels = 1;
  program.kernels = &kernel;
  program.num_images = 1;
  program.images = &image;
  program.arenas = &arena;
  return program;
}

/// Launches the kernel from one buffer to another.
static int32_t launch(dmc_rank_context *context, const dmc_runtime_api *api, void *from, void *to) {
  void *slots[] = {from, to};
  return api->launch(context, 0, static_cast<void *>(slots));
}

static Array arrayOf(float first) {
  Array array = Array::make(DMC_F32, {count});
  for (int64_t i = 0; i < count; ++i)
    storeElement(DMC_F32, array.data() + 4 * i, first + static_cast<float>(i));
  return array;
}

static float at(const Array &array, int64_t i) {
  return reinterpret_cast<const float *>(array.data())[i];
}

namespace {
/// The folder of the simulated driver is that of the libraries.
class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override { setenv("DMC_PLUGIN_DIR", TEST_LIBRARY_DIR, 1); }
};
} // namespace

/// Steps are the same whether they are launched one by one or as a graph.
class DeviceStepTest : public DeviceTest, public ::testing::WithParamInterface<bool> {
protected:
  SessionOptions options() {
    SessionOptions options = simulated();
    options.graph = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Launches, DeviceStepTest, ::testing::Bool());

TEST_P(DeviceStepTest, ArgumentsGoToTheDeviceAndResultsComeBack) {
  ProgramBuilder builder("data=1");
  size_t x = builder.argument(DMC_F32, {count}), w = builder.argument(DMC_F32, {count});
  size_t y = builder.result(DMC_F32, {count}), v = builder.result(DMC_F32, {count});
  builder.alias(w, v);
  // y = 4 * x by way of the arena, w = 2 * w in place.
  dmc_program &program =
      forDevice(builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api,
                                  const int64_t *, void *const *in, void *const *out, void *arena) {
        if (launch(context, api, in[0], arena) || launch(context, api, arena, out[0]))
          return 1;
        return launch(context, api, in[1], in[1]);
      }));
  std::string error;
  auto session = Session::create(program, options(), error);
  ASSERT_TRUE(session) << error;
  ASSERT_FALSE(session->setArgument(x, arrayOf(1)));
  ASSERT_FALSE(session->setArgument(w, arrayOf(10)));
  for (int step = 1; step <= 3; ++step) {
    ASSERT_EQ(session->step().value_or(""), "");
    auto result = session->result(y, error);
    ASSERT_TRUE(result) << error;
    EXPECT_EQ(at(*result, 99), 400);
    auto state = session->argument(w, error);
    ASSERT_TRUE(state) << error;
    EXPECT_EQ(at(*state, 3), 13 * static_cast<float>(1 << step));
  }
  // A new value of the donated argument replaces what is on the device.
  ASSERT_FALSE(session->setArgument(w, arrayOf(0)));
  ASSERT_EQ(session->step().value_or(""), "");
  auto result = session->result(v, error);
  ASSERT_TRUE(result) << error;
  EXPECT_EQ(at(*result, 5), 10);
}

TEST_F(DeviceTest, ScalarsComeToTheHostAndEventsOrderStreams) {
  ProgramBuilder builder("data=1");
  builder.argument(DMC_F32, {count});
  builder.result(DMC_F32, {count});
  static float seen;
  static bool isOrdered;
  dmc_program &program =
      forDevice(builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api,
                                  const int64_t *, void *const *in, void *const *out, void *arena) {
        if (launch(context, api, in[0], arena) ||
            api->copy(context, &seen, DMC_MEMORY_HOST, static_cast<uint8_t *>(arena) + 28,
                      DMC_MEMORY_DEVICE, 4, 0) ||
            launch(context, api, in[0], arena))
          return 1;
        if (isOrdered && (api->event(context, 0, DMC_EVENT_RECORD, 0) ||
                          api->event(context, 0, DMC_EVENT_WAIT, 1)))
          return 1;
        return api->copy(context, out[0], DMC_MEMORY_DEVICE, arena, DMC_MEMORY_DEVICE, bytes, 1);
      }));
  program.num_streams = 2;
  program.num_events = 1;
  for (bool ordered : {true, false}) {
    isOrdered = ordered;
    std::string error;
    auto session = Session::create(program, simulated(), error);
    ASSERT_TRUE(session) << error;
    ASSERT_FALSE(session->setArgument(0, arrayOf(1)));
    Failure why = session->step();
    EXPECT_EQ(seen, 16);
    // Without the event the copy may read before the kernel has written: the simulated driver
    // reports it whatever order it happened to choose.
    EXPECT_EQ(!why, ordered) << why.value_or("");
  }
}

TEST_F(DeviceTest, GraphsForkIntoStreamsAndKeepScalars) {
  ProgramBuilder builder("data=2");
  Layout split = Layout::replicated(1);
  split.dims[0].push_back(AxisRef{0, 1, 2});
  builder.argument(DMC_F32, {2 * count}, split);
  builder.result(DMC_F32, {count});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {count}, {AxisRef{0, 1, 2}});
  static int calls;
  calls = 0;
  dmc_program &program = forDevice(
      builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *at,
                        void *const *in, void *const *out, void *arena) {
        if (at[0] == 0)
          ++calls;
        // A scalar from memory of the host that is gone when the graph runs; and a stream that the
        // program joins to the first one, which the graph's end does too.
        float scalar = 1000;
        if (launch(context, api, in[0], arena) ||
            api->copy(context, static_cast<uint8_t *>(arena) + 8, DMC_MEMORY_DEVICE, &scalar,
                      DMC_MEMORY_HOST, 4, 0) ||
            api->event(context, 0, DMC_EVENT_RECORD, 0) ||
            api->event(context, 0, DMC_EVENT_WAIT, 1) || api->collective(context, 0, arena, arena))
          return 1;
        scalar = 0;
        return api->copy(context, out[0], DMC_MEMORY_DEVICE, arena, DMC_MEMORY_DEVICE, bytes, 0);
      }));
  program.num_streams = 2;
  program.num_events = 1;
  SessionOptions options = simulated();
  options.graph = true;
  std::string error;
  auto session = Session::create(program, options, error);
  ASSERT_TRUE(session) << error;
  for (int step = 1; step <= 3; ++step) {
    Array x = Array::make(DMC_F32, {2 * count});
    for (int64_t i = 0; i < 2 * count; ++i)
      storeElement(DMC_F32, x.data() + 4 * i, static_cast<float>(step * i));
    ASSERT_FALSE(session->setArgument(0, x));
    ASSERT_EQ(session->step().value_or(""), "");
    auto result = session->result(0, error);
    ASSERT_TRUE(result) << error;
    EXPECT_EQ(at(*result, 7), static_cast<float>(step * (2 * 7 + 2 * 107)));
    EXPECT_EQ(at(*result, 2), 2000);
    EXPECT_EQ(session->executions(), std::vector<int64_t>{1});
  }
  EXPECT_EQ(calls, 1);
}

TEST_F(DeviceTest, WhatKeepsAStepFromBeingAGraphIsSaid) {
  ProgramBuilder builder("data=2");
  builder.argument(DMC_F32, {count});
  builder.result(DMC_F32, {count});
  builder.collective(DMC_ALL_REDUCE, DMC_I16, {count}, {AxisRef{0, 1, 2}});
  dmc_program &program =
      forDevice(builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api,
                                  const int64_t *, void *const *in, void *const *, void *arena) {
        float scalar = 0;
        return api->copy(context, &scalar, DMC_MEMORY_HOST, in[0], DMC_MEMORY_DEVICE, 4, 0);
      }));
  SessionOptions options = simulated();
  options.graph = true;
  auto errorOf = [&] {
    std::string error;
    auto session = Session::create(program, options, error);
    return session ? session->step().value_or("") : error;
  };
  std::string cannot = "the step cannot be one graph: ";
  EXPECT_EQ(errorOf().rfind(cannot + "collective 0 (all_reduce over {\"data\"}", 0), 0u)
      << errorOf();
  program.num_collectives = 0;
  // What compilers since have said in the tables.
  EXPECT_NE(errorOf().find("the host cannot wait for values of the device in a graph"),
            std::string::npos)
      << errorOf();
  program.host_wait = "'scf.while' at model.py:3:1";
  EXPECT_EQ(errorOf(),
            cannot + "the host waits for what 'scf.while' at model.py:3:1 reads on the device");
  program.host_wait = nullptr;
  options.checkCopies = true;
  EXPECT_EQ(errorOf(), cannot + "DMC_CHECK_COPIES compares results on the host");
  options.checkCopies = false;
  program.device = DMC_DEVICE_HOST;
  options.device = DeviceChoice::Installed;
  EXPECT_EQ(errorOf(), cannot + "the program is for the processor");
}

TEST_F(DeviceTest, RanksHaveADeviceEachAndReduceOverTheHost) {
  ProgramBuilder builder("data=2");
  Layout split = Layout::replicated(1);
  split.dims[0].push_back(AxisRef{0, 1, 2});
  builder.argument(DMC_F32, {2 * count}, split);
  builder.result(DMC_F32, {count});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {count}, {AxisRef{0, 1, 2}});
  dmc_program &program =
      forDevice(builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api,
                                  const int64_t *, void *const *in, void *const *out, void *arena) {
        if (launch(context, api, in[0], arena))
          return 1;
        return api->collective(context, 0, arena, out[0]);
      }));
  std::string error;
  auto session = Session::create(program, simulated(), error);
  ASSERT_TRUE(session) << error;
  Array x = Array::make(DMC_F32, {2 * count});
  for (int64_t i = 0; i < 2 * count; ++i)
    storeElement(DMC_F32, x.data() + 4 * i, static_cast<float>(i));
  ASSERT_FALSE(session->setArgument(0, x));
  ASSERT_EQ(session->step().value_or(""), "");
  auto result = session->result(0, error);
  ASSERT_TRUE(result) << error;
  EXPECT_EQ(at(*result, 7), 2 * 7 + 2 * 107);
  EXPECT_EQ(
      session->bindArgument(0, 0, nullptr).value_or(""),
      "argument 0 (in0) of rank 0: unsupported: binding memory to a program that runs on a device");
}

TEST_F(DeviceTest, WhatIsMissingIsSaid) {
  ProgramBuilder builder("data=9");
  dmc_program &program = forDevice(builder.finish(nullptr));
  auto errorOf = [&](const SessionOptions &options) {
    std::string error;
    return Session::create(program, options, error) ? "" : error;
  };
  EXPECT_EQ(errorOf(simulated()), "the program needs 9 CUDA devices, found 8; "
                                  "DMC_SHARE_DEVICES=1 gives several ranks one device");
  SessionOptions sharing = simulated();
  sharing.sharesDevices = true;
  EXPECT_EQ(errorOf(sharing), "");
  ProgramBuilder other("data=1");
  program = forDevice(other.finish(nullptr));
  EXPECT_EQ(errorOf(simulated()), "");
  program.images = &otherImage;
  EXPECT_EQ(errorOf(simulated()),
            "the program is compiled for sm_80a, the device has compute capability 9.0");
  program.images = &image;
  program.kernels = &missingKernel;
  EXPECT_EQ(errorOf(simulated()).rfind("thrice: CUDA_ERROR_NOT_FOUND", 0), 0u)
      << errorOf(simulated());
  program.device = DMC_DEVICE_HOST;
  EXPECT_EQ(errorOf(simulated()),
            "the program is for the processor, and has nothing for a simulated device");
}

TEST(DeviceImages, CodeIsForTheDevice) {
  const dmc_image images[] = {
      {DMC_IMAGE_CUBIN, 0, "sm_80", ptx, 1},  {DMC_IMAGE_PTX, 0, "sm_80", ptx, 1},
      {DMC_IMAGE_CUBIN, 0, "sm_90a", ptx, 1}, {DMC_IMAGE_PTX, 0, "sm_90a", ptx, 1},
      {DMC_IMAGE_CUBIN, 0, "sm_100", ptx, 0}, {DMC_IMAGE_PTX, 0, "sm_100", ptx, 1}};
  dmc_program program = {};
  program.num_images = 6;
  program.images = images;
  auto chosen = [&](int major, int minor, bool readsBinaries = true) -> int64_t {
    const dmc_image *image = cuda::chooseImage(program, major, minor, readsBinaries);
    return image ? image - images : -1;
  };
  EXPECT_EQ(chosen(7, 5), -1);
  EXPECT_EQ(chosen(8, 0), 0);
  EXPECT_EQ(chosen(8, 9), 0);
  EXPECT_EQ(chosen(9, 0), 2);
  EXPECT_EQ(chosen(9, 0, /*readsBinaries=*/false), 3);
  EXPECT_EQ(chosen(10, 0), 5);
  EXPECT_EQ(chosen(12, 0), 5);
  // Binary code of another major number is none of the device's, its text is.
  program.num_images = 2;
  EXPECT_EQ(chosen(9, 0), 1);
}
