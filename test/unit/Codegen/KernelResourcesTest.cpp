//===- KernelResourcesTest.cpp - What kernels take of a device ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Codegen/KernelResources.h"

#include <gtest/gtest.h>

#ifdef DMC_CUDA_OCCUPANCY
#include <initializer_list>
// NVIDIA's own model.
#include <cuda_occupancy.h>
#endif

using namespace dmc;
using runtime::KernelUse;
using runtime::Occupancy;

namespace {
TEST(KernelResources, MessagesAreRead) {
  // A kernel that calls a function, one that spills, and one of which half is said.
  AssembledCode code = readAssemblerMessages(
      R"(ptxas info    : 400 bytes gmem, 64 bytes cmem[3]
ptxas info    : Compiling entry function 'first_nest' for 'sm_90a'
ptxas info    : Function properties for helper
    16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for first_nest
    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 64 bytes cumulative stack size, 512 bytes smem, 380 bytes cmem[0]
ptxas info    : Compile time = 1.362 ms
ptxas warning : something else
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
    128 bytes stack frame, 120 bytes spill stores, 136 bytes spill loads
ptxas info    : Used 255 registers
ptxas info    : Compiling entry function 'third' for 'sm_90a'
ptxas info    : Used 12 registers
)",
      "sm_90a");
  EXPECT_EQ(code.globalBytes, 400);
  ASSERT_EQ(code.kernels.size(), 2u);
  KernelUse first = code.kernels["first_nest"], second = code.kernels["second"];
  EXPECT_EQ(first.chip, "sm_90a");
  EXPECT_EQ(first.registers, 24);
  EXPECT_EQ(first.stack, 64);
  EXPECT_EQ(first.spillStores, 0);
  EXPECT_EQ(first.shared, 512);
  EXPECT_EQ(second.registers, 255);
  EXPECT_EQ(second.spillStores, 120);
  EXPECT_EQ(second.spillLoads, 136);
  EXPECT_EQ(second.shared, 0);
  EXPECT_TRUE(readAssemblerMessages("", "sm_80").kernels.empty());
}

Occupancy occupancy(const char *chip, int64_t threads, int64_t registers, int64_t shared) {
  KernelUse use;
  use.chip = chip;
  use.registers = registers;
  return getOccupancy(use, threads, shared);
}

TEST(KernelResources, Occupancy) {
  auto expect = [](const Occupancy &found, int64_t blocks, int64_t warps, const char *limit) {
    EXPECT_EQ(found.blocks, blocks);
    EXPECT_EQ(found.warps, warps);
    EXPECT_EQ(found.limit, limit);
  };
  expect(occupancy("sm_90a", 256, 32, 0), 8, 64, "threads");
  expect(occupancy("sm_90a", 256, 33, 0), 6, 48, "registers");
  expect(occupancy("sm_90a", 32, 32, 0), 32, 32, "blocks");
  // 72 KB and one of the system: three of them in 228 KB.
  expect(occupancy("sm_90a", 128, 32, 72 << 10), 3, 12, "shared memory");
  expect(occupancy("sm_86", 256, 32, 0), 6, 48, "threads");
  EXPECT_EQ(occupancy("sm_86", 256, 32, 0).mostWarps, 48);
  // A block of 32 warps of 255 registers does not run at all.
  expect(occupancy("sm_80", 1024, 255, 0), 0, 0, "registers");
  // A kernel's own shared memory counts, too.
  KernelUse own;
  own.chip = "sm_89";
  own.registers = 16;
  own.shared = 40 << 10;
  expect(getOccupancy(own, 64, 8 << 10), 2, 4, "shared memory");
}

#ifdef DMC_CUDA_OCCUPANCY
/// The blocks by NVIDIA's model, which has the numbers that are a device's property from us.
int64_t blocksByNvidia(int major, int minor, int warps, size_t sharedKilobytes,
                       size_t blockKilobytes, int threads, int registers, size_t shared) {
  cudaOccDeviceProp device;
  device.computeMajor = major;
  device.computeMinor = minor;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = 32 * warps;
  device.regsPerBlock = device.regsPerMultiprocessor = 64 << 10;
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 << 10;
  device.sharedMemPerMultiprocessor = sharedKilobytes << 10;
  device.sharedMemPerBlockOptin = blockKilobytes << 10;
  device.reservedSharedMemPerBlock = 1 << 10;
  device.numSms = 1;
  cudaOccFuncAttributes function = {};
  function.maxThreadsPerBlock = 1024;
  function.numRegs = registers;
  function.maxDynamicSharedSizeBytes = blockKilobytes << 10;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.numBlockBarriers = 1;
  cudaOccDeviceState state = {};
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result;
  cudaOccError error =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared);
  EXPECT_EQ(error, CUDA_OCC_SUCCESS);
  return result.activeBlocksPerMultiprocessor;
}

TEST(KernelResources, OccupancyIsThatOfNvidia) {
  struct {
    const char *name;
    int major, minor, warps;
    size_t sharedKilobytes, blockKilobytes;
  } chips[] = {{"sm_80", 8, 0, 64, 164, 163},  {"sm_86", 8, 6, 48, 100, 99},
               {"sm_87", 8, 7, 48, 164, 163},  {"sm_89", 8, 9, 48, 100, 99},
               {"sm_90a", 9, 0, 64, 228, 227}, {"sm_100", 10, 0, 64, 228, 227},
               {"sm_120", 12, 0, 48, 100, 99}};
  for (auto &chip : chips)
    for (int threads : {1, 32, 33, 96, 128, 250, 256, 384, 512, 768, 1024})
      for (int registers : {1, 24, 32, 33, 40, 72, 100, 128, 168, 255})
        for (size_t shared : {0, 64, 1000, 16896, 40000, 99000, 150000, 220000})
          if (shared <= chip.blockKilobytes << 10) {
            EXPECT_EQ(occupancy(chip.name, threads, registers, static_cast<int64_t>(shared)).blocks,
                      blocksByNvidia(chip.major, chip.minor, chip.warps, chip.sharedKilobytes,
                                     chip.blockKilobytes, threads, registers, shared))
                << chip.name << " " << threads << " " << registers << " " << shared;
          }
}
#endif
} // namespace
