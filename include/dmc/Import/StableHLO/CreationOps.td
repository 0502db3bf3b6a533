// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that make a tensor from attributes or a random state.
#ifndef DMC_IMPORT_STABLEHLO_CREATIONOPS_TD
#define DMC_IMPORT_STABLEHLO_CREATIONOPS_TD

include "dmc/Import/StableHLO/Attributes.td"

def StableHLO_ConstantOp : StableHLO_PureOp<"constant", [ConstantLike]> {
  let summary = "A tensor of given elements";
  let description = [{
    Constraints:
    - (C1) the value is a dense attribute or a resource, of the result's type.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_Tensor:$output);
  let builders = [OpBuilder<(ins "::mlir::DenseElementsAttr":$value), [{
    build($_builder, $_state, value.getType(), value);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def StableHLO_IotaOp : StableHLO_PureOp<"iota"> {
  let summary = "Each element is its index along a dimension";
  let description = [{
    Constraints:
    - (C1) the dimension is one of the result.
  }];
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs StableHLO_NumberTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def StableHLO_RngOp : StableHLO_Op<"rng"> {
  let summary = "Random numbers of a distribution, from a hidden state";
  let description = [{
    Constraints:
    - (C1) both parameters have the result's element type, a float for NORMAL;
    - (C2) `shape` has as many elements as the result dimensions.
  }];
  let arguments = (ins StableHLO_Scalar:$a, StableHLO_Scalar:$b, StableHLO_IntTensor:$shape,
                       StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_RngBitGeneratorOp : StableHLO_PureOp<"rng_bit_generator"> {
  let summary = "Random bits and the next state of a generator";
  let description = [{
    Constraints:
    - (C1) the state before and after have the same type, of rank 1;
    - (C2) the state has two words of 64 bits, for PHILOX also three.
  }];
  let arguments = (ins StableHLO_IntTensor:$initial_state,
                       StableHLO_RngAlgorithmAttr:$rng_algorithm);
  let results = (outs StableHLO_IntTensor:$output_state, StableHLO_NumberTensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif
