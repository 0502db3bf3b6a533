//===- CustomCallOps.td - Calls of kernels by name ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one operation whose meaning is not in the program.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_CUSTOMCALL_OPS_TD
#define DMC_DIALECT_DMC_CUSTOMCALL_OPS_TD

include "dmc/Dialect/DMC/DMCAttrs.td"
include "dmc/Dialect/DMC/ShardingRuleInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def DMC_CustomCallOp : Op<DMC_Dialect, "custom_call", [
    AttrSizedOperandSegments, Pure, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<ShardingRuleOpInterface, ["getPartialResults"]>]> {
  let summary = "Calls a kernel that the program does not define";
  let description = [{
    A function that the session is given by name (`dmc-c/CustomKernel.h`) computes the results from the inputs. Each
    rank calls it on its own blocks. `rule` says how the operation may be split (RuleText.h); without it
    every rank needs all of every input. `config` is text that the kernel is given, and
    `are_unsigned` says which of the inputs, then of the results, are unsigned integers.

    ```mlir
    %r = dmc.custom_call "scale_rows" ins(%x, %s : tensor<8x4xf32>, tensor<8xf32>) outs(%e : tensor<8x4xf32>)
         {rule = "([i, j], [i]) -> ([i, j])"} -> tensor<8x4xf32>
    ```

    The destinations' elements are not read. A factor is split only into blocks of one size: a
    kernel sees no padding. The kernel is a function of its inputs: a call may be removed, moved, or
    made once for several equal ones. After `dmc-to-ranks` no rule remains.

    Constraints:
    - (C1) there is at least one result, and the results have the types of the destinations;
    - (C2) `are_unsigned` has an entry for each input and result;
    - (C3) the rule has the operands, results, dimensions and sizes of the operation.
  }];
  let arguments = (ins StrAttr:$target, Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$inits,
    OptionalAttr<StrAttr>:$rule, OptionalAttr<StrAttr>:$config,
    OptionalAttr<DenseBoolArrayAttr>:$are_unsigned);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $target `ins` `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` ($inits^ `:` type($inits))? `)`
    attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
  }];
  let hasVerifier = 1;
}

#endif // DMC_DIALECT_DMC_CUSTOMCALL_OPS_TD
