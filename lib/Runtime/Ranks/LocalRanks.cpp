//===- LocalRanks.cpp - Ranks as threads of one process -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads and steps. LocalWatch.cpp has the handling of hangs.
//
//===----------------------------------------------------------------------===//

#include "Ranks/LocalRanks.h"
#include "CUDA/CudaDevice.h"

#include <algorithm>
#include <system_error>

using namespace dmc;
using namespace dmc::runtime;

LocalRanks::LocalRanks(const dmc_program &program, const Mesh &mesh, const SessionOptions &options)
    : Ranks(program, mesh), watchdogSeconds_(options.watchdogSeconds),
      graceSeconds_(options.graceSeconds) {
  int64_t numRanks = mesh.numRanks();
  int threads = options.threadsPerRank;
  if (threads <= 0)
    threads = std::max<int>(1, static_cast<int>(std::thread::hardware_concurrency() / numRanks));
  bool sharesDevices = options.sharesDevices && program.device == DMC_DEVICE_CUDA;
  bool isSimulated = options.device == DeviceChoice::Simulated;
  for (int64_t r = 0; r < numRanks; ++r)
    add(r, threads, sharesDevices ? cuda::chooseDevice(r, isSimulated) : static_cast<int>(r),
        options);
}

Failure LocalRanks::start() {
  for (auto &rank : ranks_)
    if (auto why = rank->device->start())
      return why;
  try {
    for (auto &rank : ranks_)
      threads_.emplace_back([this, context = rank.get()] { work(*context); });
  } catch (const std::system_error &error) {
    return "cannot start thread " + std::to_string(threads_.size()) + " of " +
           std::to_string(ranks_.size()) + " for the ranks: " + error.what();
  }
  return std::nullopt;
}

LocalRanks::~LocalRanks() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  started_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

Barrier &LocalRanks::makeBarrier(size_t size) { return barriers_.emplace_back(size); }

void LocalRanks::work(dmc_rank_context &rank) {
  uint64_t seen = 0;
  while (true) {
    std::shared_ptr<const Body> body;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      started_.wait(lock, [&] { return closing_ || generation_ != seen; });
      if (closing_)
        return;
      seen = generation_;
      body = body_;
    }
    rank.state.store(RankState::Running, std::memory_order_release);
    int32_t code = (*body)(rank);
    if (code != 0)
      fail("rank " + std::to_string(rank.rank) + " ended with code " + std::to_string(code));
    rank.state.store(RankState::Finished, std::memory_order_release);
    rank.advance();
    body.reset(); // before the step counts as over: what it holds may be the caller's
    std::lock_guard<std::mutex> lock(mutex_);
    if (--running_ == 0)
      ended_.notify_all();
  }
}

bool LocalRanks::isStuck() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return stuck_ && running_ > 0;
}

Failure LocalRanks::run(std::shared_ptr<const Body> body) {
  if (isStuck())
    return std::string("a rank is still stuck in an earlier step");
  stuck_ = false;
  failed_ = false;
  failure_.clear();
  for (Barrier &barrier : barriers_)
    barrier.reset();
  reset();
  std::unique_lock<std::mutex> lock(mutex_);
  body_ = std::move(body);
  running_ = ranks_.size();
  ++generation_;
  started_.notify_all();
  supervise(lock);
  if (!stuck_) // else a thread may not have taken it yet
    body_.reset();
  if (!failed_)
    return std::nullopt;
  std::lock_guard<std::mutex> failureLock(failureMutex_);
  return failure_;
}

int32_t LocalRanks::fail(const std::string &message) {
  {
    std::lock_guard<std::mutex> lock(failureMutex_);
    if (!failed_.load(std::memory_order_relaxed))
      failure_ = message;
    failed_.store(true, std::memory_order_release);
  }
  for (Barrier &barrier : barriers_)
    barrier.wake();
  return 1;
}
