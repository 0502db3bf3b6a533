//===- AttributesTest.cpp - Text of StableHLO's and sdy's attributes ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parsers read, print again and refuse.
//
//===----------------------------------------------------------------------===//
#include "dmc/Import/StableHLO/Dialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace dmc;

namespace {

class AttributesTest : public testing::Test {
protected:
  AttributesTest() {
    DialectRegistry registry;
    stablehlo::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The attribute; null, and `error` is the first diagnostic, if it is refused.
  Attribute parse(StringRef text) {
    error.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (error.empty())
        error = diagnostic.str();
    });
    return parseAttribute(text, &context);
  }
  template <typename Attr>
  Attr parseAs(StringRef text) {
    Attribute attr = parse(text);
    EXPECT_TRUE(attr) << error;
    return dyn_cast_or_null<Attr>(attr);
  }
  static std::string print(Attribute attr) {
    std::string text;
    llvm::raw_string_ostream(text) << attr;
    return text;
  }
  void expectSame(StringRef text) { EXPECT_EQ(print(parse(text)), text) << error; }
  void expectRefused(StringRef text, StringRef reason) {
    EXPECT_FALSE(parse(text)) << text.str();
    EXPECT_NE(error.find(reason.str()), std::string::npos)
        << text.str() << ": expected \"" << reason.str() << "\", found \"" << error << "\"";
  }

  MLIRContext context;
  std::string error;
};

//===--- Fields of StableHLO's structures ---------------------------------===//

TEST_F(AttributesTest, DotFieldsMayStandInAnyOrder) {
  auto dot = parseAs<stablehlo::DotDimensionNumbersAttr>(
      "#stablehlo.dot<rhs_contracting_dimensions = [0, 2], lhs_batching_dimensions = [1], "
      "lhs_contracting_dimensions = [3, 4], rhs_batching_dimensions = [5]>");
  ASSERT_TRUE(dot);
  EXPECT_EQ(dot.getLhsBatchingDimensions(), ArrayRef<int64_t>({1}));
  EXPECT_EQ(dot.getRhsBatchingDimensions(), ArrayRef<int64_t>({5}));
  EXPECT_EQ(dot.getLhsContractingDimensions(), ArrayRef<int64_t>({3, 4}));
  EXPECT_EQ(dot.getRhsContractingDimensions(), ArrayRef<int64_t>({0, 2}));
}

TEST_F(AttributesTest, EmptyListsAreLeftOut) {
  expectSame("#stablehlo.dot<>");
  expectSame("#stablehlo.dot<lhs_contracting_dimensions = [1]>");
  EXPECT_EQ(print(parse("#stablehlo.dot<lhs_contracting_dimensions = []>")), "#stablehlo.dot<>");
  expectSame("#stablehlo.gather<offset_dims = [1], index_vector_dim = 2>");
  EXPECT_EQ(print(parse("#stablehlo.gather<index_vector_dim = 0>")), "#stablehlo.gather<>");
  expectSame("#stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [2], "
             "index_vector_dim = 1>");
}

TEST_F(AttributesTest, EachFieldOfGatherAndScatterIsKept) {
  auto gather = parseAs<stablehlo::GatherDimensionNumbersAttr>(
      "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = "
      "[3], start_indices_batching_dims = [4], start_index_map = [5], index_vector_dim = 6>");
  ASSERT_TRUE(gather);
  EXPECT_EQ(gather.getOffsetDims(), ArrayRef<int64_t>({1}));
  EXPECT_EQ(gather.getCollapsedSliceDims(), ArrayRef<int64_t>({2}));
  EXPECT_EQ(gather.getOperandBatchingDims(), ArrayRef<int64_t>({3}));
  EXPECT_EQ(gather.getStartIndicesBatchingDims(), ArrayRef<int64_t>({4}));
  EXPECT_EQ(gather.getStartIndexMap(), ArrayRef<int64_t>({5}));
  EXPECT_EQ(gather.getIndexVectorDim(), 6);
  auto scatter = parseAs<stablehlo::ScatterDimensionNumbersAttr>(
      "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], "
      "input_batching_dims = [3], scatter_indices_batching_dims = [4], "
      "scatter_dims_to_operand_dims = [5], index_vector_dim = 6>");
  ASSERT_TRUE(scatter);
  EXPECT_EQ(scatter.getUpdateWindowDims(), ArrayRef<int64_t>({1}));
  EXPECT_EQ(scatter.getInsertedWindowDims(), ArrayRef<int64_t>({2}));
  EXPECT_EQ(scatter.getInputBatchingDims(), ArrayRef<int64_t>({3}));
  EXPECT_EQ(scatter.getScatterIndicesBatchingDims(), ArrayRef<int64_t>({4}));
  EXPECT_EQ(scatter.getScatterDimsToOperandDims(), ArrayRef<int64_t>({5}));
  EXPECT_EQ(scatter.getIndexVectorDim(), 6);
}

TEST_F(AttributesTest, FieldsAreCheckedByName) {
  expectRefused("#stablehlo.dot<lhs_contracting = [1]>", "unknown field 'lhs_contracting'");
  expectRefused("#stablehlo.gather<offset_dims = [1], offset_dims = [2]>",
                "field 'offset_dims' given twice");
  expectRefused("#stablehlo.channel_handle<handle = 1>", "field 'type' is missing");
  expectRefused("#stablehlo.dot<lhs_contracting_dimensions = 1>", "expected '['");
  expectRefused("#stablehlo.dot<lhs_contracting_dimensions = [a]>", "expected integer value");
}

TEST_F(AttributesTest, ChannelHandleAndAccuracy) {
  auto channel =
      parseAs<stablehlo::ChannelHandleAttr>("#stablehlo.channel_handle<type = 2, handle = 7>");
  ASSERT_TRUE(channel);
  EXPECT_EQ(channel.getHandle(), 7);
  EXPECT_EQ(channel.getType(), 2);
  EXPECT_EQ(print(channel), "#stablehlo.channel_handle<handle = 7, type = 2>");
  auto accuracy = parseAs<stablehlo::ResultAccuracyAttr>(
      "#stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>");
  ASSERT_TRUE(accuracy);
  EXPECT_EQ(accuracy.getUlps(), 3);
  EXPECT_EQ(accuracy.getMode(), stablehlo::ResultAccuracyMode::TOLERANCE);
  EXPECT_TRUE(accuracy.getAtol().isZero());
}

TEST_F(AttributesTest, DotAlgorithmNeedsEveryField) {
  StringRef text = "#stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = f32, "
                   "accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 2, "
                   "num_primitive_operations = 3, allow_imprecise_accumulation = true>";
  auto algorithm = parseAs<stablehlo::DotAlgorithmAttr>(text);
  ASSERT_TRUE(algorithm);
  EXPECT_TRUE(algorithm.getLhsPrecisionType().isBF16());
  EXPECT_TRUE(algorithm.getRhsPrecisionType().isF32());
  EXPECT_TRUE(algorithm.getAccumulationType().isF64());
  EXPECT_EQ(algorithm.getRhsComponentCount(), 2);
  EXPECT_EQ(algorithm.getNumPrimitiveOperations(), 3);
  EXPECT_TRUE(algorithm.getAllowImpreciseAccumulation());
  expectSame(text);
  expectRefused("#stablehlo.dot_algorithm<lhs_precision_type = bf16>",
                "field 'rhs_precision_type' is missing");
}

//===--- Convolutions -----------------------------------------------------===//

TEST_F(AttributesTest, ConvolutionRolesGiveDimensions) {
  auto conv = parseAs<stablehlo::ConvDimensionNumbersAttr>(
      "#stablehlo.conv<[1, b, f, 0]x[o, 0, 1, i]->[f, 0, 1, b]>");
  ASSERT_TRUE(conv);
  EXPECT_EQ(conv.getInputBatchDimension(), 1);
  EXPECT_EQ(conv.getInputFeatureDimension(), 2);
  EXPECT_EQ(conv.getInputSpatialDimensions(), ArrayRef<int64_t>({3, 0}));
  EXPECT_EQ(conv.getKernelInputFeatureDimension(), 3);
  EXPECT_EQ(conv.getKernelOutputFeatureDimension(), 0);
  EXPECT_EQ(conv.getKernelSpatialDimensions(), ArrayRef<int64_t>({1, 2}));
  EXPECT_EQ(conv.getOutputBatchDimension(), 3);
  EXPECT_EQ(conv.getOutputFeatureDimension(), 0);
  expectSame("#stablehlo.conv<[1, b, f, 0]x[o, 0, 1, i]->[f, 0, 1, b]>");
  expectSame("#stablehlo.conv<[b, f]x[i, o]->[b, f]>");
}

TEST_F(AttributesTest, ConvolutionRolesAreChecked) {
  expectRefused("#stablehlo.conv<[b, 0]x[i, o, 0]->[b, f, 0]>", "expected dimensions 'b' and 'f'");
  expectRefused("#stablehlo.conv<[b, b, 0]x[i, o, 0]->[b, f, 0]>", "dimension 'b' given twice");
  expectRefused("#stablehlo.conv<[b, f, 1]x[i, o, 0]->[b, f, 0]>",
                "expected spatial dimensions 0 to 0, each once");
  expectRefused("#stablehlo.conv<[b, f, 0, 0]x[i, o, 0, 1]->[b, f, 0, 1]>",
                "expected spatial dimensions 0 to 1, each once");
  expectRefused("#stablehlo.conv<[b, o, 0]x[i, o, 0]->[b, f, 0]>",
                "expected 'b', 'f' or a number, but got 'o'");
}

//===--- Unknown attributes -----------------------------------------------===//

TEST_F(AttributesTest, UnknownKindsAreKeptAsText) {
  for (StringRef text : {"#stablehlo.bounds<4, ?>", "#sdy.op_sharding_rule<([i])->([i]) {i=4}>"}) {
    Attribute attr = parse(text);
    ASSERT_TRUE(isa_and_nonnull<OpaqueAttr>(attr)) << error;
    EXPECT_EQ(print(attr), text);
  }
}

TEST_F(AttributesTest, ChloReadsComparisonsOnly) {
  EXPECT_EQ(parse("#chlo<comparison_direction LT>"), parse("#stablehlo<comparison_direction LT>"));
  EXPECT_EQ(parse("#chlo<comparison_type TOTALORDER>"),
            parse("#stablehlo<comparison_type TOTALORDER>"));
  expectRefused("#chlo<precision DEFAULT>", "unsupported: attribute '#chlo<precision>'");
  expectRefused("#chlo<comparison_direction XX>", "unsupported");
}

//===--- sdy --------------------------------------------------------------===//

TEST_F(AttributesTest, MeshesHaveAxesAndDevices) {
  auto mesh =
      parseAs<sdy::MeshAttr>("#sdy.mesh<[\"x\"=2, \"y\"=3], device_ids=[5, 4, 3, 2, 1, 0]>");
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh.getTotalSize(), 6);
  EXPECT_EQ(mesh.getAxisSize("y"), 3);
  EXPECT_FALSE(mesh.hasAxis("z"));
  EXPECT_EQ(mesh.getDevice(1), 4);
  EXPECT_FALSE(mesh.isOneDevice());
  EXPECT_TRUE(parseAs<sdy::MeshAttr>("#sdy.mesh<[], device_ids=[3]>").isOneDevice());
  expectSame("#sdy.mesh<[\"x\"=2, \"y\"=3], device_ids=[5, 4, 3, 2, 1, 0]>");
  expectSame("#sdy.mesh<[]>");
}

TEST_F(AttributesTest, MeshesAreVerified) {
  expectRefused("#sdy.mesh<[\"x\"=2, \"x\"=2]>", "axes of different names, but got \"x\" twice");
  expectRefused("#sdy.mesh<[\"x\"=0]>", "expected a positive size of axis \"x\", but got 0");
  expectRefused("#sdy.mesh<[\"\"=2]>", "a name of a mesh axis that is not empty");
  expectRefused("#sdy.mesh<[\"x\"=2], device_ids=[0, 0]>", "name each of the 2 devices once");
  expectRefused("#sdy.mesh<[], device_ids=[0, 1]>", "one device of a mesh without axes");
  expectRefused("#sdy.mesh<[\"x\"=65536, \"y\"=65536]>", "at most 2^31 devices");
}

TEST_F(AttributesTest, ShardingsHaveAllTheirParts) {
  StringRef text = "#sdy.sharding<@mesh, [{\"a\", \"b\":(2)4}p1, {?}, {\"c\", ?}, {}], "
                   "replicated={\"d\"}, unreduced=max{\"e\"}>";
  auto sharding = parseAs<sdy::TensorShardingAttr>(text);
  ASSERT_TRUE(sharding);
  expectSame(text);
  EXPECT_EQ(sharding.getRank(), 4);
  EXPECT_EQ(sharding.getMeshSymbol().getValue(), "mesh");
  ArrayRef<sdy::DimensionShardingAttr> dims = sharding.getDimShardings();
  EXPECT_EQ(dims[0].getPriority(), 1);
  EXPECT_TRUE(dims[0].getIsClosed());
  EXPECT_FALSE(dims[0].getAxes()[0].isSubAxis());
  EXPECT_EQ(dims[0].getAxes()[1].getPreSize(), 2);
  EXPECT_EQ(dims[0].getAxes()[1].getSize(), 4);
  EXPECT_FALSE(dims[1].getIsClosed());
  EXPECT_EQ(dims[2].getAxes().size(), 1u);
  EXPECT_FALSE(dims[2].getPriority());
  EXPECT_EQ(sharding.getReplicatedAxes()[0].getName(), "d");
  EXPECT_EQ(sharding.getReduction(), sdy::ReductionOp::MAX);
  EXPECT_EQ(parseAs<sdy::TensorShardingAttr>("#sdy.sharding<@mesh, [], unreduced={\"e\"}>")
                .getReduction(),
            sdy::ReductionOp::SUM);
  expectSame("#sdy.sharding<mesh<[\"a\"=2]>, [{\"a\"}]>");
}

TEST_F(AttributesTest, ShardingsAreChecked) {
  expectRefused("#sdy.sharding<@mesh, [{?, \"a\"}]>", "expected nothing after '?'");
  expectRefused("#sdy.sharding<@mesh, [{\"a\"}q1]>", "expected a priority such as p1");
  expectRefused("#sdy.sharding<@mesh, [{\"a\":(0)2}]>", "expected a part of an axis");
  expectRefused("#sdy.sharding<@mesh, [{\"a\":(1)1}]>", "expected a part of an axis");
  expectRefused("#sdy.sharding<@mesh, [], replicated={\"a\"}, replicated={\"b\"}>",
                "each at most once, but got 'replicated'");
  expectRefused("#sdy.sharding<@mesh, [], partial={\"a\"}>", "but got 'partial'");
}

TEST_F(AttributesTest, ShardingsAreVerifiedForAMesh) {
  auto mesh = parseAs<sdy::MeshAttr>("#sdy.mesh<[\"a\"=8, \"b\"=2]>");
  Type type = RankedTensorType::get({4, 4}, Float32Type::get(&context));
  auto verify = [&](StringRef dims) {
    auto sharding = parseAs<sdy::TensorShardingAttr>(("#sdy.sharding<@mesh, " + dims + ">").str());
    error.clear();
    ScopedDiagnosticHandler handler(&context,
                                    [&](Diagnostic &diagnostic) { error = diagnostic.str(); });
    return succeeded(
        sharding.verifyFor(mesh, type, [&] { return emitError(UnknownLoc::get(&context)); }));
  };
  EXPECT_TRUE(verify("[{\"a\"}, {\"b\"}]"));
  EXPECT_TRUE(verify("[{\"a\":(1)2}, {\"a\":(2)4}]"));
  EXPECT_FALSE(verify("[{\"a\":(1)4}, {\"a\":(2)4}]"));
  EXPECT_NE(error.find("axis \"a\" is used twice"), std::string::npos);
  EXPECT_FALSE(verify("[{\"a\"}, {}], unreduced={\"a\"}"));
  EXPECT_FALSE(verify("[{\"a\":(1)3}, {}]"));
  EXPECT_NE(error.find("expected a part of axis \"a\" of size 8"), std::string::npos);
  EXPECT_FALSE(verify("[{\"c\"}, {}]"));
  EXPECT_NE(error.find("it has no \"c\""), std::string::npos);
  EXPECT_FALSE(verify("[{\"a\"}]"));
  EXPECT_NE(error.find("expected a sharding of 2 dimensions"), std::string::npos);
}

TEST_F(AttributesTest, ShardingsOfSeveralValues) {
  auto all = parseAs<sdy::TensorShardingPerValueAttr>(
      "#sdy.sharding_per_value<[<@mesh, [{\"a\"}]>, <@mesh, []>]>");
  ASSERT_TRUE(all);
  EXPECT_EQ(all.getShardings().size(), 2u);
  EXPECT_EQ(all.getShardings()[1].getRank(), 0);
  expectSame("#sdy.sharding_per_value<[<@mesh, [{\"a\"}]>, <@mesh, []>]>");
}

} // namespace
