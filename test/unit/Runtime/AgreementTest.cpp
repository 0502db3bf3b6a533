//===- AgreementTest.cpp - Builds, options and processors -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ranks/Agreement.h"
#include "Device/Cpu.h"
#include "TestSupport.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

//===----------------------------------------------------------------------===//
// What ranks have in common
//===----------------------------------------------------------------------===//

/// What is wrong if rank 2 of three differs from the others by `change`.
static std::string
compareAfter(const std::function<void(dmc_program &, SessionOptions &)> &change) {
  dmc_program program = {};
  program.plan_hash[0] = 1;
  program.plan_hash[1] = 2;
  program.compiler = "dmc 1";
  program.target_cpu = "x86-64-v3";
  program.target_features = "avx,avx2";
  SessionOptions options;
  RankSetup usual = setupOf(program, options);
  change(program, options);
  return compareSetups({usual, usual, setupOf(program, options)}).value_or("");
}

TEST(Agreement, ADeviceForEachRank) {
  const RankPlace first = {"a", "0000:01:00.0"}, second = {"a", "0000:02:00.0"},
                  elsewhere = {"b", "0000:01:00.0"}, unknown = {"a", ""};
  EXPECT_EQ(findSharedDevice({first, second, elsewhere}), std::nullopt);
  EXPECT_EQ(findSharedDevice({unknown, unknown}), std::nullopt);
  EXPECT_EQ(findSharedDevice({first, second, elsewhere, second}), std::pair(size_t(1), size_t(3)));
}

TEST(Agreement, DifferentBuildsAreFound) {
  using P = dmc_program &;
  using O = SessionOptions &;
  EXPECT_EQ(compareAfter([](P, O) {}), "");
  const std::string other = "rank 2 has another build of the program than rank 0: ";
  EXPECT_EQ(compareAfter([](P p, O) { p.plan_hash[1] = 0xabc; }),
            other + "plan 00000000000000010000000000000abc, expected "
                    "00000000000000010000000000000002");
  EXPECT_EQ(compareAfter([](P p, O) { p.compiler = "dmc 2"; }),
            other + "compiler \"dmc 2\", expected \"dmc 1\"");
  EXPECT_EQ(compareAfter([](P p, O) { p.target_cpu = "znver4"; }),
            other + "processor \"znver4\", expected \"x86-64-v3\"");
  EXPECT_EQ(compareAfter([](P p, O) { p.target_features = "avx"; }),
            other + "other features of the processor \"x86-64-v3\"");
  EXPECT_EQ(compareAfter([](P, O o) { o.checkCopies = true; }),
            "DMC_CHECK_COPIES is set on rank 2 and not on rank 0, expected the same on all");
  // What each rank may choose for itself.
  EXPECT_EQ(compareAfter([](P, O o) { o.poison = true; }), "");
  EXPECT_EQ(compareAfter([](P, O o) { o.watchdogSeconds = 1; }), "");
}

//===----------------------------------------------------------------------===//
// Processors
//===----------------------------------------------------------------------===//

TEST(Cpu, MissingFeaturesAreNamed) {
  ProgramBuilder builder("a=1");
  dmc_program &program = builder.finish(nullptr);
  std::string features, error;
  for (const std::string &feature : cpuFeatures())
    features += (features.empty() ? "" : ",") + feature;
  program.target_cpu = "mycpu";
  program.target_features = features.c_str();
  EXPECT_TRUE(Session::create(program, {}, error)) << error;
  std::string more = "flux" + (features.empty() ? "" : "," + features) + ",warp";
  program.target_features = more.c_str();
  EXPECT_FALSE(Session::create(program, {}, error));
  EXPECT_EQ(error, "program is compiled for the processor \"mycpu\", but this one lacks flux, "
                   "warp: expected a program compiled with a --target-cpu that it supports");
}

#if defined(__x86_64__)
TEST(Cpu, AgreesWithTheCompiler) {
  std::vector<std::string> present = cpuFeatures();
  auto has = [&](const char *name) {
    return std::find(present.begin(), present.end(), name) != present.end();
  };
  __builtin_cpu_init();
#define CHECK_FEATURE(NAME) EXPECT_EQ(has(NAME), __builtin_cpu_supports(NAME) != 0) << NAME
  CHECK_FEATURE("sse3");
  CHECK_FEATURE("ssse3");
  CHECK_FEATURE("sse4.1");
  CHECK_FEATURE("sse4.2");
  CHECK_FEATURE("sse4a");
  CHECK_FEATURE("popcnt");
  CHECK_FEATURE("avx");
  CHECK_FEATURE("avx2");
  CHECK_FEATURE("fma");
  CHECK_FEATURE("fma4");
  CHECK_FEATURE("xop");
  CHECK_FEATURE("bmi");
  CHECK_FEATURE("bmi2");
  CHECK_FEATURE("gfni");
  CHECK_FEATURE("avx512f");
  CHECK_FEATURE("avx512vl");
  CHECK_FEATURE("avx512bw");
  CHECK_FEATURE("avx512dq");
  CHECK_FEATURE("avx512cd");
  CHECK_FEATURE("avx512vbmi");
  CHECK_FEATURE("avx512vbmi2");
  CHECK_FEATURE("avx512ifma");
  CHECK_FEATURE("avx512vnni");
  CHECK_FEATURE("avx512bitalg");
  CHECK_FEATURE("avx512vpopcntdq");
  CHECK_FEATURE("avx512bf16");
  CHECK_FEATURE("avx512vp2intersect");
#undef CHECK_FEATURE
}
#endif

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

// Loading changes the environment, which other threads of the step may read.
TEST(VendorDeathTest, IsLoadedBeforeTheStep) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
#ifdef TEST_HAS_ONEDNN
  auto environmentAfterCreation = [](uint32_t numCalls) {
    static const dmc_contraction contraction = contractionOf(DMC_F32);
    static const dmc_call call = {
        DMC_CALL_CONTRACTION, 3, "", &contraction, 0, 0, 0, 0, "", 0, 0, 0, nullptr};
    unsetenv("GOMP_SPINCOUNT");
    unsetenv("OMP_WAIT_POLICY");
    setenv("DMC_PLUGIN_DIR", TEST_LIBRARY_DIR, 1);
    ProgramBuilder builder("a=2");
    dmc_program &program = builder.finish(nullptr);
    program.num_calls = numCalls;
    program.calls = &call;
    std::string error;
    auto session = Session::create(program, {}, error);
    std::fprintf(stderr, "spin count %s\n",
                 std::getenv("GOMP_SPINCOUNT") ? "is set" : "is not set");
    std::_Exit(session ? 0 : 1);
  };
  EXPECT_EXIT(environmentAfterCreation(1), ::testing::ExitedWithCode(0), "spin count is set");
  EXPECT_EXIT(environmentAfterCreation(0), ::testing::ExitedWithCode(0), "spin count is not set");
#endif
}

TEST(Vendor, CallsThatAreNotListedAreRefused) {
  ProgramBuilder builder("a=1");
  dmc_program &program = builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api,
                                           const int64_t *, void *const *, void *const *,
                                           void *) { return api->call(context, 0, nullptr); });
  std::string error;
  auto session = Session::create(program, {}, error);
  ASSERT_TRUE(session) << error;
  EXPECT_EQ(session->step().value_or(""), "rank 0 makes library call 0 of 0");
}

TEST(Vendor, MalformedCallsAreRefused) {
  static const dmc_contraction contraction = contractionOf(DMC_F32);
  auto errorOf = [](dmc_call call) {
    ProgramBuilder builder("a=1");
    dmc_program &program = builder.finish(nullptr);
    program.num_calls = 1;
    program.calls = &call;
    std::string error;
    return Session::create(program, {}, error) ? "" : error;
  };
  const std::string prefix = "program library call 0 (matmul) ";
  EXPECT_EQ(
      errorOf({DMC_CALL_CONTRACTION, 3, "matmul", &contraction, 1, 0, 0, 0, "", 0, 0, 0, nullptr}),
      "");
  EXPECT_EQ(errorOf({7, 3, "matmul", &contraction, 1, 0, 0, 0, "", 0, 0, 0, nullptr}),
            prefix + "has unknown kind 7");
  EXPECT_EQ(errorOf({DMC_CALL_CONTRACTION, 3, "matmul", nullptr, 1, 0, 0, 0, "", 0, 0, 0, nullptr}),
            prefix + "is a malformed contraction");
  EXPECT_EQ(
      errorOf({DMC_CALL_CONTRACTION, 2, "matmul", &contraction, 1, 0, 0, 0, "", 0, 0, 0, nullptr}),
      prefix + "is a malformed contraction");
  EXPECT_EQ(errorOf({DMC_CALL_CONTRACTION, 3, "matmul", &contraction, 1, 0, 0, -64, "", 0, 0, 0,
                     nullptr}),
            prefix + "is a malformed contraction");
  EXPECT_EQ(errorOf({DMC_CALL_CONTRACTION, 3, "matmul", &contraction, 1, 0, 0, 0, "", 0, 0, -64,
                     nullptr}),
            prefix + "is a malformed contraction");
  static dmc_contraction noSizes = contractionOf(DMC_F32);
  noSizes.num_m = 1;
  static const dmc_contraction unknown = contractionOf(99);
  EXPECT_EQ(
      errorOf({DMC_CALL_CONTRACTION, 3, "matmul", &unknown, 1, 0, 0, 0, "", 0, 0, 0, nullptr}),
      "rank 0: contraction of element type ?, expected a float type or integers of at "
      "least 8 bits");
  EXPECT_EQ(
      errorOf({DMC_CALL_CONTRACTION, 3, "matmul", &noSizes, 1, 0, 0, 0, "", 0, 0, 0, nullptr}),
      prefix + "is a malformed contraction");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// What the step's runtime says to one copy or event.
static std::string
errorOfStep(std::function<int32_t(dmc_rank_context *, const dmc_runtime_api *)> step,
            uint32_t numEvents = 0) {
  ProgramBuilder builder("a=1");
  dmc_program &program =
      builder.finish([&](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *,
                         void *const *, void *const *, void *) { return step(context, api); });
  program.num_events = numEvents;
  std::string error;
  auto session = Session::create(program, {}, error);
  return session ? session->step().value_or("") : error;
}

TEST(Memory, IsCopiedWithinItsSpace) {
  int from[] = {1, 2, 3}, to[3] = {};
  auto copy = [&](uint32_t toSpace, uint32_t fromSpace) {
    return errorOfStep([&](dmc_rank_context *context, const dmc_runtime_api *api) {
      return api->copy(context, to, toSpace, from, fromSpace, sizeof from, 0);
    });
  };
  EXPECT_EQ(copy(DMC_MEMORY_HOST, DMC_MEMORY_HOST), "");
  EXPECT_EQ(to[2], 3);
  EXPECT_EQ(copy(DMC_MEMORY_DEVICE, DMC_MEMORY_HOST), "the processor has no memory of space 1");
}

TEST(Memory, EventsAreThoseOfTheProgram) {
  auto wait = [](int64_t event, uint32_t kind, uint32_t stream) {
    return errorOfStep(
        [=](dmc_rank_context *context, const dmc_runtime_api *api) {
          return api->event(context, event, kind, stream);
        },
        2);
  };
  EXPECT_EQ(wait(1, DMC_EVENT_WAIT, 0), "");
  EXPECT_EQ(wait(2, DMC_EVENT_WAIT, 0), "rank 0 uses event 2 of 2 on stream 0 of 1");
  EXPECT_EQ(wait(1, DMC_EVENT_RECORD, 1), "rank 0 uses event 1 of 2 on stream 1 of 1");
}
