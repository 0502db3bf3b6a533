//===- TextTest.cpp - Printing and parsing --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Layout/Layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace dmc;

namespace {

TEST(Text, Combiners) {
  for (Combiner c : {Combiner::Sum, Combiner::Prod, Combiner::Max, Combiner::Min})
    EXPECT_EQ(symbolizeCombiner(stringify(c)), c);
  EXPECT_EQ(symbolizeCombiner("mean"), std::nullopt);
  EXPECT_EQ(symbolizeCombiner(""), std::nullopt);
}

TEST(Text, CollectiveKinds) {
  EXPECT_STREQ(stringify(CollectiveKind::AllReduce), "all_reduce");
  EXPECT_STREQ(stringify(CollectiveKind::Broadcast), "broadcast");
}

TEST(Text, AxesAndLayouts) {
  Mesh mesh({{"data", 2}, {"model", 8}});
  EXPECT_EQ(toString(mesh, AxisRef{0, 1, 2}), "data");
  EXPECT_EQ(toString(mesh, AxisRef{1, 1, 2}), "model:(1)2");
  EXPECT_EQ(toString(mesh, Layout::replicated(0)), "[]");
  EXPECT_EQ(toString(mesh, Layout::replicated(2)), "[{}, {}]");
  EXPECT_EQ(toString(mesh, Layout{{{{0, 1, 2}}, {}}, Combiner::Sum, {{1, 1, 8}}, {}}),
            "[{\"data\"}, {}], sum {\"model\"}");
  EXPECT_EQ(
      toString(mesh,
               Layout{{{{1, 2, 2}, {0, 1, 2}}}, Combiner::Max, {{1, 1, 2}}, {{{1, 4, 2}, 1}}}),
      "[{\"model\":(2)2, \"data\"}], max {\"model\":(1)2}, placed {\"model\":(4)2 = 1}");
}

TEST(ParseMesh, RoundTrips) {
  for (const char *text :
       {"x=1", "data=2,model=4", "a-b=3,c.d=1,_e=7", "a=65536,b=256", "azAZ09=2"}) {
    std::string error;
    std::optional<Mesh> mesh = parseMesh(text, error);
    ASSERT_TRUE(mesh) << error;
    EXPECT_EQ(toString(*mesh), text);
  }
  std::string error;
  EXPECT_EQ(parseMesh(" data = 2 ,\tmodel=04", error), Mesh({{"data", 2}, {"model", 4}}));
}

TEST(ParseMesh, SaysWhatIsWrong) {
  auto message = [](const std::string &text) {
    std::string error = "accepted";
    EXPECT_FALSE(parseMesh(text, error)) << text;
    return error;
  };
  EXPECT_EQ(message(""), "expected an axis as name=size, found \"\"");
  EXPECT_EQ(message("data"), "expected an axis as name=size, found \"data\"");
  EXPECT_EQ(message("data=2,"), "expected an axis as name=size, found \"\"");
  EXPECT_EQ(message("data=2,,model=4"), "expected an axis as name=size, found \"\"");
  EXPECT_EQ(message("=2"),
            "expected an axis name of letters, digits, '_', '-' and '.', found \"\"");
  EXPECT_EQ(message("a b=2"),
            "expected an axis name of letters, digits, '_', '-' and '.', found \"a b\"");
  // Characters beside those that names have.
  for (const char *name : {"n@", "n[", "n`", "n{", "n/", "n:", "n^", "n+"})
    EXPECT_EQ(message(std::string(name) + "=2"),
              std::string("expected an axis name of letters, digits, '_', '-' and '.', found \"") +
                  name + '"');
  for (const char *size : {"", "-2", "+2", "2x", "0x10", "2=3", "1e3"})
    EXPECT_EQ(message(std::string("a=") + size),
              std::string("expected a positive integer as size of axis \"a\", found \"") + size +
                  '"');
  EXPECT_EQ(message("a=0"), "expected axis \"a\" to have a positive size, found 0");
  EXPECT_EQ(message("a=2,a=2"), "expected axis names to be distinct, found \"a\" twice");
  EXPECT_EQ(message(std::string("a\0\xff=2", 5)),
            "expected an axis name of letters, digits, '_', '-' and '.', found \"a\\x00\\xff\"");
  EXPECT_LT(message(std::string(100000, 'x')).size(), 200u);
  // 40 bytes are quoted, of a longer text the first 40.
  EXPECT_EQ(message(std::string(40, 'x')),
            "expected an axis as name=size, found \"" + std::string(40, 'x') + '"');
  EXPECT_EQ(message(std::string(41, 'x')),
            "expected an axis as name=size, found \"" + std::string(40, 'x') + "...\"");
  for (const char *size : {"16777217", "9223372036854775807", "9223372036854775808",
                           "18446744073709551617", "99999999999999999999999999999999999999"})
    EXPECT_NE(message(std::string("a=") + size).find("at most 16777216 ranks"), std::string::npos);
  EXPECT_NE(message("a=9223372036854775790").find("of size 9223372036854775790"),
            std::string::npos);
  EXPECT_NE(message("a=65536,b=65536").find("at axis \"b\""), std::string::npos);
}

TEST(ParseMesh, SurvivesGarbage) {
  // Pieces of valid input and raw bytes: whatever is accepted prints and parses back.
  std::mt19937 random(1);
  const std::vector<std::string> pieces = {"a", "b", "=",           ",",   "2",   "4", "0",
                                           " ", "-", "9",           "\t",  ":",   "(", "\"",
                                           "_", ".", "99999999999", "a=2", ",b=3"};
  int accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    for (int n = random() % 10; n > 0; --n) {
      if (random() % 16 == 0)
        text += static_cast<char>(random());
      else
        text += pieces[random() % pieces.size()];
    }
    std::string error;
    std::optional<Mesh> mesh = parseMesh(text, error);
    if (!mesh) {
      EXPECT_FALSE(error.empty()) << text;
      EXPECT_TRUE(
          std::all_of(error.begin(), error.end(), [](char c) { return c >= 32 && c < 127; }));
      continue;
    }
    ++accepted;
    EXPECT_TRUE(error.empty());
    EXPECT_EQ(mesh->verify(), std::nullopt);
    EXPECT_EQ(parseMesh(toString(*mesh), error), *mesh);
  }
  EXPECT_GT(accepted, 1000);
}

} // namespace
