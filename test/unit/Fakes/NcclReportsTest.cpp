//===- NcclReportsTest.cpp - Mistakes that the simulated NCCL reports -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NcclHarness.h"

#include <atomic>
#include <chrono>

using namespace dmc::fakes::test;
using nccl::Reduction;
using nccl::Type;
using Floats = std::vector<float>;

namespace {
/// Waits, but not for ever.
template <typename Condition>
void waitFor(Condition condition) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  EXPECT_TRUE(condition());
}

nccl::Result call(Rank &self, size_t count = 4) {
  CUdeviceptr in = self.array(Floats(16, 1)), out = self.empty(256);
  return nc().allReduce(at(in), at(out), count, Type::F32, Reduction::Sum, self.world, self.stream);
}

/// All ranks go on, and none can use the communicator any more.
TEST(NcclReports, ADifferenceEndsTheCommunicator) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Job job(3, seed);
    job.run([&](Rank &self) {
      call(self, self.rank == int(seed % 3) ? 3 : 4);
      cu().streamSynchronize(self.stream);
      EXPECT_EQ(self.asyncError(self.world), nccl::Result::InvalidUsage);
      EXPECT_EQ(call(self), nccl::Result::InvalidUsage);
      EXPECT_NE(std::string(nc().getLastError(self.world)).find("the communicator has failed"),
                std::string::npos);
    });
    job.expectReport("count", "3 elements");
  }
}

//===----------------------------------------------------------------------===//
// Ranks that are missing
//===----------------------------------------------------------------------===//

TEST(NcclReports, ARankNeverCalls) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    Job job(3, seed, "0.2");
    std::atomic<int> numDone = 0;
    job.run([&](Rank &self) {
      if (self.rank != 1) {
        call(self);
        cu().streamSynchronize(self.stream);
        EXPECT_EQ(self.asyncError(self.world), nccl::Result::SystemError);
        ++numDone;
      }
      waitFor([&] { return numDone == 2; });
    });
    job.expectReport("missing rank", "all-reduce 0 of communicator");
  }
}

TEST(NcclReports, ARankNeverJoins) {
  Job job(3, 1, "0.2");
  nccl::UniqueId id;
  NCCL_OK(nc().getUniqueId(&id));
  job.runWithout([&](Rank &self) {
    if (self.rank != 2)
      EXPECT_NE(nc().initRank(&self.world, 3, id, self.rank), nccl::Result::Success);
    EXPECT_EQ(self.world, nullptr);
  });
  job.expectReport("missing rank", "rank 2 has not joined");
}

//===----------------------------------------------------------------------===//
// Failures that are asked for
//===----------------------------------------------------------------------===//

/// Each rank reduces until its communicator fails, aborts and says why it ended.
std::vector<nccl::Result> endsOf(int ranks, uint64_t seed, const char *fault, const char *timeout,
                                 std::string &reports) {
  Job job(ranks, seed, timeout);
  setenv("DMC_SIMULATED_NCCL_FAULT", fault, 1);
  std::vector<nccl::Result> ends(size_t(ranks), nccl::Result::Success);
  job.run([&](Rank &self) {
    CUdeviceptr buffer = self.array(Floats(8, 1));
    nccl::Result error = nccl::Result::Success;
    for (int step = 0; step < 6 && error == nccl::Result::Success; ++step) {
      error = nc().allReduce(at(buffer), at(buffer), 8, Type::F32, Reduction::Sum, self.world,
                             self.stream);
      // As a watchdog does it: by asking, never by waiting.
      CUevent event = nullptr;
      EXPECT_EQ(cu().eventCreate(&event, 0), Result::Success);
      cu().eventRecord(event, self.stream);
      while (error == nccl::Result::Success && cu().eventQuery(event) == Result::NotReady) {
        error = self.asyncError(self.world);
        std::this_thread::yield();
      }
    }
    if (error == nccl::Result::Success)
      error = self.asyncError(self.world);
    ends[size_t(self.rank)] = error;
    NCCL_OK(nc().abort(self.world));
    self.world = nullptr;
  });
  reports = job.reports();
  return ends;
}

TEST(NcclFaults, ADeadRankEndsAllOthers) {
  for (int ranks = 2; ranks <= 8; ++ranks)
    for (uint64_t seed = 0; seed < 4; ++seed) {
      std::string reports;
      auto ends = endsOf(ranks, seed, "rank=1,operation=3,action=die", "20", reports);
      for (int rank = 0; rank < ranks; ++rank)
        EXPECT_EQ(ends[size_t(rank)],
                  rank == 1 ? nccl::Result::SystemError : nccl::Result::RemoteError);
      EXPECT_EQ(reports, "");
    }
}

TEST(NcclFaults, OthersLearnOfADeathThatNobodyTells) {
  Job job(3, 4);
  setenv("DMC_SIMULATED_NCCL_FAULT", "rank=1,operation=0,action=die", 1);
  std::atomic<int> numDone = 0;
  job.run([&](Rank &self) {
    nccl::Result called = call(self);
    if (self.rank == 1) {
      EXPECT_EQ(called, nccl::Result::SystemError);
      waitFor(
          [&] { return numDone == 2; }); // neither aborts nor destroys before the others have ended
    } else {
      waitFor([&] { return self.asyncError(self.world) != nccl::Result::Success; });
      EXPECT_EQ(self.asyncError(self.world), nccl::Result::RemoteError);
      ++numDone;
    }
    NCCL_OK(nc().abort(self.world));
    self.world = nullptr;
  });
}

TEST(NcclFaults, ARefusedCallEndsOthersWhenItsRankAborts) {
  for (int ranks = 2; ranks <= 8; ++ranks) {
    std::string reports;
    auto ends = endsOf(ranks, 2, "rank=1,operation=0,action=refuse", "20", reports);
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(ends[size_t(rank)],
                rank == 1 ? nccl::Result::InternalError : nccl::Result::RemoteError);
  }
}

TEST(NcclFaults, ARankThatHangsIsFoundByTime) {
  for (int ranks = 2; ranks <= 8; ++ranks) {
    std::string reports;
    auto ends = endsOf(ranks, 1, "rank=0,operation=2,action=hang", "0.3", reports);
    for (nccl::Result end : ends)
      EXPECT_NE(end, nccl::Result::Success);
    EXPECT_NE(reports.find("nccl missing rank: all-reduce 2 of communicator"), std::string::npos)
        << reports;
  }
}

TEST(NcclFaults, AnAbortReleasesStreams) {
  Job job(2);
  job.run([](Rank &self) {
    if (self.rank) { // never calls
      EXPECT_EQ(nc().abort(self.world), nccl::Result::Success);
      self.world = nullptr;
      return;
    }
    CUdeviceptr buffer = self.array(Floats(8, 1));
    nc().allReduce(at(buffer), at(buffer), 8, Type::F32, Reduction::Sum, self.world, self.stream);
    waitFor([&] { return self.asyncError(self.world) != nccl::Result::Success; });
    NCCL_OK(nc().abort(self.world));
    self.world = nullptr;
    EXPECT_EQ(self.values<float>(buffer, 8), Floats(8, 1));
  });
}

TEST(NcclFaults, AWrongFaultIsAnError) {
  auto use = [] {
    Job job(1);
    setenv("DMC_SIMULATED_NCCL_FAULT", "rank=0,operation=0,action=explode", 1);
    job.run([](Rank &self) { call(self); });
  };
  EXPECT_EXIT(use(), testing::ExitedWithCode(1),
              "expected rank=R,operation=K,action=A with an action die, refuse or hang");
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

/// A call fails with this result, and says why.
template <typename Function>
void expectRefusal(nccl::Result expected, const std::string &why, Function refused) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(refused(), expected) << why;
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("simulated NCCL: "), std::string::npos) << why;
  EXPECT_NE(said.find(why), std::string::npos) << said;
  EXPECT_NE(std::string(nc().getLastError(nullptr)).find(why), std::string::npos);
}

TEST(NcclRefusals, OfOperations) {
  Job job(1);
  job.run([](Rank &self) {
    constexpr auto invalid = nccl::Result::InvalidArgument;
    CUdeviceptr buffer = self.array(Floats(8, 1));
    auto reduce = [&](CUdeviceptr address, Type type, Reduction reduction, CUstream stream) {
      return nc().allReduce(at(address), at(address), 4, type, reduction, self.world, stream);
    };
    auto sum = Reduction::Sum;
    expectRefusal(invalid, "a buffer is null",
                  [&] { return reduce(0, Type::F32, sum, self.stream); });
    expectRefusal(invalid, "a buffer is not at a multiple of the 4 bytes of an element",
                  [&] { return reduce(buffer + 2, Type::F32, sum, self.stream); });
    expectRefusal(invalid, "there is no type 12",
                  [&] { return reduce(buffer, static_cast<Type>(12), sum, self.stream); });
    expectRefusal(invalid, "reductions of f8e4m3 are not simulated",
                  [&] { return reduce(buffer, Type::F8E4M3, sum, self.stream); });
    expectRefusal(invalid, "there is no reduction -1", [&] {
      return reduce(buffer, Type::F32, static_cast<Reduction>(-1), self.stream);
    });
    expectRefusal(invalid, "the reduction does not exist in this communicator", [&] {
      return reduce(buffer, Type::F32, static_cast<Reduction>(7), self.stream);
    });
    expectRefusal(invalid, "the reduction does not exist in this communicator",
                  [&] { return nc().destroyReduction(static_cast<Reduction>(7), self.world); });
    expectRefusal(invalid, "the stream does not exist", [&] {
      return reduce(buffer, Type::F32, sum, reinterpret_cast<CUstream>(&self));
    });
    expectRefusal(invalid, "there is no rank 3 of 1", [&] {
      return nc().broadcast(at(buffer), at(buffer), 4, Type::F32, 3, self.world, self.stream);
    });
    Reduction scaled;
    double factor = 2;
    expectRefusal(invalid, "expected a factor on the device or the host", [&] {
      return nc().createPreMulSum(&scaled, nullptr, Type::F64, nccl::Residence::HostImmediate,
                                  self.world);
    });
    NCCL_OK(nc().createPreMulSum(&scaled, &factor, Type::F64, nccl::Residence::HostImmediate,
                                 self.world));
    expectRefusal(invalid, "the factor is of type f64, but the elements are f32",
                  [&] { return reduce(buffer, Type::F32, scaled, self.stream); });
    expectRefusal(nccl::Result::InvalidUsage, "no group was started",
                  [] { return nc().groupEnd(); });
    nccl::Window window = nullptr;
    expectRefusal(invalid, "the memory is not at a multiple of 4096 bytes",
                  [&] { return nc().registerWindow(self.world, at(buffer + 16), 16, &window, 1); });
    expectRefusal(invalid, "there are no flags 8",
                  [&] { return nc().registerWindow(self.world, at(buffer), 16, &window, 8); });
    expectRefusal(invalid, "the window does not exist in this communicator",
                  [&] { return nc().deregisterWindow(self.world, window); });
    void *handle = nullptr;
    expectRefusal(invalid, "nothing to register",
                  [&] { return nc().registerBuffer(self.world, nullptr, 16, &handle); });
    expectRefusal(invalid, "not registered with this communicator",
                  [&] { return nc().deregisterBuffer(self.world, handle); });
    expectRefusal(invalid, "nothing to allocate", [&] { return nc().memAlloc(&handle, 0); });
    expectRefusal(nccl::Result::UnhandledCudaError, "the device has no memory for it",
                  [&] { return nc().memAlloc(&handle, size_t(1) << 50); });
    expectRefusal(invalid, "not what ncclMemAlloc has given",
                  [&] { return nc().memFree(at(buffer)); });
    NCCL_OK(nc().finalize(self.world));
    expectRefusal(invalid, "the communicator is finalized",
                  [&] { return reduce(buffer, Type::F32, sum, self.stream); });
  });
}

TEST(NcclRefusals, OfCommunicators) {
  constexpr auto invalid = nccl::Result::InvalidArgument;
  Job job(1);
  job.runWithout([&](Rank &self) {
    nccl::UniqueId id;
    NCCL_OK(nc().getUniqueId(&id));
    nccl::Communicator made = nullptr;
    expectRefusal(invalid, "there is no rank 2 of 2",
                  [&] { return nc().initRank(&made, 2, id, 2); });
    expectRefusal(invalid, "expected between 1 and as many ids as ranks",
                  [&] { return nc().initRankScalable(&made, 1, 0, 2, &id, nullptr); });
    nccl::Config config;
    config.blocking = 3;
    expectRefusal(invalid, "blocking must be 0 or 1",
                  [&] { return nc().initRankConfig(&made, 1, id, 0, &config); });
    config.magic = 0;
    expectRefusal(invalid, "the configuration is not initialized",
                  [&] { return nc().initRankConfig(&made, 1, id, 0, &config); });
    nccl::UniqueId foreign = {};
    expectRefusal(invalid,
                  "the unique id is not one that a process of this machine made, or is used up",
                  [&] { return nc().initRank(&made, 1, foreign, 0); });
    OK(cu().ctxSetCurrent(nullptr));
    expectRefusal(nccl::Result::UnhandledCudaError, "the thread has no current device",
                  [&] { return nc().initRank(&made, 1, id, 0); });
    OK(cu().ctxSetCurrent(self.context));

    NCCL_OK(nc().groupStart());
    NCCL_OK(nc().initRank(&made, 2, id, 0));
    expectRefusal(invalid, "rank 1 expects 3 ranks, but others expect 2",
                  [&] { return nc().initRank(&made, 3, id, 1); });
    expectRefusal(nccl::Result::InvalidUsage, "rank 0 has joined already",
                  [&] { return nc().initRank(&made, 2, id, 0); });
    nccl::Communicator second = nullptr;
    testing::internal::CaptureStderr();
    NCCL_OK(nc().initRank(&second, 2, id, 1));
    EXPECT_EQ(nc().groupEnd(), nccl::Result::InvalidUsage);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("ranks 0 and 1 have the same device, 0"),
              std::string::npos);
    NCCL_OK(nc().abort(made));
    NCCL_OK(nc().abort(second));
    int count = 0;
    expectRefusal(invalid, "the communicator does not exist", [&] { return nc().abort(made); });
    expectRefusal(invalid, "the communicator does not exist",
                  [&] { return nc().count(made, &count); });

    NCCL_OK(nc().getUniqueId(&id));
    config = {};
    config.blocking = 0;
    EXPECT_EQ(nc().initRankConfig(&made, 1, id, 0, &config), nccl::Result::InProgress);
    expectRefusal(invalid, "the communicator is not ready",
                  [&] { return nc().count(made, &count); });
    expectRefusal(invalid,
                  "the communicator has not completed the previous call: ask ncclCommGetAsyncError "
                  "until it has",
                  [&] { return nc().finalize(made); });
    while (self.asyncError(made) == nccl::Result::InProgress)
      ;
    expectRefusal(invalid, "expected a color of at least 0, or none",
                  [&] { return nc().split(made, -2, 0, &second, nullptr); });
    NCCL_OK(nc().destroy(made));
  });
  EXPECT_STREQ(nc().getErrorString(nccl::Result::RemoteError),
               "remote process exited or there was a network error");
}
} // namespace
