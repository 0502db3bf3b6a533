// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of tensors.
#ifndef DMC_IMPORT_STABLEHLO_CONTRACTIONOPS_TD
#define DMC_IMPORT_STABLEHLO_CONTRACTIONOPS_TD

include "dmc/Import/StableHLO/Attributes.td"

def StableHLO_DotGeneralOp : StableHLO_PureOp<"dot_general"> {
  let summary = "Sums of products over contracted dimensions, for each batch";
  let description = [{
    The result's dimensions are the batches, then lhs's free ones, then rhs's.

    Constraints:
    - (C1) batching and contracting dimensions are in range and distinct on each side;
    - (C2) as many on the one side as on the other, of pairwise equal size;
    - (C3) the result's shape follows from them;
    - (C4) `precision_config` has no entry or one for each operand.
  }];
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       StableHLO_DotDimensionNumbersAttr:$dot_dimension_numbers,
                       StableHLO_PrecisionConfigAttr:$precision_config,
                       OptionalAttr<StableHLO_DotAlgorithmAttr>:$algorithm);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs
    custom<DotAttributes>($dot_dimension_numbers, $precision_config, $algorithm)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ConvolutionOp : StableHLO_PureOp<"convolution"> {
  let summary = "Sums of products over windows";
  let description = [{
    Constraints:
    - (C1) operands and result have the rank that the dimension numbers describe, at least 2;
    - (C2) window attributes have one entry for each spatial dimension, positive but for padding;
    - (C3) group counts are positive, not both above 1, and divide batch and features as they must;
    - (C4) the result's shape follows from them;
    - (C5) `precision_config` has no entry or one for each operand.
  }];
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding,
                       OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
                       OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                       StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
                       I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       StableHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvDimensions>($dimension_numbers) `,`
    `window` `=` `{` custom<ConvWindow>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
                                        $window_reversal) `}`
    attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    // The window with defaults filled in: the values of spatial dimension `i`.
    int64_t getStride(unsigned i);
    int64_t getPaddingLow(unsigned i);
    int64_t getPaddingHigh(unsigned i);
    int64_t getLhsDilationOf(unsigned i);
    int64_t getRhsDilationOf(unsigned i);
    bool isReversed(unsigned i);
  }];
  let hasVerifier = 1;
}

#endif
