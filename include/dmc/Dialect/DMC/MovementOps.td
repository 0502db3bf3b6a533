//===- MovementOps.td - Moves between layouts --------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The movement operators: the identity on the global value (of a halo, windows of
// it), and the only operators whose result differs from their operand in layout.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_MOVEMENT_OPS_TD
#define DMC_DIALECT_DMC_MOVEMENT_OPS_TD

include "dmc/Dialect/DMC/DMCAttrs.td"
include "dmc/Dialect/DMC/MoveOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class DMC_MovementOp<string mnemonic, list<Trait> traits = [MoveOpInterface]>
    : Op<DMC_Dialect, mnemonic, !listconcat(traits, [Pure])> {
  let hasVerifier = 1;
}

/// A move for which no rank sends anything.
class DMC_LocalMovementOp<string mnemonic>
    : DMC_MovementOp<mnemonic, [DeclareOpInterfaceMethods<MoveOpInterface, ["isCommunication"]>]> {
  let extraClassDefinition = [{
    bool $cppClass::isCommunication() { return false; }
  }];
}

def DMC_PartitionOp : DMC_LocalMovementOp<"partition"> {
  let summary = "Divides a dimension of a tensor among the devices along mesh axes";
  let description = [{
    A local slice: each device keeps its block of a replicated tensor, without communication.

    ```mlir
    %y = dmc.partition %x along {"data"} in 0 : tensor<8x4xf32, #r> to tensor<8x4xf32, #d0>
    ```

    Laws: `partition(combine x over a in d) over a in d = x`;
    `partition(reduce x over a)` is one reduce-scatter.
    After `dmc-to-ranks` no movement op remains.

    Constraints:
    - (C1) operand and result have the same shape and element type, and layouts on one mesh;
    - (C2) the dimension exists;
    - (C3) the axes are replicated in the operand's layout;
    - (C4) the result's layout is the operand's with the axes appended to the dimension.
  }];
  let arguments = (ins AnyRankedTensor:$operand, DMC_AxesAttr:$axes, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `along` custom<Axes>($axes) `in` $dim attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def DMC_CombineOp : DMC_MovementOp<"combine"> {
  let summary = "Gathers a sharded dimension of a tensor on every device along mesh axes";
  let description = [{
    An all-gather: each device receives the blocks of the others.

    ```mlir
    %y = dmc.combine %x along {"data"} in 0 : tensor<8x4xf32, #d0> to tensor<8x4xf32, #r>
    ```

    Laws: `combine(partition x over a in d) over a in d = x`; combines of
    neighbouring minor axes of one dimension merge.

    Constraints:
    - (C1) operand and result have the same shape and element type, and layouts on one mesh;
    - (C2) the dimension exists;
    - (C3) the axes are the minor end of the dimension's list in the operand's layout;
    - (C4) the result's layout is the operand's without them.
  }];
  let arguments = (ins AnyRankedTensor:$operand, DMC_AxesAttr:$axes, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `along` custom<Axes>($axes) `in` $dim attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def DMC_ReduceOp : DMC_MovementOp<"reduce"> {
  let summary = "Reduces the partial values of a tensor on every device along mesh axes";
  let description = [{
    An all-reduce; followed by `partition`, a reduce-scatter. The combiner is
    the operand's.

    ```mlir
    %y = dmc.reduce %p over {"model"} : tensor<8x4xf32, #p> to tensor<8x4xf32, #r>
    ```

    Laws: `reduce(spread x over a) over a = x`; reduces over disjoint axes merge.

    Constraints:
    - (C1) operand and result have the same shape and element type, and layouts on one mesh;
    - (C2) the axes, or axes that they are parts of, are partial in the operand's layout;
    - (C3) the result's layout is the operand's with the axes replicated.
  }];
  let arguments = (ins AnyRankedTensor:$operand, DMC_AxesAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `over` custom<Axes>($axes) attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def DMC_ReplicateOp : DMC_MovementOp<"replicate"> {
  let summary = "Broadcasts a placed tensor to every device along mesh axes";
  let description = [{
    A broadcast from the coordinate that holds the tensor.

    ```mlir
    %y = dmc.replicate %x over {"stage"} : tensor<8xf32, #s0> to tensor<8xf32, #r>
    ```

    Laws: `replicate(place x) = x`.

    Constraints:
    - (C1) operand and result have the same shape and element type, and layouts on one mesh;
    - (C2) the axes, or axes that they are parts of, are placed in the operand's layout;
    - (C3) the result's layout is the operand's with the axes replicated.
  }];
  let arguments = (ins AnyRankedTensor:$operand, DMC_AxesAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `over` custom<Axes>($axes) attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def DMC_SpreadOp : DMC_LocalMovementOp<"spread"> {
  let summary = "Makes a tensor partial over mesh axes";
  let description = [{
    The move is local. Along replicated axes coordinate 0 keeps the tensor and the other
    devices hold the combiner's neutral element (under max and min all may keep it); along
    axes that shard a dimension (the minor end of its list) each device holds its block and
    the neutral element elsewhere; along placed axes the coordinate that holds the tensor
    keeps it and the others hold the neutral element.

    ```mlir
    %y = dmc.spread %x over {"model"} : tensor<8xf32, #r> to tensor<8xf32, #p>
    ```

    Laws: `reduce(spread x over a) over a = x`.

    Constraints:
    - (C1) operand and result have the same shape and element type, and layouts on one mesh;
    - (C2) the axes are not partial in the operand's layout; those that split a
      dimension are the minor end of its list;
    - (C3) the result's layout is the operand's with the axes partial under one combiner.
  }];
  let arguments = (ins AnyRankedTensor:$operand, DMC_AxesAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `over` custom<Axes>($axes) attr-dict `:` type($operand) `to` type($result)";
}

def DMC_PlaceOp : DMC_LocalMovementOp<"place"> {
  let summary = "Keeps a replicated tensor at one coordinate of mesh axes";
  let description = [{
    The move is local: the other devices drop the tensor.

    ```mlir
    %y = dmc.place %x over {"stage"} : tensor<8xf32, #r> to tensor<8xf32, #s0>
    ```

    Laws: `replicate(place x) = x`.

    Constraints:
    - (C1) operand and result have the same shape and element type, and layouts on one mesh;
    - (C2) the axes are replicated in the operand's layout;
    - (C3) the result's layout is the operand's with the axes placed.
  }];
  let arguments = (ins AnyRankedTensor:$operand, DMC_AxesAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `over` custom<Axes>($axes) attr-dict `:` type($operand) `to` type($result)";
}

def DMC_ExchangeOp : DMC_MovementOp<"exchange"> {
  let summary = "Moves mesh axes from sharding one dimension to sharding another";
  let description = [{
    An all-to-all: each device sends a part of its block to every other one.

    ```mlir
    %y = dmc.exchange %x along {"data"} from 0 to 1 : tensor<8x4xf32, #d0> to tensor<8x4xf32, #d1>
    ```

    Laws: `exchange(exchange x from d to e) from e to d = x`.

    Constraints:
    - (C1) operand and result have the same shape and element type, and layouts on one mesh;
    - (C2) both dimensions exist and differ;
    - (C3) the axes are the minor end of the first dimension's list in the operand's layout;
    - (C4) the result's layout is the operand's with the axes at the minor end of
      the second dimension's list instead.
  }];
  let arguments = (ins AnyRankedTensor:$operand, DMC_AxesAttr:$axes, I64Attr:$source_dim, I64Attr:$target_dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `along` custom<Axes>($axes) `from` $source_dim `to` $target_dim attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def DMC_PermuteOp : DMC_MovementOp<"permute"> {
  let summary = "Reorders or renames the mesh axes that shard a tensor";
  let description = [{
    A collective-permute: each rank sends its shard to one rank at most. Local shapes stay equal; a rank
    whose block does not change sends nothing.

    ```mlir
    %y = dmc.permute %x : tensor<8xf32, #ab> to tensor<8xf32, #ba>
    ```

    Laws: a permute to the operand's own layout is the operand.

    Constraints:
    - (C1) operand and result have the same shape and element type, and layouts on one mesh;
    - (C2) neither layout has partial axes that the other has not;
    - (C3) the layouts cut each dimension at the same places;
    - (C4) no block has more holders after the move than before it.
  }];
  let arguments = (ins AnyRankedTensor:$operand);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def DMC_RedistributeOp : DMC_MovementOp<"redistribute"> {
  let summary = "Sends every rank the elements that it needs from ranks that hold them";
  let description = [{
    The move between any two layouts with the same partial axes, in as few rounds of
    point-to-point transfers as the busiest rank has. The reshard planner uses it where
    every sequence of other moves is more expensive.

    ```mlir
    %y = dmc.redistribute %x : tensor<7xf32, #zx> to tensor<7xf32, #xz>
    ```

    Laws: a redistribute to the operand's own layout is the operand.

    Constraints:
    - (C1) operand and result have the same shape and element type, and layouts on one mesh;
    - (C2) neither layout has partial axes that the other has not.
  }];
  let arguments = (ins AnyRankedTensor:$operand);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def DMC_ReshardOp : DMC_MovementOp<"reshard"> {
  let summary = "Changes a tensor's layout to any other";
  let description = [{
    Passes and users insert this op; `dmc-expand-reshards` expands it into a sequence of the
    other moves.

    ```mlir
    %y = dmc.reshard %x : tensor<8x4xf32, #any> to tensor<8x4xf32, #other>
    ```

    Laws: `reshard(reshard x) = reshard x` to the last layout, where nothing else uses
    the one between and that is not partial; a reshard to the operand's own layout is
    the operand.

    Constraints:
    - (C1) operand and result have the same shape and element type, and layouts on one mesh.
  }];
  let arguments = (ins AnyRankedTensor:$operand);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def DMC_HaloOp
    : DMC_MovementOp<"halo", [DeclareOpInterfaceMethods<MoveOpInterface, ["isIdentity"]>]> {
  let summary = "Divides a dimension of a tensor into windows, which may overlap";
  let description = [{
    Dimension `dim` of the operand, of n elements, becomes two of the result: the number of
    windows and their length. Window `i` begins at position `step * i + offset`; its element
    `j` is the operand's at `p / dilation` where `p = step * i + offset + j` is divisible by
    `dilation` and `0 <= p / dilation < n`, else `padding`. So padding and dilation of a
    convolution's operand are part of it.

    A halo exchange: where the operand's dimension is sharded, each device receives the part of
    its window that it does not hold by point-to-point transfers. Stencils, convolutions and
    pooling on windows are then sharded like any other operation: the number of windows is an
    ordinary dimension.

    ```mlir
    // Rows in pairs, with one row on either side.
    %w = dmc.halo %x in 0 step 2 offset -1 padding 0.0 : f32 : tensor<8x4xf32, #d0> to tensor<4x4x4xf32, #w0>
    ```

    Constraints:
    - (C1) the dimension exists, and the result has the operand's element type and its shape
      with the number of windows and their length in place of the dimension;
    - (C2) the dilation is positive, and the padding is of the element type;
    - (C3) both have layouts, on one mesh, or neither has;
    - (C4) the result's layout is the operand's with the dimension's axes on the number of
      windows, or, where they are none, with axes that the operand is replicated on;
    - (C5) where the number of windows is split, each device has one;
    - (C6) of a partial operand, the padding combined with itself stays.
  }];
  let arguments = (ins AnyRankedTensor:$operand, I64Attr:$dim, I64Attr:$step, I64Attr:$offset,
                       DefaultValuedAttr<I64Attr, "1">:$dilation, TypedAttrInterface:$padding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $operand `in` $dim `step` $step `offset` $offset (`dilation` $dilation^)? `padding` $padding
    attr-dict `:` type($operand) `to` type($result)
  }];
  let extraClassDefinition = [{
    bool $cppClass::isIdentity() { return false; }
  }];
  let extraClassDeclaration = [{
    int64_t getCount() { return getResult().getType().getDimSize(getDim()); }
    int64_t getLength() { return getResult().getType().getDimSize(getDim() + 1); }
  }];
}

def DMC_ConstrainOp : Op<DMC_Dialect, "constrain", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Requests a layout of a value";
  let description = [{
    The op is the identity on a value at level 0; propagation honours the request and
    `dmc-materialize-moves` removes the op. Dimensions in `open` are sharded by at
    least the layout's axes, and may be sharded further; the others by exactly those.
    `priority` states for every dimension when propagation considers it, 0 first; until then
    no axis shards it. Axes that are `replicated` do not shard any dimension. Values
    of one `group` have one layout. `allow` names the directions in which layouts propagate
    through the identity: `both` (the default), `forward` from the operand to the
    result, `backward`, or `none`. Under a layout with partial axes the value is partial.

    ```mlir
    %y = dmc.constrain %x : tensor<8x4xf32> to #layout open [1] priority [0, 1]
    %b = dmc.constrain %y : tensor<8x4xf32> to #dmc.layout<#mesh, [{}, {} ]> open [0, 1] allow forward
    ```

    Constraints:
    - (C1) the layout fits the tensor's rank and is not placed;
    - (C2) open dimensions exist and are listed once;
    - (C3) one priority for every dimension, or none; none is negative;
    - (C4) replicated axes are axes of the mesh that the layout does not use.
  }];
  let arguments = (ins AnyRankedTensor:$operand, DMC_LayoutAttr:$layout,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$open,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$priorities,
                       OptionalAttr<DMC_AxesAttr>:$replicated,
                       OptionalAttr<I64Attr>:$group,
                       DefaultValuedAttr<DMC_DirectionKind, "Direction::both">:$direction);
  let results = (outs AnyRankedTensor:$result);
  // The type comes before the layout, which would take a colon behind it.
  let assemblyFormat = [{
    $operand `:` type($operand) `to` $layout (`open` $open^)? (`priority` $priorities^)?
    (`replicated` custom<Axes>($replicated)^)? (`group` $group^)? (`allow` $direction^)? attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::dmc::LayoutAttr":$layout,
                                 CArg<"::llvm::ArrayRef<int64_t>", "{}">:$open)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isOpen(int64_t dim) { return ::llvm::is_contained(getOpen(), dim); }
    int64_t getPriority(int64_t dim) { return getPriorities().empty() ? 0 : getPriorities()[dim]; }
  }];
}

def DMC_OptimizationBarrierOp
    : Op<DMC_Dialect, "optimization_barrier", [Pure, SameOperandsAndResultType]> {
  let summary = "Keeps what is computed or moved behind it apart from what is in front";
  let description = [{
    The identity on a value at levels 0 to 2. Equal operations on its operand and on its result are
    not merged: what is recomputed from the result stays so, and a layout to which the operand was
    moved is moved to again. Operand and result have one layout.

    `stablehlo.optimization_barrier`, by which frameworks express rematerialization, becomes one
    for each tensor; where memory is limited, `dmc-propagate-layouts` splits live ranges by it.
    `dmc-remove-barriers` replaces it by its operand, behind all passes that merge operations.

    ```mlir
    %y = dmc.optimization_barrier %x : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

#endif // DMC_DIALECT_DMC_MOVEMENT_OPS_TD
