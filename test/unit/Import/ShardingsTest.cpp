//===- ShardingsTest.cpp - Shardings of sdy as layouts --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of a mesh, and axes of other meshes on it.
//
//===----------------------------------------------------------------------===//
#include "Shardings.h"

#include "dmc/Import/StableHLO/Dialect.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace dmc;

namespace {

class ShardingsTest : public testing::Test {
protected:
  ShardingsTest() {
    DialectRegistry registry;
    registry.insert<DMCDialect, func::FuncDialect>();
    stablehlo::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// A program with meshes `meshes` and an argument of 8x8 elements for each sharding; chooses the
  /// mesh and reads the last sharding as a layout. Empty, and `error` is why, if it is refused.
  std::string read(StringRef meshes, ArrayRef<StringRef> shardings) {
    std::string text = meshes.str() + "\nfunc.func @main(";
    for (auto [i, sharding] : llvm::enumerate(shardings))
      text += (i ? ", " : "") + ("%" + std::to_string(i)) +
              ": tensor<8x8xf32> {sdy.sharding = #sdy.sharding<" + sharding.str() + ">}";
    text += ") { return }";
    error.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (error.empty())
        error = diagnostic.str();
    });
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {};
    func::FuncOp entry = *module->getOps<func::FuncOp>().begin();
    ShardingReader reader(entry);
    if (failed(reader.chooseMesh()))
      return {};
    devices.assign(reader.getDevices().begin(), reader.getDevices().end());
    FailureOr<ShardingRequest> last = failure();
    for (BlockArgument argument : entry.getArguments()) {
      last = reader.read(entry.getArgAttrDict(argument.getArgNumber()),
                         cast<RankedTensorType>(argument.getType()), argument.getLoc(), "argument");
      if (failed(last))
        return {};
    }
    request = *last;
    std::string layout;
    llvm::raw_string_ostream(layout) << request.layout;
    return layout;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ShardingRequest request;
  SmallVector<int64_t> devices;
  std::string error;
};

const char *const twoByFour = "sdy.mesh @m = <[\"x\"=2, \"y\"=4]>";

TEST_F(ShardingsTest, DimensionsBecomeALayout) {
  EXPECT_EQ(read(twoByFour, {"@m, [{\"x\", \"y\"}, {}]"}),
            "#dmc.layout<#dmc.mesh<\"x\" = 2, \"y\" = 4>, [{\"x\", \"y\"}, {}]>");
  EXPECT_TRUE(request.isClosed());
  EXPECT_TRUE(devices.empty());
}

TEST_F(ShardingsTest, OpenDimensionsAndPriorities) {
  ASSERT_NE(read(twoByFour, {"@m, [{\"x\", ?}p2, {?}], replicated={\"y\"}"}), "") << error;
  EXPECT_EQ(request.open, SmallVector<int64_t>({0, 1}));
  EXPECT_EQ(request.priorities, SmallVector<int64_t>({2, 0}));
  EXPECT_TRUE(request.replicated);
  EXPECT_FALSE(request.isVoid());
  ASSERT_NE(read(twoByFour, {"@m, [{?}, {?}]"}), "") << error;
  EXPECT_TRUE(request.isVoid());
  EXPECT_TRUE(request.priorities.empty());
}

TEST_F(ShardingsTest, TheMeshWithTheMostAxesIsChosen) {
  EXPECT_EQ(read("sdy.mesh @flat = <[\"z\"=8]>\nsdy.mesh @m = <[\"x\"=2, \"y\"=4]>",
                 {"@m, [{\"x\"}, {}]", "@flat, [{\"z\"}, {}]"}),
            "#dmc.layout<#dmc.mesh<\"x\" = 2, \"y\" = 4>, [{\"x\", \"y\"}, {}]>");
}

TEST_F(ShardingsTest, APartOfAnotherMeshsAxis) {
  const char *meshes = "sdy.mesh @flat = <[\"z\"=8]>\nsdy.mesh @m = <[\"x\"=2, \"y\"=4]>";
  EXPECT_EQ(read(meshes, {"@m, [{}, {}]", "@flat, [{\"z\":(2)4}, {\"z\":(1)2}]"}),
            "#dmc.layout<#dmc.mesh<\"x\" = 2, \"y\" = 4>, [{\"y\"}, {\"x\"}]>");
  EXPECT_EQ(read(meshes, {"@m, [{}, {}]", "@flat, [{\"z\":(1)4}, {\"z\":(4)2}]"}),
            "#dmc.layout<#dmc.mesh<\"x\" = 2, \"y\" = 4>, [{\"x\", \"y\":(1)2}, {\"y\":(2)2}]>");
}

TEST_F(ShardingsTest, AMeshOfTransposedDevices) {
  // Position (i, j) of @t is rank 2 * j + i of @m: its axes are the other's in the other order.
  EXPECT_EQ(read("sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n"
                 "sdy.mesh @t = <[\"a\"=2, \"b\"=2], device_ids=[0, 2, 1, 3]>",
                 {"@m, [{}, {}]", "@t, [{\"a\"}, {\"b\"}]"}),
            "#dmc.layout<#dmc.mesh<\"x\" = 2, \"y\" = 2>, [{\"y\"}, {\"x\"}]>");
}

TEST_F(ShardingsTest, DevicesOfTheChosenMeshAreKept) {
  ASSERT_NE(read("sdy.mesh @m = <[\"x\"=4], device_ids=[3, 1, 2, 0]>", {"@m, [{\"x\"}, {}]"}), "")
      << error;
  EXPECT_EQ(devices, SmallVector<int64_t>({3, 1, 2, 0}));
}

TEST_F(ShardingsTest, UnrelatedMeshesAreRefused) {
  EXPECT_EQ(read("sdy.mesh @m = <[\"x\"=6]>\nsdy.mesh @n = <[\"y\"=4]>",
                 {"@m, [{\"x\"}, {}]", "@n, [{\"y\"}, {}]"}),
            "");
  EXPECT_NE(error.find("unsupported: several meshes"), std::string::npos) << error;
  EXPECT_EQ(read("sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n"
                 "sdy.mesh @t = <[\"a\"=4], device_ids=[0, 1, 3, 2]>",
                 {"@m, [{}, {}]", "@t, [{\"a\"}, {}]"}),
            "");
  EXPECT_NE(error.find("unsupported: several meshes"), std::string::npos) << error;
}

TEST_F(ShardingsTest, OneDeviceAndUnreducedAxes) {
  EXPECT_EQ(read("sdy.mesh @m = <[\"x\"=2]>\nsdy.mesh @one = <[], device_ids=[1]>",
                 {"@m, [{\"x\"}, {}]", "@one, [{}, {}]"}),
            "");
  EXPECT_NE(error.find("unsupported: sharding of argument on device 1 alone"), std::string::npos)
      << error;
  EXPECT_EQ(read("sdy.mesh @m = <[\"x\"=2]>", {"@m, [{}, {}], unreduced={\"x\"}"}), "");
  EXPECT_NE(error.find("has unreduced axes"), std::string::npos) << error;
}

} // namespace
