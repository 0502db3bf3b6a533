// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CompilerTest.cpp - Runs the test cases that are written in C ------------===//
#include "CompilerFromC.h"

#include "gtest/gtest.h"

namespace {

class CompilerTest : public testing::TestWithParam<unsigned> {};

TEST_P(CompilerTest, FromC) { EXPECT_EQ(runCompilerCase(GetParam(), TEST_FOLDER), 0); }

INSTANTIATE_TEST_SUITE_P(All, CompilerTest, testing::Range(0u, numCompilerCases),
                         [](const auto &info) { return compilerCases[info.param].name; });

} // namespace
