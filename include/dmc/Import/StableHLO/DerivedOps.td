// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that a few others say: older forms, shapes as operands, batch normalization.
#ifndef DMC_IMPORT_STABLEHLO_DERIVEDOPS_TD
#define DMC_IMPORT_STABLEHLO_DERIVEDOPS_TD

include "dmc/Import/StableHLO/Attributes.td"

// Import replaces them by others, whose verifiers check what is not checked here.
class StableHLO_DerivedOp<string mnemonic, string text> : StableHLO_PureOp<mnemonic> {
  let summary = text;
}

//===--- Older forms --------------------------------------------------------------------------===//

def StableHLO_BroadcastOp : StableHLO_DerivedOp<"broadcast", "Adds leading dimensions"> {
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_DotOp : StableHLO_DerivedOp<"dot", "Product of vectors and matrices"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       StableHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs custom<Precisions>($precision_config) attr-dict `:`
    functional-type(operands, results)
  }];
}

def StableHLO_EinsumOp : StableHLO_DerivedOp<"einsum", "Product by an equation of letters"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_UnaryEinsumOp
    : StableHLO_DerivedOp<"unary_einsum", "Sum and transpose by an equation of letters"> {
  let arguments = (ins StableHLO_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_TorchIndexSelectOp
    : StableHLO_DerivedOp<"torch_index_select", "Slices at the indices along a dimension"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$index, I64Attr:$dim,
                       I64Attr:$batch_dims);
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_TupleOp : StableHLO_AnyTypeOp<"tuple", [Pure]> {
  let summary = "Several values as one";
  let arguments = (ins Variadic<AnyType>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleType>(type($val), type($result))";
  let hasVerifier = 1;
}

def StableHLO_GetTupleElementOp : StableHLO_AnyTypeOp<"get_tuple_element", [Pure]> {
  let summary = "One value of several";
  let arguments = (ins AnyTuple:$operand, I32Attr:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
}

//===--- Shapes as operands: of static type, or of constant value -----------------------------===//

def StableHLO_GetDimensionSizeOp
    : StableHLO_DerivedOp<"get_dimension_size", "The size of a dimension"> {
  let arguments = (ins StableHLO_Tensor:$operand, I64Attr:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_DynamicReshapeOp : StableHLO_DerivedOp<"dynamic_reshape", "Reshape to a value"> {
  let arguments = (ins StableHLO_Tensor:$operand, AnyRankedTensor:$output_shape);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_DynamicBroadcastInDimOp
    : StableHLO_DerivedOp<"dynamic_broadcast_in_dim", "Broadcast to a value"> {
  let arguments = (ins StableHLO_Tensor:$operand, AnyRankedTensor:$output_dimensions,
                       DenseI64ArrayAttr:$broadcast_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:`
    functional-type(operands, results)
  }];
}

def StableHLO_DynamicIotaOp : StableHLO_DerivedOp<"dynamic_iota", "Indices in a shape"> {
  let arguments = (ins AnyRankedTensor:$output_shape, I64Attr:$iota_dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_DynamicPadOp : StableHLO_DerivedOp<"dynamic_pad", "Padding by values"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$padding_value,
                       AnyRankedTensor:$edge_padding_low, AnyRankedTensor:$edge_padding_high,
                       AnyRankedTensor:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_RealDynamicSliceOp
    : StableHLO_DerivedOp<"real_dynamic_slice", "Slice between values"> {
  let arguments = (ins StableHLO_Tensor:$operand, AnyRankedTensor:$start_indices,
                       AnyRankedTensor:$limit_indices, AnyRankedTensor:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_DynamicGatherOp
    : StableHLO_DerivedOp<"dynamic_gather", "Gather of slices of a size that is a value"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$start_indices,
                       AnyRankedTensor:$slice_sizes,
                       StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_DynamicConvOp
    : StableHLO_DerivedOp<"dynamic_conv", "Convolution with a padding that is a value"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, AnyRankedTensor:$padding,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
                       OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                       StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
                       I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       StableHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
}

//===--- Batch normalization ------------------------------------------------------------------===//

def StableHLO_BatchNormInferenceOp
    : StableHLO_DerivedOp<"batch_norm_inference", "Normalizes by given mean and variance"> {
  let arguments = (ins StableHLO_RealTensor:$operand, StableHLO_RealTensor:$scale,
                       StableHLO_RealTensor:$offset, StableHLO_RealTensor:$mean,
                       StableHLO_RealTensor:$variance, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs StableHLO_RealTensor:$result);
}

def StableHLO_BatchNormTrainingOp
    : StableHLO_DerivedOp<"batch_norm_training", "Normalizes by its own mean and variance"> {
  let arguments = (ins StableHLO_RealTensor:$operand, StableHLO_RealTensor:$scale,
                       StableHLO_RealTensor:$offset, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs StableHLO_RealTensor:$output, StableHLO_RealTensor:$batch_mean,
                      StableHLO_RealTensor:$batch_var);
}

def StableHLO_BatchNormGradOp
    : StableHLO_DerivedOp<"batch_norm_grad", "Gradients of batch_norm_training"> {
  let arguments = (ins StableHLO_RealTensor:$operand, StableHLO_RealTensor:$scale,
                       StableHLO_RealTensor:$mean, StableHLO_RealTensor:$variance,
                       StableHLO_RealTensor:$grad_output, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs StableHLO_RealTensor:$grad_operand, StableHLO_RealTensor:$grad_scale,
                      StableHLO_RealTensor:$grad_offset);
}

#endif
