//===- PlantedInCollectives.cpp - Mistakes between ranks ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NcclHarness.h"
#include "Planted.h"

#include <atomic>
#include <chrono>

using namespace dmc::fakes::test;
using nccl::Reduction;
using nccl::Type;
using Floats = std::vector<float>;

namespace {
/// What a rank calls: an all-reduce, a broadcast or an all-gather.
struct Variant {
  size_t count = 4;
  Type type = Type::F32;
  Reduction reduction = Reduction::Sum;
  int root = -1; // a broadcast if it is not negative
  bool isGathered = false;
};

void call(Rank &self, const Variant &variant) {
  CUdeviceptr in = self.array(Floats(16, 1)), out = self.empty(256);
  if (variant.root >= 0)
    nc().broadcast(at(in), at(out), variant.count, variant.type, variant.root, self.world,
                   self.stream);
  else if (variant.isGathered)
    nc().allGather(at(in), at(out), variant.count, variant.type, self.world, self.stream);
  else
    nc().allReduce(at(in), at(out), variant.count, variant.type, variant.reduction, self.world,
                   self.stream);
}

void reduce(Rank &self, CUdeviceptr buffer, CUstream stream = nullptr) {
  nc().allReduce(at(buffer), at(buffer), 8, Type::F32, Reduction::Sum, self.world,
                 stream ? stream : self.stream);
}

class Defects {
public:
  /// A program of ranks, each of which is told if the defect is in it.
  template <typename Program>
  void add(const char *name, const char *what, const char *report, const char *detail,
           Program program, int ranks = 2, const char *timeout = "20") {
    all.push_back({name, what, report,
                   [=](uint64_t seed, bool isPlanted) {
                     // Without it nobody waits in vain, however loaded the machine is.
                     Job job(ranks, seed, isPlanted ? timeout : "20");
                     job.run([&](Rank &self) { program(self, isPlanted); });
                     return job.reports();
                   },
                   detail});
  }
  /// One rank of three calls something else: which one, the seed says.
  void addDifference(const char *name, const char *what, const char *report, const char *detail,
                     const Variant &most, const Variant &other) {
    all.push_back({name, what, report,
                   [=](uint64_t seed, bool isPlanted) {
                     Job job(3, seed);
                     job.run([&](Rank &self) {
                       call(self, isPlanted && self.rank == int(seed % 3) ? other : most);
                       self.sync();
                     });
                     return job.reports();
                   },
                   detail});
  }

  std::vector<Defect> all;
};

void addDifferences(Defects &defects) {
  Variant most, other;
  other.isGathered = true;
  defects.addDifference("Operation", "a rank calls another collective", "nccl operation",
                        "all-gather", most, other);
  other = {};
  other.count = 3;
  defects.addDifference("Count", "a rank gives another count", "nccl count", "3 elements", most,
                        other);
  other = {};
  other.type = Type::I32;
  defects.addDifference("Type", "a rank gives another type", "nccl type", "i32", most, other);
  other = {};
  other.reduction = Reduction::Max;
  defects.addDifference("Reduction", "a rank asks for another reduction", "nccl reduction",
                        "maximum", most, other);
  most.root = 0;
  other = most;
  other.root = 2;
  defects.addDifference("Root", "a rank names another root", "nccl root", "root 2", most, other);
}

/// Each rank sends to the other one and receives from it.
void exchange(Rank &self, size_t received, Type type, bool isGrouped) {
  CUdeviceptr a = self.array(Floats(8, 1)), b = self.empty(32);
  if (isGrouped)
    nc().groupStart();
  nc().send(at(a), 4, Type::F32, 1 - self.rank, self.world, self.stream);
  nc().receive(at(b), received, type, 1 - self.rank, self.world, self.stream);
  if (isGrouped)
    nc().groupEnd();
}

void addSends(Defects &defects) {
  defects.add("ReceivedCount", "a receive expects another count than is sent", "nccl count",
              "the receive 3 elements", [](Rank &self, bool isPlanted) {
                exchange(self, isPlanted && self.rank ? 3 : 4, Type::F32, /*isGrouped=*/true);
              });
  defects.add("ReceivedType", "a receive expects another type than is sent", "nccl type",
              "the receive i32", [](Rank &self, bool isPlanted) {
                exchange(self, 4, isPlanted && self.rank ? Type::I32 : Type::F32,
                         /*isGrouped=*/true);
              });
  defects.add(
      "SendsWithoutAGroup", "ranks send to each other before they receive", "nccl missing rank",
      "has called it, but its stream has not reached it",
      [](Rank &self, bool isPlanted) { exchange(self, 4, Type::F32, /*isGrouped=*/!isPlanted); }, 2,
      "0.2");
}

void addGroups(Defects &defects) {
  defects.add("Group", "a rank calls in a group what another one calls alone", "nccl group",
              "of a group of 2", [](Rank &self, bool isPlanted) {
                bool isGrouped = self.rank == 0 || !isPlanted;
                CUdeviceptr a = self.array(Floats(8, 1)), b = self.array(Floats(8, 1));
                if (isGrouped)
                  nc().groupStart();
                reduce(self, a);
                reduce(self, b);
                if (isGrouped)
                  nc().groupEnd();
              });
  defects.add("OpenGroup", "a group is not ended", "nccl group",
              "in a group that has not ended, with the all-reduce", [](Rank &self, bool isPlanted) {
                if (self.rank == 0)
                  nc().groupStart();
                call(self, {});
                if (self.rank == 0 && !isPlanted)
                  nc().groupEnd();
              });
  defects.add(
      "Order", "a rank calls two communicators in another order", "nccl order",
      "on devices this may deadlock",
      [](Rank &self, bool isPlanted) {
        nccl::Communicator world = self.world, other = nullptr;
        NCCL_OK(nc().split(world, 0, self.rank, &other, nullptr));
        CUstream second = self.another();
        CUdeviceptr a = self.array(Floats(8, 1)), b = self.array(Floats(8, 1));
        self.sync();
        bool isReversed = isPlanted && self.rank == 1;
        for (bool isSecond : {isReversed, !isReversed}) {
          self.world = isSecond ? other : world;
          reduce(self, isSecond ? b : a, isSecond ? second : self.stream);
        }
        self.world = world;
        cu().streamSynchronize(second);
        self.sync();
        nc().destroy(other);
      },
      3);
  defects.add("Capture", "a rank captures a call that another one makes at once", "nccl capture",
              "", [](Rank &self, bool isPlanted) {
                CUdeviceptr buffer = self.array(Floats(8, 1));
                self.sync();
                if (isPlanted && self.rank)
                  return reduce(self, buffer);
                CUgraph graph = nullptr;
                CUgraphExec exec = nullptr;
                GraphInstantiateParams params = {};
                OK(cu().streamBeginCapture(self.stream, CaptureMode::ThreadLocal));
                reduce(self, buffer);
                OK(cu().streamEndCapture(self.stream, &graph));
                OK(cu().graphInstantiateWithParams(&exec, graph, &params));
                OK(cu().graphLaunch(exec, self.stream));
                self.sync();
              });
}

void addBuffers(Defects &defects) {
  auto add = [&](const char *name, const char *what,
                 void (*program)(Rank &, CUdeviceptr, bool isPlanted)) {
    defects.add(name, what, "nccl overlap", "", [program](Rank &self, bool isPlanted) {
      program(self, self.array(Floats(64, 1)), isPlanted);
    });
  };
  add("OverlappingAllReduce", "an all-reduce is nearly in place",
      [](Rank &self, CUdeviceptr buffer, bool isPlanted) {
        nc().allReduce(at(buffer), at(buffer + (isPlanted ? 4 : 0)), 8, Type::F32, Reduction::Sum,
                       self.world, self.stream);
      });
  add("OverlappingAllGather", "an all-gather is in place, at another rank's part",
      [](Rank &self, CUdeviceptr buffer, bool isPlanted) {
        auto part = CUdeviceptr(isPlanted ? 1 - self.rank : self.rank);
        nc().allGather(at(buffer + 32 * part), at(buffer), 8, Type::F32, self.world, self.stream);
      });
  add("OverlappingReduceScatter", "a reduce-scatter is in place, beside the rank's part",
      [](Rank &self, CUdeviceptr buffer, bool isPlanted) {
        CUdeviceptr own = buffer + 32 * CUdeviceptr(self.rank);
        nc().reduceScatter(at(buffer), at(isPlanted ? buffer + 4 : own), 8, Type::F32,
                           Reduction::Sum, self.world, self.stream);
      });
  add("OverlappingAllToAll", "an all-to-all is in place",
      [](Rank &self, CUdeviceptr buffer, bool isPlanted) {
        nc().allToAll(at(buffer), at(buffer + (isPlanted ? 0 : 64)), 8, Type::F32, self.world,
                      self.stream);
      });
  add("OverlappingReceive", "what is received overlaps what is sent",
      [](Rank &self, CUdeviceptr buffer, bool isPlanted) {
        nc().groupStart();
        nc().send(at(buffer), 8, Type::F32, 1 - self.rank, self.world, self.stream);
        nc().receive(at(buffer + (isPlanted ? 28 : 32)), 8, Type::F32, 1 - self.rank, self.world,
                     self.stream);
        nc().groupEnd();
      });
  defects.add("ShortBuffer", "the result of an all-gather is too short", "out of bounds", "",
              [](Rank &self, bool isPlanted) {
                CUdeviceptr a = self.array(Floats(8, 1)), b = self.empty(isPlanted ? 32 : 64);
                nc().allGather(at(a), at(b), 8, Type::F32, self.world, self.stream);
              });
  defects.add("FreedBuffer", "a buffer is freed while the collective is queued", "free in use", "",
              [](Rank &self, bool isPlanted) {
                CUdeviceptr buffer = self.array(Floats(8, 1));
                self.sync();
                reduce(self, buffer);
                if (!isPlanted)
                  self.sync();
                cu().memFree(buffer);
              });
  defects.add("DeletedEventOfACollective", "a collective does not wait for what writes its operand",
              "unordered operations", "", [](Rank &self, bool isPlanted) {
                CUdeviceptr a = self.array(Floats(8, 1));
                CUstream second = self.another();
                if (!isPlanted) {
                  CUevent event = nullptr;
                  OK(cu().eventCreate(&event, 0));
                  OK(cu().eventRecord(event, self.stream));
                  OK(cu().streamWaitEvent(second, event, 0));
                }
                reduce(self, a, second);
                cu().streamSynchronize(second);
                self.sync();
              });
}

void addWindows(Defects &defects) {
  auto use = [](Rank &self, size_t bytes, CUdeviceptr offset) {
    void *memory = nullptr;
    NCCL_OK(nc().memAlloc(&memory, 16384));
    nccl::Window window = nullptr;
    nc().registerWindow(self.world, memory, bytes, &window, nccl::symmetricWindow);
    auto address = reinterpret_cast<CUdeviceptr>(memory);
    OK(cu().memsetD32Async(address, 0, 4096, self.stream));
    nc().allReduce(at(address + offset), at(address + 8192), 4, Type::F32, Reduction::Sum,
                   self.world, self.stream);
    self.sync();
    if (window)
      nc().deregisterWindow(self.world, window);
    nc().memFree(memory);
  };
  defects.add(
      "WindowSize", "a rank registers a window of another size", "nccl window", " bytes on rank ",
      [use](Rank &self, bool isPlanted) { use(self, isPlanted && self.rank ? 8192 : 16384, 0); });
  defects.add("WindowOffset", "a rank's buffer is at another place of its window", "nccl window",
              "offset 256 of window 1", [use](Rank &self, bool isPlanted) {
                use(self, 16384, isPlanted ? 256 * CUdeviceptr(self.rank) : 0);
              });
}

void addMissingRanks(Defects &defects) {
  defects.add(
      "EarlyDestroy", "a rank destroys its communicator before a call of the others",
      "nccl missing rank", "all-reduce that rank",
      [](Rank &self, bool isPlanted) {
        if (!isPlanted || self.rank != 1)
          call(self, {});
      },
      3);
  defects.all.push_back({"MissingRank", "a rank never calls", "nccl missing rank",
                         [](uint64_t seed, bool isPlanted) {
                           Job job(3, seed, isPlanted ? "0.2" : "20");
                           std::atomic<int> ended = 0;
                           job.run([&](Rank &self) {
                             if (!isPlanted || self.rank != 1) {
                               call(self, {});
                               self.sync();
                               ++ended;
                               return;
                             }
                             auto deadline =
                                 std::chrono::steady_clock::now() + std::chrono::seconds(20);
                             while (ended < 2 && std::chrono::steady_clock::now() < deadline)
                               std::this_thread::yield();
                           });
                           return job.reports();
                         },
                         "all-reduce 0 of communicator"});
  defects.all.push_back({"MissingMember", "a rank never joins", "nccl missing rank",
                         [](uint64_t seed, bool isPlanted) {
                           Job job(3, seed, isPlanted ? "0.2" : "20");
                           nccl::UniqueId id;
                           NCCL_OK(nc().getUniqueId(&id));
                           job.runWithout([&](Rank &self) {
                             if (!isPlanted || self.rank != 2)
                               nc().initRank(&self.world, 3, id, self.rank);
                             if (self.world)
                               NCCL_OK(nc().destroy(self.world));
                           });
                           return job.reports();
                         },
                         "rank 2 has not joined"});
}
} // namespace

std::vector<Defect> dmc::fakes::test::collectiveDefects() {
  Defects defects;
  addDifferences(defects);
  addSends(defects);
  addGroups(defects);
  addBuffers(defects);
  addWindows(defects);
  addMissingRanks(defects);
  return std::move(defects.all);
}
