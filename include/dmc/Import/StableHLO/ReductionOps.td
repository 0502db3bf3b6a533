// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that apply a computation to many elements.
#ifndef DMC_IMPORT_STABLEHLO_REDUCTIONOPS_TD
#define DMC_IMPORT_STABLEHLO_REDUCTIONOPS_TD

include "dmc/Import/StableHLO/Attributes.td"

def StableHLO_MapOp : StableHLO_BodyOp<"map"> {
  let summary = "Applies a scalar computation to each element of the inputs";
  let description = [{
    Constraints:
    - (C1) inputs, at least one, and result have the same shape;
    - (C2) `dimensions` is 0 to rank - 1;
    - (C3) the computation takes a scalar of each input and returns one of the result.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_ReduceOp : StableHLO_BodyOp<"reduce", [SameVariadicOperandSize]> {
  let summary = "Combines the elements along dimensions by a computation, in any order";
  let description = [{
    Constraints:
    - (C1) there is at least one input, all of one shape, and an initial value for each;
    - (C2) an initial value has rank 0 and its input's element type;
    - (C3) the dimensions are distinct ones of the inputs;
    - (C4) a result has its input's shape without them, and its element type;
    - (C5) the body takes two scalars for each input and returns one.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, Variadic<StableHLO_Scalar>:$init_values,
                       DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_ReduceWindowOp : StableHLO_BodyOp<"reduce_window", [SameVariadicOperandSize]> {
  let summary = "Combines the elements of each window by a computation";
  let description = [{
    Constraints:
    - (C1) there is at least one input, all of one shape, and an initial value for each;
    - (C2) an initial value has rank 0 and its input's element type;
    - (C3) window attributes have one entry for each dimension, positive except for the padding;
    - (C4) a result has the shape that follows from them and its input's element type;
    - (C5) the body takes two scalars for each input and returns one.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, Variadic<StableHLO_Scalar>:$init_values,
                       DenseI64ArrayAttr:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
                       OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_Tensor>);
  let extraClassDeclaration = [{
    // The window with defaults filled in: the values of dimension `i`.
    int64_t getStride(unsigned i);
    int64_t getBaseDilation(unsigned i);
    int64_t getWindowDilation(unsigned i);
    int64_t getPaddingLow(unsigned i);
    int64_t getPaddingHigh(unsigned i);
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_SelectAndScatterOp : StableHLO_BodyOp<"select_and_scatter", [
    AllTypesMatch<["operand", "result"]>]> {
  let summary = "Adds each source element to the element that is selected of its window";
  let description = [{
    Constraints:
    - (C1) operand, source and initial value have the same element type;
    - (C2) window attributes have one entry for each dimension, positive except for the padding;
    - (C3) the source's shape follows from them;
    - (C4) `select` compares two scalars and returns a boolean;
    - (C5) `scatter` combines two scalars into one.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$source,
                       StableHLO_Scalar:$init_value,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs StableHLO_Tensor:$result);
  let extraClassDeclaration = [{
    // The window with defaults filled in: the values of dimension `i`.
    int64_t getWindowSize(unsigned i);
    int64_t getStride(unsigned i);
    int64_t getPaddingLow(unsigned i);
    int64_t getPaddingHigh(unsigned i);
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_SortOp : StableHLO_BodyOp<"sort"> {
  let summary = "Sorts tensors together along a dimension by a comparison";
  let description = [{
    Constraints:
    - (C1) there is at least one input, all of one shape, and the results have their types;
    - (C2) `dimension` is one of theirs, a negative one counted from the last;
    - (C3) the comparator takes two scalars of each input and returns a boolean.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs,
                       DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif
