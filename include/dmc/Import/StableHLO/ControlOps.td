// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow, calls, and the terminator of all regions.
#ifndef DMC_IMPORT_STABLEHLO_CONTROLOPS_TD
#define DMC_IMPORT_STABLEHLO_CONTROLOPS_TD

include "dmc/Import/StableHLO/Attributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def StableHLO_ReturnOp : StableHLO_PureOp<"return", [Terminator, ReturnLike]> {
  let summary = "Ends a region with its results";
  let arguments = (ins Variadic<StableHLO_Tensor>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def StableHLO_CaseOp : StableHLO_BodyOp<"case"> {
  let summary = "Runs the branch of an index, the last one if the index is out of range";
  let description = [{
    Constraints:
    - (C1) there is at least one branch;
    - (C2) a branch takes no argument and returns the results' types.
  }];
  let arguments = (ins StableHLO_IntScalar:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_IfOp : StableHLO_BodyOp<"if"> {
  let summary = "Runs one of two branches";
  let description = [{
    Constraints:
    - (C1) a branch takes no argument and returns the results' types.
  }];
  let arguments = (ins StableHLO_BoolScalar:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasRegionVerifier = 1;
}

def StableHLO_WhileOp : StableHLO_Op<"while", [RecursiveMemoryEffects]> {
  let summary = "Runs a body as long as a condition holds of the values it carries";
  let description = [{
    Constraints:
    - (C1) the results have the operands' types;
    - (C2) condition and body take the operands' types;
    - (C3) the condition returns one boolean, the body the operands' types.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_OptimizationBarrierOp : StableHLO_Op<"optimization_barrier"> {
  let summary = "Keeps what makes its operands before what uses its results";
  let description = [{
    Constraints:
    - (C1) the results have the operands' types.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands);
  let results = (outs Variadic<StableHLO_Tensor>:$result);
  let assemblyFormat = [{
    attr-dict ($operands^ `:` custom<PairwiseTypes>(type($operands), type($result))) : (`(` `)`)?
  }];
  let hasVerifier = 1;
}

def StableHLO_CompositeOp : StableHLO_Op<"composite", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A named operation with a function that says what it does";
  let description = [{
    Constraints:
    - (C1) the decomposition is a function of the operands' and results' types;
    - (C2) the name is not empty, the version is not negative.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, StrAttr:$name,
                       OptionalAttr<DictionaryAttr>:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition,
                       DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<StableHLO_Tensor>);
  let assemblyFormat = "$name $inputs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_CustomCallOp : StableHLO_AnyTypeOp<"custom_call"> {
  let summary = "A call of a function that only the program's first target knows";
  let description = [{
    Parsed for the sake of a good message: only an importer can know the few targets with a meaning.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$call_target_name,
                       OptionalAttr<BoolAttr>:$has_side_effect,
                       OptionalAttr<AnyAttr>:$backend_config,
                       OptionalAttr<I32Attr>:$api_version,
                       OptionalAttr<ArrayAttr>:$called_computations,
                       OptionalAttr<ArrayAttr>:$operand_layouts,
                       OptionalAttr<ArrayAttr>:$result_layouts,
                       OptionalAttr<ArrayAttr>:$output_operand_aliases);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = [{
    custom<CallTarget>($call_target_name) `(` $inputs `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif
