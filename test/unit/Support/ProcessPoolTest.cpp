//===- ProcessPoolTest.cpp - Tasks that crash, hang and answer ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Support/ProcessPool.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <map>

#include <unistd.h>

using namespace dmc::support;
using End = TaskOutcome::End;

namespace {
/// The outcomes of tasks 0 to `count` - 1, by number.
std::map<size_t, TaskOutcome> runAll(size_t count, ProcessPoolOptions options,
                                     ProcessPool::Work work) {
  std::map<size_t, TaskOutcome> outcomes;
  ProcessPool pool(options);
  std::string problem = pool.run(count, work, [&](size_t index, TaskOutcome outcome) {
    EXPECT_TRUE(outcomes.emplace(index, std::move(outcome)).second) << index;
  });
  EXPECT_EQ(problem, "");
  EXPECT_EQ(outcomes.size(), count);
  return outcomes;
}
} // namespace

TEST(ProcessPool, AnswersOfAnyBytesAndSize) {
  std::string large(300000, 'x');
  large[5] = '\n';
  large[6] = '\0';
  auto outcomes = runAll(7, {3}, [&](size_t index, TaskChannel &channel) {
    channel.answer(std::to_string(index));
    channel.answer(large);
  });
  for (auto &[index, outcome] : outcomes) {
    EXPECT_TRUE(outcome.isDone());
    ASSERT_EQ(outcome.parts.size(), 2u);
    EXPECT_EQ(outcome.parts[0], std::to_string(index));
    EXPECT_EQ(outcome.parts[1], large);
  }
}

TEST(ProcessPool, NoTasks) {
  EXPECT_TRUE(runAll(0, {4}, [](size_t, TaskChannel &) {}).empty());
}

TEST(ProcessPool, ACrashTakesOneTask) {
  auto outcomes = runAll(6, {2}, [](size_t index, TaskChannel &channel) {
    channel.note("first");
    channel.answer("part");
    channel.note("second");
    if (index == 2) {
      std::fputs("some noise\nfile.cpp:1: Assertion `x' failed.\n", stderr);
      std::fflush(stderr);
      std::abort();
    }
    if (index == 4)
      _exit(3);
  });
  for (size_t index : {0, 1, 3, 5})
    EXPECT_TRUE(outcomes[index].isDone());
  EXPECT_EQ(outcomes[2].end, End::Signal);
  EXPECT_EQ(outcomes[2].parts, std::vector<std::string>{"part"});
  EXPECT_EQ(outcomes[2].note, "second");
  EXPECT_EQ(outcomes[2].describeEnd(), "Aborted: file.cpp:1: Assertion `x' failed.");
  EXPECT_EQ(outcomes[4].end, End::Exit);
  EXPECT_EQ(outcomes[4].describeEnd(), "ended with code 3");
}

TEST(ProcessPool, AHangIsEnded) {
  ProcessPoolOptions options{2};
  options.timeoutSeconds = 0.2;
  auto outcomes = runAll(3, options, [](size_t index, TaskChannel &) {
    while (index == 1)
      pause();
  });
  EXPECT_TRUE(outcomes[0].isDone() && outcomes[2].isDone());
  EXPECT_EQ(outcomes[1].end, End::Timeout);
  EXPECT_EQ(outcomes[1].reason, "did not end in 0.2 s");
}

TEST(ProcessPool, ProcessesAreReplaced) {
  auto answerProcess = [](size_t, TaskChannel &channel) {
    channel.answer(std::to_string(getpid()));
  };
  auto process = [](const TaskOutcome &outcome) { return outcome.parts.at(0); };
  auto one = runAll(4, {1}, answerProcess);
  EXPECT_EQ(process(one[0]), process(one[3]));
  EXPECT_EQ(one[3].numBefore, 3u);
  ProcessPoolOptions pairs{1};
  pairs.tasksPerProcess = 2;
  auto two = runAll(4, pairs, answerProcess);
  EXPECT_EQ(process(two[0]), process(two[1]));
  EXPECT_NE(process(two[1]), process(two[2]));
  EXPECT_EQ(two[3].numBefore, 1u);
  auto retired = runAll(2, {1}, [&](size_t index, TaskChannel &channel) {
    answerProcess(index, channel);
    channel.retire();
  });
  EXPECT_NE(process(retired[0]), process(retired[1]));
}

TEST(ProcessPool, AnInterruptEndsIt) {
  volatile std::sig_atomic_t interrupted = 0;
  ProcessPoolOptions options{1};
  options.interrupted = &interrupted;
  size_t numDone = 0;
  std::string problem = ProcessPool(options).run(
      100, [](size_t, TaskChannel &) {},
      [&](size_t, TaskOutcome) { interrupted = ++numDone == 3; });
  EXPECT_EQ(problem, "interrupted");
  EXPECT_EQ(numDone, 3u);
}
