//===- Passes.td - Fusion ----------------------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the rank program's operations to kernels.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_FUSION_PASSES_TD
#define DMC_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FactorSums : Pass<"dmc-factor-sums", "::mlir::ModuleOp"> {
  let summary = "Applies factors that all rows share to the sum of the rows";
  let description = [{
    The gradient of a batch normalisation adds up `c * x` over all rows, where the factor `c` of each
    column follows from another sum over the same rows: `x` would be read once for each.

    The pass takes such factors, and signs, out of sums over leading dimensions: `x` alone is added
    up, in the kernel that reads it for the other sum. The error has the same bound; where `c` is
    infinite or the sum of `x` overflows and that of `c * x` does not, results differ.

    ```mlir
    %b = linalg.broadcast ins(%c : tensor<8xf32>) outs(%e : tensor<100x8xf32>) dimensions = [0]
    %p = linalg.map { arith.mulf } ins(%b, %x : tensor<100x8xf32>, tensor<100x8xf32>) outs(%e : tensor<100x8xf32>)
    %s = linalg.reduce { arith.addf } ins(%p : tensor<100x8xf32>) outs(%zero : tensor<8xf32>) dimensions = [0]
    ```
    becomes
    ```mlir
    %t = linalg.reduce { arith.addf } ins(%x : tensor<100x8xf32>) outs(%zero : tensor<8xf32>) dimensions = [0]
    %s = linalg.map { arith.mulf } ins(%t, %c : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def DropUnitDims : Pass<"dmc-drop-unit-dims", "::mlir::ModuleOp"> {
  let summary = "Computes on tensors without dimensions of one element";
  let description = [{
    Frameworks keep a reduced dimension as one of size 1. The reshapes between the two forms are views
    that stand between kernels, so that a mean, for instance, would be computed in another kernel than
    its use.

    The pass moves a `linalg.map` from in front of its operands' `tensor.expand_shape` to behind it,
    if that adds nothing but dimensions of size 1. A `linalg.reduce` over such dimensions alone
    combines its initial value with one element: it becomes a `linalg.map`. A `dmc.gather` whose
    indices or result have such dimensions in a reshape alone gathers without them.

    ```mlir
    %0 = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
    %1 = linalg.map { math.rsqrt } ins(%0 : tensor<8x1xf32>) outs(%e : tensor<8x1xf32>)
    %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    ```
    becomes
    ```mlir
    %1 = linalg.map { math.rsqrt } ins(%x : tensor<8xf32>) outs(%f : tensor<8xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def ExpandOneHot : Pass<"dmc-expand-one-hot", "::mlir::ModuleOp"> {
  let summary = "Rewrites scatters of one element a row as elementwise operations";
  let description = [{
    The gradient of a choice of one element of each row, as in the loss of a classifier, is a scatter
    of one update a row. A scatter is a kernel of its own, which first writes its whole target.

    Where the rows are batches, in order, and each has one update along the last dimension, the pass
    compares the position of every element with the index instead. An index beyond the row changes
    nothing, as in a scatter.

    ```mlir
    %r = dmc.scatter ins(%i, %u : tensor<8x1xi32>, tensor<8xf32>) outs(%x : tensor<8x100xf32>)
        {inserted_window_dims = array<i64: 1>, input_batching_dims = array<i64: 0>, ...}
    ```
    becomes a `linalg.generic` over 8 x 100 elements that yields `j == i ? x (+) u : x`, which is
    fused with what computes `x` and with what reads the result.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def RemoveBarriers : Pass<"dmc-remove-barriers", "::mlir::ModuleOp"> {
  let summary = "Replaces optimization barriers by their operands";
  let description = [{
    A `dmc.optimization_barrier` keeps equal operations in front of it and behind it from being
    merged. The pass comes behind all others that merge some, and in front of those that fuse.
  }];
}

def FormKernels : Pass<"dmc-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Groups the operations of a rank program into kernels";
  let description = [{
    Operations that are fused into one launch need no memory for the values between them. The
    pass puts every operation that computes into a `dmc.kernel`. Collectives, reshapes (which
    are views) and index arithmetic, whose results kernels take as inputs, stay between
    kernels. Where one of these reads a `tensor.empty`, whose elements may have any value, it
    reads zeros.

    A *root* is an operation whose result leaves the kernel. `dmc.kernel_kind`
    says what the code is generated from:

    - `contraction`, `convolution`: the operation and the fill of its
      destination; for a library call that reads and writes with strides, also
      slices and transposes of operands and the transpose of the result;
    - `scatter`, `update`: the operation that changes a part of its destination,
      and the producers of what it writes;
    - `reduction`: one reduction and the producers of its operands, and elementwise operations on
      the result of one of everything, a mean's division for instance. One over leading dimensions is
      divided into blocks of them, whose results (`dmc.partials` says of how many) are a further
      result of the kernel: planned memory that nobody else reads;
    - `loop`: roots of one iteration space and their producers;
    - `row`: the same with reductions over trailing dimensions among the producers, and roots that
      have only the leading dimensions; the loops over rows are shared, and what a row's reductions
      read is in the cache when it is read again. Reductions over leading dimensions that read the
      same, as the gradients of a normalization's weights, are further roots, by blocks as above;
    - `opaque`: one operation that fusion knows nothing about.

    *Producers* compute elements from a few elements of their operands (maps,
    broadcasts, transposes, slices, pads, concatenations, gathers). The pass fuses a producer
    that only one kernel reads into that kernel, unless this would repeat more than a few
    additions (an exponential where it is repeated within a row). A producer that other kernels read as well is fused as a further root of a loop
    over its own shape or over its rows, if no cycle arises. What follows from the reductions of
    rows alone, gathers along the row included, is computed in the kernel of the rows. Fills, broadcasts, slices and cheap functions of
    constants are copied into every kernel that reads them; so are cheap functions of one tensor
    that takes no more memory, unless some kernel needs the result stored. Loops over one shape
    that read one tensor element by element are fused.

    `in_place` names for each result an input of its type that the kernel reads
    only at the element that it writes; the argument that is donated to the
    result comes first.

    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %a = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
    %b = linalg.map { arith.addf } ins(%a, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %b = dmc.kernel ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
        {dmc.kernel_kind = "loop", in_place = array<i64: 0>} -> (tensor<8xf32>) {
    ^bb0(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>):
      %0 = tensor.empty() : tensor<8xf32>
      %1 = linalg.map { math.exp } ins(%arg0 : tensor<8xf32>) outs(%0 : tensor<8xf32>)
      %2 = linalg.map { arith.addf } ins(%1, %arg0 : tensor<8xf32>, tensor<8xf32>) outs(%arg1 : tensor<8xf32>)
      dmc.yield %2 : tensor<8xf32>
    }
    ```
    which reads `%x` and writes `%b` once; `exp(x)` is never in memory.
  }];
  let dependentDialects = ["::dmc::DMCDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect"];
}

def OutlineKernels : Pass<"dmc-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Outlines kernels into functions, one for all equal kernels";
  let description = [{
    Each `dmc.kernel` becomes a `dmc.launch` of a private function with the
    attribute `dmc.kernel_function`, whose arguments are the kernel's inputs, then
    its destinations. Kernels of equal structure, locations and `in_place` aside,
    share one function: 32 equal layers give the kernels of one.

    Functions are named `kernel_<n>_<hint>` in the order of their first launch.

    ```mlir
    %r = dmc.kernel ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {dmc.kernel_kind = "loop"} -> (tensor<8xf32>) {
    ^bb0(%a: tensor<8xf32>, %d: tensor<8xf32>):
      %0 = linalg.map { math.exp } ins(%a : tensor<8xf32>) outs(%d : tensor<8xf32>)
      dmc.yield %0 : tensor<8xf32>
    }
    ```
    becomes
    ```mlir
    %r = dmc.launch @kernel_0_exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>

    func.func private @kernel_0_exp(%a: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32>
        attributes {dmc.kernel_function, dmc.kernel_kind = "loop"} {
      %0 = linalg.map { math.exp } ins(%a : tensor<8xf32>) outs(%d : tensor<8xf32>)
      return %0 : tensor<8xf32>
    }
    ```
    After it no `dmc.kernel` remains.
  }];
  let dependentDialects = ["::dmc::DMCDialect", "::mlir::func::FuncDialect"];
}

#endif // DMC_FUSION_PASSES_TD
