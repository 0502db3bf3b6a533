//===- FaultTest.cpp - Faults, hangs and what finds them ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include "Ranks/LocalRanks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <sys/resource.h>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

/// Four ranks, two collectives over different axes.
static std::string runFaulty(const SessionOptions &options, const Step &step = nullptr) {
  ProgramBuilder builder("a=2,b=2");
  builder.argument(DMC_F32, {4});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {4}, {whole(builder.mesh(), 0)});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {4}, {whole(builder.mesh(), 1)});
  builder.collective(DMC_BROADCAST, DMC_F32, {4}, {whole(builder.mesh(), 0)});
  dmc_program &program = builder.finish(
      step ? step
           : [](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *,
                void *const *arguments, void *const *, void *) -> int32_t {
        for (int64_t i : {0, 0, 1})
          if (int32_t code = api->collective(context, i, arguments[0], arguments[0]))
            return code;
        return 0;
      });
  std::string error;
  auto session = Session::create(program, options, error);
  if (!session)
    return error;
  auto start = std::chrono::steady_clock::now();
  std::string failure = session->step().value_or("");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(9));
  EXPECT_FALSE(session->isStuck());
  // A failure does not spoil the session.
  if (!step && options.fault.empty()) {
    EXPECT_FALSE(session->step());
  }
  return failure;
}

TEST(Faults, FailingRankReleasesTheOthers) {
  SessionOptions options;
  EXPECT_EQ(runFaulty(options), "");
  options.fault = "rank=1,collective=1,action=fail";
  EXPECT_EQ(runFaulty(options),
            "rank 1 failed at collective 1 (all_reduce over {\"b\"} at model.py:3), as DMC_FAULT "
            "asked for");
}

TEST(Faults, StalledRankIsReported) {
  SessionOptions options;
  options.watchdogSeconds = 0.3;
  options.fault = "rank=2,collective=1,action=stall";
  EXPECT_EQ(runFaulty(options),
            "no progress for 0.3 s:\n"
            "  rank 0 has ended its step\n"
            "  rank 1 has ended its step\n"
            "  rank 2 runs, last seen at collective 1 (all_reduce over {\"b\"} at model.py:3)\n"
            "  rank 3 waits at collective 1 (all_reduce over {\"b\"} at model.py:3), executed 0 "
            "times before");
}

TEST(Faults, MalformedFaultIsRefused) {
  for (const char *text :
       {"rank=2", "rank=2,collective=0", "rank=x,collective=0,action=fail",
        "rank=1,collective=0,action=explode", "rank=1,collective=0,action=fail,",
        "rank=1,rank=1,collective=0,action=fail", "rank=1,collective=0,action=delay",
        "rank=1,collective=0,action=fail,milliseconds=3", "rank=1,action=corrupt",
        "rank=-1,collective=0,action=fail", "action=no-memory"}) {
    SessionOptions options;
    options.fault = text;
    EXPECT_EQ(runFaulty(options),
              "malformed DMC_FAULT \"" + options.fault +
                  "\", expected \"rank=R,collective=C,action=fail|stall|kill|no-memory|corrupt\", "
                  "\"rank=R,collective=C,action=delay,milliseconds=N\" or "
                  "\"rank=R,action=no-memory\"");
  }
}

// A fault that can never happen would pass for one that was handled.
TEST(Faults, FaultOfNothingIsRefused) {
  SessionOptions options;
  options.fault = "rank=4,collective=1,action=fail";
  EXPECT_EQ(runFaulty(options), "DMC_FAULT asks for rank 4, but the program has 4");
  options.fault = "rank=4,action=no-memory";
  EXPECT_EQ(runFaulty(options), "DMC_FAULT asks for rank 4, but the program has 4");
  options.fault = "rank=1,collective=3,action=fail";
  EXPECT_EQ(runFaulty(options), "DMC_FAULT asks for collective 3, but the program has 3");
  // The step executes collectives 0 and 1 of three.
  options.fault = "rank=1,collective=2,action=delay,milliseconds=1";
  EXPECT_EQ(runFaulty(options),
            "rank 1 did not execute collective 2 (broadcast over {\"a\"} at model.py:3) in this "
            "step, for which DMC_FAULT asked");
}

TEST(Faults, FaultOfACollectiveThatNeverRunsIsRefused) {
  ProgramBuilder builder("a=2,b=1");
  builder.argument(DMC_F32, {4});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {4}, {whole(builder.mesh(), 0)}).count = 0;
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {4}, {whole(builder.mesh(), 1)});
  dmc_program &program = builder.finish(nullptr);
  SessionOptions options;
  std::string error;
  options.fault = "rank=1,collective=0,action=fail";
  EXPECT_FALSE(Session::create(program, options, error));
  EXPECT_EQ(error, "DMC_FAULT asks for collective 0, which the program never executes");
  for (const char *text :
       {"rank=1,collective=1,action=corrupt", "rank=1,collective=1,action=no-memory"}) {
    options.fault = text;
    EXPECT_FALSE(Session::create(program, options, error));
    EXPECT_EQ(error, "DMC_FAULT asks for collective 1, in which rank 1 receives nothing");
  }
}

TEST(Faults, DelayedRankIsWaitedFor) {
  SessionOptions options;
  options.fault = "rank=1,collective=0,action=delay,milliseconds=100";
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(runFaulty(options), "");
  // It executes the collective twice.
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200));
}

TEST(FaultsDeathTest, KilledRankEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  SessionOptions options;
  options.fault = "rank=1,collective=0,action=kill";
  EXPECT_EXIT(runFaulty(options), ::testing::KilledBySignal(SIGKILL), "");
}

TEST(Faults, AllocationsFail) {
  SessionOptions options;
  options.fault = "rank=2,action=no-memory";
  EXPECT_EQ(runFaulty(options),
            "not enough memory: 4 ranks need 16 bytes each, as DMC_FAULT asked for");
  options.fault = "rank=2,collective=1,action=no-memory";
  EXPECT_EQ(runFaulty(options),
            "rank 2 has not enough memory for a buffer of 16384 bytes for collective 1 (all_reduce "
            "over {\"b\"} at model.py:3), as DMC_FAULT asked for");
}

/// One collective on 2 ranks whose result, of `count` elements, only rank `rank` looks
/// at, with one bit of it corrupted.
static std::string runCorrupted(dmc_collective_kind kind, int64_t count, bool checksCopies) {
  ProgramBuilder builder("a=2");
  int64_t resultCount = kind == DMC_ALL_GATHER ? 2 * count : count;
  builder.argument(DMC_F32, {count});
  builder.result(DMC_F32, {resultCount});
  builder.collective(kind, DMC_F32, {count}, {whole(builder.mesh(), 0)});
  dmc_program &program =
      builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *,
                        void *const *arguments, void *const *results, void *) -> int32_t {
        return api->collective(context, 0, arguments[0], results[0]);
      });
  SessionOptions options;
  options.checkCopies = checksCopies;
  std::string error;
  auto run = [&] {
    auto session = Session::create(program, options, error);
    std::vector<double> values(static_cast<size_t>(count), 3);
    session->setArgument(0, makeArray(DMC_F32, {count}, values));
    if (auto why = session->step())
      return *why;
    return session->result(0, error) ? "" : error;
  };
  EXPECT_EQ(run(), "") << "without the fault";
  options.fault = "rank=1,collective=0,action=corrupt";
  return run();
}

TEST(Faults, CorruptedPayloadIsFound) {
  for (int64_t count : {3, 10000}) // staged, and read in place
    for (dmc_collective_kind kind : {DMC_ALL_REDUCE, DMC_ALL_GATHER, DMC_BROADCAST}) {
      // When the result is gathered, its copies are compared.
      EXPECT_EQ(runCorrupted(kind, count, false),
                "result 0 (out0) differs between ranks 0 and 1, expected equal copies");
      // On demand, at the collective.
      EXPECT_EQ(runCorrupted(kind, count, true),
                std::string("the result of collective 0 (") + collectiveName(kind) +
                    " over {\"a\"} at model.py:3) differs between ranks 0 and 1, expected equal "
                    "copies");
    }
}

// The copies are equal after a second collective: only the check at the first one sees
// that a payload was corrupted.
TEST(Faults, CorruptedPayloadThatSpreadsIsFoundOnDemand) {
  ProgramBuilder builder("a=2,b=2");
  builder.argument(DMC_F32, {4});
  builder.result(DMC_F32, {4});
  for (uint32_t axis : {0, 1, 0})
    builder.collective(DMC_ALL_REDUCE, DMC_F32, {4}, {whole(builder.mesh(), axis)});
  dmc_program &program =
      builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *,
                        void *const *arguments, void *const *results, void *) -> int32_t {
        std::memcpy(results[0], arguments[0], 16);
        for (int64_t i : {0, 1, 2})
          if (int32_t code = api->collective(context, i, results[0], results[0]))
            return code;
        return 0;
      });
  SessionOptions options;
  options.fault = "rank=3,collective=0,action=corrupt";
  std::string error;
  for (bool checksCopies : {false, true}) {
    options.checkCopies = checksCopies;
    auto session = Session::create(program, options, error);
    ASSERT_TRUE(session) << error;
    session->setArgument(0, makeArray(DMC_F32, {4}, {1, 1, 1, 1}));
    EXPECT_EQ(session->step().value_or(""),
              checksCopies ? "the result of collective 0 (all_reduce over {\"a\"} at model.py:3) "
                             "differs between ranks 1 and 3, expected equal copies"
                           : "");
    if (!checksCopies)
      EXPECT_TRUE(session->result(0, error)) << error;
  }
}

TEST(Faults, MismatchIsReported) {
  std::string failure =
      runFaulty({}, [](dmc_rank_context *context, const dmc_runtime_api *api,
                       const int64_t *coordinates, void *const *arguments, void *const *, void *) {
        return api->collective(context, coordinates[0] == 0 ? 0 : 2, arguments[0], arguments[0]);
      });
  EXPECT_NE(failure.find("ranks meet at different collectives: rank "), std::string::npos);
  EXPECT_NE(failure.find("at collective 0 (all_reduce over {\"a\"} at model.py:3), rank"),
            std::string::npos)
      << failure;
}

// Nobody is left to come: no need to wait for the watchdog.
TEST(Faults, DeadlockIsReportedAtOnce) {
  SessionOptions options;
  options.watchdogSeconds = 0;
  std::string failure = runFaulty(options, [](dmc_rank_context *context, const dmc_runtime_api *api,
                                              const int64_t *coordinates, void *const *arguments,
                                              void *const *, void *) {
    if (coordinates[0] == 1 && coordinates[1] == 1)
      return 0;
    return api->collective(context, 0, arguments[0], arguments[0]);
  });
  EXPECT_NE(failure.find("ranks wait for each other:"), std::string::npos) << failure;
  EXPECT_NE(failure.find("rank 3 has ended its step"), std::string::npos) << failure;
}

TEST(Faults, CodesAndWrongCallsAreReported) {
  EXPECT_EQ(runFaulty({}, [](dmc_rank_context *, const dmc_runtime_api *,
                             const int64_t *coordinates, void *const *, void *const *,
                             void *) { return coordinates[0] + coordinates[1] == 2 ? 5 : 0; }),
            "rank 3 ended with code 5");
  EXPECT_EQ(runFaulty({},
                      [](dmc_rank_context *context, const dmc_runtime_api *api,
                         const int64_t *coordinates, void *const *, void *const *, void *) {
                        return coordinates[0] + coordinates[1] == 0
                                   ? api->collective(context, 9, nullptr, nullptr)
                                   : 0;
                      }),
            "rank 0 calls collective 9 of 3");
  EXPECT_EQ(runFaulty({},
                      [](dmc_rank_context *context, const dmc_runtime_api *api,
                         const int64_t *coordinates, void *const *, void *const *, void *) {
                        return coordinates[0] + coordinates[1] == 0
                                   ? api->collective_wait(context, 1)
                                   : 0;
                      }),
            "rank 0 waits for collective 1, which it did not start");
}

// Sanitizers need more address space than they can be given.
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) &&                         \
    !__has_feature(thread_sanitizer)
TEST(FaultsDeathTest, ThreadsThatCannotStart) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto create = [] {
    ProgramBuilder builder("a=512");
    dmc_program &program = builder.finish(nullptr);
    // Not enough for the stacks of so many threads.
    rlimit limit = {1u << 30, 1u << 30};
    setrlimit(RLIMIT_AS, &limit);
    std::string error;
    auto session = Session::create(program, {}, error);
    std::fprintf(stderr, "%s\n", error.c_str());
    std::_Exit(session ? 0 : 1);
  };
  EXPECT_EXIT(create(), ::testing::ExitedWithCode(1),
              "cannot start thread [0-9]+ of 512 for the ranks: ");
}
#endif

//===----------------------------------------------------------------------===//
// Ranks that are stuck
//===----------------------------------------------------------------------===//

namespace {
/// Waits for a condition that another thread makes true.
template <typename Condition>
bool comesTrue(Condition condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}
} // namespace

// `run` gives up on a rank that does not end; its thread still executes the body.
TEST(Stuck, BodyOutlivesRun) {
  ProgramBuilder builder("a=2");
  dmc_program &program = builder.finish(nullptr);
  SessionOptions options;
  options.graceSeconds = 0.2;
  LocalRanks ranks(program, builder.mesh(), options);
  ASSERT_FALSE(ranks.start());
  std::atomic<bool> isReleased{false}, hasRead{false};
  auto token = std::make_shared<int>(17);
  std::weak_ptr<int> held = token;
  Failure why =
      ranks.run([&isReleased, &hasRead, token = std::move(token)](dmc_rank_context &rank) {
        if (rank.rank == 0)
          return 1;
        while (!isReleased)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        hasRead = *token == 17; // a closure that is gone is found by the sanitizers
        return 0;
      });
  EXPECT_EQ(why.value_or(""), "rank 0 ended with code 1");
  EXPECT_TRUE(ranks.isStuck());
  EXPECT_FALSE(held.expired());
  EXPECT_EQ(ranks.run([](dmc_rank_context &) { return 0; }).value_or(""),
            "a rank is still stuck in an earlier step");
  isReleased = true;
  EXPECT_TRUE(comesTrue([&] { return !ranks.isStuck(); }));
  EXPECT_TRUE(hasRead);
  // It has ended after all: the ranks work again, and the body is let go.
  EXPECT_FALSE(ranks.run([](dmc_rank_context &) { return 0; }));
  EXPECT_TRUE(held.expired());
}

TEST(Stuck, BuffersOutliveTheSession) {
  ProgramBuilder builder("a=2");
  builder.argument(DMC_F32, {4});
  builder.result(DMC_F32, {4});
  static std::atomic<bool> isReleased, isOver;
  isReleased = isOver = false;
  dmc_program &program = builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api,
                                           const int64_t *coordinates, void *const *arguments,
                                           void *const *results, void *) -> int32_t {
    if (coordinates[0] == 0)
      return 1;
    while (!isReleased)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::memcpy(results[0], arguments[0], 16);
    isOver = true;
    return 0;
  });
  SessionOptions options;
  options.graceSeconds = 0.2;
  options.poison = true;
  std::string error;
  auto session = Session::create(program, options, error);
  ASSERT_TRUE(session) << error;
  EXPECT_EQ(session->step().value_or(""), "rank 0 ended with code 1");
  EXPECT_TRUE(session->isStuck());
  session.reset();
  isReleased = true;
  EXPECT_TRUE(comesTrue([] { return isOver.load(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20)); // until it is out of the step
}
