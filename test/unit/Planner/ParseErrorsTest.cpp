// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a text, and where.
#include "Problems.h"

using namespace dmc::planner;

namespace {
std::string firstError(llvm::StringRef text) {
  std::vector<TextError> errors;
  if (parseProblem(text, errors))
    return "";
  return std::to_string(errors[0].line) + ":" + std::to_string(errors[0].column) + ": " +
         errors[0].message;
}

TEST(ParseErrors, SyntaxAndNames) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "1:1: expected 'problem', found the end of the text"},
      {"problem {", "1:9: expected the name of the problem, found '{'"},
      {"problem p {\n  ?", "2:3: unexpected character '?'"},
      {"problem p {\x01", "1:12: unexpected character of code 1"},
      {"problem \"p", "1:9: expected '\"' at the end of the string"},
      {"problem p {} x", "1:14: expected the end of the text after the problem"},
      {"problem p unit x {", "1:16: expected the logarithm of a unit, found 'x'"},
      {"problem p unit -101 {", "1:16: expected a logarithm from -100 to 100"},
      {"problem p { edge", "1:13: expected 'loop', 'variable', 'table', 'pair', 'row', 'request', "
                           "'group' or '}'"},
      {"problem p { loop l trips x", "1:26: expected a trip count, found 'x'"},
      {"problem p { loop l trips 99999999999999999999", "1:26: the number does not fit 64 bits"},
      {"problem p { variable a {r x}}", "1:27: expected a cost in picoseconds or 'inf', found 'x'"},
      {"problem p { variable a {r 1 s 2}}", "1:29: expected '}', found 's'"},
      {"problem p { variable a in l {}}", "1:27: loop \"l\" is not defined"},
      {"problem p { table t [1 2; 3] }", "1:28: expected 2 costs as in the first row, found 1"},
      {"problem p { table t [1] table t [1] }", "1:31: table \"t\" is defined twice"},
      {"problem p { variable a {r 1} variable b {r 1} pair a b {r r 1, r r 2} }",
       "1:64: expected one cost of two states, found another"},
      {"problem p { variable a {r 1} variable b {r 1} pair a b {default 1, default 1} }",
       "1:68: expected one default of a pair, found another"},
      {"problem p { pair a b [1] }", "1:18: variable \"a\" is not defined"},
      {"problem p { variable a {r 1} request a = s }", "1:42: variable \"a\" has no state \"s\""},
  };
  for (auto [text, expected] : cases)
    EXPECT_EQ(firstError(text), expected) << text;
}

TEST(ParseErrors, Mistakes) {
  const std::pair<const char *, const char *> cases[] = {
      {"problem p { loop l trips 0 }", "1:18: expected a trip count of at least 1, found 0"},
      {"problem p { variable a {} }", "1:22: variable \"a\" has no states"},
      {"problem p { variable a {r 1} variable a {r 1} }", "1:39: variable \"a\" is defined twice"},
      {"problem p { variable a {r 1, r 2} }", "1:22: variable \"a\" has two states \"r\""},
      {"problem p { variable a {r -1} }", "1:22: the cost of state \"r\" of \"a\" is negative"},
      {"problem p { table t [-1] }", "1:19: a cost of a table is negative"},
      {"problem p { variable a {r 1} pair a a [1] }",
       "1:35: expected two variables in a pair, found \"a\" twice"},
      {"problem p { row m capacity -1 {} }", "1:17: the capacity of row \"m\" is negative"},
      {"problem p { variable a {r 1} row m capacity 1 {a r 1, a r 2} }",
       "1:34: row \"m\" lists state \"r\" of \"a\" twice"},
      {"problem p { variable a {r 1} row m capacity 1 {a r -2} }",
       "1:34: the bytes of state \"r\" of \"a\" are negative"},
      {"problem p { variable a {r 1} request a = r request a = r }",
       "1:52: variable \"a\" is requested twice"},
      {"problem p { variable a {r 1} variable b {r 2} group g {[a], [b]} }",
       "1:53: group \"g\" has instances that are not equal: variables \"a\" and \"b\" differ"},
      {"problem p { variable a {r 1} group g {[a], []} }",
       "1:36: group \"g\" has instances of different numbers of variables, or of none"},
      {"problem p { variable a {r 1} group g {[a], [a]} }",
       "1:36: variable \"a\" is in two instances of groups"},
      {"problem p { variable a {r 1} variable b {r 1} variable c {r 1} variable d {r 1} "
       "pair a b [1] pair c d [2] group g {[a b], [c d]} }",
       "1:113: group \"g\" has instances that are not equal: pairs within the instances of \"a\" "
       "and "
       "\"c\" differ"},
      {"problem p { variable a {r 72057594037927937} }",
       "1:1: the largest costs add up to more than 72057594037927936 picoseconds"},
      {"problem p { row m capacity 72057594037927937 {} }",
       "1:17: the uses and the capacity of row \"m\" add up to more than 72057594037927936 bytes"},
  };
  for (auto [text, expected] : cases)
    EXPECT_EQ(firstError(text), expected) << text;
}

TEST(ParseErrors, LargeTables) {
  // One state more than the square root of the limit.
  std::string states = "{s 0";
  for (int i = 0; i < 16384; ++i)
    states += ", s" + std::to_string(i) + " 0";
  std::string error = firstError("problem p { variable a " + states + "} variable b " + states +
                                 "} pair a b {s s 1} }");
  EXPECT_NE(error.find("a table of 268468225 costs is larger than the limit 268435456"),
            std::string::npos)
      << error;
}

TEST(ParseErrors, AllMistakesAreNamed) {
  std::vector<TextError> errors;
  EXPECT_FALSE(parseProblem("problem p {\n loop l trips 0\n variable a {}\n}", errors));
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[1].line, 3U);
}
} // namespace
