// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for prices of memory by itself.
#include "Problems.h"

#include "Prices.h"

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
/// Where a step was so long that the next one leads back to prices of 0, and so would the one
/// behind it, shorter ones from the best prices follow.
TEST(Prices, GoOnWhereStepsWereTooLong) {
  LayoutProblem problem =
      parse("problem p { variable a {large 8, small 12} row m capacity 1000 {a large 1002} }");
  Scales scales(problem);
  PriceSearch search(problem, scales);
  auto step = [&](double cost, int64_t bytes, double bound) {
    search.addPlan(cost, {bytes});
    search.addBound(bound);
    return search.step(/*target=*/12, /*least=*/0.01);
  };
  ASSERT_TRUE(step(8, 1002, 0));
  const double first = search.getPrices().front();
  EXPECT_GT(first, 0);
  ASSERT_TRUE(step(8, 1002, 1));
  EXPECT_GT(search.getPrices().front(), first);
  ASSERT_TRUE(step(12, 0, -5));
  EXPECT_EQ(search.getPrices().front(), 0);
  ASSERT_TRUE(step(8, 1002, 0));
  EXPECT_GT(search.getPrices().front(), first);
}
} // namespace
