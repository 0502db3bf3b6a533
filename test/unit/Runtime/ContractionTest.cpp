//===- ContractionTest.cpp - Contractions against plain loops -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Contraction.h"
#include "Device/Team.h"
#include "Matmul/Matmul.h"
#include "TestSupport.h"
#include "dmc/Runtime/ContractionPlan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

namespace {
struct Loop {
  char role; // b, m, n, k
  int64_t size;
};

/// A contraction with its three buffers: each in an order of dimensions of its
/// own, and with gaps where `isPadded`. Loops are given batch first, then m, n, k.
struct Instance {
  std::vector<int64_t> sizes, strides[3];
  dmc_contraction contraction = {};
  int64_t elements[3] = {1, 1, 1};

  Instance(std::vector<Loop> loops, std::mt19937 &random, bool isShuffled, bool isPadded) {
    std::string order = "bmnk", indexed[3] = {"bmk", "bkn", "bmn"};
    uint32_t *counts[4] = {&contraction.num_batch, &contraction.num_m, &contraction.num_n,
                           &contraction.num_k};
    for (const Loop &loop : loops) {
      sizes.push_back(loop.size);
      ++*counts[order.find(loop.role)];
    }
    for (int buffer = 0; buffer < 3; ++buffer) {
      std::vector<size_t> dims;
      for (char role : indexed[buffer])
        for (size_t i = 0; i < loops.size(); ++i)
          if (loops[i].role == role)
            dims.push_back(i);
      if (isShuffled)
        std::shuffle(dims.begin(), dims.end(), random);
      strides[buffer].assign(loops.size(), 0);
      for (size_t d = dims.size(); d-- > 0;) {
        strides[buffer][dims[d]] = elements[buffer];
        elements[buffer] *= sizes[dims[d]] + (isPadded ? int64_t(random() % 3) : 0);
      }
    }
    contraction.sizes = sizes.data();
    contraction.a_strides = strides[0].data();
    contraction.b_strides = strides[1].data();
    contraction.c_strides = strides[2].data();
  }

  void setTypes(uint32_t a, uint32_t b, uint32_t c) {
    contraction.a_type = a;
    contraction.b_type = b;
    contraction.c_type = c;
  }

  /// The definition, in double.
  void evaluate(const std::vector<double> &a, const std::vector<double> &b,
                std::vector<double> &c) const {
    std::vector<double> sums(c.size(), 0);
    std::vector<bool> isWritten(c.size(), false);
    int64_t total = 1;
    for (int64_t size : sizes)
      total *= size;
    for (int64_t i = 0; i < total; ++i) {
      int64_t at[3] = {0, 0, 0}, rest = i;
      for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
        for (int buffer = 0; buffer < 3; ++buffer)
          at[buffer] += rest % sizes[d] * strides[buffer][d];
      sums[at[2]] += a[at[0]] * b[at[1]];
      isWritten[at[2]] = true;
    }
    for (size_t i = 0; i < c.size(); ++i)
      if (isWritten[i])
        c[i] = sums[i] + (contraction.accumulate ? c[i] : 0);
  }
};
} // namespace

static std::vector<double> randomValues(int64_t count, std::mt19937 &random) {
  std::vector<double> values(static_cast<size_t>(count));
  for (double &value : values)
    value = static_cast<double>(random() % 7) - 3; // exact in every type
  return values;
}

static std::string describe(const Instance &instance) {
  std::string text = elementName(instance.contraction.a_type);
  text += std::string(" x ") + elementName(instance.contraction.b_type) + " -> " +
          elementName(instance.contraction.c_type);
  for (size_t i = 0; i < instance.sizes.size(); ++i) {
    text += "; " + std::to_string(instance.sizes[i]) + ":";
    for (const auto &strides : instance.strides)
      text += " " + std::to_string(strides[i]);
  }
  return text;
}

/// Runs it in memory of exactly the size that is stated for so many threads.
static void runInScratch(const Instance &instance, const Array arrays[3], int threads) {
  ContractionScratch size = scratchOf(instance.contraction);
  constexpr size_t guard = 64;
  auto bytes = static_cast<size_t>(size.bytes(threads));
  Buffer memory = Buffer::allocate(bytes + guard);
  std::memset(memory.data() + bytes, 0x5a, guard);
  std::string error;
  std::unique_ptr<Team> team = Team::create(threads, error);
  Contractor contractor(threads);
  contractor.setScratch(memory.data(), size);
  auto failure = contractor.prepare(instance.contraction);
  if (!failure)
    failure = contractor.run(instance.contraction, arrays[0].data(), arrays[1].data(),
                             arrays[2].data(), team.get());
  ASSERT_FALSE(failure) << *failure;
  for (size_t i = 0; i < guard; ++i)
    ASSERT_EQ(memory.data()[bytes + i], 0x5a) << "a byte behind the scratch";
}

/// Whether the scratch that is stated is enough for any number of threads.
static void checkScratch(const Instance &instance) {
  ContractionScratch size = scratchOf(instance.contraction);
  for (int threads : {1, 2, 3, 5, 8, 64}) {
    auto plan = matmul::Matmul::plan(instance.contraction, threads);
    if (!plan)
      continue;
    EXPECT_LE(plan->scratchBytes(), static_cast<size_t>(size.perThread)) << threads;
    EXPECT_LE((plan->packedBytes() + 63) / 64 * 64 + plan->partialBytes(),
              static_cast<size_t>(size.shared))
        << threads;
  }
}

/// Small integers: the sums are exact, whatever the order.
static void check(Instance &instance, std::mt19937 &random, Contractor &contractor) {
  SCOPED_TRACE(describe(instance));
  std::vector<double> values[3];
  Array arrays[3];
  uint32_t types[3] = {instance.contraction.a_type, instance.contraction.b_type,
                       instance.contraction.c_type};
  for (int i = 0; i < 3; ++i) {
    values[i] = randomValues(instance.elements[i], random);
    arrays[i] = makeArray(types[i], {instance.elements[i]}, values[i]);
  }
  instance.evaluate(values[0], values[1], values[2]);
  for (double &value : values[2]) { // rounded once
    uint64_t bits = 0;
    storeElement(types[2], &bits, value);
    value = elementToDouble(types[2], &bits);
  }
  auto failure =
      contractor.run(instance.contraction, arrays[0].data(), arrays[1].data(), arrays[2].data());
  ASSERT_FALSE(failure) << *failure;
  EXPECT_EQ(valuesOf(arrays[2]), values[2]);
  checkScratch(instance);
}

TEST(Contraction, SimplifyMergesWhatCollapses) {
  ContractionLoops loops;
  loops.batch = {{1, 7, 7, 7}};
  loops.m = {{4, 15, 0, 6}, {5, 3, 0, 1}, {3, 1, 0, 30}}; // the first two collapse in A, not in C
  loops.n = {{2, 0, 12, 12}, {3, 0, 4, 4}, {4, 0, 1, 1}};
  loops.k = {{6, 5, 35, 0}, {5, 1, 7, 0}};
  ContractionLoops simple = simplify(loops);
  EXPECT_TRUE(simple.batch.empty());
  EXPECT_EQ(simple.m.size(), 3u);
  ASSERT_EQ(simple.n.size(), 1u);
  EXPECT_EQ(simple.n[0].size, 24);
  EXPECT_EQ(simple.n[0].b, 1);
  ASSERT_EQ(simple.k.size(), 1u);
  EXPECT_EQ(simple.k[0].size, 30);
  EXPECT_EQ(simple.k[0].b, 7);
}

TEST(Contraction, RefusesOtherTypes) {
  std::mt19937 random(1);
  Instance instance({{'m', 2}, {'n', 2}, {'k', 2}}, random, false, false);
  double data[4] = {};
  instance.setTypes(DMC_I1, DMC_I32, DMC_I32);
  EXPECT_EQ(*Contractor(1).run(instance.contraction, data, data, data),
            "contraction of element type i1, expected a float type or integers of at least 8 bits");
  instance.setTypes(DMC_I32, DMC_F32, DMC_F32);
  EXPECT_EQ(*Contractor(1).run(instance.contraction, data, data, data),
            "contraction of element types i32 and f32, expected only floats or only integers");
}

/// The value of an integer, extended by its sign to 64 bits.
static uint64_t extended(uint32_t type, const uint8_t *from) {
  uint64_t bits = 0;
  size_t bytes = elementBytes(type);
  std::memcpy(&bits, from, bytes);
  unsigned rest = 64 - 8 * static_cast<unsigned>(bytes);
  bool isSigned = type <= DMC_I64;
  return isSigned ? static_cast<uint64_t>(static_cast<int64_t>(bits << rest) >> rest) : bits;
}

/// All bits are random: sums overflow.
static void checkIntegers(const Instance &instance, std::mt19937 &random) {
  SCOPED_TRACE(describe(instance));
  const dmc_contraction &contraction = instance.contraction;
  uint32_t types[3] = {contraction.a_type, contraction.b_type, contraction.c_type};
  std::vector<uint8_t> buffers[3];
  for (int i = 0; i < 3; ++i) {
    buffers[i].resize(static_cast<size_t>(instance.elements[i]) * elementBytes(types[i]));
    for (uint8_t &byte : buffers[i])
      byte = static_cast<uint8_t>(random());
  }
  auto element = [&](std::vector<uint8_t> *from, int buffer, int64_t at) {
    return from[buffer].data() + static_cast<size_t>(at) * elementBytes(types[buffer]);
  };
  std::vector<uint8_t> want[3] = {buffers[0], buffers[1], buffers[2]};
  for (bool isFirst : {true, false}) {
    int64_t total = 1;
    for (int64_t size : instance.sizes)
      total *= size;
    for (int64_t i = 0; i < total; ++i) {
      int64_t at[3] = {0, 0, 0}, rest = i;
      for (size_t d = instance.sizes.size(); d-- > 0; rest /= instance.sizes[d])
        for (int buffer = 0; buffer < 3; ++buffer)
          at[buffer] += rest % instance.sizes[d] * instance.strides[buffer][d];
      uint8_t *result = element(want, 2, at[2]);
      uint64_t sum = 0;
      if (!isFirst)
        sum = extended(types[2], result) + extended(types[0], element(want, 0, at[0])) *
                                               extended(types[1], element(want, 1, at[1]));
      else if (contraction.accumulate)
        continue;
      std::memcpy(result, &sum, elementBytes(types[2]));
    }
  }
  for (int threads : {1, 2, 5}) {
    std::vector<uint8_t> result = buffers[2];
    std::string error;
    std::unique_ptr<Team> team = Team::create(threads, error);
    auto failure = Contractor(threads).run(contraction, buffers[0].data(), buffers[1].data(),
                                           result.data(), team.get());
    ASSERT_FALSE(failure) << *failure;
    EXPECT_EQ(result, want[2]) << threads << " threads";
  }
  checkScratch(instance);
}

TEST(Contraction, IntegersOfEveryTypeOverflow) {
  std::mt19937 random(5);
  for (uint32_t a = DMC_I8; a <= DMC_UI64; ++a)
    for (uint32_t b = DMC_I8; b <= DMC_UI64; ++b)
      for (uint32_t c = DMC_I8; c <= DMC_UI64; ++c) {
        std::vector<Loop> loops;
        for (char role : {'b', 'm', 'n', 'k'})
          for (uint32_t i = random() % 3; i > 0; --i)
            loops.push_back({role, 1 + int64_t(random() % 6)});
        Instance instance(loops, random, random() % 2, random() % 2);
        instance.setTypes(a, b, c);
        instance.contraction.accumulate = random() % 2;
        checkIntegers(instance, random);
      }
}

TEST(Contraction, LargeIntegerSumsAreExact) {
  std::mt19937 random(6);
  const uint32_t types[][3] = {{DMC_I8, DMC_I8, DMC_I32},
                               {DMC_UI8, DMC_I8, DMC_I8},
                               {DMC_I16, DMC_UI16, DMC_I16},
                               {DMC_I32, DMC_UI32, DMC_UI32},
                               {DMC_I32, DMC_I64, DMC_I64}};
  for (const auto &type : types)
    for (const std::vector<Loop> &loops : {std::vector<Loop>{{'m', 70}, {'n', 53}, {'k', 301}},
                                           {{'m', 3}, {'n', 5}, {'k', 20011}},
                                           {{'m', 1}, {'n', 200}, {'k', 300}}}) {
      Instance instance(loops, random, true, false);
      instance.setTypes(type[0], type[1], type[2]);
      checkIntegers(instance, random);
    }
}

TEST(Contraction, DoublesInRandomOrders) {
  std::mt19937 random(2);
  Contractor contractor(1);
  for (int round = 0; round < 60; ++round) {
    std::vector<Loop> loops;
    for (char role : {'b', 'm', 'n', 'k'})
      for (uint32_t i = random() % 3; i > 0; --i)
        loops.push_back({role, 1 + int64_t(random() % 5)});
    Instance instance(loops, random, true, round % 2);
    instance.setTypes(round % 3 ? DMC_F64 : DMC_F32, DMC_F64, DMC_F64);
    instance.contraction.accumulate = round % 5 == 0;
    check(instance, random, contractor);
  }
}

TEST(Contraction, RandomOrdersOfEveryType) {
  std::mt19937 random(3);
  Contractor contractor(1);
  const uint32_t types[][3] = {{DMC_F32, DMC_F32, DMC_F32},    {DMC_BF16, DMC_BF16, DMC_F32},
                               {DMC_BF16, DMC_BF16, DMC_BF16}, {DMC_F16, DMC_F16, DMC_F16},
                               {DMC_F16, DMC_F16, DMC_F32},    {DMC_BF16, DMC_F32, DMC_F32},
                               {DMC_F32, DMC_F16, DMC_F64}};
  for (int round = 0; round < 210; ++round) {
    std::vector<Loop> loops;
    for (char role : {'b', 'm', 'n', 'k'})
      for (uint32_t i = random() % 3; i > 0; --i)
        loops.push_back({role, 1 + int64_t(random() % 6)});
    Instance instance(loops, random, round % 3 != 0, round % 2);
    const uint32_t *type = types[round % 7];
    instance.setTypes(type[0], type[1], type[2]);
    instance.contraction.accumulate = round % 5 == 0;
    check(instance, random, contractor);
    check(instance, random, contractor); // from memory
  }
}

TEST(Contraction, MoreLoopsThanTheVendorTakes) {
  std::mt19937 random(4);
  Contractor contractor(1);
  for (bool isShuffled : {false, true}) {
    Instance instance({{'b', 2},
                       {'b', 3},
                       {'b', 2},
                       {'b', 2},
                       {'b', 2},
                       {'b', 3},
                       {'b', 2},
                       {'b', 2},
                       {'m', 3},
                       {'m', 2},
                       {'n', 4},
                       {'k', 5},
                       {'k', 2}},
                      random, isShuffled, true);
    instance.setTypes(DMC_F32, DMC_F32, DMC_F32);
    check(instance, random, contractor);
  }
}

// The layouts of attention with heads behind the sequence: [b, s, h, d].
TEST(Contraction, Attention) {
  std::mt19937 random(5);
  Contractor contractor(1);
  constexpr int64_t b = 2, h = 3, s = 17, d = 8;
  for (uint32_t type : {DMC_F32, DMC_BF16}) {
    Instance scores({{'b', b}, {'b', h}, {'m', s}, {'n', s}, {'k', d}}, random, false, false);
    scores.strides[0] = {s * h * d, d, h * d, 0, 1};
    scores.strides[1] = {s * h * d, d, 0, h * d, 1};
    scores.setTypes(type, type, DMC_F32);
    check(scores, random, contractor);
    Instance values({{'b', b}, {'b', h}, {'m', s}, {'n', d}, {'k', s}}, random, false, false);
    values.strides[1] = {s * h * d, d, 0, 1, h * d};
    values.strides[2] = {s * h * d, d, h * d, 1, 0};
    values.setTypes(type, type, type);
    check(values, random, contractor);
    // The heads merge into the sum over h and d of the projection behind it.
    Instance projection({{'m', b}, {'m', s}, {'n', 11}, {'k', h}, {'k', d}}, random, false, false);
    projection.strides[0] = {h * s * d, d, 0, s * d, 1};
    projection.setTypes(type, type, DMC_F32);
    check(projection, random, contractor);
  }
}

TEST(Contraction, SumOverNothingIsZero) {
  std::mt19937 random(6);
  Contractor contractor(1);
  float data[6];
  for (auto [m, k, accumulate, want] :
       {std::tuple{2, 0, 0, 0.0f}, {2, 0, 1, 7.0f}, {0, 2, 0, 7.0f}}) {
    Instance instance({{'m', m}, {'n', 3}, {'k', k}}, random, false, false);
    instance.setTypes(DMC_F32, DMC_F32, DMC_F32);
    instance.contraction.accumulate = accumulate;
    std::fill(data, data + 6, 7.0f);
    ASSERT_FALSE(contractor.run(instance.contraction, nullptr, nullptr, data));
    EXPECT_EQ(std::vector<float>(data, data + 6), std::vector<float>(6, want));
  }
}

TEST(Contraction, EqualInputsGiveEqualBits) {
  std::mt19937 random(7);
  Instance instance({{'m', 37}, {'n', 65}, {'k', 300}}, random, true, false);
  instance.setTypes(DMC_F32, DMC_F32, DMC_F32);
  std::vector<double> a(instance.elements[0]), b(instance.elements[1]);
  for (auto *values : {&a, &b})
    for (double &value : *values)
      value = std::sin(static_cast<double>(random() % 1000));
  Array first = makeArray(DMC_F32, {instance.elements[2]}, {});
  Array arrays[2] = {makeArray(DMC_F32, {instance.elements[0]}, a),
                     makeArray(DMC_F32, {instance.elements[1]}, b)};
  Contractor one(1), two(1);
  ASSERT_FALSE(one.run(instance.contraction, arrays[0].data(), arrays[1].data(), first.data()));
  std::vector<double> want = valuesOf(first);
  Array second = makeArray(DMC_F32, {instance.elements[2]}, {});
  ASSERT_FALSE(two.run(instance.contraction, arrays[0].data(), arrays[1].data(), second.data()));
  EXPECT_EQ(valuesOf(second), want);
}

// Several blocks in every direction, with tails; sums that are cut into slices; results that are
// not contiguous along either side.
TEST(Contraction, LargerThanABlock) {
  std::mt19937 random(8);
  Contractor contractor(1);
  for (uint32_t type : {DMC_F32, DMC_F64})
    for (const std::vector<Loop> &loops :
         {std::vector<Loop>{{'m', 131}, {'n', 21}, {'k', 261}},
          {{'m', 19}, {'n', 261}, {'k', 261}},
          {{'m', 7}, {'n', 9}, {'k', 5003}},
          {{'b', 3}, {'m', 7}, {'m', 3}, {'n', 5}, {'n', 7}, {'k', 31}, {'k', 67}}})
      for (bool isShuffled : {false, true}) {
        Instance instance(loops, random, isShuffled, isShuffled);
        instance.setTypes(type, type, type);
        instance.contraction.accumulate = isShuffled;
        check(instance, random, contractor);
      }
}

namespace {
/// A grouped convolution of 3x3, stride 2, of [batch, size, size, groups * features], in the
/// layout of its tensors; of one group if `features` is all of them.
struct Convolution : Instance {
  Convolution(int64_t batch, int64_t size, int64_t groups, int64_t features, bool isGradient,
              std::mt19937 &random)
      : Instance(isGradient ? gradientLoops(batch, (size - 3) / 2 + 1, groups, features)
                            : loops(batch, (size - 3) / 2 + 1, groups, features),
                 random, false, false) {
    int64_t out = (size - 3) / 2 + 1, pixel = groups * features, f = features;
    int64_t image = size * size * pixel, result = out * out * pixel;
    elements[0] = batch * image;
    if (isGradient) { // group; window, input feature; output feature; batch, positions
      strides[0] = {f, size * pixel, pixel, 1, 0, image, 2 * size * pixel, 2 * pixel};
      strides[1] = {f, 0, 0, 0, 1, result, out * pixel, pixel};
      strides[2] = {f, 3 * f * pixel, f * pixel, pixel, 1, 0, 0, 0};
      elements[1] = batch * result;
      elements[2] = 9 * f * pixel;
    } else { // group; batch, positions; output feature; window, input feature
      strides[0] = {f, image, 2 * size * pixel, 2 * pixel, 0, size * pixel, pixel, 1};
      strides[1] = {f, 0, 0, 0, 1, 3 * f * pixel, f * pixel, pixel};
      strides[2] = {f, result, out * pixel, pixel, 1, 0, 0, 0};
      elements[1] = 9 * f * pixel;
      elements[2] = batch * result;
    }
    for (int i = 0; i < 3; ++i)
      (i == 0   ? contraction.a_strides
       : i == 1 ? contraction.b_strides
                : contraction.c_strides) = strides[i].data();
  }
  static std::vector<Loop> loops(int64_t batch, int64_t out, int64_t groups, int64_t features) {
    return {{'b', groups},   {'m', batch}, {'m', out}, {'m', out},
            {'n', features}, {'k', 3},     {'k', 3},   {'k', features}};
  }
  static std::vector<Loop> gradientLoops(int64_t batch, int64_t out, int64_t groups,
                                         int64_t features) {
    return {{'b', groups},   {'m', 3},     {'m', 3},   {'m', features},
            {'n', features}, {'k', batch}, {'k', out}, {'k', out}};
  }
};
} // namespace

TEST(Contraction, Convolutions) {
  std::mt19937 random(9);
  Contractor contractor(1);
  for (bool isGradient : {false, true})
    for (auto [groups, features] : {std::pair(8, 4), {4, 8}, {3, 5}, {2, 16}, {1, 24}, {6, 1}}) {
      Convolution instance(3, 31, groups, features, isGradient, random);
      uint32_t input = groups == 4 ? DMC_BF16 : DMC_F32;
      instance.setTypes(input, input, DMC_F32);
      check(instance, random, contractor);
    }
}

/// The bits of the result with a team of so many threads.
static std::vector<uint8_t> resultWith(int threads, const Instance &instance,
                                       const std::vector<double> values[3]) {
  std::string error;
  std::unique_ptr<Team> team = Team::create(threads, error);
  Contractor contractor(threads);
  uint32_t type = instance.contraction.c_type;
  Array arrays[3];
  for (int i = 0; i < 3; ++i)
    arrays[i] = makeArray(type, {instance.elements[i]}, values[i]);
  auto failure = contractor.run(instance.contraction, arrays[0].data(), arrays[1].data(),
                                arrays[2].data(), team.get());
  EXPECT_FALSE(failure) << *failure;
  return {arrays[2].data(), arrays[2].data() + arrays[2].numBytes()};
}

/// Shapes whose left operand is packed once for two threads, alone and for batches that share
/// it.
static std::vector<Loop> packedOnce() { return {{'m', 131}, {'n', 700}, {'k', 300}}; }
static std::vector<Loop> packedOnceForBatches() {
  return {{'b', 3}, {'m', 67}, {'n', 400}, {'k', 140}};
}

TEST(Contraction, PacksTheLeftOperandOnce) {
  std::mt19937 random(14);
  Contractor contractor(2); // plans for two threads; one computes
  for (auto loops : {packedOnce(), packedOnceForBatches()})
    for (uint32_t type : {DMC_F32, DMC_F64}) {
      Instance instance(loops, random, false, false);
      instance.setTypes(type, type, type);
      if (loops.front().role == 'b')
        instance.strides[0][0] = 0;
      EXPECT_GT(matmul::Matmul::plan(instance.contraction, 2)->numPackTasks(), 0);
      check(instance, random, contractor);
    }
  Instance large({{'m', 4000}, {'n', 4000}, {'k', 4000}}, random, false, false);
  large.setTypes(DMC_F32, DMC_F32, DMC_F32);
  EXPECT_EQ(matmul::Matmul::plan(large.contraction, 2)->numPackTasks(), 0);
  EXPECT_EQ(matmul::Matmul::plan(large.contraction, 2)->packedBytes(), 0U);
}

TEST(Contraction, StatesItsScratch) {
  std::mt19937 random(21);
  for (int round = 0; round < 40; ++round) {
    std::vector<Loop> loops;
    if (random() % 2)
      loops.push_back({'b', 1 + int64_t(random() % 9)});
    for (char role : {'m', 'n', 'k'})
      loops.push_back({role, 1 + int64_t(random() % (random() % 3 ? 60 : 5000))});
    Instance instance(loops, random, round % 2, false);
    uint32_t type = round % 4 ? DMC_F32 : DMC_F64;
    instance.setTypes(type, type, type);
    SCOPED_TRACE(describe(instance));
    checkScratch(instance);
  }
  for (const auto &loops : {packedOnce(), packedOnceForBatches()}) {
    Instance instance(loops, random, false, false);
    instance.setTypes(DMC_F32, DMC_F32, DMC_F32);
    std::vector<double> values[3];
    Array arrays[3];
    for (int i = 0; i < 3; ++i) {
      values[i] = randomValues(instance.elements[i], random);
      arrays[i] = makeArray(DMC_F32, {instance.elements[i]}, values[i]);
    }
    instance.evaluate(values[0], values[1], values[2]);
    for (int threads : {1, 3}) {
      runInScratch(instance, arrays, threads);
      EXPECT_EQ(valuesOf(arrays[2]), values[2]);
    }
  }
}

TEST(Contraction, NothingToMultiplyNeedsNoScratch) {
  std::mt19937 random(22);
  Instance instance({{'m', 2}, {'n', 3}, {'k', 0}}, random, false, false);
  instance.setTypes(DMC_F32, DMC_F32, DMC_F32);
  EXPECT_EQ(scratchOf(instance.contraction).bytes(4), 0);
}

// Fewer rows or columns than a panel has: the other operand is read where it is, in either order.
TEST(Contraction, FewRows) {
  std::mt19937 random(15);
  Contractor contractor(1);
  for (uint32_t type : {DMC_F32, DMC_F64, DMC_BF16})
    for (const std::vector<Loop> &loops : {std::vector<Loop>{{'m', 1}, {'n', 261}, {'k', 1031}},
                                           {{'m', 5}, {'n', 1030}, {'k', 37}},
                                           {{'m', 263}, {'n', 1}, {'k', 4099}},
                                           {{'m', 700}, {'n', 3}, {'k', 75}},
                                           {{'m', 1}, {'n', 1}, {'k', 70001}},
                                           {{'m', 2}, {'n', 9}, {'k', 1}},
                                           {{'b', 7}, {'m', 3}, {'n', 21}, {'k', 6}, {'k', 11}}})
      for (bool isShuffled : {false, true})
        for (bool isPadded : {false, true}) {
          Instance instance(loops, random, isShuffled, isPadded);
          instance.setTypes(type, type, type == DMC_BF16 ? DMC_F32 : type);
          instance.contraction.accumulate = isPadded;
          check(instance, random, contractor);
        }
}

TEST(Contraction, ThreadsGiveEqualBits) {
  std::mt19937 random(10);
  std::vector<std::unique_ptr<Instance>> instances;
  for (bool isShuffled : {false, true}) {
    instances.push_back(std::make_unique<Instance>(
        std::vector<Loop>{{'m', 301}, {'n', 213}, {'k', 611}}, random, isShuffled, false));
    instances.push_back(std::make_unique<Instance>(
        std::vector<Loop>{{'m', 37}, {'n', 45}, {'k', 9001}}, random, isShuffled, false));
    instances.push_back(std::make_unique<Instance>(packedOnce(), random, isShuffled, false));
    for (int64_t rows : {1, 4}) // an operand that is read where it is
      instances.push_back(std::make_unique<Instance>(
          std::vector<Loop>{{'m', rows}, {'n', 1001}, {'k', 1801}}, random, isShuffled, false));
    instances.push_back(std::make_unique<Instance>(
        std::vector<Loop>{{'m', 1999}, {'n', 1}, {'k', 1025}}, random, isShuffled, false));
    instances.push_back(std::make_unique<Convolution>(4, 65, 8, 4, isShuffled, random));
  }
  for (const auto &instance : instances)
    for (uint32_t type : {DMC_F32, DMC_F64})
      for (uint32_t accumulate : {0, 1}) {
        instance->setTypes(type, type, type);
        instance->contraction.accumulate = accumulate;
        SCOPED_TRACE(describe(*instance));
        std::vector<double> values[3];
        for (int i = 0; i < 3; ++i)
          for (int64_t j = 0; j < instance->elements[i]; ++j)
            values[i].push_back(std::sin(static_cast<double>(random() % 1000)));
        std::vector<uint8_t> want = resultWith(1, *instance, values);
        EXPECT_EQ(resultWith(2, *instance, values), want);
        EXPECT_EQ(resultWith(4, *instance, values), want);
      }
}

// The description at one address becomes another one.
TEST(Contraction, RecognizesAChangedDescription) {
  std::mt19937 random(12);
  Contractor contractor(1);
  Instance instance({{'m', 8}, {'n', 8}, {'k', 9}}, random, false, false);
  instance.setTypes(DMC_F32, DMC_F32, DMC_F32);
  check(instance, random, contractor);
  check(instance, random, contractor);
  instance.sizes[2] = 5; // the first columns of A, the first rows of B
  check(instance, random, contractor);
  instance.setTypes(DMC_F64, DMC_F64, DMC_F64);
  check(instance, random, contractor);
}

// Slices of a sum are there for results that are too few to divide.
TEST(Contraction, CutsLongSumsOfFewResults) {
  std::mt19937 random(11);
  Instance few({{'m', 36}, {'n', 16}, {'k', 20000}}, random, false, false);
  Instance many({{'m', 2000}, {'n', 1000}, {'k', 20000}}, random, false, false);
  for (Instance *instance : {&few, &many})
    instance->setTypes(DMC_F32, DMC_F32, DMC_F32);
  EXPECT_GT(matmul::Matmul::plan(few.contraction, 2)->numFinalTasks(), 0);
  EXPECT_EQ(matmul::Matmul::plan(many.contraction, 2)->numFinalTasks(), 0);
  // Of one size, whatever the operands' sizes.
  EXPECT_LE(matmul::Matmul::plan(many.contraction, 2)->scratchBytes(), size_t(1) << 20);
}
