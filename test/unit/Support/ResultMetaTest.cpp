//===- ResultMetaTest.cpp - Names and tolerances of results ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Support/ResultMeta.h"
#include "dmc-c/Program.h"
#include "dmc/Support/Files.h"

#include "gtest/gtest.h"

#include <fstream>

using namespace dmc::support;
using dmc::runtime::Tolerance;

namespace {
/// Reads a text as meta.json; `error` has no path.
std::optional<std::vector<ResultMeta>> read(const std::string &text, std::string &error) {
  TemporaryFolder folder;
  EXPECT_EQ(folder.create("dmc-support-tests"), "");
  std::string path = folder.file("meta.json");
  std::ofstream(path) << text;
  auto meta = readResultMeta(path, error);
  if (!meta)
    error = error.substr(path.size());
  return meta;
}

std::string errorOf(const std::string &text) {
  std::string error;
  EXPECT_FALSE(read(text, error).has_value());
  return error;
}
} // namespace

TEST(ResultMeta, DefaultsDependOnTheType) {
  EXPECT_EQ(getDefaultTolerance(DMC_F32).rtol, kDefaultTolerance.rtol);
  EXPECT_EQ(getDefaultTolerance(DMC_BF16).atol, kDefaultTolerance.atol);
  for (uint32_t type : {DMC_I1, DMC_I32, DMC_UI64}) {
    EXPECT_EQ(getDefaultTolerance(type).rtol, 0);
    EXPECT_EQ(getDefaultTolerance(type).atol, 0);
  }
}

TEST(ResultMeta, WhatIsGivenCounts) {
  std::string error;
  auto meta = read(
      R"({"rtol": 0.5, "results": [{"name": "a"}, {"name": "b", "rtol": 0, "atol": 2}]})", error);
  ASSERT_TRUE(meta.has_value()) << error;
  ASSERT_EQ(meta->size(), 2u);
  EXPECT_EQ((*meta)[0].name, "a");
  Tolerance a = (*meta)[0].getTolerance(DMC_F32), b = (*meta)[1].getTolerance(DMC_I32);
  EXPECT_EQ(a.rtol, 0.5);
  EXPECT_EQ(a.atol, kDefaultTolerance.atol);
  EXPECT_EQ((*meta)[0].getTolerance(DMC_I32).atol, 0);
  EXPECT_EQ(b.rtol, 0);
  EXPECT_EQ(b.atol, 2);
}

TEST(ResultMeta, Malformed) {
  EXPECT_EQ(errorOf("{}"), ": has no array \"results\"");
  EXPECT_EQ(errorOf(R"({"results": [{}]})"), ": result 0 has no name");
  EXPECT_EQ(errorOf(R"({"results": [{"name": "a", "atol": -1}]})"),
            ": result 0 (a) has a malformed atol, expected a number");
  EXPECT_EQ(errorOf(R"({"results": [{"name": "a", "rtol": "x"}]})"),
            ": result 0 (a) has a malformed rtol, expected a number");
  EXPECT_EQ(errorOf("{").substr(0, 13), ": is not JSON");
}
