//===- TeamTest.cpp - The threads of a rank -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device/Team.h"
#include "TestSupport.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

namespace {
struct Seen {
  std::vector<std::atomic<int>> times;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  explicit Seen(int64_t count) : times(static_cast<size_t>(count)) {}
};
} // namespace

static int32_t count(void *data, int64_t begin, int64_t end) {
  auto &seen = *static_cast<Seen *>(data);
  for (int64_t i = begin; i < end; ++i)
    ++seen.times[static_cast<size_t>(i)];
  std::lock_guard<std::mutex> lock(seen.mutex);
  seen.threads.insert(std::this_thread::get_id());
  return 0;
}

TEST(Team, RunsEachIterationOnce) {
  for (int threads = 1; threads <= 5; ++threads) {
    std::string error;
    auto team = Team::create(threads, error);
    ASSERT_TRUE(team) << error;
    EXPECT_EQ(team->threads(), threads);
    for (int64_t iterations : {1, 2, 3, 4, 5, 7, 64, 1000}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(iterations));
      Seen seen(iterations);
      EXPECT_EQ(team->run(iterations, count, &seen), 0);
      for (auto &times : seen.times)
        EXPECT_EQ(times, 1);
      EXPECT_EQ(static_cast<int64_t>(seen.threads.size()), std::min<int64_t>(threads, iterations));
    }
  }
}

TEST(Team, CanBeUsedManyTimes) {
  std::string error;
  auto team = Team::create(3, error);
  ASSERT_TRUE(team) << error;
  Seen seen(6);
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ(team->run(6, count, &seen), 0);
  for (auto &times : seen.times)
    EXPECT_EQ(times, 5000);
  EXPECT_GT(team->forkSeconds(), 0);
  EXPECT_EQ(team->forkSeconds(), team->forkSeconds());
}

TEST(Team, ReturnsAFailure) {
  for (int threads : {1, 4}) {
    std::string error;
    auto team = Team::create(threads, error);
    ASSERT_TRUE(team) << error;
    auto failLast = [](void *, int64_t, int64_t end) { return end == 8 ? 7 : 0; };
    EXPECT_EQ(team->run(8, failLast, nullptr), 7);
    EXPECT_EQ(team->run(6, failLast, nullptr), 0); // and is whole afterwards
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// The arguments of the kernels below: 8 bytes each.
struct Slots {
  float *values;
  int64_t factor;
};
} // namespace

static constexpr int64_t numElements = 1 << 18;

static int32_t fillNest(dmc_rank_context *, const dmc_runtime_api *, const void *arguments,
                        int64_t begin, int64_t end) {
  const auto &slots = *static_cast<const Slots *>(arguments);
  for (int64_t i = begin; i < end; ++i)
    slots.values[i] = static_cast<float>(i);
  return 0;
}

static int32_t scaleNest(dmc_rank_context *, const dmc_runtime_api *, const void *arguments,
                         int64_t begin, int64_t end) {
  const auto &slots = *static_cast<const Slots *>(arguments);
  for (int64_t i = begin; i < end; ++i)
    slots.values[i] *= static_cast<float>(slots.factor);
  return 0;
}

static int32_t failNest(dmc_rank_context *, const dmc_runtime_api *, const void *, int64_t,
                        int64_t) {
  return 5;
}

/// Costs are far above what it takes to wake threads.
static const dmc_nest nests[] = {{fillNest, numElements, int64_t(1) << 40, 0, nullptr},
                                 {scaleNest, numElements, int64_t(1) << 40, 0, nullptr}};
static const dmc_nest badNests[] = {{failNest, 1, 0, 0, nullptr}};
static const dmc_kernel kernels[] = {{"fill_scale", 1, "test.py:1", 2, 2, nests, 0, 0},
                                     {"fails", 0, "test.py:2", 1, 0, badNests, 0, 0}};

static dmc_program &makeProgram(ProgramBuilder &builder, int64_t kernel) {
  builder.result(DMC_F32, {numElements});
  dmc_program &program =
      builder.finish([kernel](dmc_rank_context *context, const dmc_runtime_api *api,
                              const int64_t *, void *const *, void *const *results, void *) {
        Slots slots = {static_cast<float *>(results[0]), 3};
        return api->launch(context, kernel, &slots);
      });
  program.num_kernels = 2;
  program.kernels = kernels;
  return program;
}

TEST(Launch, RunsNestsInOrderOnAllThreads) {
  for (int threads : {1, 2, 3}) {
    ProgramBuilder builder("data=2");
    SessionOptions options;
    options.threadsPerRank = threads;
    options.profile = true;
    std::string error;
    auto session = Session::create(makeProgram(builder, 0), options, error);
    ASSERT_TRUE(session) << error;
    ASSERT_FALSE(session->step());
    auto result = session->result(0, error);
    ASSERT_TRUE(result) << error;
    for (int64_t i = 0; i < numElements; ++i)
      ASSERT_EQ(reinterpret_cast<const float *>(result->data())[i], 3 * static_cast<float>(i));

    std::vector<RankProfile> ranks = session->profile();
    ASSERT_EQ(ranks.size(), 2U);
    for (const RankProfile &rank : ranks) {
      ASSERT_EQ(rank.events.size(), 1U);
      EXPECT_EQ(rank.events[0].kind, ProfileEvent::Launch);
      EXPECT_EQ(rank.events[0].index, 0U);
      EXPECT_EQ(rank.events[0].threads, threads);
      EXPECT_LE(0, rank.events[0].begin);
      EXPECT_LT(rank.events[0].begin, rank.events[0].end);
      EXPECT_LE(rank.events[0].end, rank.seconds);
    }
  }
}

TEST(Launch, RecordsNothingUnlessAsked) {
  ProgramBuilder builder("data=2");
  std::string error;
  auto session = Session::create(makeProgram(builder, 0), {}, error);
  ASSERT_TRUE(session) << error;
  ASSERT_FALSE(session->step());
  EXPECT_TRUE(session->profile().empty());
}

static std::string stepError(int64_t kernel) {
  ProgramBuilder builder("data=1");
  std::string error;
  auto session = Session::create(makeProgram(builder, kernel), {}, error);
  return session ? session->step().value_or("") : error;
}

TEST(Launch, ReportsFailures) {
  EXPECT_EQ(stepError(1), "rank 0 ended with code 5");
  EXPECT_EQ(stepError(2), "rank 0 launches kernel 2 of 2");
  EXPECT_EQ(stepError(-1), "rank 0 launches kernel -1 of 2");
}

TEST(Launch, RefusesMalformedTables) {
  ProgramBuilder builder("data=1");
  dmc_program &program = makeProgram(builder, 0);
  EXPECT_FALSE(verifyProgram(program));
  auto errorOf = [&](const dmc_nest &nest) {
    dmc_kernel kernel = {"k", 1, "", 1, 0, &nest, 0, 0};
    program.num_kernels = 1;
    program.kernels = &kernel;
    return verifyProgram(program).value_or("");
  };
  const char *malformed = "kernel 0 (k) has malformed nest 0";
  EXPECT_EQ(errorOf({fillNest, 1, 0, 0, nullptr}), "");
  EXPECT_EQ(errorOf({nullptr, 1, 0, 0, nullptr}), malformed);
  EXPECT_EQ(errorOf({fillNest, 0, 0, 0, nullptr}), malformed);
  EXPECT_EQ(errorOf({fillNest, 1, -1, 0, nullptr}), malformed);
  EXPECT_EQ(errorOf({fillNest, 1, 0, -1, nullptr}), malformed);
  dmc_kernel empty = {"k", 1, "", 1, 0, nullptr, 0, 0};
  program.kernels = &empty;
  EXPECT_EQ(verifyProgram(program).value_or(""), "kernel 0 (k) has no nests");
  program.kernels = nullptr;
  EXPECT_EQ(verifyProgram(program).value_or(""), "has no table of kernels");
}

//===----------------------------------------------------------------------===//
// The profile
//===----------------------------------------------------------------------===//

static const int64_t sumShape[] = {250000};
static const dmc_collective sums[] = {{DMC_ALL_REDUCE,
                                       DMC_SUM,
                                       DMC_F32,
                                       1,
                                       sumShape,
                                       0,
                                       0,
                                       0,
                                       0,
                                       nullptr,
                                       nullptr,
                                       0,
                                       1,
                                       1000000,
                                       1000000,
                                       "test.py:9 \"q\"",
                                       0,
                                       0,
                                       nullptr,
                                       0,
                                       0}};

static Profile makeProfile(dmc_program &program) {
  program.num_collectives = 1;
  program.collectives = sums;
  Profile profile(program);
  // Twice the same step of two ranks: 8 ms, of which a kernel takes 1, a library call 3, a wait 2.
  for (int step = 0; step < 2; ++step) {
    std::vector<RankProfile> ranks;
    for (int64_t rank : {0, 1})
      ranks.push_back({rank,
                       8e-3,
                       {{ProfileEvent::Launch, 0, 0, 1e-3, 0, 2},
                        {ProfileEvent::Call, 0, 1e-3, 4e-3, 0, 2},
                        {ProfileEvent::Collective, 0, 4e-3, 7e-3, 2e-3, 1}}});
    profile.add(ranks);
    profile.addCounts(10, 3);
  }
  return profile;
}

TEST(Profile, StreamsOfADeviceOverlap) {
  ProgramBuilder builder("data=1");
  dmc_program &program = makeProgram(builder, 0);
  program.num_collectives = 1;
  program.collectives = sums;
  Profile profile(program);
  RankProfile rank = {0, 10e-3, {}, ProfileClock::Device, 20e-3};
  ProfileEvent copy, sum;
  copy.kind = ProfileEvent::Copy;
  copy.index = copyIndex(DMC_MEMORY_DEVICE, DMC_MEMORY_DEVICE);
  copy.begin = 1e-3, copy.end = 6e-3, copy.threads = 0, copy.bytes = 5000000;
  sum.kind = ProfileEvent::Collective;
  sum.begin = 4e-3, sum.end = 10e-3, sum.threads = 0, sum.stream = 1;
  rank.events = {copy, sum};
  profile.add({rank});
  std::string table = profile.toTable({4e9});
  for (const char *line :
       {// NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one line in two parts
        "10.0000 ms by the device's clock, 20.0000 ms by the host's clock; a copy reads and writes "
        "4.00 GB/s",
        "copy                 1    5.0000   50.0%             2.00      50%",
        "stream 0 has work         5.0000   50.0%", "stream 1 has work         6.0000   60.0%",
        "no stream has work        1.0000   10.0%"})
    EXPECT_NE(table.find(line), std::string::npos) << line << "\n" << table;
}

TEST(Profile, SumsUpByKernelAndCollective) {
  static const dmc_nest nest[] = {{fillNest, 1, 8000000, 0, nullptr}};
  static const dmc_kernel kernel[] = {{"fill", 1, "test.py:1", 1, 2, nest, 0, 0}};
  static const dmc_contraction contraction = {};
  static const dmc_call call[] = {{DMC_CALL_CONTRACTION, 3, "matmul", &contraction, 1, 6000000,
                                   3000000, 0, "test.py:2", 0, 0, 0, nullptr}};
  ProgramBuilder builder("data=2");
  dmc_program &program = makeProgram(builder, 0);
  program.num_kernels = 1;
  program.kernels = kernel;
  program.num_calls = 1;
  program.calls = call;
  Profile profile = makeProfile(program);
  EXPECT_EQ(
      profile.toTable({10e9}),
      "profile: mean of 2 steps, per rank: 8.0000 ms; a copy reads and writes 10.00 GB/s\n"
      "what             count        ms   share threads     GB/s  of copy   GFLOP/s  name\n"
      "library call         1    3.0000   37.5%       2     2.00      20%      1.00  matmul\n"
      "kernel               1    1.0000   12.5%       2     8.00      80%            fill\n"
      "all_reduce           1    1.0000   12.5%       1     2.00      20%            collective 0 "
      "at test.py:9 \"q\"\n"
      "waits for other ranks     2.0000   25.0%\n"
      "between these             1.0000   12.5%\n"
      "per step: 10 page faults, 3 allocations\n");
  std::string trace = profile.toTrace();
  EXPECT_NE(trace.find("{\"name\": \"matmul\", \"cat\": \"library call\", \"ph\": \"X\", "
                       "\"pid\": 0, \"tid\": 1, \"ts\": 1000.000, \"dur\": 3000.000, \"args\": "
                       "{\"location\": \"test.py:2\", \"bytes\": 6000000, \"flops\": 3000000, "
                       "\"threads\": 2}}"),
            std::string::npos)
      << trace;
  EXPECT_NE(
      trace.find("\"name\": \"collective 0 at test.py:9 \\\"q\\\"\", \"cat\": \"all_reduce\""),
      std::string::npos)
      << trace;
}

TEST(Profile, SaysThatNothingWasRecorded) {
  ProgramBuilder builder("data=1");
  EXPECT_EQ(Profile(makeProgram(builder, 0)).toTable({1}), "profile: no step was recorded\n");
}
