// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move elements without computing on them.
#ifndef DMC_IMPORT_STABLEHLO_DATAMOVEMENTOPS_TD
#define DMC_IMPORT_STABLEHLO_DATAMOVEMENTOPS_TD

include "dmc/Import/StableHLO/Attributes.td"

def StableHLO_BitcastConvertOp : StableHLO_PureOp<"bitcast_convert"> {
  let summary = "Reads the bits as another element type";
  let description = [{
    Constraints:
    - (C1) types of equal width keep the shape; a narrower result has a new last dimension of the
      widths' ratio, a wider one lacks the operand's last dimension, which is that ratio;
    - (C2) neither type is i1, unless both are.
  }];
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_BroadcastInDimOp : StableHLO_PureOp<"broadcast_in_dim"> {
  let summary = "Repeats a tensor along new dimensions and those of size 1";
  let description = [{
    Constraints:
    - (C1) operand and result have the same element type;
    - (C2) `broadcast_dimensions` names a different dimension of the result for each of the operand;
    - (C3) a dimension of the operand has size 1 or that of its dimension of the result.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ConcatenateOp : StableHLO_PureOp<"concatenate"> {
  let summary = "Puts tensors one behind the other along a dimension";
  let description = [{
    Constraints:
    - (C1) there is at least one input, all of the result's element type and rank;
    - (C2) `dimension` is one of theirs;
    - (C3) the result's size along it is the sum of theirs, all other sizes are equal.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandsAndComma>($inputs) `dim` `=` $dimension attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicSliceOp : StableHLO_PureOp<"dynamic_slice"> {
  let summary = "A window of given size at a position known at run time";
  let description = [{
    Constraints:
    - (C1) there is one start index for each dimension, all of one type;
    - (C2) `slice_sizes` is the result's shape and does not exceed the operand's;
    - (C3) operand and result have the same element type.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, Variadic<StableHLO_IntScalar>:$start_indices,
                       DenseI64ArrayAttr:$slice_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsAndComma>($start_indices) `sizes` `=` $slice_sizes attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicUpdateSliceOp : StableHLO_PureOp<"dynamic_update_slice", [
    AllTypesMatch<["operand", "result"]>]> {
  let summary = "Replaces a window at a position known at run time";
  let description = [{
    Constraints:
    - (C1) there is one start index for each dimension, all of one type;
    - (C2) the update has the operand's element type and rank and does not exceed its shape.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$update,
                       Variadic<StableHLO_IntScalar>:$start_indices);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_GatherOp : StableHLO_PureOp<"gather"> {
  let summary = "Slices of the operand at positions that a tensor of indices names";
  let description = [{
    Constraints:
    - (C1) operand and result have the same element type;
    - (C2) offset, collapsed, batching and index map dimensions are in range and distinct, all but
      those of the indices sorted; the operand's batching dimensions are disjoint from the collapsed
      ones and from the index map;
    - (C3) a slice is within the operand, of size 1 at most in collapsed and batching dimensions;
    - (C4) the index vector has an entry for each of `start_index_map`;
    - (C5) the result's shape follows from batch dimensions and slice sizes.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$start_indices,
                       StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
                       DenseI64ArrayAttr:$slice_sizes,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_PadOp : StableHLO_PureOp<"pad"> {
  let summary = "Puts a value around and between elements, or cuts elements off the edges";
  let description = [{
    Constraints:
    - (C1) operand, padding value and result have the same element type;
    - (C2) each padding has one entry for each dimension, the interior one not negative;
    - (C3) a size of the result is low + size + (size - 1) * interior + high.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Scalar:$padding_value,
                       DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high,
                       DenseI64ArrayAttr:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high
    `,` `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ReshapeOp : StableHLO_PureOp<"reshape"> {
  let summary = "The same elements in row-major order in another shape";
  let description = [{
    Constraints:
    - (C1) operand and result have the same element type;
    - (C2) and the same number of elements.
  }];
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_ReverseOp : StableHLO_PureOp<"reverse", [SameOperandsAndResultType]> {
  let summary = "Reverses the order of elements along dimensions";
  let description = [{
    Constraints:
    - (C1) the dimensions are distinct ones of the operand.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:`
    custom<SameType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_ScatterOp : StableHLO_BodyOp<"scatter", [SameVariadicOperandSize]> {
  let summary = "Combines updates into the inputs at positions that a tensor of indices names";
  let description = [{
    Constraints:
    - (C1) there is at least one input; inputs have one shape, updates another, results the inputs'
      types;
    - (C2) window, inserted, batching and index map dimensions are in range and distinct, all but
      those of the indices sorted; the input's batching dimensions are disjoint from the inserted
      ones and from the index map;
    - (C3) the index vector has an entry for each of `scatter_dims_to_operand_dims`;
    - (C4) the updates' window sizes do not exceed the inputs', their other sizes are the indices';
    - (C5) the computation takes a scalar of each input and each update and returns one for each.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, StableHLO_IntTensor:$scatter_indices,
                       Variadic<StableHLO_Tensor>:$updates,
                       StableHLO_ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_SliceOp : StableHLO_PureOp<"slice"> {
  let summary = "A window of the operand, with strides";
  let description = [{
    Constraints:
    - (C1) operand and result have the same element type;
    - (C2) starts, limits and strides have one entry for each dimension;
    - (C3) 0 <= start <= limit <= size, and the stride is positive;
    - (C4) a size of the result is ceil((limit - start) / stride).
  }];
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
                       DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_TransposeOp : StableHLO_PureOp<"transpose"> {
  let summary = "Permutes the dimensions";
  let description = [{
    Constraints:
    - (C1) operand and result have the same element type;
    - (C2) `permutation` is one of the operand's dimensions;
    - (C3) dimension i of the result has the size of dimension permutation[i] of the operand.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif
