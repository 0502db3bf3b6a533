//===- NcclHarness.h - Ranks of the simulated NCCL --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_UNIT_FAKES_NCCLHARNESS_H
#define DMC_TEST_UNIT_FAKES_NCCLHARNESS_H

#include "CUDA/Nccl.h"
#include "Harness.h"

#include <cstring>
#include <functional>
#include <thread>

namespace dmc::cuda::nccl {
inline void PrintTo(Result result, std::ostream *stream) {
  *stream << "NCCL result " << static_cast<int>(result);
}
} // namespace dmc::cuda::nccl

namespace dmc::fakes::test {

inline const nccl::Nccl &nc() {
  static const nccl::Nccl *functions = [] {
    cu(); // the driver that it uses
    std::string error;
    const nccl::Nccl *loaded = nccl::Nccl::load(/*simulated=*/true, error);
    if (!loaded) {
      ADD_FAILURE() << error;
      std::abort();
    }
    return loaded;
  }();
  return *functions;
}

#define NCCL_OK(call) EXPECT_EQ((call), nccl::Result::Success)

inline void *at(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

/// A rank: a thread with a device and a stream.
struct Rank {
  int rank = 0, ranks = 1;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  nccl::Communicator world = nullptr;

  template <typename T>
  CUdeviceptr array(const std::vector<T> &values) const {
    CUdeviceptr address = 0;
    EXPECT_EQ(cu().memAlloc(&address, values.size() * sizeof(T)), Result::Success);
    EXPECT_EQ(cu().memcpyHtoDAsync(address, values.data(), values.size() * sizeof(T), stream),
              Result::Success);
    return address;
  }
  CUdeviceptr empty(size_t bytes) const {
    CUdeviceptr address = 0;
    EXPECT_EQ(cu().memAlloc(&address, bytes), Result::Success);
    return address;
  }
  template <typename T>
  std::vector<T> values(CUdeviceptr address, size_t count) const {
    std::vector<T> read(count);
    cu().memcpyDtoHAsync(read.data(), address, count * sizeof(T), stream);
    cu().streamSynchronize(stream);
    return read;
  }
  CUstream another() const {
    CUstream made = nullptr;
    EXPECT_EQ(cu().streamCreateWithPriority(&made, streamNonBlocking, 0), Result::Success);
    return made;
  }
  void sync() const { cu().streamSynchronize(stream); }
  nccl::Result asyncError(nccl::Communicator communicator) const {
    nccl::Result error = nccl::Result::InternalError;
    EXPECT_EQ(nc().getAsyncError(communicator, &error), nccl::Result::Success);
    return error;
  }
};

/// A driver with as many devices as there are ranks. Destroyed, the test fails if there are reports
/// that it did not take.
class Job {
public:
  explicit Job(int ranks, uint64_t seed = 0, const char *timeout = "20") : ranks_(ranks) {
    fake().reset();
    setenv("DMC_SIMULATED_SEED", std::to_string(seed).c_str(), 1);
    setenv("DMC_SIMULATED_DEVICES", std::to_string(ranks).c_str(), 1);
    setenv("DMC_SIMULATED_NCCL_TIMEOUT", timeout, 1);
    unsetenv("DMC_SIMULATED_NCCL_FAULT");
    EXPECT_EQ(cu().init(0), Result::Success);
  }
  ~Job() {
    unsetenv("DMC_SIMULATED_NCCL_FAULT");
    EXPECT_EQ(reports(), "");
  }

  /// Runs a thread for each rank; `body` gets ranks without a communicator.
  void runWithout(const std::function<void(Rank &)> &body) {
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(ranks_));
    for (int rank = 0; rank < ranks_; ++rank)
      threads.emplace_back([&, rank] {
        Rank self;
        self.rank = rank;
        self.ranks = ranks_;
        EXPECT_EQ(cu().devicePrimaryCtxRetain(&self.context, rank), Result::Success);
        EXPECT_EQ(cu().ctxSetCurrent(self.context), Result::Success);
        self.stream = self.another();
        body(self);
        cu().streamSynchronize(self.stream);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  /// Each rank has a communicator of all, which is destroyed at the end.
  void run(const std::function<void(Rank &)> &body) {
    nccl::UniqueId id;
    NCCL_OK(nc().getUniqueId(&id));
    runWithout([&](Rank &self) {
      NCCL_OK(nc().initRank(&self.world, self.ranks, id, self.rank));
      body(self);
      self.sync();
      if (self.world)
        NCCL_OK(nc().destroy(self.world));
    });
  }

  /// All reports since they were taken last.
  std::string reports() {
    std::string all;
    for (; taken_ < fake().reportCount(); ++taken_)
      all += std::string(fake().reportText(taken_)) + "\n";
    return all;
  }
  /// That there are reports, all of them of this kind, and that one contains the text.
  void expectReport(const std::string &kind, const std::string &text = "") {
    std::string all = reports();
    EXPECT_NE(all.find(": nccl " + kind + ": "), std::string::npos) << all;
    EXPECT_NE(all.find(text), std::string::npos) << all;
  }

private:
  int ranks_;
  uint64_t taken_ = 0;
};

} // namespace dmc::fakes::test

#endif // DMC_TEST_UNIT_FAKES_NCCLHARNESS_H
