// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of the stablehlo dialect.
#ifndef DMC_IMPORT_STABLEHLO_ATTRIBUTES_TD
#define DMC_IMPORT_STABLEHLO_ATTRIBUTES_TD

include "dmc/Import/StableHLO/Base.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class StableHLO_Enum<string name, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, "", cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::dmc::stablehlo";
}

// Written `#stablehlo<mnemonic CASE>`.
class StableHLO_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<StableHLO_Dialect, info, mnemonic>;

def StableHLO_ComparisonDirection : StableHLO_Enum<"ComparisonDirection", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def StableHLO_ComparisonDirectionAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonDirection, "comparison_direction">;

def StableHLO_ComparisonType : StableHLO_Enum<"ComparisonType", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def StableHLO_ComparisonTypeAttr : StableHLO_EnumAttr<StableHLO_ComparisonType, "comparison_type">;

def StableHLO_Precision : StableHLO_Enum<"Precision", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def StableHLO_PrecisionAttr : StableHLO_EnumAttr<StableHLO_Precision, "precision">;
def StableHLO_PrecisionConfigAttr
    : OptionalAttr<TypedArrayAttrBase<StableHLO_PrecisionAttr, "precision for each operand">>;

def StableHLO_RngDistribution : StableHLO_Enum<"RngDistribution", [
  I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def StableHLO_RngDistributionAttr
    : StableHLO_EnumAttr<StableHLO_RngDistribution, "rng_distribution">;

def StableHLO_RngAlgorithm : StableHLO_Enum<"RngAlgorithm", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>, I32EnumAttrCase<"PHILOX", 2>]>;
def StableHLO_RngAlgorithmAttr : StableHLO_EnumAttr<StableHLO_RngAlgorithm, "rng_algorithm">;


def StableHLO_FftType : StableHLO_Enum<"FftType", [
  I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>,
  I32EnumAttrCase<"IRFFT", 3>]>;
def StableHLO_FftTypeAttr : StableHLO_EnumAttr<StableHLO_FftType, "fft_type">;

def StableHLO_Transpose : StableHLO_Enum<"Transpose", [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
  I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def StableHLO_TransposeKindAttr : StableHLO_EnumAttr<StableHLO_Transpose, "transpose">;

def StableHLO_ResultAccuracyMode : StableHLO_Enum<"ResultAccuracyMode", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
  I32EnumAttrCase<"TOLERANCE", 2>]>;
def StableHLO_ResultAccuracyModeAttr
    : StableHLO_EnumAttr<StableHLO_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

//===--- Structures -------------------------------------------------------------------------===//

class StableHLO_Attr<string name, string attrMnemonic> : AttrDef<StableHLO_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

class Dims<string desc> : ArrayRefParameter<"int64_t", desc>;

def StableHLO_DotDimensionNumbersAttr : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "Which dimensions of a general product are batches and which are contracted";
  let parameters = (ins Dims<"">:$lhsBatchingDimensions, Dims<"">:$rhsBatchingDimensions,
                        Dims<"">:$lhsContractingDimensions, Dims<"">:$rhsContractingDimensions);
}

def StableHLO_DotAlgorithmAttr : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "The arithmetic that a product is to use";
  let parameters = (ins "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType,
                        "::mlir::Type":$accumulationType, "int64_t":$lhsComponentCount,
                        "int64_t":$rhsComponentCount, "int64_t":$numPrimitiveOperations,
                        "bool":$allowImpreciseAccumulation);
}

def StableHLO_GatherDimensionNumbersAttr : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "How a gather's indices address the operand and where slices go in the result";
  let parameters = (ins Dims<"">:$offsetDims, Dims<"">:$collapsedSliceDims,
                        Dims<"">:$operandBatchingDims, Dims<"">:$startIndicesBatchingDims,
                        Dims<"">:$startIndexMap, "int64_t":$indexVectorDim);
}

def StableHLO_ScatterDimensionNumbersAttr : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "How a scatter's indices address the operand and where windows lie in the updates";
  let parameters = (ins Dims<"">:$updateWindowDims, Dims<"">:$insertedWindowDims,
                        Dims<"">:$inputBatchingDims, Dims<"">:$scatterIndicesBatchingDims,
                        Dims<"">:$scatterDimsToOperandDims, "int64_t":$indexVectorDim);
}

def StableHLO_ConvDimensionNumbersAttr : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "The roles of dimensions, as in [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
  let parameters = (ins
      "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension,
      Dims<"">:$inputSpatialDimensions,
      "int64_t":$kernelInputFeatureDimension, "int64_t":$kernelOutputFeatureDimension,
      Dims<"">:$kernelSpatialDimensions,
      "int64_t":$outputBatchDimension, "int64_t":$outputFeatureDimension,
      Dims<"">:$outputSpatialDimensions);
}

def StableHLO_ChannelHandleAttr : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "The number and the kind of a communication channel";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
}

def StableHLO_ResultAccuracyAttr : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "How far a transcendental function's result may be off";
  let parameters = (ins "::llvm::APFloat":$atol, "::llvm::APFloat":$rtol, "int64_t":$ulps,
                        "::dmc::stablehlo::ResultAccuracyMode":$mode);
}

#endif
