//===- CollectivesTest.cpp - Collectives of the local engine --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

using Values = std::vector<double>;

static int64_t count(const std::vector<int64_t> &shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

/// Walks all indices of a shape.
template <typename Body>
static void forEachIndex(const std::vector<int64_t> &shape, Body body) {
  std::vector<int64_t> index(shape.size());
  for (int64_t linear = 0; linear < count(shape); ++linear) {
    int64_t rest = linear;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      index[d] = rest % shape[d];
    body(index);
  }
}

static int64_t linear(const std::vector<int64_t> &shape, const std::vector<int64_t> &index) {
  int64_t result = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    result = result * shape[d] + index[d];
  return result;
}

static double combine(uint32_t combiner, double a, double b) {
  switch (combiner) {
  case DMC_SUM:
    return a + b;
  case DMC_PROD:
    return a * b;
  case DMC_MAX:
    return std::max(a, b);
  default:
    return std::min(a, b);
  }
}

static std::vector<int64_t> resultShape(const dmc_collective &c, int64_t p) {
  std::vector<int64_t> shape(c.shape, c.shape + c.rank);
  if (c.kind == DMC_ALL_GATHER)
    shape[c.dim] *= p;
  if (c.kind == DMC_REDUCE_SCATTER || c.kind == DMC_ALL_TO_ALL)
    shape[c.dim] /= p;
  if (c.kind == DMC_ALL_TO_ALL)
    shape[c.concat_dim] *= p;
  return shape;
}

/// The definition of each collective, element by element.
static Values expected(const dmc_collective &c, const std::vector<Values> &operands,
                       int64_t position) {
  auto p = static_cast<int64_t>(operands.size());
  std::vector<int64_t> shape(c.shape, c.shape + c.rank), out = resultShape(c, p);
  Values result(count(out));
  forEachIndex(out, [&](const std::vector<int64_t> &index) {
    double &element = result[linear(out, index)];
    std::vector<int64_t> from = index;
    int64_t source = 0;
    switch (c.kind) {
    case DMC_REDUCE_SCATTER:
      from[c.dim] += position * out[c.dim];
      [[fallthrough]];
    case DMC_ALL_REDUCE:
      element = operands[0][linear(shape, from)];
      for (int64_t s = 1; s < p; ++s)
        element = combine(c.combiner, element, operands[s][linear(shape, from)]);
      return;
    case DMC_ALL_GATHER:
      source = index[c.dim] / shape[c.dim];
      from[c.dim] = index[c.dim] % shape[c.dim];
      element = operands[source][linear(shape, from)];
      return;
    case DMC_ALL_TO_ALL: {
      int64_t piece = out[c.concat_dim] / p;
      source = index[c.concat_dim] / piece;
      from[c.concat_dim] = index[c.concat_dim] % piece;
      from[c.dim] += position * (shape[c.dim] / p);
      element = operands[source][linear(shape, from)];
      return;
    }
    case DMC_PERMUTE:
      element = 0;
      for (size_t i = 0; i < c.num_pairs; ++i)
        if (c.pairs[2 * i + 1] == position)
          element = operands[c.pairs[2 * i]][linear(shape, from)];
      return;
    case DMC_BROADCAST:
      element = operands[c.root][linear(shape, from)];
      return;
    default:
      return;
    }
  });
  return result;
}

/// Runs one collective, its operand in place where `inPlace`, twice over.
static void check(const std::string &meshText, const std::vector<AxisRef> &axes,
                  dmc_collective_kind kind, uint32_t type, const std::vector<int64_t> &shape,
                  const std::function<void(dmc_collective &)> &adjust, bool inPlace = false) {
  ProgramBuilder builder(meshText);
  dmc_collective &built = builder.collective(kind, type, shape, axes);
  adjust(built);
  dmc_collective c = built;
  SCOPED_TRACE(std::string(collectiveName(kind)) + " " + std::to_string(c.combiner) + " of " +
               toString(type, shape) + " on " + meshText + ", group of " +
               std::to_string(groupSize(axes)));
  int64_t p = groupSize(axes);
  builder.argument(type, shape);
  builder.result(type, resultShape(c, p));
  dmc_program &program =
      builder.finish([&](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *,
                         void *const *arguments, void *const *results, void *) {
        const void *operand = arguments[0];
        if (inPlace) {
          std::memcpy(results[0], operand, c.operand_bytes);
          operand = results[0];
        }
        if (int32_t code = api->collective_start(context, 0, operand, results[0]))
          return code;
        return api->collective_wait(context, 0);
      });
  std::string error;
  auto session = Session::create(program, {}, error);
  ASSERT_TRUE(session) << error;

  const Mesh &mesh = builder.mesh();
  std::vector<Values> operands;
  for (int64_t r = 0; r < mesh.numRanks(); ++r) {
    Values values;
    for (int64_t i = 0; i < count(shape); ++i) // small, so that products are exact
      values.push_back(type == DMC_I1 ? (r * 5 + i * 3 + r * i) % 2 : (r * 7 + i * 3) % 4);
    operands.push_back(values);
    ASSERT_FALSE(session->setLocalArgument(r, 0, makeArray(type, shape, values)));
  }
  for (int run = 0; run < 2; ++run) {
    auto failure = session->step();
    ASSERT_FALSE(failure) << *failure;
    for (int64_t r = 0; r < mesh.numRanks(); ++r) {
      std::vector<Values> inGroup;
      for (int64_t member : group(mesh, axes, r))
        inGroup.push_back(operands[member]);
      Values want = expected(c, inGroup, positionInGroup(mesh, axes, r));
      if (type == DMC_I1 && c.combiner == DMC_SUM)
        for (double &value : want)
          value = std::fmod(value, 2);
      EXPECT_EQ(valuesOf(*session->localResult(r, 0, error)), want) << "rank " << r;
    }
  }
}

struct Case {
  std::string mesh;
  std::vector<std::vector<AxisRef>> groups;
};

static std::vector<Case> cases() {
  AxisRef a2{0, 1, 2}, b2{1, 1, 2}, b3{1, 1, 3};
  return {{"a=1", {{{0, 1, 1}}, {}}},
          {"a=2", {{a2}}},
          {"a=3", {{{0, 1, 3}}}},
          {"a=2,b=2", {{a2}, {b2}, {a2, b2}, {b2, a2}}},
          {"a=2,b=3", {{a2}, {b3}, {a2, b3}, {b3, a2}}},
          // Parts of an axis: pairs of neighbours, and pairs two apart.
          {"a=4", {{{0, 2, 2}}, {{0, 1, 2}}}}};
}

static const uint32_t allTypes[] = {DMC_I1,   DMC_I8,   DMC_I16,  DMC_I32,  DMC_I64,
                                    DMC_UI8,  DMC_UI16, DMC_UI32, DMC_UI64, DMC_F16,
                                    DMC_BF16, DMC_F32,  DMC_F64};

TEST(Collectives, AllReduce) {
  for (const Case &c : cases())
    for (const auto &axes : c.groups)
      for (uint32_t combiner : {DMC_SUM, DMC_PROD, DMC_MAX, DMC_MIN})
        check(
            c.mesh, axes, DMC_ALL_REDUCE, DMC_F32, {5, 7},
            [&](dmc_collective &built) { built.combiner = combiner; }, combiner == DMC_SUM);
}

TEST(Collectives, AllReduceOfEveryType) {
  for (uint32_t type : allTypes)
    for (uint32_t combiner : {DMC_SUM, DMC_PROD, DMC_MAX, DMC_MIN})
      check("a=2,b=3", {{0, 1, 2}, {1, 1, 3}}, DMC_ALL_REDUCE, type, {9},
            [&](dmc_collective &built) { built.combiner = combiner; });
}

// Large operands are read in place and reduced in slices.
TEST(Collectives, LargeAndUneven) {
  for (int64_t size : {4097, 20001})
    for (bool inPlace : {false, true}) {
      check("a=2,b=3", {{1, 1, 3}}, DMC_ALL_REDUCE, DMC_F32, {size}, [](auto &) {}, inPlace);
      check(
          "a=3", {{0, 1, 3}}, DMC_PERMUTE, DMC_F64, {size},
          [](dmc_collective &built) {
            static const int64_t pairs[] = {0, 1, 1, 2, 2, 0};
            built.pairs = pairs;
            built.num_pairs = 3;
          },
          inPlace);
      check("a=3", {{0, 1, 3}}, DMC_ALL_TO_ALL, DMC_F32, {3, size}, [](auto &) {}, inPlace);
    }
  check("a=3", {{0, 1, 3}}, DMC_ALL_GATHER, DMC_F32, {2, 5001},
        [](dmc_collective &built) { built.dim = 1; });
  check("a=3", {{0, 1, 3}}, DMC_REDUCE_SCATTER, DMC_BF16, {4, 3000},
        [](dmc_collective &built) { built.dim = 1; });
}

TEST(Collectives, Empty) {
  check("a=2", {{0, 1, 2}}, DMC_ALL_REDUCE, DMC_F32, {0, 3}, [](auto &) {});
  check("a=2", {{0, 1, 2}}, DMC_ALL_GATHER, DMC_F32, {0, 3}, [](auto &) {});
  check("a=2", {{0, 1, 2}}, DMC_ALL_REDUCE, DMC_F32, {}, [](auto &) {});
}

TEST(Collectives, AllGatherReduceScatter) {
  for (const Case &c : cases())
    for (const auto &axes : c.groups)
      for (uint32_t dim : {0u, 1u, 2u}) {
        std::vector<int64_t> shape = {2, 3, 2}, wide = shape;
        wide[dim] *= groupSize(axes);
        auto setDim = [&](dmc_collective &built) { built.dim = dim; };
        check(c.mesh, axes, DMC_ALL_GATHER, DMC_I16, shape, setDim);
        check(c.mesh, axes, DMC_REDUCE_SCATTER, DMC_F64, wide, setDim);
      }
}

TEST(Collectives, AllToAll) {
  for (const Case &c : cases())
    for (const auto &axes : c.groups)
      for (uint32_t dim : {0u, 1u, 2u})
        for (uint32_t concat : {0u, 1u, 2u}) {
          std::vector<int64_t> shape = {2, 3, 2};
          shape[dim] *= groupSize(axes);
          check(c.mesh, axes, DMC_ALL_TO_ALL, DMC_I8, shape, [&](dmc_collective &built) {
            built.dim = dim;
            built.concat_dim = concat;
          });
        }
}

TEST(Collectives, PermuteBroadcast) {
  static const int64_t shift[] = {0, 1, 1, 2};
  static const int64_t self[] = {0, 0};
  check("a=3", {{0, 1, 3}}, DMC_PERMUTE, DMC_I64, {5}, [](dmc_collective &built) {
    built.pairs = shift;
    built.num_pairs = 2; // position 0 receives nothing
  });
  check("a=1", {{0, 1, 1}}, DMC_PERMUTE, DMC_I64, {5}, [](auto &) {});
  check("a=1", {{0, 1, 1}}, DMC_PERMUTE, DMC_I64, {5}, [](dmc_collective &built) {
    built.pairs = self;
    built.num_pairs = 1;
  });
  for (int64_t root : {0, 1, 2})
    for (bool inPlace : {false, true})
      check(
          "a=2,b=3", {{1, 1, 3}}, DMC_BROADCAST, DMC_F16, {3, 3},
          [&](dmc_collective &built) { built.root = root; }, inPlace);
}

/// All-reduces one vector per rank over a=N.
static Values reduceVectors(uint32_t type, uint32_t combiner, const std::vector<Values> &operands) {
  auto size = static_cast<int64_t>(operands[0].size());
  ProgramBuilder builder("a=" + std::to_string(operands.size()));
  builder.argument(type, {size});
  builder.result(type, {size});
  builder.collective(DMC_ALL_REDUCE, type, {size}, {whole(builder.mesh(), 0)}).combiner = combiner;
  dmc_program &program =
      builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *,
                        void *const *arguments, void *const *results,
                        void *) { return api->collective(context, 0, arguments[0], results[0]); });
  std::string error;
  auto session = Session::create(program, {}, error);
  for (size_t r = 0; r < operands.size(); ++r)
    session->setLocalArgument(static_cast<int64_t>(r), 0, makeArray(type, {size}, operands[r]));
  EXPECT_FALSE(session->step());
  auto result = session->result(0, error); // also checks that all ranks agree
  EXPECT_TRUE(result) << error;
  return valuesOf(*result);
}

TEST(Collectives, MaxAndMinKeepNaNAndOrderZeros) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (uint32_t type : {DMC_F16, DMC_BF16, DMC_F32, DMC_F64}) {
    for (uint32_t combiner : {DMC_MAX, DMC_MIN}) {
      Values result =
          reduceVectors(type, combiner, {{nan, 1, -0.0, 0.0, -3}, {1, nan, 0.0, -0.0, 2}});
      EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[1]));
      EXPECT_EQ(result[2], 0);
      EXPECT_EQ(std::signbit(result[2]), combiner == DMC_MIN);
      EXPECT_EQ(std::signbit(result[3]), combiner == DMC_MIN);
      EXPECT_EQ(result[4], combiner == DMC_MAX ? 2 : -3);
    }
  }
}

// Rounding after each addition would lose both small ones.
TEST(Collectives, HalfFloatsAccumulateInFloat) {
  EXPECT_EQ(reduceVectors(DMC_BF16, DMC_SUM, {{256}, {1}, {1}})[0], 258);
  EXPECT_EQ(reduceVectors(DMC_F16, DMC_SUM, {{2048}, {1}, {1}})[0], 2050);
}

TEST(Collectives, IntegersWrap) {
  EXPECT_EQ(reduceVectors(DMC_I8, DMC_SUM, {{127}, {1}})[0], -128);
  EXPECT_EQ(reduceVectors(DMC_UI16, DMC_PROD, {{65535}, {65535}})[0], 1);
  EXPECT_EQ(reduceVectors(DMC_UI8, DMC_MAX, {{200}, {100}})[0], 200);
  EXPECT_EQ(reduceVectors(DMC_I8, DMC_MIN, {{-100}, {100}})[0], -100);
}

// (x0 + x1) + x2 in this order, every time.
TEST(Collectives, OrderIsFixed) {
  for (int run = 0; run < 20; ++run) {
    EXPECT_EQ(reduceVectors(DMC_F32, DMC_SUM, {{1e20}, {-1e20}, {1}})[0], 1);
    EXPECT_EQ(reduceVectors(DMC_F32, DMC_SUM, {{1}, {1e20}, {-1e20}})[0], 0);
  }
}

// Two groups work at their own pace; small and large collectives alternate on one
// meeting point.
TEST(Collectives, ManyInARow) {
  ProgramBuilder builder("a=2,b=2");
  constexpr int64_t size = 5000;
  builder.argument(DMC_F32, {size});
  builder.result(DMC_F32, {size});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {size}, {whole(builder.mesh(), 0)});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {7}, {whole(builder.mesh(), 0)});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {size}, {whole(builder.mesh(), 1)}).combiner =
      DMC_MAX;
  dmc_program &program = builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api,
                                           const int64_t *coordinates, void *const *arguments,
                                           void *const *results, void *) {
    auto *x = static_cast<float *>(results[0]);
    std::memcpy(x, arguments[0], size * sizeof(float));
    for (int64_t i = 0; i < 50; ++i) {
      for (int64_t j = 0; j < size; ++j)
        x[j] = x[j] / 2 + static_cast<float>(coordinates[0]);
      if (api->collective(context, i % 3 == 0 ? 1 : 0, x, x))
        return 1;
      for (int64_t j = 0; j < size; ++j)
        x[j] /= 2;
      if (i % 5 == 4 && api->collective(context, 2, x, x))
        return 1;
    }
    if (api->collective(context, 0, x, x))
      return 1;
    return api->collective(context, 2, x, x);
  });
  std::string error;
  auto session = Session::create(program, {}, error);
  ASSERT_TRUE(session) << error;
  Values first;
  for (int run = 0; run < 5; ++run) {
    Values values(size);
    for (int64_t i = 0; i < size; ++i)
      values[i] = static_cast<double>(i % 11) / 7;
    ASSERT_FALSE(session->setArgument(0, makeArray(DMC_F32, {size}, values)));
    ASSERT_FALSE(session->step());
    auto result = session->result(0, error);
    ASSERT_TRUE(result) << error;
    if (run == 0)
      first = valuesOf(*result);
    EXPECT_EQ(valuesOf(*result), first);
  }
  EXPECT_EQ(session->executions(), (std::vector<int64_t>{34, 17, 11}));
}

// Groups that no axes describe, in their own order; a rank in none gets zeros.
TEST(Collectives, ListedGroups) {
  static const int64_t groups[] = {3, 1, 0, 4};
  struct {
    dmc_collective_kind kind;
    std::vector<int64_t> shape, resultShape;
  } kinds[] = {{DMC_ALL_REDUCE, {2}, {2}},
               {DMC_ALL_GATHER, {2}, {4}},
               {DMC_BROADCAST, {2}, {2}},
               {DMC_REDUCE_SCATTER, {2}, {1}}};
  for (auto &[kind, shape, resultShape] : kinds) {
    SCOPED_TRACE(collectiveName(kind));
    ProgramBuilder builder("a=5");
    dmc_collective &built = builder.collective(kind, DMC_I32, shape, {});
    built.num_groups = built.group_size = 2;
    built.groups = groups;
    built.result_bytes = 4 * count(resultShape);
    builder.argument(DMC_I32, shape);
    builder.result(DMC_I32, resultShape);
    dmc_program &program =
        builder.finish([](dmc_rank_context *context, const dmc_runtime_api *api, const int64_t *,
                          void *const *arguments, void *const *results, void *) {
          return api->collective(context, 0, arguments[0], results[0]);
        });
    std::string error;
    auto session = Session::create(program, {}, error);
    ASSERT_TRUE(session) << error;
    for (int64_t r = 0; r < 5; ++r) {
      double base = 10 * static_cast<double>(r);
      ASSERT_FALSE(session->setLocalArgument(r, 0, makeArray(DMC_I32, shape, {base, base + 1})));
    }
    auto failure = session->step();
    ASSERT_FALSE(failure) << *failure;
    for (int64_t r = 0; r < 5; ++r) {
      double base = 10 * static_cast<double>(r == 3 || r == 1 ? 3 : 0);
      double other = r == 3 || r == 1 ? 10 : 40;
      bool isFirst = r == 3 || r == 0;
      Values want = {base, base + 1};
      if (kind == DMC_ALL_REDUCE)
        want = {base + other, base + other + 2};
      if (kind == DMC_ALL_GATHER)
        want = {base, base + 1, other, other + 1};
      if (kind == DMC_REDUCE_SCATTER)
        want = {base + other + (isFirst ? 0 : 2)};
      if (r == 2)
        want.assign(want.size(), 0);
      EXPECT_EQ(valuesOf(*session->localResult(r, 0, error)), want) << "rank " << r;
    }
  }
}

TEST(Collectives, MalformedGroups) {
  auto problem = [](std::vector<int64_t> groups) {
    ProgramBuilder builder("a=2");
    dmc_collective &built = builder.collective(DMC_ALL_REDUCE, DMC_I32, {1}, {});
    built.num_groups = static_cast<uint32_t>(groups.size());
    built.group_size = 1;
    built.groups = groups.data();
    builder.argument(DMC_I32, {1});
    builder.result(DMC_I32, {1});
    dmc_program &program =
        builder.finish([](dmc_rank_context *, const dmc_runtime_api *, const int64_t *,
                          void *const *, void *const *, void *) { return 0; });
    std::string error;
    Session::create(program, {}, error);
    return error;
  };
  EXPECT_NE(problem({0, 0}).find("has rank 0 twice in its groups"), std::string::npos);
  EXPECT_NE(problem({2}).find("has rank 2 of 2 in its groups"), std::string::npos);
  EXPECT_NE(problem({0, 1, 0}).find("groups of more than the 2 ranks"), std::string::npos);
}
