//===- Outcome.cpp - What became of a case --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Outcome.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cstdio>

using namespace dmc;
using namespace dmc::test;
using support::TaskChannel;
using support::TaskOutcome;

namespace {
std::string toText(llvm::json::Object object) {
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

/// Sends the problems of paths.
class Sender : public Listener {
public:
  explicit Sender(TaskChannel &channel) : channel(channel) {}
  void finished(llvm::StringRef path, llvm::StringRef problem) override {
    channel.answer(
        toText(llvm::json::Object{{"path", path}, {"problem", llvm::json::fixUTF8(problem)}}));
  }

private:
  TaskChannel &channel;
};

/// One line of a worker.
void take(const llvm::json::Object &message, Outcome &outcome) {
  if (const llvm::json::Array *times = message.getArray("times")) {
    for (size_t i = 0; i < outcome.times.size() && i < times->size(); ++i)
      outcome.times[i] = (*times)[i].getAsNumber().value_or(0);
    return;
  }
  std::string path = message.getString("path").value_or("").str();
  if (auto problem = message.getString("problem"); problem && !problem->empty())
    outcome.problems.push_back({path, problem->str()});
}

/// Why a worker ended, and in which stage.
std::string describeEnd(const TaskOutcome &task, llvm::StringRef stage, double timeoutSeconds) {
  if (task.end == TaskOutcome::End::Timeout) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", timeoutSeconds);
    return "timed out after " + std::string(seconds) + " s in " + stage.str();
  }
  std::string text =
      task.end == TaskOutcome::End::Signal ? "crashed (" + task.reason + ")" : task.reason;
  return text + " in " + stage.str() + (task.message.empty() ? "" : ": " + task.message);
}
} // namespace

void test::runCase(CaseRunner &runner, const Case &test, TaskChannel &channel) {
  Sender sender(channel);
  runner.times = {};
  runner.activity.start([&](llvm::StringRef what) { channel.note(what); });
  runner.run(test, sender);
  channel.answer(toText(llvm::json::Object{{"times", llvm::json::Array(runner.times)}}));
  if (runner.isStuck)
    channel.retire();
}

Outcome test::readOutcome(const TaskOutcome &task, double timeoutSeconds) {
  Outcome outcome;
  for (const std::string &part : task.parts) {
    auto message = llvm::json::parse(part);
    if (const llvm::json::Object *object = message ? message->getAsObject() : nullptr)
      take(*object, outcome);
    if (!message)
      llvm::consumeError(message.takeError());
  }
  auto [path, stage] = llvm::StringRef(task.note).split(' ');
  if (!task.isDone())
    outcome.problems.push_back({path.str(), describeEnd(task, stage, timeoutSeconds)});
  return outcome;
}
