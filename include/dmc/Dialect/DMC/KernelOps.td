//===- KernelOps.td - Kernels and their launches -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unit of scheduling, buffers and code generation.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_KERNEL_OPS_TD
#define DMC_DIALECT_DMC_KERNEL_OPS_TD

include "dmc/Dialect/DMC/DMCAttrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def DMC_YieldOp : Op<DMC_Dialect, "yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["KernelOp", "ManualOp", "ScatterOp", "SortOp"]>]> {
  let summary = "Terminates a region and yields its values";
  let description = [{ Terminates the regions of `dmc.kernel`, `dmc.manual`, `dmc.scatter` and `dmc.sort`. }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ }]>];
}

def DMC_KernelOp : Op<DMC_Dialect, "kernel", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments, DestinationStyleOpInterface,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Operations that execute as one launch";
  let description = [{
    A group of operations that is one launch, or one library call with its
    epilogue. Isolated from above; tensors in and out, one destination for each
    result. The region's arguments are the inputs, then the destinations.
    `in_place[i]`, if not -1, is the input that result i may share its buffer
    with: the kernel reads that input only at the element that it writes.

    ```mlir
    %r = dmc.kernel ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<8xf32>) -> (tensor<8xf32>) {
    ^bb0(%x: tensor<8xf32>, %y: tensor<8xf32>, %d: tensor<8xf32>):
      %s = linalg.add ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
      dmc.yield %s : tensor<8xf32>
    }
    ```

    After `dmc-outline-kernels` no `dmc.kernel` remains.

    Constraints:
    - (C1) the region's arguments have the types of inputs and destinations, in order;
    - (C2) as many results as destinations, of the same types, which the region yields;
    - (C3) `in_place` has one entry per result, -1 or the index of an input of the same type.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, Variadic<AnyRankedTensor>:$inits,
                       OptionalAttr<DenseI64ArrayAttr>:$in_place);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` ($inits^ `:` type($inits))? `)`
    attr-dict `->` `(` type($results) `)` $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
  }];
}

def DMC_LaunchOp : Op<DMC_Dialect, "launch", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Runs an outlined kernel";
  let description = [{
    Runs the kernel function on its inputs, writing the destinations. On tensors
    (after `dmc-outline-kernels`) it yields the destinations' new values; on
    memrefs (level 3) it has no results and reads and writes memory. The kernel
    function takes inputs, then destinations. `in_place` as for `dmc.kernel`.

    ```mlir
    dmc.launch @kernel_3 ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
    ```

    Constraints:
    - (C1) the callee is a function whose arguments are inputs, then destinations;
    - (C2) on tensors the results are the destinations' types; on memrefs there are none;
    - (C3) operands are all tensors or all memrefs (scalars may be among the inputs).
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs, Variadic<AnyType>:$inits,
                       OptionalAttr<DenseI64ArrayAttr>:$in_place, DefaultValuedAttr<I64Attr, "0">:$stream);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $callee `ins` `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` ($inits^ `:` type($inits))? `)`
    attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

#endif // DMC_DIALECT_DMC_KERNEL_OPS_TD
