//===- Passes.td - Passes of the parallelize stage ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a tensor program with layouts at its boundary to a parallel program.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_PASSES_TD
#define DMC_PARALLELIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def CopyCheapValues : Pass<"dmc-copy-cheap-values", "::mlir::ModuleOp"> {
  let summary = "Makes what comes from scalars and constants anew for each user";
  let description = [{
    A broadcast of a scalar, an iota or a mask costs less than moving it. With one
    copy for each user, every user can have it in its own layout, and a layout does
    not leak from one user to the others through it (the learning rate's broadcast
    would tie together the layouts of all parameters of one shape). Copies that
    turn out to have equal layouts are merged by `dmc-simplify-moves`. A value that
    more than 16 operations make is not copied.

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
    The user says how arguments and results are laid out (`dmc.program`) and may
    ask for layouts of values between (`dmc.constrain`). Each operation's sharding
    rule carries the axes that split a dimension on to the other dimensions of the
    same factor (loop), forwards and backwards, until nothing changes: first from
    constraints, then from what is not a parameter (arguments that are not
    donated), then from the rest, so that the batch wins over the parameters where
    both want one axis. All this is done priority by priority (`priority` of a
    constraint, `dmc.priorities` of an argument or result: for each dimension, 0
    first); a dimension that waits is not split, and its axes split nothing of its
    value. An axis splits only one factor of an operation; where the
    values of an operation disagree, the choice that computes nothing twice and
    sends the fewest bytes is taken.

    The program stays at level `tensor`: decisions are attributes `dmc.layouts`,
    one layout for each tensor operand and result. The result of an operation whose
    reduction is split is partial. Layouts that the program does not say are completed.

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
    (meshes left out): each position sums its rows.

    Sums of terms are added up before they are reduced, once. A narrowing of a sum
    of terms passes in front of the reduction only where the operation has the
    attribute `dmc.narrow_terms`: the user's permission, or that of the source
    language, to round the terms.

    What is decided so is then improved by predicted time: bytes per link rate,
    flops per rank rate, latency per collective (`machine`). Wherever a move or
    replicated work costs something, an operation is tried with other splits, and
    the tensors around it, as far as cheap operations reach, with other layouts; a
    change that makes the program faster is kept. With a `capacity` no change makes the
    program need more bytes at once on a rank; a program that does already is changed
    until it does not, or nothing helps. Memory is estimated here: the bytes are known
    by `dmc-plan-buffers`, which refuses a program that does not fit.

    Where tactics have decided before (`transform.dmc.propagate`), operations have
    `dmc.layouts`: what these split stays split and may be split further; where nothing
    was asked for since (`dmc.decided` on the module), all of them stay.

    What has no sharding rule needs its operands whole, and says so with `remarks`.

    A program without mesh is one rank: it gets the mesh `<"rank" = 1>`.
  }];
  let options = [Option<"machine", "machine", "std::string", /*default=*/"\"\"",
                        "a rank, as link=1e9,latency=1e-7,flops=8e9,memory=1e12,capacity=1e9: "
                        "bytes/s, seconds a collective, flops/s, bytes/s, bytes">,
                 Option<"improve", "improve", "bool", /*default=*/"true",
                        "change what propagation decided where that is faster">,
                 Option<"remarks", "remarks", "bool", /*default=*/"false",
                        "say which operations need their operands whole since they have no "
                        "sharding rule">];
  let dependentDialects = ["::dmc::DMCDialect"];
}

def SplitWindows : Pass<"dmc-split-windows", "::mlir::ModuleOp"> {
  let summary = "Makes windows of what split convolutions, pooling, pads and slices read";
  let description = [{
    A loop that reads around its position (rows of a convolution) may be split by the
    decisions in `dmc.layouts` although the operand's rows do not lie as the result's. Its
    blocks become a loop of their own, what each block reads a window of the
    operand (`dmc.halo`), and the result is joined from blocks. Pads and dilations
    in front of the operation become part of the windows. Pads, insertions into a splat,
    slices and concatenations along a split dimension take blocks of what they
    make in the same way.

    ```mlir
    %p = tensor.pad %x low[1] high[1] {...} : tensor<8xf32> to tensor<10xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, w) -> (i + w)>, affine_map<(i, w) -> (w)>,
        affine_map<(i, w) -> (i)>], ...} ins(%p, %k : tensor<10xf32>, tensor<3xf32>) outs(%z : tensor<8xf32>) {...}
        {dmc.layouts = #dmc.op_layouts<operands = [#data, #r, #data], results = [#data]>}
    ```

    becomes, on two positions,

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
    One sweep that makes the decisions in `dmc.layouts` true: all types get their
    layouts, those of the signature too, and where a use wants another layout than
    the value has, a `dmc.reshard` is inserted (one for each value and layout, at
    the first use). Constants, fills and destinations are copied in each layout
    that is wanted instead. A partial value with several uses is reduced once.
    `dmc.constrain` and `dmc.layouts` are gone afterwards; the program is at level
    `parallel`.

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
  let dependentDialects = ["::dmc::DMCDialect"];
}

def ExpandReshards : Pass<"dmc-expand-reshards", "::mlir::ModuleOp"> {
  let summary = "Writes reshards as sequences of the other moves";
  let description = [{
    The cheapest sequence, by bytes per link rate and latency per message
    (docs/reshard.md): slices are free, a reduction is scattered where that helps, an
    axis that changes its dimension is exchanged, equal cuts by other axes are
    permuted. Where no sequence of these is cheaper, ranks send each other directly
    what they need (`dmc.redistribute`). In a module with the attribute `dmc.plain`
    (`transform.dmc.propagate`), what is a reduction alone is one `dmc.reduce`.

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
  let dependentDialects = ["::dmc::DMCDialect"];
}

def SimplifyMoves : Pass<"dmc-simplify-moves", "::mlir::ModuleOp"> {
  let summary = "Cancels and merges moves";
  let description = [{
    The laws of the movement algebra that need no cost: a move that the next one
    undoes, a move to the layout that is there already, neighbours that are one
    move. Equal operations are merged and dead ones erased. Upstream's canonicalizer
    does not keep layouts; this is what a parallel program has instead.

    ```mlir
    %0 = dmc.combine %x along {"data"} in 0 : tensor<8xf32, #data> to tensor<8xf32, #r>
    %1 = dmc.partition %0 along {"data"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #data>
    ```

    becomes `%x`.
  }];
  let dependentDialects = ["::dmc::DMCDialect"];
}

def HoistMoves : Pass<"dmc-hoist-moves", "::mlir::ModuleOp"> {
  let summary = "Takes out of loops the moves that need not be repeated";
  let description = [{
    A move in a loop's body is done in every turn. Some need be done once:

    - of a value that the loop does not change: the move, and what makes its operand, stand in front
      of the loop (those that send something, at most `max-bytes` a rank if that is not 0);
    - of a value that each turn moves to one layout and moves back for the next: it
      is carried in that layout;
    - of terms that are reduced only to be added to what is carried: the loop carries terms,
      by the law `reduce(x) + reduce(y) = reduce(x + y)`, and the sum is reduced behind it.

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
  let options = [Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"0",
                        "what of a value that a loop does not change may be kept in front of it "
                        "on a rank; 0: anything">];
  let dependentDialects = ["::dmc::DMCDialect", "::mlir::tensor::TensorDialect"];
}

def VerifyParallel : Pass<"dmc-verify-parallel", "::mlir::ModuleOp"> {
  let summary = "Checks the layouts of a parallel program";
  let description = [{
    Every tensor has a layout on the program's mesh that fits its shape; each
    operation's layouts are explained by one assignment of axes to the factors of
    its sharding rule; results are partial exactly where a split reduction or
    partial operands make them so; the signature is that of `dmc.program`. A program
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
    For tests and the curious. A rule reads
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
