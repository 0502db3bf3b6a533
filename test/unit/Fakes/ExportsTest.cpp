//===- ExportsTest.cpp - The table and the libraries ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

#include <cstdio>
#include <set>
#include <sstream>

using namespace dmc::fakes::test;

namespace {
/// What a command prints.
std::string outputOf(const std::string &command) {
  // NOLINTNEXTLINE(bugprone-command-processor): of the build's own files
  FILE *pipe = popen(command.c_str(), "r");
  std::string said;
  char line[4096];
  while (pipe && std::fgets(line, sizeof line, pipe))
    said += line;
  EXPECT_EQ(pipe ? pclose(pipe) : -1, 0);
  return said;
}

std::set<std::string> exportedNames(const std::string &library) {
  std::istringstream words(outputOf("nm -D --defined-only '" + library + "'"));
  std::set<std::string> names;
  std::string address, kind, name;
  while (words >> address >> kind >> name)
    names.insert(name);
  return names;
}

TEST(Exports, AreTheTableAndThePrivateEntries) {
  std::set<std::string> expected = {"dmcFakeEnqueue",     "dmcFakeHostAddress", "dmcFakeReport",
                                    "dmcFakeWake",        "dmcFakeSeed",        "dmcFakeDevice",
                                    "dmcFakeReportCount", "dmcFakeReportText",  "dmcFakeReset",
                                    "dmcFakeTime",        "dmcFakeTakes",       "dmcFakeExecuted"};
#define DMC_CUDA_FUNCTION(exported, name, parameters) expected.insert(#exported);
#include "CUDA/Driver.def"
  EXPECT_EQ(exportedNames(TEST_FAKE_CUDA), expected);
}

TEST(Exports, OfCublasLtAreTheTable) {
  std::set<std::string> expected;
#define DMC_CUBLASLT_FUNCTION(result, exported, name, parameters) expected.insert(#exported);
#include "CUDA/CublasLt.def"
  EXPECT_EQ(exportedNames(TEST_FAKE_CUBLASLT), expected);
}

TEST(Exports, OfNcclAreTheTable) {
  std::set<std::string> expected;
#define DMC_NCCL_FUNCTION(since, result, exported, name, parameters) expected.insert(#exported);
#include "CUDA/Nccl.def"
  EXPECT_EQ(expected.size(), 33u);
  EXPECT_EQ(exportedNames(TEST_FAKE_NCCL), expected);
}

/// What a process says whose libcuda.so.1 is that of a folder.
std::string loadedFrom(const std::string &folder) {
  return outputOf("LD_LIBRARY_PATH='" + folder + "' '" + TEST_LOAD_DRIVER + "'");
}

TEST(Exports, InstalledDriversAreChecked) {
  std::string folder = TEST_DRIVERS;
  // Before CUDA 13.
  EXPECT_EQ(loadedFrom(folder + "/older"), "loaded\n");
  EXPECT_EQ(loadedFrom(folder + "/lacking"),
            "the CUDA driver libcuda.so.1 has no function cuGraphLaunch: dmc needs a newer one\n");
  EXPECT_NE(loadedFrom(folder + "/broken").find("the CUDA driver libcuda.so.1 cannot be loaded: "),
            std::string::npos);
}
} // namespace
