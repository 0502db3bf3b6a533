//===- ProcessPool.cpp - Tasks in forked processes ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker reads indices of tasks from a socket and writes frames: a kind, the
// number of bytes, the bytes.
//
//===----------------------------------------------------------------------===//
#include "dmc/Support/ProcessPool.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dmc::support;

namespace {
using Clock = std::chrono::steady_clock;

/// Kinds of frames.
constexpr char kAnswer = 'a', kNote = 'n', kDone = 'd', kDoneAndRetired = 'r';
constexpr size_t kHeaderBytes = 1 + sizeof(uint64_t);

std::string describeErrno(const char *what) { return std::string(what) + ": " + strerror(errno); }

/// The line on a worker's stderr that tells why it ended: one that says so, or the first.
std::string findReason(int file) {
  std::string text(1 << 16, '\0');
  ssize_t size = pread(file, text.data(), text.size(), 0);
  text.resize(std::max<ssize_t>(size, 0));
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (const char *word : {"Assertion", "LLVM ERROR", "ERROR: ", "runtime error:", "UNREACHABLE"})
    for (llvm::StringRef line : lines)
      if (line.contains(word))
        return line.trim().str();
  return lines.empty() ? "" : lines.front().trim().str();
}
} // namespace

size_t dmc::support::getNumJobs(size_t asked) {
  return asked ? asked : std::max(1u, std::thread::hardware_concurrency());
}

//===--- In a worker ------------------------------------------------------===//

void TaskChannel::send(char kind, llvm::StringRef text) {
  uint64_t size = text.size();
  std::string frame(kHeaderBytes, kind);
  std::memcpy(&frame[1], &size, sizeof size);
  frame += text;
  for (size_t at = 0; at < frame.size();) {
    ssize_t sent = ::send(socket, frame.data() + at, frame.size() - at, MSG_NOSIGNAL);
    if (sent <= 0 && errno != EINTR)
      _exit(1); // nobody listens any more
    at += std::max<ssize_t>(sent, 0);
  }
}

void TaskChannel::answer(llvm::StringRef part) { send(kAnswer, part); }
void TaskChannel::note(llvm::StringRef what) { send(kNote, what); }

void ProcessPool::serve(int socket, Work work) {
  TaskChannel channel(socket);
  uint64_t index;
  while (recv(socket, &index, sizeof index, MSG_WAITALL) == sizeof index) {
    work(index, channel);
    std::fflush(nullptr);
    channel.send(channel.isRetired ? kDoneAndRetired : kDone, {});
    if (channel.isRetired)
      break;
  }
  _exit(0);
}

//===--- In the pool ------------------------------------------------------===//

struct ProcessPool::Worker {
  pid_t process = -1;
  int socket = -1;
  int errors = -1; // a file in memory that is the worker's stderr
  std::optional<size_t> current;
  Clock::time_point start;
  std::string received;
  size_t numTasks = 0; // that this process was given
  bool isDone = false, isRetired = false;
  TaskOutcome outcome;
};

ProcessPool::ProcessPool(ProcessPoolOptions options) : options(options) {}

ProcessPool::~ProcessPool() {
  for (auto &worker : workers) {
    stop(*worker);
    if (worker->errors >= 0)
      close(worker->errors);
  }
}

std::string ProcessPool::start(Worker &worker, Work work) {
  if (worker.errors < 0)
    worker.errors = memfd_create("dmc-worker", MFD_CLOEXEC);
  if (worker.errors < 0)
    return describeErrno("cannot make a file in memory");
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
    return describeErrno("cannot make a socket");
  std::fflush(nullptr);
  pid_t parent = getpid();
  pid_t process = fork();
  if (process < 0) {
    std::string problem = describeErrno("cannot start a process");
    close(sockets[0]);
    close(sockets[1]);
    return problem;
  }
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    setpgid(0, 0); // with the processes that it starts, such as a linker
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    for (auto &other : workers)
      if (other->socket >= 0)
        close(other->socket);
    close(sockets[0]);
    dup2(worker.errors, STDERR_FILENO);
    serve(sockets[1], work);
  }
  close(sockets[1]);
  worker.process = process;
  worker.socket = sockets[0];
  worker.received.clear();
  worker.numTasks = 0;
  worker.isRetired = false;
  return {};
}

void ProcessPool::stop(Worker &worker) {
  if (worker.process < 0)
    return;
  ::kill(worker.process, SIGKILL);
  reap(worker);
}

/// Waits for a worker that ends or has ended; returns its status.
int ProcessPool::reap(Worker &worker) {
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR)
    ;
  // What it started must not outlive it.
  ::kill(-worker.process, SIGKILL);
  worker.process = -1;
  if (worker.socket >= 0)
    close(worker.socket);
  worker.socket = -1;
  return status;
}

/// Gives the worker the next task, if there is one, and a process to do it.
std::string ProcessPool::assign(Worker &worker, Work work) {
  worker.current.reset();
  if (next == count)
    return {};
  bool isUsedUp = worker.isRetired || worker.numTasks >= options.tasksPerProcess;
  if (isUsedUp || worker.socket < 0)
    stop(worker);
  if (worker.process < 0)
    if (std::string problem = start(worker, work); !problem.empty())
      return problem;
  if (ftruncate(worker.errors, 0) || lseek(worker.errors, 0, SEEK_SET) < 0)
    return describeErrno("cannot empty a file in memory");
  worker.outcome = {};
  worker.outcome.numBefore = worker.numTasks++;
  worker.isDone = false;
  worker.current = next++;
  worker.start = Clock::now();
  uint64_t index = *worker.current;
  // A worker that is gone is noticed when it is listened to.
  (void)::send(worker.socket, &index, sizeof index, MSG_NOSIGNAL);
  return {};
}

/// Takes what has come; the socket is closed if the worker is gone.
void ProcessPool::receive(Worker &worker) {
  char buffer[1 << 16];
  ssize_t size = recv(worker.socket, buffer, sizeof buffer, MSG_DONTWAIT);
  if (size < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  if (size <= 0) {
    close(worker.socket);
    worker.socket = -1;
    return;
  }
  worker.received.append(buffer, size);
  size_t at = 0;
  while (worker.received.size() - at >= kHeaderBytes) {
    uint64_t length;
    std::memcpy(&length, &worker.received[at + 1], sizeof length);
    if (worker.received.size() - at - kHeaderBytes < length)
      break;
    char kind = worker.received[at];
    std::string text = worker.received.substr(at + kHeaderBytes, length);
    at += kHeaderBytes + length;
    if (kind == kAnswer)
      worker.outcome.parts.push_back(std::move(text));
    else if (kind == kNote)
      worker.outcome.note = std::move(text);
    else
      worker.isDone = true;
    worker.isRetired |= kind == kDoneAndRetired;
  }
  worker.received.erase(0, at);
}

/// Waits for a worker that is gone or is to go, and says why it did.
void ProcessPool::describeEnd(Worker &worker, bool isTimeout) {
  if (isTimeout)
    ::kill(worker.process, SIGKILL);
  int status = reap(worker);
  TaskOutcome &outcome = worker.outcome;
  if (isTimeout) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", options.timeoutSeconds);
    outcome.end = TaskOutcome::End::Timeout;
    outcome.reason = "did not end in " + std::string(seconds) + " s";
    return;
  }
  outcome.end = WIFSIGNALED(status) ? TaskOutcome::End::Signal : TaskOutcome::End::Exit;
  outcome.reason = WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                       : "ended with code " + std::to_string(WEXITSTATUS(status));
  outcome.message = findReason(worker.errors);
}

double ProcessPool::getTimeLeft(const Worker &worker) const {
  if (options.timeoutSeconds <= 0)
    return std::numeric_limits<double>::infinity();
  return options.timeoutSeconds -
         std::chrono::duration<double>(Clock::now() - worker.start).count();
}

std::string ProcessPool::run(size_t count, Work work,
                             llvm::function_ref<void(size_t, TaskOutcome)> finished,
                             llvm::function_ref<void()> tick) {
  this->count = count;
  next = 0;
  for (size_t i = workers.size(), e = std::min(options.jobs, count); i < e; ++i)
    workers.push_back(std::make_unique<Worker>());
  for (auto &worker : workers)
    if (std::string problem = assign(*worker, work); !problem.empty())
      return problem;
  while (true) {
    llvm::SmallVector<pollfd> waiting;
    llvm::SmallVector<Worker *> busy;
    double seconds = 0.25; // between ticks
    for (auto &worker : workers)
      if (worker->current) {
        waiting.push_back({worker->socket, POLLIN, 0});
        busy.push_back(worker.get());
        seconds = std::clamp(getTimeLeft(*worker), 0.0, seconds);
      }
    if (busy.empty())
      return {};
    if (poll(waiting.data(), waiting.size(), std::ceil(seconds * 1000)) < 0 && errno != EINTR)
      return describeErrno("cannot wait for processes");
    if (options.interrupted && *options.interrupted)
      return "interrupted";
    for (Worker *worker : busy) {
      // Also what came while others were served: an answer in time counts.
      receive(*worker);
      bool hasHung = worker->socket >= 0 && getTimeLeft(*worker) <= 0;
      if (!worker->isDone && worker->socket >= 0 && !hasHung)
        continue;
      if (!worker->isDone)
        describeEnd(*worker, hasHung);
      finished(*worker->current, std::move(worker->outcome));
      if (std::string problem = assign(*worker, work); !problem.empty())
        return problem;
    }
    tick();
  }
}
