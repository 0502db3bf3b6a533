//===- WorkerPool.cpp - Cases in forked processes -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker reads indices of cases from a socket and writes a line of JSON for
// each path of a case, and one more when it is done with the case.
//
//===----------------------------------------------------------------------===//

#include "WorkerPool.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dmc;
using namespace dmc::test;

namespace {
using Clock = std::chrono::steady_clock;

/// Writes outcomes to the pool.
class Sender : public Listener {
public:
  explicit Sender(int socket) : socket(socket) {}

  void finished(llvm::StringRef path, llvm::StringRef problem) override {
    send(llvm::json::Object{{"path", path}, {"problem", llvm::json::fixUTF8(problem)}});
  }
  void done(const StepTimes &times, bool isLast) {
    send(llvm::json::Object{{"times", llvm::json::Array(times)}, {"last", isLast}});
  }

private:
  void send(llvm::json::Object object) {
    std::string line;
    llvm::raw_string_ostream(line) << llvm::json::Value(std::move(object)) << '\n';
    for (size_t at = 0; at < line.size();) {
      ssize_t sent = ::send(socket, line.data() + at, line.size() - at, MSG_NOSIGNAL);
      if (sent <= 0 && errno != EINTR)
        _exit(1); // nobody listens any more
      at += std::max<ssize_t>(sent, 0);
    }
  }

  int socket;
};

/// One line of a worker.
void take(const llvm::json::Object &message, Outcome &outcome) {
  if (const llvm::json::Array *times = message.getArray("times")) {
    for (size_t i = 0; i < outcome.times.size() && i < times->size(); ++i)
      outcome.times[i] = (*times)[i].getAsNumber().value_or(0);
    outcome.isDone = true;
    outcome.isLast = message.getBoolean("last").value_or(false);
    return;
  }
  std::string path = message.getString("path").value_or("").str();
  if (auto problem = message.getString("problem"); problem && !problem->empty())
    outcome.problems.push_back({path, problem->str()});
}

/// What a process said last on stderr that tells why it ended.
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

struct WorkerPool::Worker {
  pid_t process = -1;
  int socket = -1;
  int errors = -1;              // a file in memory that is the worker's stderr
  Activity *activity = nullptr; // shared with the worker
  std::optional<size_t> current;
  Clock::time_point start;
  std::string received;
  Outcome outcome;
};

WorkerPool::WorkerPool(mlir::MLIRContext &context, const std::vector<Case> &cases,
                       PoolOptions options)
    : context(context), cases(cases), options(std::move(options)) {}

WorkerPool::~WorkerPool() {
  for (auto &worker : workers) {
    stop(*worker);
    if (worker->activity)
      munmap(worker->activity, sizeof(Activity));
    if (worker->errors >= 0)
      close(worker->errors);
  }
}

//===--- In the worker ----------------------------------------------------===//

void WorkerPool::work(int socket, Activity &activity) {
  CaseRunner runner(context, options.runner, activity);
  Sender sender(socket);
  uint64_t index;
  while (recv(socket, &index, sizeof index, MSG_WAITALL) == sizeof index) {
    runner.times = {};
    runner.run(cases[index], sender);
    sender.done(runner.times, runner.isStuck);
    if (runner.isStuck)
      break;
  }
  _exit(0);
}

//===--- In the pool ------------------------------------------------------===//

std::string WorkerPool::start(Worker &worker) {
  auto fail = [](const char *what) { return std::string(what) + ": " + std::strerror(errno); };
  if (worker.errors < 0)
    worker.errors = memfd_create("dmc-test", MFD_CLOEXEC);
  if (worker.errors < 0)
    return fail("cannot make a file in memory");
  if (!worker.activity) {
    void *memory =
        mmap(nullptr, sizeof(Activity), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return fail("cannot share memory");
    worker.activity = new (memory) Activity;
  }
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
    return fail("cannot make a socket");
  std::fflush(nullptr);
  pid_t parent = getpid();
  pid_t process = fork();
  if (process < 0) {
    close(sockets[0]);
    close(sockets[1]);
    return fail("cannot fork");
  }
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    setpgid(0, 0); // with its linker
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    for (auto &other : workers)
      if (other->socket >= 0)
        close(other->socket);
    close(sockets[0]);
    dup2(worker.errors, STDERR_FILENO);
    work(sockets[1], *worker.activity);
  }
  close(sockets[1]);
  worker.process = process;
  worker.socket = sockets[0];
  worker.received.clear();
  return {};
}

void WorkerPool::stop(Worker &worker) {
  if (worker.process < 0)
    return;
  ::kill(worker.process, SIGKILL);
  reap(worker);
}

/// Waits for a worker that ends or has ended; returns its status.
int WorkerPool::reap(Worker &worker) {
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

/// Gives the worker the next case, if there is one, and lives to do it.
std::string WorkerPool::assign(Worker &worker) {
  worker.current.reset();
  if (next == cases.size())
    return {};
  if (worker.process < 0)
    if (std::string problem = start(worker); !problem.empty())
      return problem;
  if (ftruncate(worker.errors, 0) || lseek(worker.errors, 0, SEEK_SET) < 0)
    return std::string("cannot empty a file in memory: ") + std::strerror(errno);
  worker.activity->path = "import";
  worker.activity->stage = "start";
  worker.outcome = {};
  worker.current = next++;
  worker.start = Clock::now();
  uint64_t index = *worker.current;
  // A worker that is gone is noticed when it is listened to.
  (void)send(worker.socket, &index, sizeof index, MSG_NOSIGNAL);
  return {};
}

/// Takes what has come; the socket is closed if the worker is gone.
void WorkerPool::receive(Worker &worker) {
  char buffer[4096];
  ssize_t size = recv(worker.socket, buffer, sizeof buffer, 0);
  if (size < 0 && errno == EINTR)
    return;
  if (size <= 0) {
    close(worker.socket);
    worker.socket = -1;
    return;
  }
  worker.received.append(buffer, size);
  size_t end;
  while ((end = worker.received.find('\n')) != std::string::npos) {
    auto message = llvm::json::parse(llvm::StringRef(worker.received).take_front(end));
    worker.received.erase(0, end + 1);
    if (!message) {
      llvm::consumeError(message.takeError());
      continue;
    }
    if (const llvm::json::Object *object = message->getAsObject())
      take(*object, worker.outcome);
  }
}

/// Waits for a worker that is gone or is to go, and says why it did.
std::string WorkerPool::describeEnd(Worker &worker, bool isTimeout) {
  if (isTimeout)
    ::kill(worker.process, SIGKILL);
  int status = reap(worker);
  std::string where = std::string(" in ") + worker.activity->stage.load();
  if (isTimeout) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", options.timeoutSeconds);
    return "timed out after " + std::string(seconds) + " s" + where;
  }
  std::string reason = findReason(worker.errors);
  if (!reason.empty())
    reason = ": " + reason;
  if (WIFSIGNALED(status))
    return std::string("crashed (") + strsignal(WTERMSIG(status)) + ")" + where + reason;
  return "ended with code " + std::to_string(WEXITSTATUS(status)) + where + reason;
}

std::string WorkerPool::run(llvm::function_ref<void(size_t, Outcome)> finished,
                            llvm::function_ref<void()> tick) {
  auto timeout = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options.timeoutSeconds));
  size_t numWorkers = std::min<size_t>(options.jobs, cases.size());
  for (size_t i = 0; i < numWorkers; ++i) {
    workers.push_back(std::make_unique<Worker>());
    if (std::string problem = assign(*workers.back()); !problem.empty())
      return problem;
  }
  while (true) {
    llvm::SmallVector<pollfd> waiting;
    llvm::SmallVector<Worker *> busy;
    for (auto &worker : workers)
      if (worker->current) {
        waiting.push_back({worker->socket, POLLIN, 0});
        busy.push_back(worker.get());
      }
    if (busy.empty())
      return {};
    if (poll(waiting.data(), waiting.size(), 250) < 0 && errno != EINTR)
      return std::string("cannot wait for workers: ") + std::strerror(errno);
    if (options.interrupted && *options.interrupted)
      return "interrupted";
    for (size_t i = 0; i < busy.size(); ++i) {
      Worker &worker = *busy[i];
      if (waiting[i].revents)
        receive(worker);
      bool isTimeout = options.timeoutSeconds > 0 && Clock::now() - worker.start > timeout;
      if (worker.outcome.isDone) {
        if (worker.outcome.isLast)
          stop(worker);
      } else if (worker.socket < 0 || isTimeout) {
        std::string path = worker.activity->path.load();
        worker.outcome.problems.push_back({path, describeEnd(worker, worker.socket >= 0)});
      } else {
        continue;
      }
      finished(*worker.current, std::move(worker.outcome));
      if (std::string problem = assign(worker); !problem.empty())
        return problem;
    }
    tick();
  }
}
