//===- MemoryTest.cpp - Accesses of several operations --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

using namespace dmc::ptx;
using namespace dmc::ptx::test;

namespace {
/// An operation that knows of those that ended before it.
Accessor after(uint32_t operation, std::vector<uint32_t> ended) {
  return {operation, [ended = std::move(ended)](uint32_t earlier) {
            return std::find(ended.begin(), ended.end(), earlier) != ended.end();
          }};
}

std::string wrong(const AccessCheck &check) {
  std::string all;
  for (const AccessCheck::Conflict &conflict : check.conflicts)
    all += std::to_string(conflict.operation) + (conflict.isWriter ? " wrote " : " read ") +
           std::to_string(conflict.offset) + "\n";
  return all;
}

TEST(Memory, CopiesAreCompared) {
  Memory memory;
  Address array = memory.allocate(64);
  EXPECT_EQ(wrong(memory.access(array, 64, /*isWrite=*/true, after(1, {}))), "");
  EXPECT_EQ(wrong(memory.access(array + 8, 8, /*isWrite=*/false, after(2, {1}))), "");
  EXPECT_EQ(wrong(memory.access(array + 8, 8, /*isWrite=*/false, after(3, {}))), "1 wrote 8\n");
  EXPECT_EQ(wrong(memory.access(array, 64, /*isWrite=*/true, after(4, {1, 3}))), "2 read 8\n");
  EXPECT_EQ(wrong(memory.access(array, 4, /*isWrite=*/true, {5, nullptr})), "");
}

TEST(Memory, AllReadersCount) {
  for (uint32_t missing : {1, 2, 3}) {
    Memory memory;
    Address array = memory.allocate(8);
    memory.write(array, &missing, 4);
    for (uint32_t reader : {1, 2, 3})
      EXPECT_EQ(wrong(memory.access(array, 4, /*isWrite=*/false, after(reader, {}))), "");
    // A fourth reader after two of them.
    std::vector<uint32_t> ended = {1, 2, 3};
    ended.erase(ended.begin() + (missing - 1));
    memory.access(array, 4, /*isWrite=*/false, after(4, ended));
    ended.push_back(4);
    EXPECT_EQ(wrong(memory.access(array, 4, /*isWrite=*/true, after(5, ended))),
              std::to_string(missing) + " read 0\n");
    // They are compared once.
    EXPECT_EQ(wrong(memory.access(array, 4, /*isWrite=*/true, after(6, {5, 4}))), "");
  }
}

TEST(Memory, AllReadersCountForLaunches) {
  std::string error;
  auto module = Module::parse(
      kernel(".param .u64 a", "ld.param.u64 %rd1, [a];\nld.global.u64 %rd2, [%rd1];\n"), error);
  auto writer = Module::parse(
      kernel(".param .u64 a", "ld.param.u64 %rd1, [a];\nst.global.u64 [%rd1], 0;\n"), error);
  ASSERT_EQ(error, "");
  Memory memory;
  Address array = memory.allocate(8);
  uint64_t zero = 0;
  memory.write(array, &zero, 8);
  Launch launch;
  launch.kernel = "k";
  launch.arguments.resize(8);
  std::memcpy(launch.arguments.data(), &array, 8);
  launch.isOrdered = [](uint32_t) { return false; };
  for (uint32_t operation : {1, 2}) {
    launch.operation = operation;
    EXPECT_EQ(text(run(*module, launch, memory)), "");
  }
  // After the second reader, and not after the first; it stores what is there already.
  launch.operation = 3;
  launch.isOrdered = [](uint32_t earlier) { return earlier == 2; };
  launch.describe = [](uint32_t earlier) { return "reader " + std::to_string(earlier); };
  std::string report = text(run(*writer, launch, memory));
  EXPECT_NE(report.find("unordered operations: line"), std::string::npos) << report;
  EXPECT_NE(report.find("which reader 1 read"), std::string::npos) << report;
  EXPECT_EQ(report.find("reader 2"), std::string::npos) << report;
}

TEST(Memory, FreedMemory) {
  Memory memory;
  Address first = memory.allocate(8), second = memory.allocate(8, "second");
  EXPECT_TRUE(memory.free(second));
  EXPECT_FALSE(memory.free(second));
  EXPECT_FALSE(memory.free(first + 4));
  EXPECT_EQ(memory.access(second, 4, /*isWrite=*/true, {}).region, nullptr);
  EXPECT_NE(memory.allocate(8), second);
  std::string error;
  auto module = Module::parse(
      kernel(".param .u64 a", "ld.param.u64 %rd1, [a];\nst.global.u64 [%rd1], 0;\n"), error);
  Launch launch;
  launch.kernel = "k";
  launch.arguments.resize(8);
  std::memcpy(launch.arguments.data(), &second, 8);
  std::string report = text(run(*module, launch, memory));
  EXPECT_NE(report.find("use after free: line"), std::string::npos) << report;
  EXPECT_NE(report.find("of second, which was freed"), std::string::npos) << report;
}

TEST(Memory, UnwrittenBytes) {
  Memory memory;
  Address array = memory.allocate(64);
  memory.access(array, 10, /*isWrite=*/true, {1, nullptr});
  EXPECT_EQ(memory.access(array, 10, /*isWrite=*/false, {2, nullptr}).uninitialized,
            AccessCheck::allInitialized);
  EXPECT_EQ(memory.access(array, 11, /*isWrite=*/false, {3, nullptr}).uninitialized, 10u);
  memory.access(array + 32, 16, /*isWrite=*/true, {4, nullptr});
  memory.copyInitialized(array + 33, array, 14);
  EXPECT_EQ(memory.access(array + 32, 16, /*isWrite=*/false, {5, nullptr}).uninitialized, 43u);
  EXPECT_EQ(memory.access(array + 47, 1, /*isWrite=*/false, {6, nullptr}).uninitialized,
            AccessCheck::allInitialized);
}
} // namespace
