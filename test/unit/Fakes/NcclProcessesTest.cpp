//===- NcclProcessesTest.cpp - The simulated NCCL between processes -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NcclProcesses.h"

#include <cmath>
#include <csignal>

#include <sys/resource.h>

using namespace dmc::fakes::test;
using nccl::Reduction;
using nccl::Type;
using Floats = std::vector<float>;
using Numbers = std::vector<int32_t>;

namespace {

nccl::Result reduce(Rank &self, CUdeviceptr buffer, size_t count, Type type = Type::F32,
                    Reduction reduction = Reduction::Sum) {
  return nc().allReduce(at(buffer), at(buffer), count, type, reduction, self.world, self.stream);
}

/// Every collective and a ring of sends, on numbers that tell the ranks apart.
void useAll(Rank &self) {
  int n = self.ranks, me = self.rank;
  auto count = static_cast<size_t>(n);
  Numbers own, all;
  for (int i = 0; i < n; ++i)
    own.push_back(100 * me + i);
  CUdeviceptr in = self.array(own), out = self.empty(4 * count * count);
  auto expect = [&](const Numbers &expected, const char *what) {
    EXPECT_EQ(self.values<int32_t>(out, expected.size()), expected) << what << " on rank " << me;
  };
  int sum = 100 * n * (n - 1) / 2;
  NCCL_OK(
      nc().allReduce(at(in), at(out), count, Type::I32, Reduction::Sum, self.world, self.stream));
  for (int i = 0; i < n; ++i)
    all.push_back(sum + n * i);
  expect(all, "all-reduce");
  NCCL_OK(
      nc().reduceScatter(at(in), at(out), 1, Type::I32, Reduction::Sum, self.world, self.stream));
  expect({sum + n * me}, "reduce-scatter");
  NCCL_OK(nc().allGather(at(in), at(out), count, Type::I32, self.world, self.stream));
  all.clear();
  for (int rank = 0; rank < n; ++rank)
    for (int i = 0; i < n; ++i)
      all.push_back(100 * rank + i);
  expect(all, "all-gather");
  NCCL_OK(nc().allToAll(at(in), at(out), 1, Type::I32, self.world, self.stream));
  all.clear();
  for (int rank = 0; rank < n; ++rank)
    all.push_back(100 * rank + me);
  expect(all, "all-to-all");
  NCCL_OK(nc().broadcast(at(in), at(out), 2, Type::I32, n - 1, self.world, self.stream));
  expect({100 * (n - 1), 100 * (n - 1) + 1}, "broadcast");
  Reduction scaled;
  int32_t factor = me + 1, weighted = 0;
  for (int rank = 0; rank < n; ++rank)
    weighted += (rank + 1) * 100 * rank;
  CUdeviceptr scalar = self.array(Numbers{factor});
  NCCL_OK(
      nc().createPreMulSum(&scaled, at(scalar), Type::I32, nccl::Residence::Device, self.world));
  NCCL_OK(nc().reduce(at(in), at(out), 1, Type::I32, scaled, 0, self.world, self.stream));
  if (me == 0)
    expect({weighted}, "reduce");
  self.sync();
  NCCL_OK(nc().groupStart());
  NCCL_OK(nc().send(at(in), count, Type::I32, (me + 1) % n, self.world, self.stream));
  NCCL_OK(nc().receive(at(out), count, Type::I32, (me + n - 1) % n, self.world, self.stream));
  NCCL_OK(nc().groupEnd());
  Numbers before;
  for (int i = 0; i < n; ++i)
    before.push_back(100 * ((me + n - 1) % n) + i);
  expect(before, "send and receive");
}

TEST(NcclProcesses, EveryCollective) {
  for (int ranks = 2; ranks <= 8; ++ranks) {
    ProcessJob job(ranks, static_cast<uint64_t>(ranks));
    job.run(useAll);
    job.expectEnds();
    EXPECT_EQ(job.reports, "");
  }
}

TEST(NcclProcesses, ProcessesWithSeveralRanks) {
  ProcessJob job(2, 3, "20", 3);
  job.run(useAll);
  job.expectEnds();
  EXPECT_EQ(job.reports, "");
}

TEST(NcclProcesses, Splits) {
  ProcessJob job(4, 1);
  job.run([](Rank &self) {
    nccl::Communicator half = nullptr;
    NCCL_OK(nc().split(self.world, self.rank % 2, -self.rank, &half, nullptr));
    CUdeviceptr buffer = self.array(Numbers{self.rank});
    NCCL_OK(
        nc().allReduce(at(buffer), at(buffer), 1, Type::I32, Reduction::Sum, half, self.stream));
    EXPECT_EQ(self.values<int32_t>(buffer, 1), Numbers{2 + 2 * (self.rank % 2)});
    int rank = -1;
    NCCL_OK(nc().userRank(half, &rank));
    EXPECT_EQ(rank, self.rank < 2 ? 1 : 0);
    NCCL_OK(nc().destroy(half));
  });
  job.expectEnds();
  EXPECT_EQ(job.reports, "");
}

TEST(NcclProcesses, GraphsRunAgain) {
  ProcessJob job(3, 2);
  job.run([](Rank &self) {
    CUdeviceptr buffer = self.array(Numbers{1});
    self.sync();
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    GraphInstantiateParams params = {};
    OK(cu().streamBeginCapture(self.stream, CaptureMode::ThreadLocal));
    NCCL_OK(reduce(self, buffer, 1, Type::I32));
    OK(cu().streamEndCapture(self.stream, &graph));
    OK(cu().graphInstantiateWithParams(&exec, graph, &params));
    for (int step = 0; step < 3; ++step)
      OK(cu().graphLaunch(exec, self.stream));
    EXPECT_EQ(self.values<int32_t>(buffer, 1), Numbers{27});
  });
  job.expectEnds();
  EXPECT_EQ(job.reports, "");
}

/// Floats whose sum depends on the order.
Floats unequal(int rank) {
  Floats values;
  for (int i = 0; i < 40; ++i)
    values.push_back(std::pow(10.0f, static_cast<float>((rank * 7 + i * 3) % 9)) / 7);
  return values;
}

TEST(NcclProcesses, OrdersOfSummationAreThoseOfThreads) {
  for (uint64_t seed = 1; seed < 5; ++seed) {
    auto body = [](Rank &self) {
      CUdeviceptr buffer = self.array(unequal(self.rank));
      NCCL_OK(reduce(self, buffer, 40));
      std::string line = "\nsums";
      for (uint32_t bits : self.values<uint32_t>(buffer, 40))
        line += " " + std::to_string(bits);
      return line + "\n";
    };
    ProcessJob job(5, seed);
    job.run([&](Rank &self) { printf("%s", body(self).c_str()); });
    if (ProcessJob::isChild())
      continue;
    std::string line;
    {
      Job threads(5, seed);
      threads.run([&](Rank &self) {
        std::string mine = body(self);
        if (self.rank == 0)
          line = mine;
      });
    }
    size_t copies = 0;
    for (size_t found = job.output.find(line); found != std::string::npos;
         found = job.output.find(line, found + 1))
      ++copies;
    EXPECT_EQ(copies, 5u) << line << job.output;
  }
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

/// One rank of three does something else: that is reported, and all ranks end.
void expectReportOf(const char *kind, const char *text, const std::function<void(Rank &)> &body) {
  for (uint64_t seed = 0; seed < 2; ++seed) {
    ProcessJob job(3, seed, "1");
    job.run([&](Rank &self) {
      body(self);
      cu().streamSynchronize(self.stream);
    });
    if (!ProcessJob::isChild())
      job.expectReport(kind, text);
  }
}

TEST(NcclProcesses, CallsThatDiffer) {
  auto isOther = [](const Rank &self) { return self.rank == 1; };
  expectReportOf("count", "3 elements", [&](Rank &self) {
    reduce(self, self.array(Floats(8, 1)), isOther(self) ? 3 : 4);
  });
  expectReportOf("type", "i32", [&](Rank &self) {
    reduce(self, self.array(Floats(8, 1)), 4, isOther(self) ? Type::I32 : Type::F32);
  });
  expectReportOf("reduction", "maximum", [&](Rank &self) {
    reduce(self, self.array(Floats(8, 1)), 4, Type::F32,
           isOther(self) ? Reduction::Max : Reduction::Sum);
  });
  expectReportOf("operation", "all-gather", [&](Rank &self) {
    CUdeviceptr in = self.array(Floats(4, 1)), out = self.empty(64);
    if (isOther(self))
      nc().allGather(at(in), at(out), 4, Type::F32, self.world, self.stream);
    else
      nc().allReduce(at(in), at(out), 4, Type::F32, Reduction::Sum, self.world, self.stream);
  });
  expectReportOf("root", "root 2", [&](Rank &self) {
    CUdeviceptr buffer = self.array(Floats(8, 1));
    nc().broadcast(at(buffer), at(buffer), 4, Type::F32, isOther(self) ? 2 : 0, self.world,
                   self.stream);
  });
  expectReportOf("group", "of a group of 2", [&](Rank &self) {
    CUdeviceptr a = self.array(Floats(8, 1)), b = self.array(Floats(8, 1));
    if (isOther(self))
      nc().groupStart();
    reduce(self, a, 8);
    reduce(self, b, 8);
    if (isOther(self))
      nc().groupEnd();
  });
}

TEST(NcclProcesses, OrdersOfCommunicatorsThatDiffer) {
  expectReportOf("order", "on devices this may deadlock", [](Rank &self) {
    nccl::Communicator other = nullptr;
    NCCL_OK(nc().split(self.world, 0, self.rank, &other, nullptr));
    CUstream second = self.another();
    CUdeviceptr a = self.array(Floats(8, 1)), b = self.array(Floats(8, 1));
    self.sync();
    for (bool isSecond : {self.rank == 1, self.rank != 1})
      nc().allReduce(at(isSecond ? b : a), at(isSecond ? b : a), 8, Type::F32, Reduction::Sum,
                     isSecond ? other : self.world, isSecond ? second : self.stream);
    cu().streamSynchronize(second);
    cu().streamSynchronize(self.stream);
    nc().destroy(other);
  });
}

TEST(NcclProcesses, RanksThatAreMissing) {
  // It has destroyed the communicator, or waits for something else.
  expectReportOf("missing rank", "rank 1", [](Rank &self) {
    if (self.rank != 1)
      reduce(self, self.array(Floats(8, 1)), 8);
  });
  expectReportOf("missing rank", "has not called it", [](Rank &self) {
    if (self.rank != 1) {
      reduce(self, self.array(Floats(8, 1)), 8);
      return;
    }
    while (self.asyncError(self.world) == nccl::Result::Success)
      usleep(1000);
  });
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// Reduces until the communicator fails, aborts it and prints the error.
void reduceUntilFailure(Rank &self) {
  CUdeviceptr buffer = self.array(Floats(8, 1));
  nccl::Result error = nccl::Result::Success;
  while (error == nccl::Result::Success) {
    error = reduce(self, buffer, 8);
    CUevent event = nullptr;
    EXPECT_EQ(cu().eventCreate(&event, 0), Result::Success);
    cu().eventRecord(event, self.stream);
    while (error == nccl::Result::Success && cu().eventQuery(event) == Result::NotReady)
      error = self.asyncError(self.world);
    if (error == nccl::Result::Success)
      error = self.asyncError(self.world);
    cu().eventDestroy(event);
  }
  printf("\nrank %d: %s\n", self.rank, nc().getErrorString(error));
  NCCL_OK(nc().abort(self.world));
  self.world = nullptr;
}

TEST(NcclProcesses, AFailureEndsAllRanks) {
  const std::string remote = ": remote process exited or there was a network error\n";
  for (int ranks = 2; ranks <= 8; ++ranks)
    for (const char *action : {"die", "refuse", "hang"}) {
      std::string fault = std::string("rank=1,operation=3,action=") + action;
      // Processes also have so long to find each other, on a machine that has more to do.
      bool hangs = !strcmp(action, "hang");
      ProcessJob job(ranks, 1, hangs ? "2" : "20");
      job.fault(fault.c_str()).run(reduceUntilFailure);
      if (ProcessJob::isChild())
        continue;
      job.expectEnds();
      EXPECT_EQ(job.reports.find("nccl missing rank") != std::string::npos, hangs) << job.reports;
      for (int rank = 0; rank < ranks; ++rank) {
        std::string line = "rank " + std::to_string(rank);
        if (rank != 1 && !hangs)
          line += remote;
        EXPECT_NE(job.output.find(line), std::string::npos) << line << "\n" << job.output;
      }
    }
}

TEST(NcclProcesses, NoSharedMemoryIsLeft) {
  ProcessJob job(2, 1);
  job.run([](Rank &self) {
    CUdeviceptr buffer = self.array(Floats(65536, 1));
    if (self.rank) {
      reduce(self, buffer, 65536);
      while (self.asyncError(self.world) == nccl::Result::Success)
        cu().streamQuery(self.stream);
      NCCL_OK(nc().abort(self.world));
      self.world = nullptr;
      return;
    }
    rlimit limit = {65536, 65536};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    reduce(self, buffer, 65536);
    self.sync();
  });
  if (ProcessJob::isChild())
    return;
  EXPECT_EQ(job.statuses, (std::vector<int>{W_EXITCODE(1, 0), 0})) << job.output;
  // The first record behind the limit may be that of a call.
  EXPECT_NE(job.output.find("it is full: /dev/shm has no room for "), std::string::npos)
      << job.output;
}

TEST(NcclProcesses, AProcessThatIsKilled) {
  for (int ranks = 2; ranks <= 8; ++ranks) {
    ProcessJob job(ranks, 1);
    job.run([](Rank &self) {
      if (self.rank != 1)
        return reduceUntilFailure(self);
      CUdeviceptr buffer = self.array(Floats(8, 1));
      for (int step = 0; step < 3; ++step)
        reduce(self, buffer, 8);
      self.sync();
      kill(getpid(), SIGKILL);
    });
    if (ProcessJob::isChild())
      continue;
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(job.statuses[size_t(rank)], rank == 1 ? SIGKILL : 0) << job.output;
      std::string line =
          "rank " + std::to_string(rank) + ": remote process exited or there was a network error\n";
      EXPECT_EQ(job.output.find(line) != std::string::npos, rank != 1) << line << job.output;
    }
  }
}
} // namespace
