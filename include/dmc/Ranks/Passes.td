//===- Passes.td - Passes of the ranks stage ---------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the parallel program (level 1) to the rank program (level 2).
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RANKS_PASSES_TD
#define DMC_RANKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ToRanks : Pass<"dmc-to-ranks", "::mlir::ModuleOp"> {
  let summary = "Converts a parallel program into the program of each rank";
  let description = [{
    Tensor types become the types of local shards without layouts, moves become
    collectives or local slices, and operations their local form:

    - a mask covers the padding of an uneven dimension before a sharded reduction loop;
      in other loops the padding is unspecified;
    - `linalg.index` of a sharded loop gets the block's offset;
    - each rank slices its block of a constant; in a partial layout coordinate 0
      holds the constant and the others the neutral element;
    - gathers and scatters along sharded rows address the block that the rank holds.

    Scalars that depend on the rank alone are computed at the beginning of the
    function. `dmc.program` keeps global shapes and layouts and advances to level
    `ranks`. A `reduce` whose only use is a `partition` of the same axes becomes a
    `comm.reduce_scatter`. Blocks of several axes whose inner cuts are uneven are
    reordered locally, so that each move is one collective.

    ```mlir
    #mesh = #dmc.mesh<"x" = 2>
    #k = #dmc.layout<#mesh, [{}, {"x"} ]>
    #rows = #dmc.layout<#mesh, [{"x"}, {} ]>
    #sum = #dmc.layout<#mesh, [{}, {} ], sum {"x"}>
    #r = #dmc.layout<#mesh, [{}, {} ]>
    func.func @main(%a: tensor<4x6xf32, #k>, %b: tensor<6x8xf32, #rows>) -> tensor<4x8xf32, #r> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<4x8xf32, #sum>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32, #sum>) -> tensor<4x8xf32, #sum>
      %p = linalg.matmul ins(%a, %b : tensor<4x6xf32, #k>, tensor<6x8xf32, #rows>)
                         outs(%i : tensor<4x8xf32, #sum>) -> tensor<4x8xf32, #sum>
      %y = dmc.reduce %p over {"x"} : tensor<4x8xf32, #sum> to tensor<4x8xf32, #r>
      return %y : tensor<4x8xf32, #r>
    }
    ```

    becomes

    ```mlir
    func.func @main(%a: tensor<4x3xf32>, %b: tensor<3x8xf32>) -> tensor<4x8xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<4x8xf32>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
      %p = linalg.matmul ins(%a, %b : tensor<4x3xf32>, tensor<3x8xf32>)
                         outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
      %d = tensor.empty() : tensor<4x8xf32>
      %y = comm.all_reduce sum ins(%p : tensor<4x8xf32>) outs(%d : tensor<4x8xf32>)
             over {"x"} on #mesh -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```

    Errors: a program that is not at level `parallel`, a signature other than the
    program's, a `dmc.reshard` (`dmc-expand-reshards` comes first), an operation without a
    local form for its layouts.
  }];
  let dependentDialects = ["::dmc::DMCDialect", "::dmc::comm::CommDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def HoistTransposes : Pass<"dmc-hoist-transposes", "::mlir::ModuleOp"> {
  let summary = "Transposes values before they are reduced over ranks";
  let description = [{
    A contraction can write its result in any order of the dimensions, but what reads a transposed
    value walks memory with a stride. Where a value is all-reduced or reduce-scattered between a
    contraction and its transpose, as the gradients of weights are in training with parallel data or
    divided states, the pass transposes the operand of the reduction instead of its result: then the
    transpose is a part of the contraction, as it is in a program without a reduction. So it does
    with several reductions in a row.

    A reduction combines element by element, so that the results are the same bit for bit. The
    pass leaves alone what others use too, and operands that are not results of `linalg` operations.

    ```mlir
    %g = comm.all_reduce sum ins(%p : tensor<4x8xf32>) outs(%d : tensor<4x8xf32>) over {"x"} on #mesh -> tensor<4x8xf32>
    %t = linalg.transpose ins(%g : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
    ```

    becomes

    ```mlir
    %q = linalg.transpose ins(%p : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) permutation = [1, 0]
    %t = comm.all_reduce sum ins(%q : tensor<8x4xf32>) outs(%h : tensor<8x4xf32>) over {"x"} on #mesh -> tensor<8x4xf32>
    ```
  }];
  let dependentDialects = ["::dmc::comm::CommDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def CombineCollectives : Pass<"dmc-combine-collectives", "::mlir::ModuleOp"> {
  let summary = "Combines small collectives into larger ones";
  let description = [{
    Each collective has a latency, however few bytes it sends. The pass combines independent
    collectives of one kind, combiner, element type and group into one collective on a
    *bucket*, in which their tensors are concatenated, up to `bucket-bytes`; 0 disables the
    pass. It combines all-reduces, reduce-scatters, all-gathers, all-to-alls, permutes with the
    same pairs and broadcasts with the same root.

    A bucket is placed at its last member, and the users of the other members follow it, as
    long as this keeps no more than a bucket's bytes live; a bucket of all-gathers is placed in
    front of the first use of a member.

    Results are the same bit for bit: a rank reduces what it receives in rank order,
    element by element, independent of an element's position. The communication volume is
    the same; the combined collective's location is the fused location of its members.

    ```mlir
    %x = comm.all_reduce sum ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) over {"data"} on #mesh -> tensor<4xf32>
    %y = comm.all_reduce sum ins(%b : tensor<2x3xf32>) outs(%f : tensor<2x3xf32>) over {"data"} on #mesh -> tensor<2x3xf32>
    ```

    becomes

    ```mlir
    %p = tensor.expand_shape %a [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %c = tensor.collapse_shape %b [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %q = tensor.expand_shape %c [[0, 1]] output_shape [1, 6] : tensor<6xf32> into tensor<1x6xf32>
    %0 = tensor.concat dim(1) %p, %q : (tensor<1x4xf32>, tensor<1x6xf32>) -> tensor<1x10xf32>
    %1 = comm.all_reduce sum ins(%0 : tensor<1x10xf32>) outs(%g : tensor<1x10xf32>) over {"data"} on #mesh -> tensor<1x10xf32>
    %2 = tensor.extract_slice %1[0, 0] [1, 4] [1, 1] : tensor<1x10xf32> to tensor<1x4xf32>
    %x = tensor.collapse_shape %2 [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
    %3 = tensor.extract_slice %1[0, 4] [1, 6] [1, 1] : tensor<1x10xf32> to tensor<1x6xf32>
    %y = ...
    ```
  }];
  let options = [Option<"bucketBytes", "bucket-bytes", "int64_t", /*default=*/"1 << 20",
                        "bytes that one collective carries at most; 0: do not combine">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RecomputeStacks : Pass<"dmc-recompute-stacks", "::mlir::ModuleOp"> {
  let summary = "Recomputes stacked loop results that follow from other stacks";
  let description = [{
    A loop over layers stores what the backward pass needs of each iteration as rows of
    *stacks*. Many stacks can be computed from others: for an activation function the
    loop may store the argument, its multiples and powers, and the result. The pass removes a
    stack if

    - few additions and multiplications compute each of its rows from constants and from rows of
      remaining stacks, written in the same iteration to the same index;
    - the iterations fill it completely;
    - it is read in slices only.

    It computes slices of a removed stack from the same slices of the others, with the same
    operations: results stay the same bit for bit.

    ```mlir
    %0:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%n = %zero, %a = %e, %b = %e) -> ... {
      %x = linalg.map { math.tanh } ins(%t : tensor<1x8xf32>) outs(%f : tensor<1x8xf32>)
      %y = linalg.map { arith.addf } ins(%x, %x : tensor<1x8xf32>, tensor<1x8xf32>) outs(%f : tensor<1x8xf32>)
      %p = dmc.dynamic_update_slice ins(%x : tensor<1x8xf32>) at(%n, %zero : tensor<i32>, tensor<i32>) outs(%a : tensor<3x8xf32>) -> tensor<3x8xf32>
      %q = dmc.dynamic_update_slice ins(%y : tensor<1x8xf32>) at(%n, %zero : tensor<i32>, tensor<i32>) outs(%b : tensor<3x8xf32>) -> tensor<3x8xf32>
      ...
    }
    %r = dmc.dynamic_slice ins(%0#2 : tensor<3x8xf32>) at(%j, %zero : tensor<i32>, tensor<i32>) outs(%f : tensor<1x8xf32>) -> tensor<1x8xf32>
    ```

    becomes, without `%b` and `%y`,

    ```mlir
    %s = dmc.dynamic_slice ins(%0#1 : tensor<3x8xf32>) at(%j, %zero : tensor<i32>, tensor<i32>) outs(%f : tensor<1x8xf32>) -> tensor<1x8xf32>
    %r = linalg.map { arith.addf } ins(%s, %s : tensor<1x8xf32>, tensor<1x8xf32>) outs(%f : tensor<1x8xf32>)
    ```
  }];
}

def CheckContracts : Pass<"dmc-check-contracts", "::mlir::ModuleOp"> {
  let summary = "Checks the contracts that tactics state about a program";
  let description = [{
    `transform.dmc.expect` stores its contracts in the module (`dmc.contracts`). On a rank
    program the pass counts bytes and collectives in one step of one rank, those in loops
    multiplied by the trip count (by one where it is not known); on a scheduled program it
    checks peak memory: arguments, results that alias no argument, and the arena. A broken
    contract is an error at the tactic, with notes at the collectives that send most.

    ```mlir
    module attributes {dmc.contracts = [{loc = loc("plan.mlir":7:5), only = ["all_gather"]} ], ...} {
      %y = comm.all_reduce sum ins(%x : tensor<8xf32>) outs(%i : tensor<8xf32>) over {"x"} on #mesh -> tensor<8xf32>
    ```

    is refused: `contract broken: expected no collectives but all_gather`, with a note at
    the all-reduce. Other programs pass.
  }];
}

def VerifyRanks : Pass<"dmc-verify-ranks", "::mlir::ModuleOp"> {
  let summary = "Checks that a module is a rank program";
  let description = [{
    Constraints:
    - (C1) the module has a program of level `ranks` with a mesh, and one public function;
    - (C2) no type has a layout, and every tensor is ranked and static;
    - (C3) no movement operation remains;
    - (C4) arguments and results have the local shapes and element types of the program's;
    - (C5) every collective and `comm.axis_index` is on the program's mesh;
    - (C6) collectives stand in the function's body and in regions of `scf`
      operations only.

    ```mlir
    %y = comm.all_reduce sum ins(%x : tensor<8xf32>) outs(%i : tensor<8xf32>) over {"x"} on #mesh -> tensor<8xf32>
    ```

    is accepted if `#mesh` is the program's.
  }];
}

#endif // DMC_RANKS_PASSES_TD
