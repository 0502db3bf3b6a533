//===- NcclTest.cpp - Collectives of the simulated NCCL -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NcclHarness.h"

#include "dmc/Runtime/Element.h"

#include <atomic>
#include <mutex>
#include <set>

using namespace dmc::fakes::test;
using nccl::Reduction;
using nccl::Type;
using Floats = std::vector<float>;

namespace {
/// Integers as floats, whose sums are exact.
Floats valuesOf(int rank, size_t count) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float((rank + 1) * 3 + int(i % 11)) - 7;
  return values;
}

constexpr int rankCounts[] = {1, 2, 3, 4, 5, 6, 7, 8};

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

TEST(Nccl, AllReduces) {
  for (int ranks : rankCounts)
    for (uint64_t seed = 0; seed < 3; ++seed) {
      Job job(ranks, seed);
      job.run([](Rank &self) {
        constexpr size_t count = 100;
        CUdeviceptr in = self.array(valuesOf(self.rank, count)), out = self.empty(4 * count);
        struct Case {
          Reduction reduction;
          std::function<float(float, float)> combine;
        };
        const Case cases[] = {{Reduction::Sum, [](float a, float b) { return a + b; }},
                              {Reduction::Max, [](float a, float b) { return std::max(a, b); }},
                              {Reduction::Min, [](float a, float b) { return std::min(a, b); }},
                              {Reduction::Product, [](float a, float b) { return a * b; }}};
        for (const Case &one : cases) {
          // The product of 8 ranks is exact no more.
          if (one.reduction == Reduction::Product && self.ranks > 4)
            continue;
          NCCL_OK(nc().allReduce(at(in), at(out), count, Type::F32, one.reduction, self.world,
                                 self.stream));
          Floats expected = valuesOf(0, count);
          for (int other = 1; other < self.ranks; ++other)
            for (size_t i = 0; i < count; ++i)
              expected[i] = one.combine(expected[i], valuesOf(other, count)[i]);
          EXPECT_EQ(self.values<float>(out, count), expected);
        }
        // In place.
        NCCL_OK(nc().allReduce(at(in), at(in), count, Type::F32, Reduction::Sum, self.world,
                               self.stream));
        NCCL_OK(nc().allReduce(at(in), at(in), count, Type::F32, Reduction::Max, self.world,
                               self.stream));
        Floats expected(count);
        for (int other = 0; other < self.ranks; ++other)
          for (size_t i = 0; i < count; ++i)
            expected[i] += valuesOf(other, count)[i];
        EXPECT_EQ(self.values<float>(in, count), expected);
      });
    }
}

TEST(Nccl, GathersAndScatters) {
  for (int ranks : rankCounts)
    for (bool isInPlace : {false, true}) {
      Job job(ranks, uint64_t(ranks));
      job.run([&](Rank &self) {
        constexpr size_t count = 6;
        auto all = size_t(self.ranks) * count, own = size_t(self.rank) * count;
        Floats gathered, sums(count);
        for (int other = 0; other < self.ranks; ++other) {
          Floats values = valuesOf(other, count);
          gathered.insert(gathered.end(), values.begin(), values.end());
          for (size_t i = 0; i < count; ++i)
            sums[i] += valuesOf(other, all)[own + i];
        }
        Floats first(all);
        std::copy_n(gathered.begin() + long(own), count, first.begin() + long(own));
        CUdeviceptr wide = self.array(first);
        CUdeviceptr narrow = isInPlace ? wide + 4 * own : self.array(valuesOf(self.rank, count));
        NCCL_OK(nc().allGather(at(narrow), at(wide), count, Type::F32, self.world, self.stream));
        EXPECT_EQ(self.values<float>(wide, all), gathered);

        wide = self.array(valuesOf(self.rank, all));
        narrow = isInPlace ? wide + 4 * own : self.empty(4 * count);
        NCCL_OK(nc().reduceScatter(at(wide), at(narrow), count, Type::F32, Reduction::Sum,
                                   self.world, self.stream));
        EXPECT_EQ(self.values<float>(narrow, count), sums);
      });
    }
}

TEST(Nccl, SendsFromAndToARoot) {
  for (int ranks : rankCounts)
    for (int root = 0; root < ranks; ++root) {
      Job job(ranks, 5);
      job.run([&](Rank &self) {
        constexpr size_t count = 9;
        bool isRoot = self.rank == root;
        CUdeviceptr in = self.array(valuesOf(self.rank, count));
        CUdeviceptr out = self.array(Floats(count, -1));
        // Only the root's operand and only the root's result are looked at.
        NCCL_OK(nc().broadcast(isRoot ? at(in) : nullptr, at(out), count, Type::F32, root,
                               self.world, self.stream));
        EXPECT_EQ(self.values<float>(out, count), valuesOf(root, count));
        NCCL_OK(nc().reduce(at(in), isRoot ? at(in) : nullptr, count, Type::F32, Reduction::Sum,
                            root, self.world, self.stream));
        Floats expected = valuesOf(self.rank, count);
        for (int other = 0; isRoot && other < self.ranks; ++other)
          for (size_t i = 0; other != root && i < count; ++i)
            expected[i] += valuesOf(other, count)[i];
        EXPECT_EQ(self.values<float>(in, count), expected);
      });
    }
}

/// Element i of what `source` sends to `target`.
int32_t sent(int source, int target, size_t i) { return source * 1000 + target * 100 + int(i); }

TEST(Nccl, SendsToAll) {
  for (int ranks : rankCounts)
    for (bool isGrouped : {false, true}) {
      Job job(ranks, 7);
      job.run([&](Rank &self) {
        constexpr size_t count = 5;
        std::vector<int32_t> values, expected;
        for (int other = 0; other < self.ranks; ++other)
          for (size_t i = 0; i < count; ++i) {
            values.push_back(sent(self.rank, other, i));
            expected.push_back(sent(other, self.rank, i));
          }
        CUdeviceptr in = self.array(values), out = self.empty(4 * values.size());
        if (!isGrouped) {
          NCCL_OK(nc().allToAll(at(in), at(out), count, Type::I32, self.world, self.stream));
        } else {
          NCCL_OK(nc().groupStart());
          for (int other = 0; other < self.ranks; ++other) {
            CUdeviceptr offset = 4 * count * CUdeviceptr(other);
            NCCL_OK(nc().send(at(in + offset), count, Type::I32, other, self.world, self.stream));
            NCCL_OK(
                nc().receive(at(out + offset), count, Type::I32, other, self.world, self.stream));
          }
          NCCL_OK(nc().groupEnd());
        }
        EXPECT_EQ(self.values<int32_t>(out, values.size()), expected);
      });
    }
}

TEST(Nccl, PassesAroundARing) {
  Job job(4, 3);
  job.run([](Rank &self) {
    CUdeviceptr here = self.array(std::vector<int64_t>{self.rank}), there = self.empty(8);
    for (int step = 0; step < 4; ++step) {
      NCCL_OK(nc().groupStart());
      NCCL_OK(nc().send(at(here), 1, Type::I64, (self.rank + 1) % 4, self.world, self.stream));
      NCCL_OK(nc().receive(at(there), 1, Type::I64, (self.rank + 3) % 4, self.world, self.stream));
      NCCL_OK(nc().groupEnd());
      std::swap(here, there);
    }
    EXPECT_EQ(self.values<int64_t>(here, 1)[0], self.rank);
  });
}

//===----------------------------------------------------------------------===//
// Types and reductions
//===----------------------------------------------------------------------===//

template <typename T>
void expectSum(Type type, std::vector<T> (*make)(int rank), const std::vector<T> &expected) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Job job(3, seed);
    job.run([&](Rank &self) {
      CUdeviceptr in = self.array(make(self.rank));
      NCCL_OK(nc().allReduce(at(in), at(in), expected.size(), type, Reduction::Sum, self.world,
                             self.stream));
      EXPECT_EQ(self.values<T>(in, expected.size()), expected) << int(type);
    });
  }
}

TEST(Nccl, SumsOfAllTypes) {
  expectSum<int8_t>(Type::I8, [](int rank) { return std::vector<int8_t>{int8_t(rank + 1), 100}; },
                    {6, 44});
  expectSum<uint8_t>(Type::U8, [](int rank) { return std::vector<uint8_t>{uint8_t(rank), 100}; },
                     {3, 44});
  expectSum<int32_t>(Type::I32, [](int rank) { return std::vector<int32_t>{rank, INT32_MAX}; },
                     {3, INT32_MAX - 2});
  expectSum<uint32_t>(Type::U32, [](int rank) { return std::vector<uint32_t>{uint32_t(rank)}; },
                      {3});
  expectSum<int64_t>(Type::I64, [](int rank) { return std::vector<int64_t>{rank * (1LL << 40)}; },
                     {3LL << 40});
  expectSum<uint64_t>(Type::U64, [](int rank) { return std::vector<uint64_t>{uint64_t(rank)}; },
                      {3});
  expectSum<double>(Type::F64, [](int rank) { return std::vector<double>{rank + 0x1p-40}; },
                    {3 + 3 * 0x1p-40});
  using dmc::runtime::floatToBf16;
  using dmc::runtime::floatToF16;
  // Each half of a unit alone would be rounded away: sums are rounded once.
  expectSum<uint16_t>(
      Type::BF16,
      [](int rank) { return std::vector<uint16_t>{floatToBf16(rank ? 0x1p-8f : 1.0f)}; },
      {floatToBf16(1 + 0x1p-7f)});
  expectSum<uint16_t>(
      Type::F16, [](int rank) { return std::vector<uint16_t>{floatToF16(rank ? 0x1p-11f : 1.0f)}; },
      {floatToF16(1 + 0x1p-10f)});
}

TEST(Nccl, AveragesAndFactors) {
  Job job(4, 2);
  job.run([](Rank &self) {
    CUdeviceptr in = self.array(Floats{float(self.rank), 8}), out = self.empty(8);
    NCCL_OK(
        nc().allReduce(at(in), at(out), 2, Type::F32, Reduction::Average, self.world, self.stream));
    EXPECT_EQ(self.values<float>(out, 2), (Floats{1.5, 8}));
    std::vector<int32_t> integers = {self.rank * 3, -self.rank};
    CUdeviceptr integer = self.array(integers);
    NCCL_OK(nc().allReduce(at(integer), at(integer), 2, Type::I32, Reduction::Average, self.world,
                           self.stream));
    EXPECT_EQ(self.values<int32_t>(integer, 2), (std::vector<int32_t>{4, -1}));

    // Each rank has a factor of its own; that on the device is read when the work runs.
    float factor = float(self.rank + 1);
    CUdeviceptr onDevice = self.array(Floats{factor});
    for (bool isHost : {true, false}) {
      Reduction scaled;
      NCCL_OK(nc().createPreMulSum(
          &scaled, isHost ? &factor : at(onDevice), Type::F32,
          isHost ? nccl::Residence::HostImmediate : nccl::Residence::Device, self.world));
      NCCL_OK(nc().allReduce(at(in), at(out), 2, Type::F32, scaled, self.world, self.stream));
      EXPECT_EQ(self.values<float>(out, 2), (Floats{0 * 1 + 1 * 2 + 2 * 3 + 3 * 4, 8 * 10}));
      NCCL_OK(nc().destroyReduction(scaled, self.world));
    }
  });
}

TEST(Nccl, SeedsChangeTheOrderOfSums) {
  // Sums of these depend on their order.
  std::set<Floats> results;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    std::mutex mutex;
    std::vector<Floats> all;
    Job job(4, seed);
    job.run([&](Rank &self) {
      Floats values(64, self.rank == 0 ? 0x1p24f : self.rank == 3 ? -0x1p24f : 1.0f);
      CUdeviceptr in = self.array(values);
      NCCL_OK(
          nc().allReduce(at(in), at(in), 64, Type::F32, Reduction::Sum, self.world, self.stream));
      Floats got = self.values<float>(in, 64);
      std::lock_guard<std::mutex> lock(mutex);
      all.push_back(got);
    });
    // All ranks have the same bits.
    for (const Floats &one : all)
      EXPECT_EQ(one, all.front());
    results.insert(all.front());
  }
  EXPECT_GE(results.size(), 4u);
}

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

TEST(Nccl, CommunicatorsDivide) {
  Job job(6, 1);
  job.run([](Rank &self) {
    // Two of three ranks, in reverse order.
    nccl::Communicator part = nullptr;
    NCCL_OK(nc().split(self.world, self.rank % 2, -self.rank, &part, nullptr));
    int count = 0, rank = 0, device = 0;
    NCCL_OK(nc().count(part, &count));
    NCCL_OK(nc().userRank(part, &rank));
    NCCL_OK(nc().cuDevice(part, &device));
    EXPECT_EQ(count, 3);
    EXPECT_EQ(rank, 2 - self.rank / 2);
    EXPECT_EQ(device, self.rank);
    CUdeviceptr in = self.array(Floats{float(self.rank)}), out = self.empty(12);
    NCCL_OK(nc().allGather(at(in), at(out), 1, Type::F32, part, self.stream));
    float odd = float(self.rank % 2);
    EXPECT_EQ(self.values<float>(out, 3), (Floats{4 + odd, 2 + odd, odd}));
    nccl::Communicator none = part;
    NCCL_OK(nc().split(self.world, self.rank ? nccl::noColor : 0, 0, &none, nullptr));
    EXPECT_EQ(none == nullptr, self.rank != 0);
    if (none)
      NCCL_OK(nc().destroy(none));
    NCCL_OK(nc().finalize(part));
    NCCL_OK(nc().destroy(part));
  });
}

TEST(Nccl, OneThreadOpensSeveralDevices) {
  Job job(3, 1);
  nccl::UniqueId id;
  NCCL_OK(nc().getUniqueId(&id));
  std::vector<Rank> ranks(3);
  NCCL_OK(nc().groupStart());
  for (int i = 0; i < 3; ++i) {
    OK(cu().devicePrimaryCtxRetain(&ranks[size_t(i)].context, i));
    OK(cu().ctxSetCurrent(ranks[size_t(i)].context));
    ranks[size_t(i)].stream = ranks[size_t(i)].another();
    NCCL_OK(nc().initRank(&ranks[size_t(i)].world, 3, id, i));
  }
  NCCL_OK(nc().groupEnd());
  std::vector<CUdeviceptr> arrays;
  for (Rank &self : ranks) {
    OK(cu().ctxSetCurrent(self.context));
    arrays.push_back(self.array(Floats{1, 2}));
  }
  NCCL_OK(nc().groupStart());
  for (size_t i = 0; i < 3; ++i)
    NCCL_OK(nc().allReduce(at(arrays[i]), at(arrays[i]), 2, Type::F32, Reduction::Sum,
                           ranks[i].world, ranks[i].stream));
  NCCL_OK(nc().groupEnd());
  for (size_t i = 0; i < 3; ++i) {
    OK(cu().ctxSetCurrent(ranks[i].context));
    EXPECT_EQ(ranks[i].values<float>(arrays[i], 2), (Floats{3, 6}));
  }
  for (Rank &self : ranks)
    NCCL_OK(nc().destroy(self.world));
}

TEST(Nccl, CommunicatorsThatDoNotBlock) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Job job(3, seed);
    nccl::UniqueId id;
    NCCL_OK(nc().getUniqueId(&id));
    job.runWithout([&](Rank &self) {
      nccl::Config config;
      config.blocking = 0;
      EXPECT_EQ(nc().initRankConfig(&self.world, 3, id, self.rank, &config),
                nccl::Result::InProgress);
      auto poll = [&] {
        nccl::Result error = nccl::Result::InProgress;
        while (error == nccl::Result::InProgress)
          error = self.asyncError(self.world);
        return error;
      };
      // Not ready yet.
      CUdeviceptr in = self.array(Floats{1});
      auto reduce = [&] {
        return nc().allReduce(at(in), at(in), 1, Type::F32, Reduction::Sum, self.world,
                              self.stream);
      };
      EXPECT_EQ(reduce(), nccl::Result::InvalidArgument);
      NCCL_OK(poll());
      EXPECT_EQ(reduce(), nccl::Result::InProgress);
      // Nothing is in the stream before the call has completed.
      EXPECT_EQ(self.values<float>(in, 1), Floats{1});
      EXPECT_EQ(reduce(), nccl::Result::InvalidArgument);
      NCCL_OK(poll());
      EXPECT_EQ(self.values<float>(in, 1), Floats{3});
      NCCL_OK(nc().destroy(self.world));
    });
  }
}

TEST(Nccl, GraphsRepeatCollectives) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    Job job(3, seed);
    job.run([](Rank &self) {
      CUdeviceptr in = self.array(Floats{1}), out = self.empty(12);
      self.sync();
      OK(cu().streamBeginCapture(self.stream, CaptureMode::ThreadLocal));
      NCCL_OK(
          nc().allReduce(at(in), at(in), 1, Type::F32, Reduction::Sum, self.world, self.stream));
      NCCL_OK(nc().allGather(at(in), at(out), 1, Type::F32, self.world, self.stream));
      NCCL_OK(nc().groupStart());
      NCCL_OK(nc().send(at(out), 1, Type::F32, (self.rank + 1) % 3, self.world, self.stream));
      NCCL_OK(nc().receive(at(in), 1, Type::F32, (self.rank + 2) % 3, self.world, self.stream));
      NCCL_OK(nc().groupEnd());
      CUgraph graph = nullptr;
      OK(cu().streamEndCapture(self.stream, &graph));
      CUgraphExec exec = nullptr;
      GraphInstantiateParams params = {};
      OK(cu().graphInstantiateWithParams(&exec, graph, &params));
      for (int launch = 0; launch < 4; ++launch)
        OK(cu().graphLaunch(exec, self.stream));
      EXPECT_EQ(self.values<float>(out, 3), Floats(3, 81));
      EXPECT_EQ(self.values<float>(in, 1), Floats{81});
    });
  }
}

TEST(Nccl, MemoryAndWindows) {
  Job job(2, 1);
  job.run([](Rank &self) {
    void *memory = nullptr;
    NCCL_OK(nc().memAlloc(&memory, 8192));
    EXPECT_EQ(reinterpret_cast<uint64_t>(memory) % nccl::windowAlignment, 0u);
    nccl::Window window = nullptr;
    NCCL_OK(nc().registerWindow(self.world, memory, 8192, &window, nccl::symmetricWindow));
    OK(cu().memsetD32Async(reinterpret_cast<CUdeviceptr>(memory), 5, 4, self.stream));
    NCCL_OK(nc().allReduce(memory, memory, 4, Type::I32, Reduction::Sum, self.world, self.stream));
    EXPECT_EQ(self.values<int32_t>(reinterpret_cast<CUdeviceptr>(memory), 4),
              std::vector<int32_t>(4, 10));
    void *handle = nullptr;
    NCCL_OK(nc().registerBuffer(self.world, memory, 64, &handle));
    NCCL_OK(nc().deregisterBuffer(self.world, handle));
    NCCL_OK(nc().deregisterWindow(self.world, window));
    self.sync();
    NCCL_OK(nc().memFree(memory));
    EXPECT_EQ(nc().memFree(memory), nccl::Result::InvalidArgument);
  });
}

TEST(Nccl, DataPassesOnceAllAreReady) {
  // A rank that comes late holds the others up, and what runs behind a collective does not
  // disturb it.
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Job job(3, seed);
    job.run([](Rank &self) {
      CUdeviceptr in = self.array(Floats{float(1 + self.rank)}), out = self.empty(4);
      for (int round = 0; round < 5; ++round) {
        NCCL_OK(
            nc().allReduce(at(in), at(out), 1, Type::F32, Reduction::Sum, self.world, self.stream));
        OK(cu().memcpyDtoDAsync(in, out, 4, self.stream));
      }
      EXPECT_EQ(self.values<float>(in, 1), Floats{6 * 81});
    });
  }
}
} // namespace
