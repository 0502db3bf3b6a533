//===- NcclCommunicatorTest.cpp - Collectives of simulated devices --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each collective on devices against the same one on processors.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

namespace {

using Adjust = std::function<void(dmc_collective &)>;
using Bytes = std::vector<uint8_t>;

/// An entry of the simulated driver.
template <typename Function>
Function fake(const char *name) {
  static void *library = dlopen(TEST_LIBRARY_DIR "/fakes/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  EXPECT_TRUE(library) << dlerror();
  return reinterpret_cast<Function>(dlsym(library, name));
}

class NcclCommunicatorTest : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("DMC_PLUGIN_DIR", TEST_LIBRARY_DIR, 1);
    begin("0");
  }
  void TearDown() override {
    unsetenv("DMC_SIMULATED_NCCL_FAULT");
    unsetenv("DMC_SIMULATED_NCCL_VERSION");
    begin("0");
  }
  static void begin(const char *seed) {
    setenv("DMC_SIMULATED_SEED", seed, 1);
    fake<void (*)()>("dmcFakeReset")();
  }
  static uint64_t reports() { return fake<uint64_t (*)()>("dmcFakeReportCount")(); }

  static SessionOptions simulated() {
    SessionOptions options;
    options.device = DeviceChoice::Simulated;
    options.poison = true; // what a collective does not write is seen
    return options;
  }

  /// The results of all ranks of two steps; every rank has other values.
  static std::vector<Bytes> run(const dmc_program &program, const SessionOptions &options) {
    std::string error;
    auto session = Session::create(program, options, error);
    EXPECT_TRUE(session) << error;
    if (!session)
      return {};
    const dmc_value &in = program.arguments[0];
    std::vector<Bytes> results;
    int64_t ranks = session->mesh().numRanks();
    for (int step = 0; step < 2; ++step) {
      for (int64_t rank = 0; rank < ranks; ++rank) {
        Array array = Array::make(in.element_type, {in.local_shape, in.local_shape + in.rank});
        size_t width = elementBytes(in.element_type);
        bool isBool = in.element_type == DMC_I1;
        for (size_t i = 0; i < array.numBytes() / width; ++i)
          storeElement(in.element_type, array.data() + i * width,
                       isBool ? static_cast<double>((i + rank + step) % 3 != 0)
                              : static_cast<double>((i * 7 + 3 * rank + 5 * step) % 11 + 1));
        EXPECT_FALSE(session->setLocalArgument(rank, 0, array));
      }
      EXPECT_EQ(session->step().value_or(""), "");
      for (int64_t rank = 0; rank < ranks; ++rank) {
        auto result = session->localResult(rank, 0, error);
        EXPECT_TRUE(result) << error;
        if (result)
          results.emplace_back(result->data(), result->data() + result->numBytes());
      }
    }
    EXPECT_EQ(session->executions(), std::vector<int64_t>(program.num_collectives, 1));
    return results;
  }

  /// One collective, on devices and on processors.
  static void check(const std::string &mesh, const std::vector<uint32_t> &axes,
                    dmc_collective_kind kind, uint32_t type, const std::vector<int64_t> &shape,
                    const Adjust &adjust = {}, bool inPlace = false) {
    SCOPED_TRACE(mesh + ", kind " + std::to_string(kind) + ", type " + std::to_string(type));
    ProgramBuilder builder(mesh);
    std::vector<AxisRef> refs;
    int64_t p = 1;
    for (uint32_t axis : axes) {
      refs.push_back(whole(builder.mesh(), axis));
      p *= refs.back().size;
    }
    dmc_collective &built = builder.collective(kind, type, shape, refs);
    if (adjust)
      adjust(built);
    std::vector<int64_t> out = shape;
    if (kind == DMC_ALL_GATHER || kind == DMC_ALL_TO_ALL)
      out[kind == DMC_ALL_GATHER ? built.dim : built.concat_dim] *= p;
    if (kind == DMC_REDUCE_SCATTER || kind == DMC_ALL_TO_ALL)
      out[built.dim] /= p;
    size_t x = builder.argument(type, shape), y = builder.result(type, out);
    if (inPlace)
      builder.alias(x, y);
    dmc_program &program =
        builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *,
                          void *const *in, void *const *results,
                          void *) { return api->collective(context, 0, in[0], results[0]); });
    std::vector<Bytes> expected = run(program, {});
    program.device = DMC_DEVICE_CUDA;
    EXPECT_EQ(run(program, simulated()), expected);
    SessionOptions options = simulated();
    options.checkCopies = true;
    EXPECT_EQ(run(program, options), expected);
  }

  static void checkAll(const std::string &mesh, const std::vector<uint32_t> &axes, int64_t p) {
    static const int64_t pairs[] = {0, 1, 1, 0};
    auto swap = [](dmc_collective &c) {
      c.pairs = pairs;
      c.num_pairs = 2;
    };
    auto alongThe = [](uint32_t dim, uint32_t concat = 0) {
      return [=](dmc_collective &c) {
        c.dim = dim;
        c.concat_dim = concat;
      };
    };
    for (bool inPlace : {false, true}) {
      check(mesh, axes, DMC_ALL_REDUCE, DMC_F32, {3, 5}, {}, inPlace);
      check(mesh, axes, DMC_PERMUTE, DMC_I16, {3, 5}, swap, inPlace);
      check(
          mesh, axes, DMC_BROADCAST, DMC_BF16, {7}, [&](dmc_collective &c) { c.root = p - 1; },
          inPlace);
      check(mesh, axes, DMC_ALL_TO_ALL, DMC_F32, {p, 3}, alongThe(0, 0), inPlace);
    }
    for (uint32_t dim : {0, 1, 2}) {
      check(mesh, axes, DMC_ALL_GATHER, DMC_I1, {2, 3, 2}, alongThe(dim));
      check(mesh, axes, DMC_REDUCE_SCATTER, DMC_I32, {p, 2 * p, p}, alongThe(dim));
      for (uint32_t concat : {0, 1, 2})
        check(mesh, axes, DMC_ALL_TO_ALL, DMC_F64, {p, 2 * p, p}, alongThe(dim, concat));
    }
  }
};

} // namespace

TEST_F(NcclCommunicatorTest, EveryKindIsWhatProcessorsCompute) {
  for (int64_t p = 2; p <= 8; ++p)
    checkAll("a=" + std::to_string(p), {0}, p);
  EXPECT_EQ(reports(), 0u);
}

TEST_F(NcclCommunicatorTest, GroupsOfAMesh) {
  checkAll("a=2,b=4", {0}, 2);
  checkAll("a=2,b=4", {1}, 4);
  checkAll("a=2,b=4", {1, 0}, 8); // not the order of the ranks
  EXPECT_EQ(reports(), 0u);
}

TEST_F(NcclCommunicatorTest, EveryTypeAndCombiner) {
  for (uint32_t type = DMC_I1; type <= DMC_F64; ++type)
    for (uint32_t combiner : {DMC_SUM, DMC_PROD, DMC_MAX, DMC_MIN})
      for (dmc_collective_kind kind : {DMC_ALL_REDUCE, DMC_REDUCE_SCATTER})
        check("a=2", {0}, kind, type, {6}, [&](dmc_collective &c) { c.combiner = combiner; });
  EXPECT_EQ(reports(), 0u);
}

TEST_F(NcclCommunicatorTest, RanksAloneAndRanksInNoGroup) {
  static const int64_t groups[] = {2, 0};
  check("a=1", {0}, DMC_ALL_REDUCE, DMC_F32, {5});
  check("a=1", {0}, DMC_PERMUTE, DMC_F32, {5});
  check("a=3", {}, DMC_ALL_REDUCE, DMC_F32, {5}, [](dmc_collective &c) {
    c.num_groups = 1;
    c.group_size = 2;
    c.groups = groups;
  });
  check("a=3", {0}, DMC_PERMUTE, DMC_F32, {5}); // nobody sends
  EXPECT_EQ(reports(), 0u);
}

TEST_F(NcclCommunicatorTest, OrdersOfStreamsDoNotMatter) {
  for (const char *seed : {"1", "2", "3", "4", "5"}) {
    begin(seed);
    checkAll("a=2,b=2", {1}, 2);
    EXPECT_EQ(reports(), 0u);
  }
}

/// Two collectives on a stream of their own; the first one's operand is copied on another stream.
static int32_t overlapped(dmc_rank_context *context, const dmc_runtime_api *api,
                          void *const *arguments, void *const *results, bool isOrdered) {
  if (api->copy(context, results[0], DMC_MEMORY_DEVICE, arguments[0], DMC_MEMORY_DEVICE, 16, 0))
    return 1;
  if (isOrdered &&
      (api->event(context, 0, DMC_EVENT_RECORD, 0) || api->event(context, 0, DMC_EVENT_WAIT, 1)))
    return 1;
  if (api->collective_start(context, 0, results[0], results[0]))
    return 1;
  // Meanwhile:
  if (api->copy(context, results[1], DMC_MEMORY_DEVICE, arguments[0], DMC_MEMORY_DEVICE, 16, 0))
    return 1;
  if (api->collective_wait(context, 0) || api->event(context, 1, DMC_EVENT_RECORD, 1) ||
      api->event(context, 1, DMC_EVENT_WAIT, 0))
    return 1;
  return api->copy(context, results[2], DMC_MEMORY_DEVICE, results[0], DMC_MEMORY_DEVICE, 16, 0);
}

TEST_F(NcclCommunicatorTest, StreamsOfTheirOwnWaitForEvents) {
  static bool isOrdered;
  ProgramBuilder builder("a=2");
  builder.argument(DMC_F32, {4});
  for (int i = 0; i < 3; ++i)
    builder.result(DMC_F32, {4});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {4}, {whole(builder.mesh(), 0)}).stream = 1;
  dmc_program &program = builder.finish(
      [](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *, void *const *in,
         void *const *out, void *) { return overlapped(context, api, in, out, isOrdered); });
  program.device = DMC_DEVICE_CUDA;
  program.num_streams = program.num_events = 2;
  for (bool ordered : {true, false}) {
    isOrdered = ordered;
    std::string error;
    auto session = Session::create(program, simulated(), error);
    ASSERT_TRUE(session) << error;
    ASSERT_FALSE(session->setArgument(0, makeArray(DMC_F32, {4}, {1, 2, 3, 4})));
    Failure why = session->step();
    EXPECT_EQ(!why, ordered) << why.value_or("");
    if (!ordered)
      break;
    auto result = session->result(2, error);
    ASSERT_TRUE(result) << error;
    EXPECT_EQ(valuesOf(*result), (std::vector<double>{2, 4, 6, 8}));
  }
}

TEST_F(NcclCommunicatorTest, CopiesToTheHostDoNotWaitInVain) {
  ProgramBuilder builder("a=2");
  builder.argument(DMC_F32, {4});
  builder.result(DMC_F32, {4});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {4}, {whole(builder.mesh(), 0)});
  dmc_program &program =
      builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *,
                        void *const *in, void *const *out, void *) -> int32_t {
        float scalar;
        if (api->collective(context, 0, in[0], out[0]))
          return 1;
        return api->copy(context, &scalar, DMC_MEMORY_HOST, out[0], DMC_MEMORY_DEVICE, 4, 0);
      });
  program.device = DMC_DEVICE_CUDA;
  SessionOptions options = simulated();
  options.fault = "rank=1,collective=0,action=stall";
  options.watchdogSeconds = 0.5;
  std::string error;
  auto session = Session::create(program, options, error);
  ASSERT_TRUE(session) << error;
  std::string failure = session->step().value_or("");
  EXPECT_EQ(failure.rfind("no progress for 0.5 s:", 0), 0u) << failure;
  EXPECT_FALSE(session->isStuck());
}

/// The first failure of a step with two collectives, and whether the session goes on. All ranks end
/// within the watchdog's time and that for answers.
static std::string failureOf(SessionOptions options, int ranks, bool goesOn = true) {
  options.device = DeviceChoice::Simulated;
  ProgramBuilder builder("a=" + std::to_string(ranks));
  builder.argument(DMC_F32, {4});
  builder.result(DMC_F32, {4});
  for (int i = 0; i < 2; ++i)
    builder.collective(DMC_ALL_REDUCE, DMC_F32, {4}, {whole(builder.mesh(), 0)});
  dmc_program &program = builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api,
                                           const int64_t *, void *const *in, void *const *out,
                                           void *) {
    return api->collective(context, 0, in[0], out[0]) || api->collective(context, 1, in[0], out[0]);
  });
  program.device = DMC_DEVICE_CUDA;
  std::string error;
  auto session = Session::create(program, options, error);
  if (!session)
    return error;
  EXPECT_FALSE(session->setArgument(0, makeArray(DMC_F32, {4}, {1, 2, 3, 4})));
  auto start = std::chrono::steady_clock::now();
  std::string failure = session->step().value_or("");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(9));
  EXPECT_FALSE(session->isStuck());
  unsetenv("DMC_SIMULATED_NCCL_FAULT");
  if (goesOn) {
    EXPECT_EQ(session->step().value_or(""), failure); // connected again
  }
  return failure;
}

TEST_F(NcclCommunicatorTest, AFailureEndsAllRanks) {
  for (int ranks = 2; ranks <= 8; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    SessionOptions options;
    EXPECT_EQ(failureOf(options, ranks), "");
    const std::string where = "collective 1 (all_reduce over {\"a\"} at model.py:3)";
    options.fault = "rank=1,collective=1,action=fail";
    EXPECT_EQ(failureOf(options, ranks), "rank 1 failed at " + where + ", as DMC_FAULT asked for");
    options.fault = "rank=1,collective=1,action=stall";
    options.watchdogSeconds = 0.5;
    std::string failure = failureOf(options, ranks);
    EXPECT_EQ(failure.rfind("no progress for 0.5 s:", 0), 0u) << failure;
    EXPECT_NE(failure.find("rank 0 waits at " + where), std::string::npos) << failure;
    options.watchdogSeconds = 60;
    options.fault = "rank=1,collective=0,action=corrupt";
    options.checkCopies = true;
    failure = failureOf(options, ranks);
    EXPECT_EQ(failure.rfind("the result of collective 0", 0), 0u) << failure;
  }
}

TEST_F(NcclCommunicatorTest, FailuresOfNcclEndAllRanks) {
  for (int ranks = 2; ranks <= 8; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    SessionOptions options;
    // Not the watchdog ends these, however slow the machine.
    options.watchdogSeconds = 60;
    setenv("DMC_SIMULATED_NCCL_FAULT", "rank=1,operation=1,action=refuse", 1);
    std::string failure = failureOf(options, ranks, false);
    EXPECT_EQ(failure.rfind("rank 1 at collective 1 (all_reduce over {\"a\"} at model.py:3): NCCL: "
                            "internal error",
                            0),
              0u)
        << failure;
    setenv("DMC_SIMULATED_NCCL_FAULT", "rank=1,operation=1,action=die", 1);
    failure = failureOf(options, ranks, false);
    EXPECT_NE(failure.find("collective "), std::string::npos) << failure;
    EXPECT_NE(failure.find("NCCL: "), std::string::npos) << failure;
    options.watchdogSeconds = 0.5;
    setenv("DMC_SIMULATED_NCCL_FAULT", "rank=1,operation=1,action=hang", 1);
    failure = failureOf(options, ranks, false);
    EXPECT_EQ(failure.rfind("no progress for 0.5 s:", 0), 0u) << failure;
  }
}
