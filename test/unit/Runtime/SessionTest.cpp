//===- SessionTest.cpp - Loading, scattering, faults ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

using Values = std::vector<double>;

static const std::string version = std::to_string(DMC_ABI_VERSION);

static Values counting(int64_t count) {
  Values values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<double>(i + 1));
  return values;
}

/// Copies its argument, whose buffer has the layout of the result.
static Step copyStep(size_t bytes) {
  return [bytes](dmc_rank_context *, const dmc_runtime_api *, const int64_t *,
                 void *const *arguments, void *const *results, void *) {
    std::memcpy(results[0], arguments[0], bytes);
    return 0;
  };
}

TEST(Session, ScattersAndGathersUnevenLayouts) {
  AxisRef a{0, 1, 2}, b{1, 1, 3};
  std::vector<Layout> layouts;
  for (const std::vector<std::vector<AxisRef>> &dims :
       std::vector<std::vector<std::vector<AxisRef>>>{
           {{}, {}}, {{a}, {}}, {{}, {a}}, {{a}, {b}}, {{a, b}, {}}, {{b, a}, {}}, {{}, {b, a}}})
    layouts.push_back({dims, {}, {}, {}});
  layouts.push_back({{{b}, {}}, {}, {}, {{a, 1}}});
  for (const Layout &layout : layouts)
    for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{{5, 7}, {2, 2}, {1, 9}}) {
      ProgramBuilder builder("a=2,b=3");
      SCOPED_TRACE(dmc::toString(builder.mesh(), layout));
      builder.argument(DMC_F32, shape, layout);
      builder.result(DMC_F32, shape, layout);
      size_t bytes = 4;
      for (int64_t size : localShape(layout, shape))
        bytes *= static_cast<size_t>(size);
      dmc_program &program = builder.finish(copyStep(bytes));
      SessionOptions options;
      options.poison = true;
      std::string error;
      auto session = Session::create(program, options, error);
      ASSERT_TRUE(session) << error;
      Array input = makeArray(DMC_F32, shape, counting(shape[0] * shape[1]));
      ASSERT_FALSE(session->setArgument(0, input));
      ASSERT_FALSE(session->step());
      auto output = session->result(0, error);
      ASSERT_TRUE(output) << error;
      EXPECT_EQ(valuesOf(*output), valuesOf(input));
      auto view = session->resultView(0, error);
      ASSERT_TRUE(view) << error;
      EXPECT_EQ(valuesOf(*view), valuesOf(input));
      // What is not in a rank's block is poison.
      for (int64_t r = 0; r < 6; ++r) {
        int64_t valid = holds(builder.mesh(), layout, r) ? 1 : 0, poisoned = 0, total = 1;
        for (const DimBlock &block : blocks(builder.mesh(), layout, shape, r)) {
          valid *= block.valid();
          total *= block.size;
        }
        for (double value : valuesOf(*session->localResult(r, 0, error)))
          poisoned += std::isnan(value);
        EXPECT_EQ(poisoned, total - valid) << "rank " << r;
      }
    }
}

TEST(Session, ReportsCopiesThatDiffer) {
  ProgramBuilder builder("a=2,b=2");
  Layout layout = Layout::replicated(1);
  layout.dims[0] = {{0, 1, 2}};
  builder.argument(DMC_F32, {3}, layout);
  builder.result(DMC_F32, {3}, layout);
  dmc_program &program =
      builder.finish([](dmc_rank_context *, const dmc_runtime_api *, const int64_t *coordinates,
                        void *const *arguments, void *const *results, void *) {
        std::memcpy(results[0], arguments[0], 8);
        if (coordinates[0] == 0 && coordinates[1] == 1) // -0 for 0: equal, but not in its bits
          static_cast<float *>(results[0])[1] = -0.0f;
        return 0;
      });
  std::string error;
  auto session = Session::create(program, {}, error);
  ASSERT_FALSE(session->setArgument(0, makeArray(DMC_F32, {3}, {1, 0, 2})));
  ASSERT_FALSE(session->step());
  EXPECT_FALSE(session->result(0, error));
  EXPECT_EQ(error, "result 0 (out0) differs between ranks 0 and 1, expected equal copies");
}

TEST(Session, DonatedArgumentsTakeResults) {
  ProgramBuilder builder("a=2");
  builder.alias(builder.argument(DMC_I32, {2}), builder.result(DMC_I32, {2}));
  dmc_program &program =
      builder.finish([](dmc_rank_context *, const dmc_runtime_api *, const int64_t *,
                        void *const *arguments, void *const *results, void *) {
        if (arguments[0] != results[0])
          return 1;
        ++static_cast<int32_t *>(results[0])[1];
        return 0;
      });
  std::string error;
  auto session = Session::create(program, {}, error);
  ASSERT_FALSE(session->setArgument(0, makeArray(DMC_I32, {2}, {10, 20})));
  ASSERT_FALSE(session->step());
  ASSERT_FALSE(session->step());
  EXPECT_EQ(valuesOf(*session->result(0, error)), (Values{10, 22}));
  // Each rank holds all of it: no copy.
  auto view = session->resultView(0, error);
  ASSERT_TRUE(view) << error;
  EXPECT_EQ(valuesOf(*view), (Values{10, 22}));
  ASSERT_FALSE(session->setArgument(0, makeArray(DMC_I32, {2}, {10, 20})));
  EXPECT_EQ(valuesOf(*view), (Values{10, 20}));
  ASSERT_FALSE(session->step());
  EXPECT_EQ(valuesOf(*session->result(0, error)), (Values{10, 21}));
}

TEST(Session, RefusesOtherTypesAndShapes) {
  ProgramBuilder builder("a=1");
  builder.argument(DMC_F32, {2, 3});
  dmc_program &program = builder.finish(copyStep(0));
  std::string error;
  auto session = Session::create(program, {}, error);
  EXPECT_EQ(*session->setArgument(0, makeArray(DMC_I32, {2, 3}, counting(6))),
            "argument 0 (in0): expected 2x3xf32, found 2x3xi32");
  EXPECT_EQ(*session->setArgument(0, makeArray(DMC_F32, {3, 2}, counting(6))),
            "argument 0 (in0): expected 2x3xf32, found 3x2xf32");
  EXPECT_EQ(*session->setArgument(1, makeArray(DMC_F32, {}, {1})),
            "argument 1 of a program with 1");
}

TEST(Session, BuffersAreAligned) {
  ProgramBuilder builder("a=3");
  builder.argument(DMC_I8, {3});
  builder.result(DMC_I8, {3});
  dmc_program &program = builder.finish(
      [](dmc_rank_context *, const dmc_runtime_api *, const int64_t *, void *const *arguments,
         void *const *results, void *arena) {
        for (void *pointer : {arguments[0], results[0], arena})
          if (!pointer || reinterpret_cast<uintptr_t>(pointer) % 64 != 0)
            return 1;
        return 0;
      },
      100);
  std::string error;
  auto session = Session::create(program, {}, error);
  EXPECT_FALSE(session->step());
}

//===----------------------------------------------------------------------===//
// Malformed programs
//===----------------------------------------------------------------------===//

static std::string verifyAfter(const std::function<void(dmc_program &, dmc_collective &)> &spoil) {
  ProgramBuilder builder("a=2");
  builder.argument(DMC_F32, {4});
  dmc_collective &collective =
      builder.collective(DMC_REDUCE_SCATTER, DMC_F32, {4}, {whole(builder.mesh(), 0)});
  dmc_program probe = {};
  spoil(probe, collective);
  dmc_program &program = builder.finish(copyStep(0));
  spoil(program, collective);
  return verifyProgram(program).value_or("");
}

TEST(Verify, NamesWhatIsWrong) {
  using P = dmc_program &;
  using C = dmc_collective &;
  EXPECT_EQ(verifyAfter([](P, C) {}), "");
  EXPECT_EQ(verifyAfter([](P p, C) { p.abi_version = 7; }),
            "is for version 7 of the runtime's interface, expected " + version);
  EXPECT_EQ(verifyAfter([](P p, C) { p.step = nullptr; }), "has no step");
  EXPECT_EQ(verifyAfter([](P, C c) { c.kind = 9; }),
            "collective 0 (model.py:3) has unknown kind 9");
  EXPECT_EQ(verifyAfter([](P, C c) { c.dim = 1; }),
            "collective 0 (model.py:3) has dimension 1 of shape [4]");
  EXPECT_EQ(verifyAfter([](P, C c) { c.result_bytes = 1; }),
            "collective 0 (model.py:3) moves 16 to 1 bytes, expected 16 to 8");
  EXPECT_EQ(verifyAfter([](P, C c) {
              static const int64_t shape[] = {3};
              c.shape = shape;
            }),
            "collective 0 (model.py:3) has dimension 0 of shape [3], expected a multiple of the "
            "group's size 2");
}

TEST(Library, LoadsPrograms) {
  std::string folder = std::string(TEST_LIBRARY_DIR) + "/", error;
  auto library = Library::load(folder + "libdmc_test_program.so", error);
  ASSERT_TRUE(library) << error;
  auto session = Session::create(library->program(), {}, error);
  ASSERT_TRUE(session) << error;
  session->setArgument(0, makeArray(DMC_F32, {5, 3}, counting(15)));
  session->setArgument(1, makeArray(DMC_F32, {3}, {100, 200, 300}));
  session->setArgument(2, makeArray(DMC_I32, {}, {41}));
  ASSERT_FALSE(session->step());
  EXPECT_EQ(valuesOf(*session->result(1, error)), (Values{135, 240, 345}));
  EXPECT_EQ(valuesOf(*session->result(2, error)), (Values{42}));
}

TEST(Library, RefusesOthers) {
  std::string folder = std::string(TEST_LIBRARY_DIR) + "/", error;
  auto expectError = [&](const std::string &file, const std::string &text) {
    EXPECT_FALSE(Library::load(file, error));
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  expectError(folder + "libdmc_test_program_abi.so",
              "of the runtime's interface, expected " + version);
  expectError(folder + "libdmc_test_program_size.so",
              "is of a newer dmc: it describes a program in");
  expectError(folder + "libdmc_test_program_layout.so",
              "result 0 (y) has local shape [2x3], expected [3x3]");
  expectError(folder + "libdmc_runtime.so", "does not export dmc_program_query");
  expectError("/nonexistent.so", "cannot open");
  expectError("/etc/passwd", "is not a compiled program");
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

TEST(Report, CountsBytesPerKindAndAxes) {
  ProgramBuilder builder("a=2,b=4");
  builder.alias(builder.argument(DMC_F32, {8}), builder.result(DMC_F32, {8}));
  builder.argument(DMC_BF16, {3});
  builder.result(DMC_F64, {2});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {8}, {whole(builder.mesh(), 1)}).count = 3;
  builder.collective(DMC_ALL_GATHER, DMC_F32, {2}, {whole(builder.mesh(), 1)});
  builder.collective(DMC_ALL_REDUCE, DMC_F32, {4}, {whole(builder.mesh(), 1)}).count = -1;
  dmc_program &program = builder.finish(copyStep(0), 100);
  std::vector<int64_t> executions = {3, 1, 5};
  Report report = makeReport(program, /*threads=*/1, &executions);
  ASSERT_EQ(report.collectives.size(), 2u);
  EXPECT_EQ(report.collectives[0].count, 8);
  EXPECT_EQ(report.collectives[0].bytes, 3 * 32 + 5 * 16);
  EXPECT_EQ(report.collectives[0].wireBytes, 1.5 * (3 * 32 + 5 * 16));
  EXPECT_EQ(report.collectives[1].bytes, 32);
  EXPECT_EQ(report.collectives[1].wireBytes, 24);
  EXPECT_EQ(report.memory.arguments, 38);
  EXPECT_EQ(report.memory.peak, 38 + 100 + 16);
  std::string json = toJson(report);
  EXPECT_NE(json.find("{\"kind\": \"all_reduce\", \"axes\": [\"b\"], \"count\": 8, \"bytes\": 176, "
                      "\"wire_bytes\": 264}"),
            std::string::npos)
      << json;
  EXPECT_EQ(json.find("check"), std::string::npos);
}

TEST(Report, CallsShareTheirScratch) {
  static const dmc_contraction contraction = contractionOf(DMC_F32);
  static const dmc_call calls[] = {
      {DMC_CALL_CONTRACTION, 3, "", &contraction, 1, 0, 0, 640, "", 0, 0, 64, nullptr},
      {DMC_CALL_CONTRACTION, 3, "", &contraction, 1, 0, 0, 128, "", 0, 0, 256, nullptr}};
  ProgramBuilder builder("a=1");
  dmc_program &program = builder.finish(copyStep(0), 100);
  program.num_calls = 2;
  program.calls = calls;
  Report report = makeReport(program, /*threads=*/3);
  EXPECT_EQ(report.memory.scratch, 640 + 3 * 256);
  EXPECT_EQ(report.memory.peak, 100);
  program.device = DMC_DEVICE_CUDA;
  EXPECT_EQ(makeReport(program, 3).memory.scratch, 0);
}
