//===- CustomKernelsTest.cpp - Kernels that a session is given ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of kernels by name: what they get, and what is said of programs and sessions that are
// wrong.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

namespace {

const int64_t shape[] = {4};
const dmc_custom_value values[] = {{DMC_F32, 1, shape}, {DMC_F32, 1, shape}};

dmc_custom_target targetOf(const char *name) {
  return {sizeof(dmc_custom_target), 1, 1, 0, name, "{}", values};
}

dmc_call callOf(const dmc_custom_target *target) {
  return {DMC_CALL_CUSTOM, 2, "kernel_0", nullptr, 1, 0, 0, 0, "model.py:3", 0, 0, 0, target};
}

/// A program of two ranks that calls one kernel on its argument.
class CustomKernelsTest : public ::testing::Test {
protected:
  dmc_program &makeProgram(const dmc_call &call) {
    builder.argument(DMC_F32, {4});
    builder.result(DMC_F32, {4});
    dmc_program &program =
        builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *,
                          void *const *arguments, void *const *results, void *) {
          void *operands[] = {arguments[0], results[0]};
          return api->call(context, 0, static_cast<const void *>(operands));
        });
    program.num_calls = 1;
    program.calls = &call;
    return program;
  }

  ProgramBuilder builder{"a=2"};
  std::string error;
};

int32_t twice(const dmc_custom_call *call, void *data) {
  if (call->num_operands != 1 || call->num_results != 1 || std::string(call->config) != "{}" ||
      call->operands[0].shape[0] != 4 || call->operands[0].element_type != DMC_F32)
    return 1;
  const auto *x = static_cast<const float *>(call->operands[0].data);
  auto *y = static_cast<float *>(call->results[0].data);
  for (int i = 0; i < 4; ++i)
    y[i] = *static_cast<float *>(data) * x[i];
  return 0;
}

int32_t failing(const dmc_custom_call *call, void *) {
  if (call->rank == 0)
    std::strncpy(call->error, "no reason", call->error_bytes);
  return 3;
}

TEST_F(CustomKernelsTest, GetBlocksAndData) {
  dmc_custom_target target = targetOf("twice");
  dmc_call call = callOf(&target);
  dmc_program &program = makeProgram(call);
  float two = 2, three = 3;
  SessionOptions options;
  // The last one of a name counts.
  options.kernels = {{"twice", twice, &three}, {"other", failing, nullptr}, {"twice", twice, &two}};
  auto session = Session::create(program, options, error);
  ASSERT_TRUE(session) << error;
  EXPECT_EQ(session->setArgument(0, makeArray(DMC_F32, {4}, {1, 2, 3, 4})), std::nullopt);
  EXPECT_EQ(session->step(), std::nullopt);
  EXPECT_EQ(valuesOf(*session->result(0, error)), (std::vector<double>{2, 4, 6, 8}));
}

TEST_F(CustomKernelsTest, FailuresAreThoseOfTheStep) {
  dmc_custom_target target = targetOf("f");
  dmc_call call = callOf(&target);
  dmc_program &program = makeProgram(call);
  SessionOptions options;
  options.kernels = {{"f", failing, nullptr}};
  auto session = Session::create(program, options, error);
  ASSERT_TRUE(session) << error;
  EXPECT_EQ(session->setArgument(0, makeArray(DMC_F32, {4}, {1, 2, 3, 4})), std::nullopt);
  std::string why = session->step().value_or("");
  EXPECT_TRUE(why == "model.py:3: kernel \"f\" failed on rank 0: no reason" ||
              why == "model.py:3: kernel \"f\" failed on rank 1, with code 3")
      << why;
}

TEST_F(CustomKernelsTest, MissingOnesAreNamed) {
  dmc_custom_target target = targetOf("f");
  dmc_call call = callOf(&target);
  dmc_program &program = makeProgram(call);
  SessionOptions options;
  EXPECT_FALSE(Session::create(program, options, error));
  EXPECT_EQ(error, "the program calls the kernel \"f\", which the session was not given; it was "
                   "given none");
  options.kernels = {{"g", twice, nullptr}, {"h", twice, nullptr}};
  EXPECT_FALSE(Session::create(program, options, error));
  EXPECT_EQ(error, "the program calls the kernel \"f\", which the session was not given; it was "
                   "given \"g\", \"h\"");
  options.kernels = {{"f", nullptr, nullptr}};
  EXPECT_FALSE(Session::create(program, options, error));
  EXPECT_EQ(error, "kernel \"f\" has no function");
}

TEST(CustomKernelTables, MalformedCallsAreRefused) {
  auto errorOf = [](const dmc_call &call, uint32_t device = DMC_DEVICE_HOST) {
    ProgramBuilder builder("a=1");
    dmc_program &program = builder.finish(nullptr);
    program.num_calls = 1;
    program.calls = &call;
    program.device = device;
    return verifyProgram(program).value_or("");
  };
  const std::string prefix = "library call 0 (kernel_0) ";
  dmc_custom_target target = targetOf("f");
  EXPECT_EQ(errorOf(callOf(&target)), "");
  EXPECT_EQ(errorOf(callOf(nullptr)), prefix + "names no kernel");
  EXPECT_EQ(errorOf(callOf(&target), DMC_DEVICE_CUDA),
            prefix + "calls the kernel \"f\" in a program for a device, expected one for "
                     "processors");
  dmc_call call = callOf(&target);
  call.kind = DMC_CALL_CONTRACTION;
  EXPECT_EQ(errorOf(call), prefix + "is a malformed contraction");
  call = callOf(&target);
  call.num_operands = 3;
  EXPECT_EQ(errorOf(call), prefix + "is a malformed call of a kernel");
  target.name = "";
  EXPECT_EQ(errorOf(callOf(&target)), prefix + "is a malformed call of a kernel");
  target = targetOf("f");
  target.struct_size += 8;
  EXPECT_EQ(errorOf(callOf(&target)),
            prefix + "is of a newer dmc: it describes a kernel in 48 bytes, this runtime knows 40");
  target = targetOf("f");
  const dmc_custom_value unknown[] = {{99, 1, shape}, {DMC_F32, 1, shape}};
  target.values = unknown;
  EXPECT_EQ(errorOf(callOf(&target)), prefix + "has unknown element type 99");
  const dmc_custom_value shapeless[] = {{DMC_F32, 1, nullptr}, {DMC_F32, 1, shape}};
  target.values = shapeless;
  EXPECT_EQ(errorOf(callOf(&target)), prefix + "has no shape");
}

} // namespace
