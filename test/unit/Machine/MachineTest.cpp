//===- MachineTest.cpp - Rates, capacities and costs of a machine ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Machine/ThreadRates.h"

#include "gtest/gtest.h"

#include <limits>

using namespace dmc;

namespace {

/// Two nodes of four devices.
const char *kNodes = R"json({
  "name": "nodes", "devices": 8,
  "device": {
    "name": "d", "flops_per_s": {"bf16": 4e12, "f32": 1e12},
    "memory_bytes_per_s": 2e11, "capacity_bytes": 16e9, "cores": 4,
    "launch_s": 1e-6, "call_s": 2e-6, "fork_s": 3e-6, "core_flops_per_s": 2e9,
    "caches": [{"level": 1, "bytes": 32768, "line_bytes": 64, "shared_by": 1},
               {"level": 3, "bytes": 8388608, "line_bytes": 64, "shared_by": 4}],
    "copy": [{"threads": 1, "bytes_per_s": 1e10}, {"threads": 4, "bytes_per_s": 2.5e10},
             {"threads": 1, "bytes_per_s": 4e10, "bytes": 16384}],
    "matmul": [{"type": "f32", "m": 64, "n": 32, "k": 16, "threads": 2, "flops_per_s": 3e10}]
  },
  "levels": [
    {"name": "network", "size": 2, "bytes_per_s": 1e9, "latency_s": 5e-6},
    {"name": "node", "size": 4, "bytes_per_s": 1e10, "latency_s": 1e-6,
     "collectives": [{"kind": "all_reduce", "bytes": 4096, "seconds": 2e-5}]}
  ]
})json";

Machine getNodes() {
  std::string error;
  std::optional<Machine> machine = parseMachineFile(kNodes, "nodes.json", error);
  EXPECT_TRUE(machine) << error;
  return machine.value_or(Machine());
}

/// The message for the file with one piece of its text replaced.
std::string getError(llvm::StringRef from, llvm::StringRef to) {
  std::string text = kNodes;
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  text.replace(at, from.size(), to.str());
  std::string error;
  EXPECT_FALSE(parseMachineFile(text, "m.json", error));
  return error;
}

TEST(Machine, ReadsAllOfAFile) {
  Machine machine = getNodes();
  EXPECT_EQ(machine.getNumDevices(), 8);
  EXPECT_EQ(machine.device.capacityBytes, 16e9);
  EXPECT_EQ(machine.device.cores, 4);
  EXPECT_EQ(machine.device.launchSeconds, 1e-6);
  EXPECT_EQ(machine.device.callSeconds, 2e-6);
  EXPECT_EQ(machine.device.forkSeconds, 3e-6);
  EXPECT_EQ(machine.device.coreFlopsPerSecond, 2e9);
  ASSERT_EQ(machine.device.matmuls.size(), 1u);
  EXPECT_EQ(machine.device.matmuls[0].n, 32);
  ASSERT_EQ(machine.levels[1].collectives.size(), 1u);
  EXPECT_EQ(machine.levels[1].collectives[0].seconds, 2e-5);
}

TEST(Machine, ReadsWhatItWrites) {
  std::string text = toJson(getNodes()), error;
  std::optional<Machine> again = parseMachineFile(text, "again", error);
  ASSERT_TRUE(again) << error;
  EXPECT_EQ(toJson(*again), text);
  // Reads and updates come with copies.
  Machine machine = getNodes();
  machine.device.copies[1].readBytesPerSecond = 3e10;
  machine.device.copies[1].updateBytesPerSecond = 6e10;
  again = parseMachineFile(toJson(machine), "again", error);
  ASSERT_TRUE(again) << error;
  EXPECT_EQ(again->device.copies[1].readBytesPerSecond, 3e10);
  EXPECT_EQ(again->device.copies[1].updateBytesPerSecond, 6e10);
  // Short numbers stay short.
  EXPECT_NE(text.find("\"launch_s\": 1e-06"), std::string::npos) << text;
}

TEST(Machine, NamesTheKeyOfAMistake) {
  EXPECT_EQ(getError("\"launch_s\": 1e-6", "\"launch_s\": -1"),
            "m.json: device.launch_s: expected a positive number, found -1");
  EXPECT_EQ(getError("\"latency_s\": 1e-6", "\"latency_s\": 0"),
            "m.json: levels[1].latency_s: expected a positive number, found 0");
  EXPECT_EQ(getError("\"capacity_bytes\": 16e9,", ""),
            "m.json: device.capacity_bytes: missing, expected a positive number");
  EXPECT_EQ(getError("\"f32\": 1e12", "\"f31\": 1e12"),
            "m.json: device.flops_per_s.f31: unknown key, expected one of i8, f8, f16, bf16, "
            "tf32, f32, f64");
  EXPECT_EQ(getError("\"bf16\": 4e12, \"f32\": 1e12", ""),
            "m.json: device.flops_per_s: expected a rate of at least one of i8, f8, f16, bf16, "
            "tf32, f32, f64");
  EXPECT_EQ(getError("\"size\": 4", "\"size\": 3"),
            "m.json: devices: expected the product of the levels' sizes, 6, found 8");
  EXPECT_EQ(getError("\"size\": 4", "\"size\": 2.5"),
            "m.json: levels[1].size: expected a positive integer, found 2.5");
  EXPECT_EQ(getError("\"shared_by\": 4", "\"shared_by\": \"all\""),
            "m.json: device.caches[1].shared_by: expected a positive integer, found \"all\"");
  EXPECT_EQ(getError("\"all_reduce\"", "\"reduce\""),
            "m.json: levels[1].collectives[0].kind: expected one of all_reduce, all_gather, "
            "reduce_scatter, all_to_all, found \"reduce\"");
  EXPECT_EQ(getError("\"bytes_per_s\": 2.5e10", "\"bytes_per_s\": 2.5e10, \"read_bytes_per_s\": 1"),
            "m.json: device.copy[1].update_bytes_per_s: missing, expected a positive number");
  EXPECT_EQ(getError("\"name\": \"d\"", "\"name\": [1]"),
            "m.json: device.name: expected a string, found an array");
}

TEST(Machine, RefusesOtherTexts) {
  std::string error;
  EXPECT_FALSE(parseMachineFile("{", "m.json", error));
  EXPECT_EQ(error.rfind("m.json: expected JSON: ", 0), 0u) << error;
  EXPECT_FALSE(parseMachineFile("[]", "m.json", error));
  EXPECT_EQ(error, "m.json: expected an object, found an array");
  EXPECT_FALSE(parseMachineFile(R"({"name": "m", "devices": 1, "device": 3, "levels": []})",
                                "m.json", error));
  EXPECT_EQ(error, "m.json: device: expected an object, found 3");
  EXPECT_FALSE(parseMachine("no-such-file.json", error));
  EXPECT_NE(error.find("no-such-file.json: cannot read: "), std::string::npos) << error;
}

TEST(Machine, FindsTheLinksAlongAnAxis) {
  Machine machine;
  machine.levels = {{"network", 4, 1e9, 5e-6, {}}, {"node", 8, 4e11, 1e-6, {}}};
  // Eight neighbours are in one node, eight that are eight apart in eight nodes.
  EXPECT_EQ(machine.getLinkAlong(1, 8).bytesPerSecond, 4e11);
  EXPECT_EQ(machine.getLinkAlong(1, 8).latencySeconds, 1e-6);
  EXPECT_EQ(machine.getLinkAlong(8, 4).bytesPerSecond, 1e9);
  EXPECT_EQ(machine.getLinkAlong(2, 4).name, "node");
  // Sixteen neighbours use both levels: the slower rate and the larger latency.
  machine.levels[1].latencySeconds = 9e-6;
  EXPECT_EQ(machine.getLinkAlong(1, 16).bytesPerSecond, 1e9);
  EXPECT_EQ(machine.getLinkAlong(1, 16).latencySeconds, 9e-6);
  EXPECT_EQ(machine.getLinkAlong(8, 2).latencySeconds, 5e-6);
  // A level of any size reaches everything.
  machine.levels[0].size = 0;
  EXPECT_EQ(machine.getLinkAlong(8, 100).bytesPerSecond, 1e9);
}

TEST(Machine, KnowsTheShortForm) {
  std::string error;
  std::optional<Machine> machine = parseMachine("link=2e9, latency=0,flops=3,capacity=7", error);
  ASSERT_TRUE(machine) << error;
  EXPECT_EQ(machine->getLink(1 << 20).bytesPerSecond, 2e9);
  EXPECT_EQ(machine->getLink(2).latencySeconds, 0);
  EXPECT_EQ(machine->getFlops("bf16"), 3);
  EXPECT_EQ(machine->device.memoryBytesPerSecond, DefaultRates::memory);
  EXPECT_EQ(machine->device.capacityBytes, 7);
  EXPECT_EQ(machine->checkRanks(1 << 20), "");
  EXPECT_FALSE(parseMachine("link=0", error));
  EXPECT_EQ(error, "expected a positive number for link, found '0'");
}

TEST(Machine, TakesTheSlowestLinkThatTheRanksHave) {
  Machine machine = getNodes();
  EXPECT_EQ(machine.getLink(4).bytesPerSecond, 1e10);
  EXPECT_EQ(machine.getLink(4).latencySeconds, 1e-6);
  EXPECT_EQ(machine.getLink(5).bytesPerSecond, 1e9);
  EXPECT_EQ(machine.getLink(5).latencySeconds, 5e-6);
  EXPECT_EQ(machine.checkRanks(8), "");
  EXPECT_EQ(machine.checkRanks(9), "the mesh has 9 ranks, but the machine nodes has 8 devices");
}

TEST(Machine, ComputesOtherTypesInWiderOnes) {
  Machine machine = getNodes();
  EXPECT_EQ(machine.getFlops("bf16"), 4e12);
  EXPECT_EQ(machine.getFlops("f8"), 4e12);
  EXPECT_EQ(machine.getFlops("tf32"), 1e12);
  EXPECT_EQ(machine.getFlops("f64"), 1e12);
  EXPECT_EQ(machine.getFlops("i32"), 1e12);
}

TEST(Machine, FindsCachesAndRatesOfThreads) {
  Machine machine = getNodes();
  EXPECT_EQ(machine.getCachePerCore(1), 32768);
  EXPECT_EQ(machine.getCachePerCore(3), 2097152);
  EXPECT_EQ(machine.getCachePerCore(2), std::nullopt);
  EXPECT_EQ(machine.getCopyRate(1), 1e10);
  EXPECT_EQ(machine.getCopyRate(3), 1e10);
  EXPECT_EQ(machine.getCopyRate(64), 2.5e10);
  EXPECT_EQ(Machine().getCopyRate(1), std::nullopt);
  EXPECT_EQ(machine.getMatmulRate("f32", 4), 3e10);
  EXPECT_EQ(machine.getMatmulRate("f32", 1), std::nullopt);
  EXPECT_EQ(machine.getMatmulRate("bf16", 4), std::nullopt);
  EXPECT_EQ(machine.getThreadBytesPerSecond(), 1e10);
  EXPECT_EQ(machine.getThreadFlopsPerSecond(), 2e9);
  // 4 * rate * fork: a core's part of the device, or what was measured.
  EXPECT_EQ(getThreadRates(machine).leastDividedFlops, 3000000);
  machine.device.matmuls.push_back({"f32", 8, 8, 8, 1, 5e9});
  EXPECT_EQ(getThreadRates(machine).leastDividedFlops, 60000);
  EXPECT_EQ(getThreadRates(machine).bytes, 10000000000);
  EXPECT_EQ(getThreadRates(machine).flops, 2000000000);
  std::swap(machine.device.copies[0], machine.device.copies[1]);
  EXPECT_EQ(machine.getCopyRate(2), 1e10);
}

TEST(Machine, DividesIntoPrimeFactors) {
  Machine machine = getNodes();
  machine.levels[0].size = 60;
  machine.levels[1].size = 1;
  EXPECT_EQ(machine.getSubAxes(), (std::vector<llvm::SmallVector<int64_t>>{{2, 2, 3, 5}, {}}));
  EXPECT_EQ(Machine().getSubAxes(), (std::vector<llvm::SmallVector<int64_t>>{{}}));
}

TEST(Machine, CountsWholePicoseconds) {
  EXPECT_EQ(toPicoseconds(1e-12), 1);
  EXPECT_EQ(toPicoseconds(2.5e-6), 2500000);
  EXPECT_EQ(toPicoseconds(0.4e-12), 0);
  EXPECT_EQ(toPicoseconds(1e9), std::numeric_limits<int64_t>::max());
}

} // namespace
