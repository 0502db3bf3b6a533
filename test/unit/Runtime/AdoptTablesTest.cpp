//===- AdoptTablesTest.cpp - Tables of older programs ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AdoptTables.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

using namespace dmc::runtime;

namespace {

/// As an older compiler would have written them: without the last members.
struct OldNest {
  dmc_nest_fn function;
  int64_t iterations, bytes, flops;
};
struct OldKernel {
  const char *name;
  int64_t count;
  const char *location;
  uint32_t num_nests, num_arguments;
  const void *nests;
};

int32_t run(dmc_rank_context *, const dmc_runtime_api *, const void *, int64_t, int64_t) {
  return 0;
}

const OldNest nests[] = {{run, 3, 10, 20}, {run, 4, 30, 40}};
const OldKernel kernels[] = {{"first", 1, "a.py:1", 1, 2, nests}, {"second", 7, "", 2, 0, nests}};
const dmc_arena arenas[] = {{DMC_MEMORY_HOST, 0, 64, 64}};

dmc_program oldProgram() {
  dmc_program program = {};
  program.abi_version = DMC_ABI_VERSION;
  program.struct_size = sizeof program;
  program.sizes = DMC_STRUCT_SIZES;
  program.sizes.nest = sizeof(OldNest);
  program.sizes.kernel = sizeof(OldKernel);
  program.name = "old";
  program.num_kernels = 2;
  program.kernels = reinterpret_cast<const dmc_kernel *>(kernels);
  program.num_arenas = 1;
  program.arenas = arenas;
  return program;
}

} // namespace

TEST(AdoptTables, ShorterStructsAreWidened) {
  dmc_program old = oldProgram();
  std::string error;
  auto adopted = adoptTables(old, error);
  ASSERT_TRUE(adopted) << error;
  ASSERT_EQ(adopted->num_kernels, 2u);
  const dmc_kernel &second = adopted->kernels[1];
  EXPECT_STREQ(second.name, "second");
  EXPECT_EQ(second.count, 7);
  EXPECT_EQ(second.stream, 0u);
  ASSERT_EQ(second.num_nests, 2u);
  EXPECT_EQ(second.nests[1].function, &run);
  EXPECT_EQ(second.nests[1].iterations, 4);
  EXPECT_EQ(second.nests[1].flops, 40);
  EXPECT_EQ(second.nests[1].device, nullptr);
  EXPECT_EQ(adopted->arenas, arenas) << "what has its length stays where it is";
}

TEST(AdoptTables, AShorterProgramHasNoNewMembers) {
  dmc_program old = oldProgram();
  std::string error;
  old.struct_size = offsetof(dmc_program, least_divided_flops) + sizeof(int64_t);
  EXPECT_TRUE(adoptTables(old, error)) << error;
  old.struct_size -= 8;
  EXPECT_FALSE(adoptTables(old, error));
  EXPECT_NE(error.find("has a table of"), std::string::npos) << error;
}

TEST(AdoptTables, LongerStructsAreRefused) {
  std::string error;
  dmc_program longer = oldProgram();
  longer.sizes.kernel = sizeof(dmc_kernel) + 8;
  EXPECT_FALSE(adoptTables(longer, error));
  EXPECT_EQ(error, "is of a newer dmc: it describes a kernel in " +
                       std::to_string(sizeof(dmc_kernel) + 8) + " bytes, this runtime knows " +
                       std::to_string(sizeof(dmc_kernel)));
  longer = oldProgram();
  longer.sizes.arena = 0;
  EXPECT_FALSE(adoptTables(longer, error));
  EXPECT_EQ(error, "does not say how long its tables are");
}
