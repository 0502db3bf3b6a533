//===- Barrier.h - Where the threads of ranks meet --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_RANKS_BARRIER_H
#define DMC_LIB_RUNTIME_RANKS_BARRIER_H

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace dmc::runtime {

/// Where threads meet. Spins shortly, then blocks: there may be more ranks than
/// cores.
class Barrier {
public:
  explicit Barrier(size_t size) : size_(size) {}
  /// Meetings that are over.
  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  /// The last one to arrive runs `onLast` before it releases the others, which
  /// run `onWait` once they count as arrived. False if `failed` was raised.
  template <typename OnWait, typename OnLast>
  bool arrive(const std::atomic<bool> &failed, OnWait onWait, OnLast onLast) {
    uint64_t epoch = epoch_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
      onLast();
      arrived_.store(0, std::memory_order_relaxed);
      {
        std::lock_guard<std::mutex> lock(mutex_);
        epoch_.store(epoch + 1, std::memory_order_release);
      }
      changed_.notify_all();
      return !failed.load(std::memory_order_acquire);
    }
    onWait();
    auto released = [&] {
      return epoch_.load(std::memory_order_acquire) != epoch ||
             failed.load(std::memory_order_acquire);
    };
    for (int i = 0; i < spins; ++i) {
      if (released())
        return !failed.load(std::memory_order_acquire);
      pause();
    }
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, released);
    return !failed.load(std::memory_order_acquire);
  }
  /// Wakes those who wait, after `failed` was raised.
  void wake() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
    }
    changed_.notify_all();
  }
  /// Only while nobody waits.
  void reset() { arrived_.store(0, std::memory_order_relaxed); }

private:
  static constexpr int spins = 200;
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }

  size_t size_;
  std::atomic<size_t> arrived_{0};
  std::atomic<uint64_t> epoch_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_RANKS_BARRIER_H
