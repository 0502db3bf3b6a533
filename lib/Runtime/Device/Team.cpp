//===- Team.cpp - The threads of a rank -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device/Team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <dlfcn.h>

using namespace dmc::runtime;

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

namespace {
struct Job {
  int64_t iterations;
  int threads;
  Team::Body body;
  void *data;
  std::atomic<int32_t> code{0};
};
} // namespace

int32_t Team::run(int64_t iterations, Body body, void *data) {
  if (threads_ == 1 || iterations == 1)
    return body(data, 0, iterations);
  Job job{iterations, threads_, body, data};
  fork(
      [](void *pointer, int index) {
        auto &job = *static_cast<Job *>(pointer);
        int64_t begin = job.iterations * index / job.threads;
        int64_t end = job.iterations * (index + 1) / job.threads;
        if (begin == end)
          return;
        if (int32_t code = job.body(job.data, begin, end)) {
          int32_t none = 0;
          job.code.compare_exchange_strong(none, code);
        }
      },
      &job);
  return job.code;
}

double Team::forkSeconds() {
  using Clock = std::chrono::steady_clock;
  if (forkSeconds_)
    return *forkSeconds_;
  for (int i = 0; i < 8; ++i) { // the first one may start the threads
    auto start = Clock::now();
    fork([](void *, int) {}, nullptr);
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    forkSeconds_ = std::min(forkSeconds_.value_or(seconds), seconds);
  }
  return *forkSeconds_;
}

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

namespace {
class LoneTeam final : public Team {
public:
  LoneTeam() : Team(1) {}
  void fork(void (*share)(void *, int), void *data) override { share(data, 0); }
};
} // namespace

//===----------------------------------------------------------------------===//
// Threads of the OpenMP library
//===----------------------------------------------------------------------===//

namespace {

/// What GCC's OpenMP library exports for compiled code.
struct OpenMP {
  void (*parallel)(void (*)(void *), void *, unsigned threads, unsigned flags) = nullptr;
  int (*threadNumber)() = nullptr;
  int (*numThreads)() = nullptr;
};

/// Uses the library that is loaded already, by the matrix library; loads none.
const OpenMP *findOpenMP() {
  static const OpenMP found = [] {
    OpenMP library;
#if !defined(__SANITIZE_THREAD__) && !(defined(__has_feature) && __has_feature(thread_sanitizer))
    // The thread sanitizer does not see how these threads synchronize.
    if (void *handle = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD)) {
      library.parallel =
          reinterpret_cast<decltype(OpenMP::parallel)>(dlsym(handle, "GOMP_parallel"));
      library.threadNumber =
          reinterpret_cast<decltype(OpenMP::threadNumber)>(dlsym(handle, "omp_get_thread_num"));
      library.numThreads =
          reinterpret_cast<decltype(OpenMP::numThreads)>(dlsym(handle, "omp_get_num_threads"));
    }
#endif
    return library;
  }();
  return found.parallel && found.threadNumber && found.numThreads ? &found : nullptr;
}

class OpenMPTeam final : public Team {
public:
  OpenMPTeam(const OpenMP &library, int threads) : Team(threads), library_(library) {}

  void fork(void (*share)(void *, int), void *data) override {
    struct Call {
      const OpenMP &library;
      void (*share)(void *, int);
      void *data;
      int threads;
    } call = {library_, share, data, threads()};
    library_.parallel(
        [](void *pointer) {
          auto &call = *static_cast<Call *>(pointer);
          // A limit of the environment may give fewer threads than were asked for.
          int step = call.library.numThreads();
          for (int index = call.library.threadNumber(); index < call.threads; index += step)
            call.share(call.data, index);
        },
        &call, static_cast<unsigned>(threads()), 0);
  }

private:
  const OpenMP &library_;
};

} // namespace

//===----------------------------------------------------------------------===//
// Threads of its own
//===----------------------------------------------------------------------===//

namespace {

/// Where no OpenMP library is loaded. Threads that wait spin shortly, then block.
class OwnTeam final : public Team {
public:
  explicit OwnTeam(int threads) : Team(threads) {}
  ~OwnTeam() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
      generation_.fetch_add(1, std::memory_order_release);
    }
    started_.notify_all();
    for (std::thread &worker : workers_)
      worker.join();
  }

  void start() {
    for (int index = 1; index < threads(); ++index)
      workers_.emplace_back([this, index] { work(index); });
  }

  void fork(void (*share)(void *, int), void *data) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      share_ = share;
      data_ = data;
      running_.store(threads() - 1, std::memory_order_relaxed);
      generation_.fetch_add(1, std::memory_order_release);
    }
    started_.notify_all();
    share(data, 0);
    auto ended = [&] { return running_.load(std::memory_order_acquire) == 0; };
    for (int i = 0; i < spins && !ended(); ++i)
      pause();
    if (ended())
      return;
    std::unique_lock<std::mutex> lock(mutex_);
    ended_.wait(lock, ended);
  }

private:
  static constexpr int spins = 2000;
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }

  void work(int index) {
    uint64_t seen = 0;
    auto begun = [&] { return generation_.load(std::memory_order_acquire) != seen; };
    while (true) {
      for (int i = 0; i < spins && !begun(); ++i)
        pause();
      void (*share)(void *, int);
      void *data;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        started_.wait(lock, begun);
        if (closing_)
          return;
        seen = generation_.load(std::memory_order_relaxed);
        share = share_;
        data = data_;
      }
      share(data, index);
      if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        std::lock_guard<std::mutex> lock(mutex_);
        ended_.notify_all();
      }
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable started_, ended_;
  std::atomic<uint64_t> generation_{0};
  std::atomic<int> running_{0};
  bool closing_ = false;
  void (*share_)(void *, int) = nullptr;
  void *data_ = nullptr;
};

} // namespace

std::unique_ptr<Team> Team::create(int threads, std::string &error) {
  if (threads <= 1)
    return std::make_unique<LoneTeam>();
  if (const OpenMP *library = findOpenMP())
    return std::make_unique<OpenMPTeam>(*library, threads);
  auto team = std::make_unique<OwnTeam>(threads);
  try {
    team->start();
  } catch (const std::system_error &failure) {
    error = "cannot start " + std::to_string(threads) + " threads for a rank: " + failure.what();
    return nullptr;
  }
  return team;
}
