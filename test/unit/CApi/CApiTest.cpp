//===- CApiTest.cpp - The C interface and its callers' mistakes -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program (test/unit/Runtime/Program/TestProgram.cpp): on the mesh data=2, x [5, 3]
// split by rows, w [3] donated, n a scalar; y = 2 x, w' = w + column sums, m = n + 1.
//
//===----------------------------------------------------------------------===//

#include "dmc-c/Runtime.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

extern "C" uint32_t versionFromC(void);

namespace {

const std::string programPath = std::string(TEST_LIBRARY_DIR) + "/libdmc_test_program.so";

class CApi : public ::testing::Test {
protected:
  void SetUp() override {
    session = dmc_session_create(programPath.c_str());
    ASSERT_NE(session, nullptr) << dmc_last_error();
  }
  void TearDown() override { dmc_session_destroy(session); }

  void setAll() {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i + 1);
    EXPECT_EQ(dmc_session_set_argument(session, 0, x.data(), sizeof x), 0) << dmc_last_error();
    EXPECT_EQ(dmc_session_set_argument(session, 1, w.data(), sizeof w), 0) << dmc_last_error();
    EXPECT_EQ(dmc_session_set_argument(session, 2, &n, sizeof n), 0) << dmc_last_error();
  }

  dmc_session *session = nullptr;
  std::array<float, 15> x, y;
  std::array<float, 3> w = {100, 200, 300};
  int32_t n = 41;
};

std::string errorOf(int32_t code) { return code ? dmc_last_error() : "no error"; }

} // namespace

TEST_F(CApi, RunsSteps) {
  setAll();
  ASSERT_EQ(dmc_session_step(session), 0) << dmc_last_error();
  ASSERT_EQ(dmc_session_step(session), 0) << dmc_last_error();
  int32_t m = 0;
  EXPECT_EQ(dmc_session_get_result(session, 0, y.data(), sizeof y), 0);
  EXPECT_EQ(dmc_session_get_result(session, 2, &m, sizeof m), 0);
  EXPECT_EQ(y[14], 30);
  EXPECT_EQ(m, 42);
  // The donated argument holds what the steps left in it; others what they were given.
  std::array<float, 3> result, state;
  std::array<float, 15> same;
  EXPECT_EQ(dmc_session_get_result(session, 1, result.data(), sizeof result), 0);
  EXPECT_EQ(dmc_session_get_argument(session, 1, state.data(), sizeof state), 0);
  EXPECT_EQ(dmc_session_get_argument(session, 0, same.data(), sizeof same), 0);
  EXPECT_EQ(result, (std::array<float, 3>{170, 280, 390}));
  EXPECT_EQ(state, result);
  EXPECT_EQ(same, x);
}

TEST_F(CApi, DescribesTheProgram) {
  EXPECT_EQ(dmc_runtime_version(), uint32_t(DMC_RUNTIME_API_VERSION));
  EXPECT_EQ(versionFromC(), uint32_t(DMC_RUNTIME_API_VERSION));
  EXPECT_EQ(dmc_session_num_ranks(session), 2);
  EXPECT_EQ(dmc_session_num_arguments(session), 3);
  EXPECT_EQ(dmc_session_num_results(session), 3);
  const dmc_value *value = dmc_session_argument(session, 0);
  ASSERT_NE(value, nullptr);
  EXPECT_STREQ(value->name, "batch/x");
  EXPECT_EQ(value->element_type, uint32_t(DMC_F32));
  EXPECT_EQ(value->global_shape[0], 5);
  EXPECT_EQ(value->local_shape[0], 3);
  EXPECT_STREQ(dmc_session_argument_layout(session, 0), "[{\"data\"}, {}]");
  EXPECT_STREQ(dmc_session_result(session, 2)->name, "m");
  EXPECT_STREQ(dmc_session_result_layout(session, 1), "[{}]");
  const char *report = dmc_session_report_json(session);
  ASSERT_NE(report, nullptr) << dmc_last_error();
  EXPECT_NE(std::strstr(report, "\"kind\": \"all_reduce\""), nullptr) << report;
  EXPECT_NE(std::strstr(report, "\"ranks\": 2"), nullptr) << report;
}

TEST_F(CApi, LocalArraysArePerRank) {
  const std::array<float, 9> first = {1, 2, 3, 4, 5, 6, 7, 8, 9}, second = {10, 11, 12, 13, 14, 15};
  ASSERT_EQ(dmc_session_set_local(session, 0, 0, first.data(), sizeof first), 0);
  EXPECT_EQ(errorOf(dmc_session_step(session)),
            "argument 0 (batch/x) has no value on rank 1: expected dmc_session_set_argument before "
            "the step");
  ASSERT_EQ(dmc_session_set_local(session, 1, 0, second.data(), sizeof second), 0);
  ASSERT_EQ(dmc_session_set_argument(session, 1, w.data(), sizeof w), 0);
  ASSERT_EQ(dmc_session_set_argument(session, 2, &n, sizeof n), 0);
  ASSERT_EQ(dmc_session_step(session), 0) << dmc_last_error();
  std::array<float, 9> local;
  ASSERT_EQ(dmc_session_get_local(session, 1, 0, local.data(), sizeof local), 0);
  EXPECT_EQ(local, (std::array<float, 9>{20, 22, 24, 26, 28, 30}));
  EXPECT_EQ(errorOf(dmc_session_get_local(session, 2, 0, local.data(), sizeof local)),
            "result 0 of rank 2 does not exist");
  EXPECT_EQ(errorOf(dmc_session_set_local(session, -1, 0, local.data(), sizeof local)),
            "argument 0 of rank -1 does not exist");
}

TEST_F(CApi, ManyAreBoundInOneCall) {
  setAll();
  struct alignas(64) Memory {
    float x[9], pad0[7], w[2][16], y[9], pad1[7];
  } memory = {{10, 20, 30, 40, 50, 60, 70, 80, 90}, {}, {{1, 2, 3}, {1, 2, 3}}, {}, {}};
  std::vector<dmc_binding> bindings = {{0, 0, 0, memory.x, sizeof memory.x},
                                       {0, 1, 0, memory.w[0], 12},
                                       {1, 1, 0, memory.w[1], 12},
                                       {0, 0, 1, memory.y, sizeof memory.y}};
  auto bind = [&] {
    return errorOf(dmc_session_bind(session, DMC_MEMORY_HOST, bindings.data(), bindings.size()));
  };
  ASSERT_EQ(bind(), "no error");
  ASSERT_EQ(dmc_session_step(session), 0) << dmc_last_error();
  EXPECT_EQ(memory.y[8], 180);
  EXPECT_EQ(memory.w[0][0], 1 + 10 + 40 + 70 + x[9] + x[12]);
  ASSERT_EQ(dmc_session_set_argument(session, 1, w.data(), sizeof w), 0);

  // The whole call is refused: the step uses the session's own memory.
  memory.y[8] = 7;
  float first = memory.w[0][0];
  bindings.push_back({1, 0, 1, memory.y, sizeof memory.y});
  EXPECT_EQ(bind(), "result 0 (y) of rank 1: expected memory that nothing else bound to the step "
                    "shares");
  ASSERT_EQ(dmc_session_step(session), 0) << dmc_last_error();
  EXPECT_EQ(memory.y[8], 7);
  EXPECT_EQ(memory.w[0][0], first);
  ASSERT_EQ(dmc_session_get_result(session, 0, y.data(), sizeof y), 0) << dmc_last_error();
  EXPECT_EQ(errorOf(dmc_session_bind(session, DMC_MEMORY_HOST, nullptr, 1)),
            "expected bindings, found a null pointer");
  EXPECT_EQ(errorOf(dmc_session_bind(session, DMC_MEMORY_HOST, nullptr, 0)), "no error");
}

TEST_F(CApi, StepsUseBoundMemory) {
  setAll();
  struct alignas(64) Memory {
    float x[9], pad0[7], w[2][16], y[9], pad1[7];
  } memory = {{10, 20, 30, 40, 50, 60, 70, 80, 90}, {}, {{1, 2, 3}, {1, 2, 3}}, {}, {}};
  auto bindArgument = [&](int64_t rank, uint32_t index, void *data, size_t bytes) {
    return errorOf(dmc_session_bind_argument(session, rank, index, DMC_MEMORY_HOST, data, bytes));
  };
  auto bindResult = [&](int64_t rank, uint32_t index, void *data, size_t bytes) {
    return errorOf(dmc_session_bind_result(session, rank, index, DMC_MEMORY_HOST, data, bytes));
  };
  ASSERT_EQ(bindArgument(0, 0, memory.x, sizeof memory.x), "no error");
  ASSERT_EQ(bindArgument(0, 1, memory.w[0], 12), "no error");
  ASSERT_EQ(bindArgument(1, 1, memory.w[1], 12), "no error");
  ASSERT_EQ(bindResult(0, 0, memory.y, sizeof memory.y), "no error");
  ASSERT_EQ(dmc_session_step(session), 0) << dmc_last_error();
  EXPECT_EQ(memory.y[8], 180);
  EXPECT_EQ(memory.w[0][0], 1 + 10 + 40 + 70 + x[9] + x[12]);
  EXPECT_EQ(memory.w[0][0], memory.w[1][0]);
  EXPECT_EQ(memory.x[0], 10);

  // What the step wrote is the caller's; what it read alone is as it was.
  EXPECT_EQ(errorOf(dmc_session_get_result(session, 0, y.data(), sizeof y)),
            "result 0 (y) of rank 0 is in the memory that was bound to the last step");
  EXPECT_EQ(errorOf(dmc_session_get_local(session, 0, 0, y.data(), 36)),
            "result 0 (y) of rank 0 is in the memory that was bound to the last step");
  EXPECT_EQ(
      errorOf(dmc_session_step(session)),
      "argument 1 (params/w) has no value: expected dmc_session_set_argument before the step");
  ASSERT_EQ(dmc_session_set_argument(session, 1, w.data(), sizeof w), 0);
  ASSERT_EQ(dmc_session_step(session), 0) << dmc_last_error();
  ASSERT_EQ(dmc_session_get_result(session, 0, y.data(), sizeof y), 0) << dmc_last_error();
  EXPECT_EQ(y[0], 2 * x[0]);
  EXPECT_EQ(memory.y[8], 180); // bound for one step

  EXPECT_EQ(bindArgument(0, 0, memory.x + 1, sizeof memory.x),
            "argument 0 (batch/x) of rank 0: expected memory that is aligned to 64 bytes");
  EXPECT_EQ(bindArgument(0, 0, memory.x, 32),
            "argument 0 (batch/x) of rank 0: expected 36 bytes for 3x3xf32, found 32");
  EXPECT_EQ(bindArgument(2, 0, memory.x, 36), "argument 0 of rank 2 does not exist");
  EXPECT_EQ(bindResult(0, 1, memory.w[0], 12),
            "result 1 (params/w) takes over the memory of argument 1 (params/w): expected to bind "
            "that");
  ASSERT_EQ(bindArgument(0, 0, memory.x, 36), "no error");
  ASSERT_EQ(bindArgument(1, 0, memory.x, 36), "no error"); // both only read it
  ASSERT_EQ(bindArgument(1, 0, memory.x, 36), "no error"); // again
  EXPECT_EQ(bindResult(1, 0, memory.x, 36),
            "result 0 (y) of rank 1: expected memory that nothing else bound to the step shares");
  const char *space = "unsupported memory space 1: expected 0, the host's, the only one of this "
                      "runtime";
  EXPECT_EQ(errorOf(dmc_session_bind_argument(session, 0, 0, 1, memory.x, 36)), space);
  EXPECT_EQ(errorOf(dmc_session_bind_result(session, 0, 0, 1, memory.x, 36)), space);
  EXPECT_EQ(errorOf(dmc_session_set_block(session, 0, 0, 1, memory.x, 36)), space);
  EXPECT_EQ(errorOf(dmc_session_get_block(session, 0, 0, 1, memory.x, 36)), space);
  EXPECT_EQ(errorOf(dmc_session_set_block(session, 0, 0, 0, memory.x, 36)), "no error");
  ASSERT_EQ(dmc_session_step(session), 0) << dmc_last_error();
  EXPECT_EQ(errorOf(dmc_session_get_block(session, 1, 0, 0, memory.y, 36)), "no error");
  EXPECT_EQ(memory.y[0], 20);
}

TEST_F(CApi, MistakesAreErrors) {
  EXPECT_EQ(errorOf(dmc_session_step(session)),
            "argument 0 (batch/x) has no value: expected dmc_session_set_argument before the step");
  EXPECT_EQ(errorOf(dmc_session_set_argument(session, 3, x.data(), 4)),
            "argument 3 of a program with 3");
  EXPECT_EQ(errorOf(dmc_session_set_argument(session, 0, x.data(), 56)),
            "argument 0 (batch/x): expected 60 bytes for 5x3xf32, found 56");
  EXPECT_EQ(errorOf(dmc_session_set_argument(session, 0, nullptr, 60)),
            "argument 0 (batch/x): expected 60 bytes, found a null pointer");
  EXPECT_EQ(errorOf(dmc_session_get_argument(session, 0, y.data(), sizeof y)),
            "argument 0 (batch/x) has no value");
  setAll();
  EXPECT_EQ(errorOf(dmc_session_get_result(session, 0, y.data(), sizeof y)),
            "result 0 (y) has no value: expected a step before");
  ASSERT_EQ(dmc_session_step(session), 0);
  EXPECT_EQ(errorOf(dmc_session_get_result(session, 3, y.data(), sizeof y)),
            "result 3 of a program with 3");
  EXPECT_EQ(errorOf(dmc_session_get_result(session, 0, y.data(), 64)),
            "result 0 (y): expected 60 bytes for 5x3xf32, found 64");
  EXPECT_EQ(errorOf(dmc_session_get_result(session, 0, nullptr, 60)),
            "result 0 (y): expected 60 bytes, found a null pointer");
  EXPECT_EQ(errorOf(dmc_session_set_local(session, 0, 0, y.data(), 60)),
            "argument 0 (batch/x) of rank 0: expected 36 bytes for 3x3xf32, found 60");
  EXPECT_EQ(dmc_session_argument(session, 3), nullptr);
  EXPECT_STREQ(dmc_last_error(), "argument 3 of a program with 3");
  EXPECT_EQ(dmc_session_result_layout(session, 9), nullptr);
}

TEST_F(CApi, HandlesOfNoSession) {
  dmc_session *old = session;
  dmc_session_destroy(old);
  dmc_session_destroy(old);
  session = nullptr;
  const char *gone = "the session does not exist: it was destroyed or never created";
  EXPECT_EQ(errorOf(dmc_session_step(old)), gone);
  EXPECT_EQ(errorOf(dmc_session_get_result(old, 0, y.data(), sizeof y)), gone);
  EXPECT_EQ(dmc_session_program(old), nullptr);
  EXPECT_EQ(dmc_session_num_ranks(old), -1);
  EXPECT_EQ(dmc_session_report_json(old), nullptr);
  EXPECT_EQ(errorOf(dmc_session_step(nullptr)), "the session is null");
  EXPECT_EQ(dmc_session_argument(nullptr, 0), nullptr);
  dmc_session_destroy(nullptr);
  // A later session is another one.
  session = dmc_session_create(programPath.c_str());
  EXPECT_NE(session, old);
  EXPECT_EQ(errorOf(dmc_session_step(old)), gone);
}

TEST(CApiCreate, RefusesWrongRequests) {
  EXPECT_EQ(dmc_session_create(nullptr), nullptr);
  EXPECT_STREQ(dmc_last_error(), "the path of the program is null");
  EXPECT_EQ(dmc_session_create("/nonexistent.so"), nullptr);
  EXPECT_STREQ(dmc_last_error(), "/nonexistent.so: cannot open: No such file or directory");
  EXPECT_EQ(errorOf(dmc_session_options_init(nullptr)), "the options are null");
  dmc_session_options options = {};
  EXPECT_EQ(errorOf(dmc_session_options_init(&options)),
            "the options have 0 bytes, expected struct_size to be at least " +
                std::to_string(offsetof(dmc_session_options, deterministic)));
  // A caller of an earlier version, who knows fewer options.
  options.struct_size = offsetof(dmc_session_options, deterministic);
  options.deterministic = 7;
  EXPECT_EQ(dmc_session_options_init(&options), 0) << dmc_last_error();
  EXPECT_EQ(options.deterministic, 7U);
  options.struct_size = sizeof options;
  ASSERT_EQ(dmc_session_options_init(&options), 0) << dmc_last_error();
  EXPECT_EQ(options.watchdog_seconds, 60);
  EXPECT_EQ(options.fault, nullptr);
  options.watchdog_seconds = -1;
  EXPECT_EQ(dmc_session_create_with(programPath.c_str(), &options), nullptr);
  EXPECT_STREQ(dmc_last_error(),
               "expected watchdog_seconds and threads_per_rank not to be negative");
}

TEST(CApiCreate, KernelsHaveNamesAndFunctions) {
  dmc_session_options options = {};
  // A caller of an earlier version, who knows no kernels.
  options.struct_size = offsetof(dmc_session_options, kernels);
  options.num_kernels = 7;
  EXPECT_EQ(dmc_session_options_init(&options), 0) << dmc_last_error();
  EXPECT_EQ(options.num_kernels, 7U);
  dmc_session *session = dmc_session_create_with(programPath.c_str(), &options);
  EXPECT_NE(session, nullptr) << dmc_last_error();
  dmc_session_destroy(session);
  options.struct_size = sizeof options;
  EXPECT_EQ(dmc_session_create_with(programPath.c_str(), &options), nullptr);
  EXPECT_STREQ(dmc_last_error(), "expected 7 kernels, found a null pointer");
  ASSERT_EQ(dmc_session_options_init(&options), 0) << dmc_last_error();
  EXPECT_EQ(options.num_kernels, 0U);
  dmc_custom_kernel kernels[] = {
      {nullptr, [](const dmc_custom_call *, void *) { return 0; }, nullptr},
      {"f", nullptr, nullptr}};
  options.kernels = kernels;
  options.num_kernels = 1;
  EXPECT_EQ(dmc_session_create_with(programPath.c_str(), &options), nullptr);
  EXPECT_STREQ(dmc_last_error(), "kernel 0 has no name");
  options.kernels = kernels + 1;
  EXPECT_EQ(dmc_session_create_with(programPath.c_str(), &options), nullptr);
  EXPECT_STREQ(dmc_last_error(), "kernel 0 has no function");
  kernels[0].name = "unused";
  options.kernels = kernels;
  session = dmc_session_create_with(programPath.c_str(), &options);
  EXPECT_NE(session, nullptr) << dmc_last_error();
  dmc_session_destroy(session);
}

TEST(CApiCreate, BooleansAreZeroOrOne) {
  dmc_session *session =
      dmc_session_create((std::string(TEST_LIBRARY_DIR) + "/libdmc_test_program_i1.so").c_str());
  ASSERT_NE(session, nullptr) << dmc_last_error();
  const uint8_t good = 1, bad = 2;
  EXPECT_EQ(dmc_session_set_argument(session, 2, &good, 1), 0) << dmc_last_error();
  const char *why = "argument 2 (n): element 0 is 2, expected 0 or 1 for i1";
  EXPECT_EQ(errorOf(dmc_session_set_argument(session, 2, &bad, 1)), why);
  EXPECT_EQ(errorOf(dmc_session_set_local(session, 1, 2, &bad, 1)),
            "argument 2 (n) of rank 1: element 0 is 2, expected 0 or 1 for i1");
  dmc_session_destroy(session);
}

TEST(CApiCreate, AFailedStepTakesDonatedArguments) {
  dmc_session_options options = {};
  options.struct_size = sizeof options;
  ASSERT_EQ(dmc_session_options_init(&options), 0);
  options.fault = "rank=1,collective=0,action=fail";
  dmc_session *session = dmc_session_create_with(programPath.c_str(), &options);
  ASSERT_NE(session, nullptr) << dmc_last_error();
  float x[15] = {}, w[3] = {};
  int32_t n = 0;
  dmc_session_set_argument(session, 0, x, sizeof x);
  dmc_session_set_argument(session, 1, w, sizeof w);
  dmc_session_set_argument(session, 2, &n, sizeof n);
  EXPECT_NE(errorOf(dmc_session_step(session)).find("rank 1 failed at collective 0"),
            std::string::npos);
  EXPECT_EQ(errorOf(dmc_session_get_result(session, 0, x, sizeof x)),
            "result 0 (y) has no value: expected a step before");
  EXPECT_EQ(
      errorOf(dmc_session_step(session)),
      "argument 1 (params/w) has no value: expected dmc_session_set_argument before the step");
  dmc_session_destroy(session);
}

// A fork copies the caller, but none of the ranks: a step would wait for ever.
TEST_F(CApi, ForkedProcessesHaveNoRanks) {
  setAll();
  pid_t child = fork();
  if (child == 0) {
    std::string why = errorOf(dmc_session_step(session));
    dmc_session_destroy(session);
    _exit(why.find("the session belongs to process ") == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(dmc_session_step(session), 0) << dmc_last_error();
}

TEST(CApiCreate, OneThreadAtATime) {
  dmc_session_options options = {};
  options.struct_size = sizeof options;
  ASSERT_EQ(dmc_session_options_init(&options), 0);
  options.watchdog_seconds = 0.3;
  options.fault = "rank=1,collective=0,action=stall"; // a step that takes a while
  dmc_session *session = dmc_session_create_with(programPath.c_str(), &options);
  ASSERT_NE(session, nullptr) << dmc_last_error();
  float x[15] = {}, w[3] = {};
  int32_t n = 0;
  dmc_session_set_argument(session, 0, x, sizeof x);
  dmc_session_set_argument(session, 1, w, sizeof w);
  dmc_session_set_argument(session, 2, &n, sizeof n);
  const std::string inUse = "the session is in use by another thread";
  std::atomic<bool> isOver{false};
  std::thread other([&] {
    while (errorOf(dmc_session_step(session)) == inUse) // by the loop below
      std::this_thread::yield();
    isOver = true;
  });
  bool wasRefused = false;
  while (!isOver)
    wasRefused |= errorOf(dmc_session_set_argument(session, 2, &n, sizeof n)) == inUse;
  EXPECT_TRUE(wasRefused);
  dmc_session_destroy(session);
  other.join();
}
