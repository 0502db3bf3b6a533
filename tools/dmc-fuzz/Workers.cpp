//===- Workers.cpp - Trials in forked processes ---------------------------===//

#include "Workers.h"

#include "llvm/Support/FormatVariadic.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dmc::fuzz;

namespace {
using Clock = std::chrono::steady_clock;

struct Worker {
  size_t index;
  pid_t process;
  int answers; // of a pipe: the kind's digit, then the reason
  int errors;  // a file in memory that is the worker's stderr
  Clock::time_point start;
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
static Worker start(size_t index, llvm::function_ref<Verdict(size_t)> work) {
  Worker worker{index, -1, -1, memfd_create("dmc-fuzz", MFD_CLOEXEC), Clock::now(), {}};
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
    Verdict verdict = work(index);
    std::string text = std::to_string(static_cast<int>(verdict.kind)) + verdict.reason;
    text.resize(std::min<size_t>(text.size(), 4000)); // fits into the pipe
    _exit(write(ends[1], text.data(), text.size()) < 0);
  }
  close(ends[1]);
  worker.answers = ends[0];
  return worker;
}

/// Waits for a worker that has ended, or is to.
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
    verdict = {Verdict::Kind::Hang,
               "did not end in " + llvm::formatv("{0:f3}", timeoutSeconds).str() + " s"};
  else if (WIFSIGNALED(status))
    verdict.reason = std::string(strsignal(WTERMSIG(status))) + findReason(worker.errors);
  else if (WEXITSTATUS(status) || worker.received.empty())
    verdict.reason =
        "ended with code " + std::to_string(WEXITSTATUS(status)) + findReason(worker.errors);
  else
    verdict = {static_cast<Verdict::Kind>(worker.received[0] - '0'), worker.received.substr(1)};
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
  for (size_t next = 0; next < count || !workers.empty();) {
    while (next < count && workers.size() < jobs) {
      workers.push_back(start(next++, work));
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
      if (!hasEnded && !isTimeout)
        continue;
      Verdict verdict = finish(worker, !hasEnded, timeoutSeconds);
      size_t index = worker.index;
      workers.erase(workers.begin() + i);
      done(index, std::move(verdict));
    }
  }
  return {};
}
