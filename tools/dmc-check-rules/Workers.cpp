//===- Workers.cpp - Tasks in forked processes ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Workers.h.
//
//===----------------------------------------------------------------------===//
#include "Workers.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dmc::rulecheck;

namespace {
using Clock = std::chrono::steady_clock;

struct Worker {
  size_t index = 0;
  pid_t process = -1;
  int answers = -1;
  Clock::time_point start = Clock::now();
  std::string received;
};
} // namespace

/// Starts a worker; its process is -1 if that is impossible.
static Worker start(size_t index, llvm::function_ref<std::string(size_t)> work) {
  Worker worker;
  worker.index = index;
  int ends[2];
  if (pipe(ends))
    return worker;
  std::fflush(nullptr);
  pid_t parent = getpid();
  worker.process = fork();
  if (worker.process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    close(ends[0]);
    std::string text = work(index);
    for (size_t at = 0; at < text.size();) {
      ssize_t size = write(ends[1], text.data() + at, text.size() - at);
      if (size < 0 && errno != EINTR)
        _exit(1);
      at += size > 0 ? size : 0;
    }
    _exit(0);
  }
  close(ends[1]);
  worker.answers = ends[0];
  return worker;
}

/// Waits for a worker that has ended, or ends it; returns how it died, if it did.
static std::string finish(Worker &worker, bool isTimeout) {
  if (isTimeout)
    kill(worker.process, SIGKILL);
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR)
    ;
  close(worker.answers);
  if (isTimeout)
    return "did not end in time";
  if (WIFSIGNALED(status))
    return strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) ? "ended with code " + std::to_string(WEXITSTATUS(status)) : "";
}

std::string dmc::rulecheck::runForked(
    size_t count, size_t jobs, double timeoutSeconds, llvm::function_ref<std::string(size_t)> work,
    llvm::function_ref<void(size_t, std::optional<std::string>, const std::string &reason)> done,
    llvm::function_ref<void()> idle) {
  std::vector<Worker> workers;
  auto timeout =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeoutSeconds));
  for (size_t next = 0; next < count || !workers.empty(); idle()) {
    while (next < count && workers.size() < jobs) {
      workers.push_back(start(next++, work));
      if (workers.back().process < 0)
        return std::string("cannot start a process: ") + std::strerror(errno);
    }
    std::vector<pollfd> waiting;
    for (const Worker &worker : workers)
      waiting.push_back({worker.answers, POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), 250) < 0 && errno != EINTR)
      return std::string("cannot wait for processes: ") + std::strerror(errno);
    for (size_t i = workers.size(); i-- > 0;) {
      Worker &worker = workers[i];
      bool isTimeout = Clock::now() - worker.start > timeout, hasEnded = false;
      if (waiting[i].revents) {
        char buffer[1 << 16];
        ssize_t size = read(worker.answers, buffer, sizeof buffer);
        if (size > 0)
          worker.received.append(buffer, size);
        hasEnded = size == 0 || (size < 0 && errno != EINTR);
      }
      if (!hasEnded && !isTimeout)
        continue;
      std::string reason = finish(worker, !hasEnded);
      size_t index = worker.index;
      std::optional<std::string> answer;
      if (reason.empty())
        answer = std::move(worker.received);
      workers.erase(workers.begin() + i);
      done(index, std::move(answer), reason);
    }
  }
  return {};
}
