//===- Passes.td - Passes of the parallelize stage ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a tensor program with layouts at its boundary to a parallel program.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_PASSES_TD
#define DMC_PARALLELIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

/// The machine for which moves are chosen and priced.
def DMC_MachineOption : Option<"machine", "machine", "std::string", /*default=*/"\"\"",
    "a machine file, or a rank's link=1e9,latency=1e-7,flops=8e9,memory=1e12,capacity=1e9: "
    "bytes/s, seconds a message, flops/s, bytes/s, bytes">;

def CopyCheapValues : Pass<"dmc-copy-cheap-values", "::mlir::ModuleOp"> {
  let summary = "Rematerializes broadcasts of scalars and constants for each user";
  let description = [{
    Recomputing a broadcast of a scalar, an iota or a mask costs less than moving it.
    The pass gives each user a copy of its own, so that each user can have the value in
    its own layout and propagation does not carry a layout from one user to the others
    through it (the learning rate's broadcast would tie together the layouts of all
    parameters of one shape). `dmc-simplify-moves` merges copies that end up with equal
    layouts. The pass does not copy a value whose computation takes more than 16 operations.

    ```mlir
    %b = linalg.broadcast ins(%rate : tensor<f32>) outs(%e : tensor<8xf32>) dimensions = [0]
    %0 = linalg.map { arith.mulf } ins(%x, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    %1 = linalg.map { arith.mulf } ins(%y, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    ```

    becomes

    ```mlir
    %b = linalg.broadcast ins(%rate : tensor<f32>) outs(%e : tensor<8xf32>) dimensions = [0]
    %0 = linalg.map { arith.mulf } ins(%x, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    %c = linalg.broadcast ins(%rate : tensor<f32>) outs(%e : tensor<8xf32>) dimensions = [0]
    %1 = linalg.map { arith.mulf } ins(%y, %c : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    ```
  }];
}

def PropagateLayouts : Pass<"dmc-propagate-layouts", "::mlir::ModuleOp"> {
  let summary = "Decides the layouts of all values from those at the boundary";
  let description = [{
    The user gives the layouts of arguments and results (`dmc.program`) and may
    request layouts of intermediate values (`dmc.constrain`). The pass propagates the axes
    that shard a dimension to the other dimensions of the same factor (loop) of an
    operation's sharding rule, forwards and backwards, until a fixed point: first from
    constraints, then from arguments that are not parameters (not donated), then from
    the rest, so that the batch takes precedence over the parameters where both request one
    axis. It does so one priority after the other (`priority` of a constraint,
    `dmc.priorities` of an argument or result: for each dimension, 0 first); until its
    priority is reached a dimension is not sharded, and its axes shard no other dimension
    of its value. An axis shards only one factor of an operation; where the values of an
    operation disagree, the pass takes the choice that computes nothing twice and sends
    the fewest bytes.

    The program stays at level `tensor`: decisions are attributes `dmc.layouts`,
    one layout for each tensor operand and result. The result of an operation whose
    reduction loop is sharded is partial. The pass completes the layouts that `dmc.program`
    leaves open.

    ```mlir
    module attributes {dmc.program = #dmc.program<tensor "f" on #mesh_data2,
        arguments ["x" : tensor<4x8xf32, #layout_data_r>], results ["y" : tensor<8xf32, #layout_r>]>} {
      func.func @main(%x: tensor<4x8xf32>) -> tensor<8xf32> {
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<8xf32>
        %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
        %y = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%init : tensor<8xf32>) dimensions = [0]
        return %y : tensor<8xf32>
      }
    }
    ```

    gives the reduction
    `{dmc.layouts = #dmc.op_layouts<operands = [[{"data"}, {} ], [{} ], sum {"data"} ], results = [[{} ], sum {"data"} ]>}`
    (meshes left out): each device sums its rows.

    Partial sums are added before they are reduced, with one reduction. A conversion of a
    partial sum to a narrower type is moved in front of the reduction only where the operation
    has the attribute `dmc.narrow_partials`: the permission to round the partial sums, which
    the user gives by `--narrow-partials` and the source language by a contraction's algorithm.

    The pass then improves the decisions by predicted time: bytes per link bandwidth,
    FLOPs per rank rate, latency per collective (`machine`). Wherever a move or
    replicated computation costs something, it tries an operation with other shardings, and
    the tensors around it, as far as cheap operations reach, with other layouts; it keeps
    a change that makes the program faster. With a `capacity` no change increases the peak
    memory of a rank beyond it; a program that exceeds it already is changed until it
    fits or no change helps. Memory is estimated here: `dmc-plan-buffers` knows the exact
    bytes and refuses a program that does not fit.

    Where tactics have decided before (`transform.dmc.propagate`), operations have
    `dmc.layouts`: what these shard stays sharded and may be sharded further; where nothing
    was requested since (`dmc.decided` on the module), all of them stay.

    An operation without a sharding rule needs replicated operands; `remarks` reports them.

    A program without a mesh runs on one rank: it gets the mesh `<"rank" = 1>`.
  }];
  let options = [DMC_MachineOption,
                 Option<"improve", "improve", "bool", /*default=*/"true",
                        "improve what propagation decided by predicted time">,
                 Option<"solve", "solve", "bool", /*default=*/"false",
                        "choose the layouts of all operations as one problem, for the least "
                        "predicted time">,
                 Option<"solveBoundary", "solve-boundary", "bool", /*default=*/"false",
                        "with it choose the layouts of arguments and results that have none, too">,
                 Option<"remarks", "remarks", "bool", /*default=*/"false",
                        "report operations that need replicated operands since they have no "
                        "sharding rule">];
  let dependentDialects = ["::dmc::DMCDialect"];
}

def SplitWindows : Pass<"dmc-split-windows", "::mlir::ModuleOp"> {
  let summary = "Inserts halo exchanges for sharded convolutions, pooling, pads and slices";
  let description = [{
    The decisions in `dmc.layouts` may shard a loop that reads a neighborhood of its position
    (rows of a convolution) although the operand's shards do not align with the result's.
    The pass makes a loop over the blocks, lets each block read a window of the operand
    (`dmc.halo`), and joins the result from the blocks. Pads and dilations in front of the
    operation become part of the windows. Pads, insertions into a splat, slices and
    concatenations along a sharded dimension are computed block by block in the same
    manner.

    ```mlir
    %p = tensor.pad %x low[1] high[1] {...} : tensor<8xf32> to tensor<10xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, w) -> (i + w)>, affine_map<(i, w) -> (w)>,
        affine_map<(i, w) -> (i)>], ...} ins(%p, %k : tensor<10xf32>, tensor<3xf32>) outs(%z : tensor<8xf32>) {...}
        {dmc.layouts = #dmc.op_layouts<operands = [#data, #r, #data], results = [#data]>}
    ```

    becomes, on two devices,

    ```mlir
    %h = dmc.halo %x in 0 step 4 offset -1 padding 0.0 : f32 : tensor<8xf32> to tensor<2x6xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(p, i, w) -> (p, i + w)>, affine_map<(p, i, w) -> (w)>,
        affine_map<(p, i, w) -> (p, i)>], ...} ins(%h, %k : tensor<2x6xf32>, tensor<3xf32>) outs(%zb : tensor<2x4xf32>) {...}
    %y = tensor.collapse_shape %b [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    ```

    with layouts on each operation. The program stays at level `tensor`.
  }];
  let dependentDialects = ["::dmc::DMCDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def MaterializeMoves : Pass<"dmc-materialize-moves", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor its decided layout and inserts the moves";
  let description = [{
    One sweep applies the decisions in `dmc.layouts`: all types get their layouts, those
    of the signature included, and where a use needs a layout other than the value's, the
    pass inserts a `dmc.reshard` (one for each value and layout, at the first use).
    Constants, fills and destinations are instead copied in each layout that is needed. A
    partial value with several uses is reduced once. A use takes the version of the value
    from which the move is the fastest on the `machine`. What a constraint makes of a value
    is such a version, made where uses want it in several layouts; otherwise they take the
    value from what the constraint is on. Afterwards no `dmc.constrain` and no
    `dmc.layouts` remain; the program is at level `parallel`.

    ```mlir
    %y = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%init : tensor<8xf32>) dimensions = [0]
        {dmc.layouts = #dmc.op_layouts<operands = [#data_r, #r_sum_data], results = [#r_sum_data]>}
    return %y : tensor<8xf32>
    ```

    becomes

    ```mlir
    %p = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32, #data_r>) outs(%init : tensor<8xf32, #r_sum_data>) dimensions = [0]
    %y = dmc.reshard %p : tensor<8xf32, #r_sum_data> to tensor<8xf32, #r>
    return %y : tensor<8xf32, #r>
    ```
  }];
  let options = [DMC_MachineOption];
  let dependentDialects = ["::dmc::DMCDialect"];
}

def ExpandReshards : Pass<"dmc-expand-reshards", "::mlir::ModuleOp"> {
  let summary = "Expands reshards into sequences of the other moves";
  let description = [{
    The reshard planner finds the cheapest sequence, by the link bandwidth and the latency
    of the `machine` (docs/reshard.md): slices are free, a reduction becomes a reduce-scatter
    where that is cheaper, an axis that changes its dimension an all-to-all (`dmc.exchange`),
    equal cuts by other axes a collective-permute (`dmc.permute`). Where direct point-to-point
    transfers are cheaper than any sequence of these, ranks send each other what they need
    (`dmc.redistribute`). In a module with the attribute `dmc.plain`
    (`transform.dmc.propagate`), a move that is only a reduction is one `dmc.reduce`.

    ```mlir
    %y = dmc.reshard %p : tensor<8xf32, #r_sum_data> to tensor<8xf32, #data>
    ```

    becomes

    ```mlir
    %0 = dmc.reduce %p over {"data"} : tensor<8xf32, #r_sum_data> to tensor<8xf32, #r>
    %y = dmc.partition %0 along {"data"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #data>
    ```

    which is one reduce-scatter.
  }];
  let options = [DMC_MachineOption];
  let dependentDialects = ["::dmc::DMCDialect"];
}

def MergeMoves : Pass<"dmc-merge-moves", "::mlir::ModuleOp"> {
  let summary = "Merges neighbouring moves that one collective can do";
  let description = [{
    The pass merges moves so that each move, or pair of moves, becomes one collective. Where the
    first of two moves has no other use,

    - two `reduce` become one all-reduce over the axes of both;
    - two `combine` (all-gathers), or two `partition` (slices), of one dimension become one;
    - a `reduce` over more axes than the following `partition` divides is split in two,
      so that the reduce-scatter comes first and the rest moves less.

    One collective along axes of several levels of the `machine` sends everything at the rate of
    the slowest: moves that send are merged only where that is not slower.

    ```mlir
    %1 = dmc.reduce %0 over {"x", "y"} : tensor<8xf32, #sum_xy> to tensor<8xf32, #r>
    %2 = dmc.partition %1 along {"x"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #x>
    ```

    becomes

    ```mlir
    %1 = dmc.reduce %0 over {"x"} : tensor<8xf32, #sum_xy> to tensor<8xf32, #sum_y>
    %2 = dmc.partition %1 along {"x"} in 0 : tensor<8xf32, #sum_y> to tensor<8xf32, #x_sum_y>
    %3 = dmc.reduce %2 over {"y"} : tensor<8xf32, #x_sum_y> to tensor<8xf32, #x>
    ```

    of which the first two are one reduce-scatter.
  }];
  let options = [DMC_MachineOption];
  let dependentDialects = ["::dmc::DMCDialect"];
}

def SimplifyMoves : Pass<"dmc-simplify-moves", "::mlir::ModuleOp"> {
  let summary = "Cancels moves and merges reshards";
  let description = [{
    The pass applies the laws of the movement algebra that hold at any cost: it cancels a
    move that the next one undoes, erases a move to the layout that the value already has,
    and merges neighbouring reshards. It also merges equal operations and erases dead ones.
    Collectives are merged by `dmc-merge-moves`, which knows the machine. A parallel program is
    simplified by this pass and not by upstream's canonicalizer, which drops layouts.

    ```mlir
    %0 = dmc.combine %x along {"data"} in 0 : tensor<8xf32, #data> to tensor<8xf32, #r>
    %1 = dmc.partition %0 along {"data"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #data>
    ```

    becomes `%x`.
  }];
  let dependentDialects = ["::dmc::DMCDialect"];
}

def HoistMoves : Pass<"dmc-hoist-moves", "::mlir::ModuleOp"> {
  let summary = "Hoists moves out of loops";
  let description = [{
    A move in a loop's body runs in every iteration. The pass makes it run once

    - for a loop-invariant value: it hoists the move, and what computes its operand, in front of
      the loop (moves that communicate, of at most `max-bytes` a rank if that is not 0, and with
      a `capacity` of the `machine` only while the loop is estimated to leave room for them);
    - for a loop-carried value that each iteration moves to one layout and back for the next: the
      loop carries the value in that layout;
    - for partial sums that are reduced only to be added to a loop-carried value: the loop carries
      the partial sum, by the law `reduce(x) + reduce(y) = reduce(x + y)`, and the pass reduces
      it behind the loop.

    ```mlir
    %s:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero, %v = %x) -> ... {
      %w = linalg.map { math.tanh } ins(%v : tensor<4x8xf32, #data_r>) outs(%d : tensor<4x8xf32, #data_r>)
      %p = linalg.reduce { arith.addf } ins(%w : tensor<4x8xf32, #data_r>) outs(%z : tensor<8xf32, #r_sum_data>) dimensions = [0]
      %g = dmc.reduce %p over {"data"} : tensor<8xf32, #r_sum_data> to tensor<8xf32, #r>
      %n = linalg.map { arith.addf } ins(%a, %g : tensor<8xf32, #r>, tensor<8xf32, #r>) outs(%e : tensor<8xf32, #r>)
      scf.yield %n, %w : tensor<8xf32, #r>, tensor<4x8xf32, #data_r>
    }
    ```

    becomes

    ```mlir
    %t = dmc.spread %zero over {"data"} : tensor<8xf32, #r> to tensor<8xf32, #r_sum_data>
    %u:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t, %v = %x) -> ... {
      %w = linalg.map { math.tanh } ins(%v : tensor<4x8xf32, #data_r>) outs(%d : tensor<4x8xf32, #data_r>)
      %p = linalg.reduce { arith.addf } ins(%w : tensor<4x8xf32, #data_r>) outs(%z : tensor<8xf32, #r_sum_data>) dimensions = [0]
      %n = linalg.map { arith.addf } ins(%a, %p : tensor<8xf32, #r_sum_data>, tensor<8xf32, #r_sum_data>) outs(%f : tensor<8xf32, #r_sum_data>)
      scf.yield %n, %w : tensor<8xf32, #r_sum_data>, tensor<4x8xf32, #data_r>
    }
    %s = dmc.reduce %u#0 over {"data"} : tensor<8xf32, #r_sum_data> to tensor<8xf32, #r>
    ```

    and reduces once instead of four times.
  }];
  let options = [DMC_MachineOption,
                 Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"0",
                        "bytes of each hoisted loop-invariant value that a rank may keep "
                        "in front of a loop; 0: no bound">];
  let dependentDialects = ["::dmc::DMCDialect", "::mlir::tensor::TensorDialect"];
}

def VerifyParallel : Pass<"dmc-verify-parallel", "::mlir::ModuleOp"> {
  let summary = "Checks the layouts of a parallel program";
  let description = [{
    The verifier checks that every tensor has a layout on the program's mesh that fits its
    shape; that one assignment of axes to the factors of its sharding rule explains the
    layouts of each operation; that results are partial exactly where a sharded reduction or
    partial operands make them so; that the signature is that of
    `dmc.program`; and that operations of `comm` stand only in `dmc.manual`, because what they
    compute differs by rank. A program
    that passes computes the same values as without layouts and moves.

    ```mlir
    %h = linalg.map { math.tanh } ins(%p : tensor<8xf32, #r_sum_data>) outs(%e : tensor<8xf32, #r_sum_data>)
    ```

    is refused: `operand 0 is a partial sum over "data", which the operation does
    not carry over`. A module at another level passes.
  }];
}

def PrintShardingRules : Pass<"dmc-print-sharding-rules", "::mlir::ModuleOp"> {
  let summary = "Prints each operation's factors as a remark";
  let description = [{
    The pass serves tests and debugging. A rule reads
    `([i, k], [k, j], [i, j]) -> ([i, j]) {i=64, j=128, k=32 sum}`: per operand and
    result the factors of each dimension, then sizes and kinds of the factors:
    parallel, a combiner (reduction), `window` or `whole`. With `partial` also what
    partial operands make of the results: for each combiner the sets of operands that
    may be partial jointly (a destination is listed only where it is read).
  }];
  let options = [Option<"partial", "partial", "bool", /*default=*/"false",
                        "print which operands may be partial">];
}

#endif // DMC_PARALLELIZE_PASSES_TD
