//===- Processor.cpp - Memory and arithmetic ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Calibrate.h"

#include "dmc/Runtime/Array.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include <unistd.h>

using namespace dmc;
using namespace dmc::calibrate;
using namespace dmc::runtime;
using Clock = std::chrono::steady_clock;

// Of loops over vectors, as kernels have.
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_THREAD__)
#define DMC_VECTORIZED __attribute__((target_clones("default", "arch=haswell")))
#else
#define DMC_VECTORIZED
#endif

namespace {
constexpr int lanes = 8;
using Vector [[gnu::vector_size(lanes * sizeof(float))]] = float;
} // namespace

static double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double calibrate::measureSeconds(double seconds, llvm::function_ref<void()> body) {
  body();
  std::vector<double> times;
  auto begin = Clock::now();
  do {
    auto start = Clock::now();
    body();
    times.push_back(since(start));
  } while (times.size() < 3 || since(begin) < seconds);
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Seconds from where all threads begin `body` to where the last has ended: the median.
template <typename Body>
static double measureThreads(double seconds, int threads, Body body) {
  std::atomic<int64_t> round{0};
  std::atomic<int> running{0};
  auto work = [&](int thread) {
    for (int64_t seen = 0;;) {
      int64_t now;
      while ((now = round.load(std::memory_order_acquire)) == seen)
        std::this_thread::yield();
      if (now < 0)
        return;
      seen = now;
      body(thread);
      running.fetch_sub(1, std::memory_order_release);
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(work, thread);
  double median = measureSeconds(seconds, [&] {
    running.store(threads - 1, std::memory_order_relaxed);
    round.fetch_add(1, std::memory_order_release);
    body(0);
    while (running.load(std::memory_order_acquire) != 0)
      std::this_thread::yield();
  });
  round.store(-1, std::memory_order_release);
  for (std::thread &thread : others)
    thread.join();
  return median;
}

/// Arrays of floats for each thread; empty if there is no memory for them.
static std::vector<Buffer> makeArrays(size_t count, int64_t bytes) {
  std::vector<Buffer> arrays;
  for (size_t i = 0; i < count; ++i) {
    arrays.push_back(Buffer::allocate(static_cast<size_t>(bytes)));
    if (!arrays.back())
      return {};
    std::memset(arrays.back().data(), 0, static_cast<size_t>(bytes));
  }
  return arrays;
}

double calibrate::measureCopy(const Effort &effort, int threads, int64_t bytes) {
  int64_t half = bytes / 2;
  std::vector<Buffer> arrays = makeArrays(2 * static_cast<size_t>(threads), half);
  if (arrays.empty())
    return 0;
  // Of small arrays enough that to start and to end together does not count.
  int64_t repeats = std::max<int64_t>(1, effort.copyBytes / (4 * half));
  double seconds = measureThreads(effort.seconds, threads, [&](int thread) {
    for (int64_t i = 0; i < repeats; ++i)
      std::memcpy(arrays[2 * thread].data(), arrays[2 * thread + 1].data(),
                  static_cast<size_t>(half));
  });
  return 2.0 * static_cast<double>(half * repeats) * threads / seconds;
}

DMC_VECTORIZED static float sumUp(const float *data, int64_t count) {
  Vector sums[8] = {};
  const auto *x = reinterpret_cast<const Vector *>(data);
  for (int64_t i = 0; i + 8 * lanes <= count; i += 8 * lanes, x += 8)
    for (int j = 0; j < 8; ++j)
      sums[j] += x[j];
  Vector sum = {};
  for (const Vector &part : sums)
    sum += part;
  return sum[0];
}

DMC_VECTORIZED static void halve(float *data, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    data[i] *= 0.5F;
}

/// Bytes a second of `body`, which accesses each element of its array `accesses` times.
template <typename Body>
static double measureArrays(const Effort &effort, int threads, int64_t bytes, int accesses,
                            Body body) {
  std::vector<Buffer> arrays = makeArrays(static_cast<size_t>(threads), bytes);
  if (arrays.empty())
    return 0;
  int64_t count = bytes / static_cast<int64_t>(sizeof(float));
  int64_t repeats = std::max<int64_t>(1, effort.copyBytes / (2 * bytes));
  double seconds = measureThreads(effort.seconds, threads, [&](int thread) {
    for (int64_t i = 0; i < repeats; ++i)
      body(reinterpret_cast<float *>(arrays[thread].data()), count);
  });
  return static_cast<double>(accesses) * static_cast<double>(bytes * repeats) * threads / seconds;
}

double calibrate::measureRead(const Effort &effort, int threads, int64_t bytes) {
  std::atomic<float> kept{0}; // without a use there would be no loop
  return measureArrays(effort, threads, bytes, 1, [&](float *data, int64_t count) {
    kept.store(sumUp(data, count), std::memory_order_relaxed);
  });
}

double calibrate::measureUpdate(const Effort &effort, int threads, int64_t bytes) {
  return measureArrays(effort, threads, bytes, 2, halve);
}

double calibrate::measureTriad(const Effort &effort, int threads) {
  std::vector<Buffer> arrays = makeArrays(3 * static_cast<size_t>(threads), effort.copyBytes);
  if (arrays.empty())
    return 0;
  int64_t count = effort.copyBytes / static_cast<int64_t>(sizeof(float));
  double seconds = measureThreads(effort.seconds, threads, [&](int thread) {
    auto array = [&](int i) { return reinterpret_cast<float *>(arrays[3 * thread + i].data()); };
    float *__restrict a = array(0);
    const float *b = array(1), *c = array(2);
    for (int64_t i = 0; i < count; ++i)
      a[i] = b[i] + 0.5F * c[i];
  });
  return 3.0 * static_cast<double>(effort.copyBytes) * threads / seconds;
}

double calibrate::findMemoryBytes() {
  double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

//===----------------------------------------------------------------------===//
// Arithmetic of one core
//===----------------------------------------------------------------------===//

static constexpr int vectors = 64, degree = 16;

/// A polynomial of each element. Neighbouring vectors do not depend on each other.
DMC_VECTORIZED static void evaluate(float *data) {
  auto *x = reinterpret_cast<Vector *>(data);
  for (int i = 0; i < vectors; i += 8) {
    Vector sums[8] = {};
    for (int step = 0; step < degree; ++step)
      for (int j = 0; j < 8; ++j)
        sums[j] = sums[j] * x[i + j] + 0.25F;
    for (int j = 0; j < 8; ++j)
      x[i + j] = sums[j];
  }
}

double calibrate::measureCoreFlops(const Effort &effort) {
  constexpr int repeats = 64;
  Buffer data = Buffer::allocate(sizeof(Vector) * vectors);
  std::memset(data.data(), 0, sizeof(Vector) * vectors);
  double seconds = measureSeconds(effort.seconds, [&] {
    for (int i = 0; i < repeats; ++i)
      evaluate(reinterpret_cast<float *>(data.data()));
  });
  return 2.0 * lanes * vectors * degree * repeats / seconds;
}

std::string calibrate::findProcessorName() {
  std::FILE *file = std::fopen("/proc/cpuinfo", "r");
  if (!file)
    return "processor";
  std::string name = "processor";
  char line[256];
  while (std::fgets(line, sizeof line, file)) {
    llvm::StringRef text(line);
    if (text.consume_front("model name")) {
      name = text.ltrim(" \t:").trim().str();
      break;
    }
  }
  std::fclose(file);
  return name;
}
