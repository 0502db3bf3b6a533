//===- Kernels.h - Bodies of kernels on an array of words -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_UNIT_PTX_KERNELS_H
#define DMC_TEST_UNIT_PTX_KERNELS_H

#include "Harness.h"

namespace dmc::ptx::test {

/// A kernel of one parameter, an array of 64-bit words.
struct ArrayKernel {
  explicit ArrayKernel(const std::string &body, const std::string &before = "") {
    std::string source = kernel(
        ".param .u64 a", before + "ld.param.u64 %rd1, [a];\nadd.s64 %rd2, %rd1, %o;\n" + body);
    module = Module::parse(source, error);
  }

  Outcome run(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block, uint64_t seed = 0,
              uint32_t operation = 1) {
    EXPECT_EQ(error, "");
    if (!module)
      return {};
    if (!array)
      allocate(64);
    Launch launch;
    launch.kernel = "k";
    launch.grid = grid;
    launch.block = block;
    launch.seed = seed;
    launch.operation = operation;
    launch.isOrdered = isOrdered;
    launch.mostInstructions = 20000;
    launch.countsTraffic = countsTraffic;
    launch.arguments.resize(8);
    std::memcpy(launch.arguments.data(), &array, 8);
    return dmc::ptx::run(*module, launch, memory);
  }
  void allocate(uint64_t count, bool isWritten = true) {
    size = count;
    array = memory.allocate(8 * count);
    std::vector<uint64_t> zeros(count);
    if (isWritten)
      memory.write(array, zeros.data(), 8 * count);
  }
  std::vector<uint64_t> values() {
    std::vector<uint64_t> result(size);
    memory.read(array, result.data(), 8 * size);
    return result;
  }

  bool countsTraffic = false;
  std::unique_ptr<Module> module;
  std::string error;
  Memory memory;
  Address array = 0;
  uint64_t size = 0;
  std::function<bool(uint32_t)> isOrdered;
};

/// For several orders of warps and blocks: a report of that kind, each time, or none.
inline void expect(const std::string &body, const std::string &before, std::array<uint32_t, 3> grid,
                   std::array<uint32_t, 3> block, const char *report) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    ArrayKernel program(body, before);
    Outcome outcome = program.run(grid, block, seed);
    if (!report)
      EXPECT_EQ(text(outcome), "") << body;
    else
      EXPECT_NE(text(outcome).find(report), std::string::npos)
          << body << "\nseed " << seed << ": " << text(outcome);
  }
}

} // namespace dmc::ptx::test

#endif // DMC_TEST_UNIT_PTX_KERNELS_H
