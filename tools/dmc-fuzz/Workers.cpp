//===- Workers.cpp - Trials in forked processes ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Workers.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dmc::fuzz;

namespace {
using Clock = std::chrono::steady_clock;

/// A process costs more than a trial: each does some, one after the other.
constexpr size_t kTrialsOfProcess = 25;

struct Worker {
  size_t first, next, end; // its trials, and the one that it is at
  pid_t process;
  int answers;             // of a pipe: for each trial a line of the kind's digit and the reason
  int errors;              // a file in memory that is the worker's stderr
  Clock::time_point start; // of the trial
  std::string received;
};

std::string describe(const char *what) { return std::string(what) + ": " + std::strerror(errno); }

/// The line on stderr that tells why a process died.
std::string findReason(int file) {
  std::string text(1 << 16, '\0');
  ssize_t size = pread(file, text.data(), text.size(), 0);
  text.resize(std::max<ssize_t>(size, 0));
  for (const char *word :
       {"Assertion", "LLVM ERROR", "ERROR: Addr", "runtime error:", "UNREACHABLE"})
    if (size_t at = text.find(word); at != std::string::npos) {
      size_t begin = text.rfind('\n', at) + 1; // the line, or the text
      return ": " + text.substr(begin, text.find('\n', at) - begin);
    }
  return {};
}
} // namespace

/// Starts a worker; its process is -1 if that is impossible.
static Worker start(size_t first, size_t end, llvm::function_ref<Verdict(size_t)> work) {
  Worker worker{first, first, end, -1, -1, memfd_create("dmc-fuzz", MFD_CLOEXEC), Clock::now(), {}};
  int ends[2];
  if (worker.errors < 0 || pipe(ends))
    return worker;
  std::fflush(nullptr);
  pid_t parent = getpid();
  worker.process = fork();
  if (worker.process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    setpgid(0, 0); // with its linker
    close(ends[0]);
    dup2(worker.errors, STDERR_FILENO);
    for (size_t index = first; index < end; ++index) {
      Verdict verdict = work(index);
      std::string line = std::to_string(static_cast<int>(verdict.kind)) + verdict.reason;
      std::replace(line.begin(), line.end(), '\n', ' ');
      line.resize(std::min<size_t>(line.size(), 4000)); // written at once
      line += '\n';
      if (write(ends[1], line.data(), line.size()) < 0)
        _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  worker.answers = ends[0];
  return worker;
}

static Verdict describeHang(double timeoutSeconds) {
  return {Verdict::Kind::Hang,
          "did not end in " + llvm::formatv("{0:f3}", timeoutSeconds).str() + " s"};
}

/// Ends a worker, and says what became of the trial that it did not finish.
static Verdict finish(Worker &worker, bool isTimeout, double timeoutSeconds) {
  if (isTimeout)
    kill(worker.process, SIGKILL);
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR)
    ;
  // What it started must not outlive it.
  kill(-worker.process, SIGKILL);
  Verdict verdict{Verdict::Kind::Crash, {}};
  if (isTimeout)
    verdict = describeHang(timeoutSeconds);
  else if (WIFSIGNALED(status))
    verdict.reason = std::string(strsignal(WTERMSIG(status))) + findReason(worker.errors);
  else
    verdict.reason =
        "ended with code " + std::to_string(WEXITSTATUS(status)) + findReason(worker.errors);
  if (worker.next != worker.first)
    verdict.reason +=
        " (after " + std::to_string(worker.next - worker.first) + " others in one process)";
  close(worker.answers);
  close(worker.errors);
  return verdict;
}

std::string dmc::fuzz::runForked(size_t count, size_t jobs, double timeoutSeconds,
                                 llvm::function_ref<Verdict(size_t)> work,
                                 llvm::function_ref<void(size_t, Verdict)> done) {
  std::vector<Worker> workers;
  auto timeout =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeoutSeconds));
  size_t share = std::clamp<size_t>(count / jobs, 1, kTrialsOfProcess);
  // What a worker that ended early has left.
  std::vector<std::pair<size_t, size_t>> left;
  for (size_t next = 0; next < count || !left.empty() || !workers.empty();) {
    while ((next < count || !left.empty()) && workers.size() < jobs) {
      if (left.empty()) {
        left.push_back({next, std::min(next + share, count)});
        next = left.back().second;
      }
      auto [first, end] = left.back();
      left.pop_back();
      workers.push_back(start(first, end, work));
      if (workers.back().process < 0)
        return describe("cannot start a process");
    }
    std::vector<pollfd> waiting;
    for (const Worker &worker : workers)
      waiting.push_back({worker.answers, POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), 250) < 0 && errno != EINTR)
      return describe("cannot wait for processes");
    for (size_t i = workers.size(); i-- > 0;) {
      Worker &worker = workers[i];
      bool isTimeout = Clock::now() - worker.start > timeout, hasEnded = false;
      if (waiting[i].revents) {
        char buffer[4096];
        ssize_t size = read(worker.answers, buffer, sizeof buffer);
        if (size > 0)
          worker.received.append(buffer, size);
        hasEnded = size == 0 || (size < 0 && errno != EINTR);
      }
      for (size_t at; (at = worker.received.find('\n')) != std::string::npos;) {
        std::string line = worker.received.substr(0, at);
        worker.received.erase(0, at + 1);
        // An answer may have come while others were waited for, and too late.
        Verdict verdict{static_cast<Verdict::Kind>(line[0] - '0'), line.substr(1)};
        if (Clock::now() - std::exchange(worker.start, Clock::now()) > timeout)
          verdict = describeHang(timeoutSeconds);
        isTimeout = false;
        done(worker.next++, std::move(verdict));
      }
      if (!hasEnded && !isTimeout)
        continue;
      size_t index = worker.next, end = worker.end;
      Verdict verdict = finish(worker, !hasEnded, timeoutSeconds);
      workers.erase(workers.begin() + i);
      if (index == end)
        continue;
      done(index, std::move(verdict));
      if (index + 1 < end)
        left.push_back({index + 1, end});
    }
  }
  return {};
}
