//===- ComputeOps.td - Compute that linalg lacks -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Destination-style operators with run-time indices.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_COMPUTE_OPS_TD
#define DMC_DIALECT_DMC_COMPUTE_OPS_TD

include "dmc/Dialect/DMC/DMCAttrs.td"
include "dmc/Dialect/DMC/ShardingRuleInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class DMC_ComputeOp<string mnemonic, list<Trait> traits = []>
    : Op<DMC_Dialect, mnemonic, !listconcat(traits, [
          Pure, DestinationStyleOpInterface,
          DeclareOpInterfaceMethods<ShardingRuleOpInterface, ["getPartialResults"]>])> {
  let hasVerifier = 1;
}

def DMC_GatherOp : DMC_ComputeOp<"gather"> {
  let summary = "Collects slices of a tensor at run-time positions";
  let description = [{
    For each position `b` of the indices' batch dimensions (all but
    `index_vector_dim`) a slice of `slice_sizes` elements of the operand, whose
    start is read from the index vector: component `k` is the start in dimension
    `start_index_map[k]`, clamped so that the slice lies within the operand. In
    dimensions `operand_batching_dims` the start is the position in the
    corresponding dimension of `start_indices_batching_dims`. Dimensions in
    `collapsed_slice_dims` and `operand_batching_dims` (slice size 1) are dropped;
    the others become the result's `offset_dims`, and `b` the result's other
    dimensions.

    ```mlir
    %r = dmc.gather ins(%table, %ids : tensor<128x32xf32>, tensor<8x16x1xi32>)
                    outs(%init : tensor<8x16x32xf32>)
                    {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
                     index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 32>} -> tensor<8x16x32xf32>
    ```

    The init's elements are not read. `indices_are_unsigned`: index components are unsigned.

    Constraints:
    - (C1) `slice_sizes` has one entry per operand dimension, between 0 and that dimension's size;
    - (C2) `offset_dims`, `collapsed_slice_dims`, `operand_batching_dims` are strictly increasing and in range;
    - (C3) collapsed and batching dimensions are disjoint and have slice size at most 1;
    - (C4) `start_index_map` has as many distinct entries in range as the index vector has components,
      none of them a batching dimension;
    - (C5) batching dimensions correspond in number and size;
    - (C6) the result's shape is the one described.
  }];
  let arguments = (ins AnyRankedTensor:$operand, AnyRankedTensor:$indices, AnyRankedTensor:$init,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$offset_dims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$collapsed_slice_dims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$operand_batching_dims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$start_indices_batching_dims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$start_index_map,
    I64Attr:$index_vector_dim, DenseI64ArrayAttr:$slice_sizes, UnitAttr:$indices_are_unsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $operand `,` $indices `:` type($operand) `,` type($indices) `)`
    `outs` `(` $init `:` type($init) `)` attr-dict `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
}

def DMC_ScatterOp : DMC_ComputeOp<"scatter", [SameVariadicOperandSize]> {
  let summary = "Combines slices into tensors at run-time positions";
  let description = [{
    For each position of the updates, in row-major order: the position in the
    operands (start from the index vector, plus the window's offset) is computed
    as for `dmc.gather`; if it lies within the operands (no clamping), the elements
    there are replaced by the region's values for (elements, updates). The operands,
    one for each of the updates, are the destinations. Attribute names are those of
    gather's inverse.

    ```mlir
    %r = dmc.scatter ins(%ids, %upd : tensor<8x16x1xi32>, tensor<8x16x32xf32>)
                     outs(%table : tensor<128x32xf32>)
                     {update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: 0>,
                      scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 2 : i64} -> tensor<128x32xf32> {
    ^bb0(%old: f32, %new: f32):
      %s = arith.addf %old, %new : f32
      dmc.yield %s : f32
    }
    ```

    Constraints:
    - (C1) `update_window_dims`, `inserted_window_dims`, `input_batching_dims` are strictly increasing and in range;
    - (C2) inserted and batching dimensions are disjoint, and together with the
      window dimensions as many as the operand's;
    - (C3) `scatter_dims_to_operand_dims` has as many distinct entries in range as
      the index vector has components, none of them a batching dimension;
    - (C4) batching dimensions correspond in number and size;
    - (C5) the updates' shape is the one described, windows no larger than the operand;
    - (C6) the region takes the operands' elements, then the updates', and yields the operands';
    - (C7) the results' types are the operands';
    - (C8) there are as many updates as operands, at least one, each of one shape.
  }];
  let arguments = (ins AnyRankedTensor:$indices, Variadic<AnyRankedTensor>:$updates,
    Variadic<AnyRankedTensor>:$targets,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$update_window_dims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$inserted_window_dims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$input_batching_dims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$scatter_indices_batching_dims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$scatter_dims_to_operand_dims,
    I64Attr:$index_vector_dim, UnitAttr:$indices_are_unsigned, UnitAttr:$unique_indices);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `ins` `(` $indices `,` $updates `:` type($indices) `,` type($updates) `)`
    `outs` `(` $targets `:` type($targets) `)` attr-dict `->` type($results) $combiner
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getTargetsMutable(); }
    // All updates have one shape, and all targets.
    ::mlir::RankedTensorType getUpdateType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getUpdates().front().getType());
    }
    ::mlir::RankedTensorType getTargetType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getTargets().front().getType());
    }
  }];
  let hasRegionVerifier = 1;
}

def DMC_SortOp : DMC_ComputeOp<"sort"> {
  let summary = "Computes the order of elements along a dimension by a comparison";
  let description = [{
    For each line along `dimension` the operation computes the order that the comparator
    gives its elements; the sort is stable. Element i of `order`
    is the position of the element that comes i-th, and `place` is the inverse: where
    the element at a position goes. `dmc.gather` by the order sorts values. If `order` has
    fewer elements along the dimension, these are the first ones, and the place of all
    others is their number.

    The comparator takes the elements of each input at two positions and says
    whether the first comes before the second. What it says should be a strict weak
    order; if it is not, the result is the permutation that merging runs of 1, 2, 4, ...
    elements gives, an element of the later run first where it comes before.

    ```mlir
    %order, %place = dmc.sort ins(%x : tensor<8x100xf32>)
                              outs(%e0, %e1 : tensor<8x100xi32>, tensor<8x100xi32>) along 1
                              -> tensor<8x100xi32>, tensor<8x100xi32> {
    ^bb0(%a: f32, %b: f32):
      %before = arith.cmpf olt, %a, %b : f32
      dmc.yield %before : i1
    }
    ```

    The destinations' elements are not read.

    Constraints:
    - (C1) there is at least one input, all of one shape, which has the dimension;
    - (C2) results and destinations are i32 or i64 tensors of one type of elements and of that shape,
      but `order` and its destination may have fewer elements along the dimension, one at least
      where the inputs have any;
    - (C3) the region takes two elements of each input and yields an i1.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, AnyRankedTensor:$order_init,
                       AnyRankedTensor:$place_init, I64Attr:$dimension);
  let results = (outs AnyRankedTensor:$order, AnyRankedTensor:$place);
  let regions = (region SizedRegion<1>:$comparator);
  let assemblyFormat = [{
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $order_init `,` $place_init `:` type($order_init) `,` type($place_init) `)`
    `along` $dimension attr-dict `->` type($order) `,` type($place) $comparator
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), getInputs().size(), 2);
    }
    ::mlir::RankedTensorType getInputType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getInputs().front().getType());
    }
  }];
  let hasRegionVerifier = 1;
}

def DMC_DynamicSliceOp : DMC_ComputeOp<"dynamic_slice"> {
  let summary = "Extracts a slice of a tensor at a run-time start";
  let description = [{
    The block of the result's shape that starts at `starts` (one rank-0 integer
    tensor per dimension), each clamped to [0, size - slice size].

    ```mlir
    %r = dmc.dynamic_slice ins(%x : tensor<8x4xf32>) at(%i, %j : tensor<i32>, tensor<i32>)
                           outs(%init : tensor<2x4xf32>) -> tensor<2x4xf32>
    ```

    Constraints:
    - (C1) one start per dimension, rank-0 tensors of one integer type;
    - (C2) the result has the operand's element type and rank, and is no larger in any dimension.
  }];
  let arguments = (ins AnyRankedTensor:$operand, Variadic<AnyRankedTensor>:$starts, AnyRankedTensor:$init,
                       UnitAttr:$starts_are_unsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $operand `:` type($operand) `)` `at` `(` ($starts^ `:` type($starts))? `)`
    `outs` `(` $init `:` type($init) `)` attr-dict `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
}

def DMC_DynamicUpdateSliceOp : DMC_ComputeOp<"dynamic_update_slice"> {
  let summary = "Replaces a slice of a tensor at a run-time start";
  let description = [{
    The operand (the destination) with the block that starts at `starts`, each
    clamped to [0, size - update size], replaced by the update.

    ```mlir
    %r = dmc.dynamic_update_slice ins(%u : tensor<2x4xf32>) at(%i, %j : tensor<i32>, tensor<i32>)
                                  outs(%x : tensor<8x4xf32>) -> tensor<8x4xf32>
    ```

    Constraints:
    - (C1) one start per dimension, rank-0 tensors of one integer type;
    - (C2) the update has the operand's element type and rank, and is no larger in any dimension;
    - (C3) the result's type is the operand's.
  }];
  let arguments = (ins AnyRankedTensor:$update, Variadic<AnyRankedTensor>:$starts, AnyRankedTensor:$operand,
                       UnitAttr:$starts_are_unsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $update `:` type($update) `)` `at` `(` ($starts^ `:` type($starts))? `)`
    `outs` `(` $operand `:` type($operand) `)` attr-dict `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOperandMutable(); }
  }];
}

def DMC_ManualOp : Op<DMC_Dialect, "manual", [
    NoMemoryEffect, IsolatedFromAbove, SingleBlock]> {
  let summary = "A computation on the local shards of each rank";
  let description = [{
    A part of the program that is written for one rank, as by `shard_map` in JAX: the body
    takes the local shards of the operands under `in`, communicates by `comm` collectives on
    the mesh, and yields the local shards of the results under `out`. At levels 0 and 1
    the operation is opaque; `dmc-to-ranks` inlines the body.

    ```mlir
    %y = dmc.manual on #mesh ins(%x : tensor<8xf32>) in [#layout_data] out [#layout] -> (tensor<2xf32>) {
    ^bb0(%part: tensor<2xf32>):
      %e = tensor.empty() : tensor<2xf32>
      %sum = comm.all_reduce sum ins(%part : tensor<2xf32>) outs(%e : tensor<2xf32>) over {"data"} on #mesh -> tensor<2xf32>
      dmc.yield %sum : tensor<2xf32>
    }
    ```

    Constraints:
    - (C1) one layout on the mesh for each operand and result, neither partial nor
      placed, that cuts every dimension evenly;
    - (C2) the body's arguments and what it yields are the local shards, without layouts;
    - (C3) operands and results have no layouts (level 0), or exactly these.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       TypedArrayAttrBase<DMC_LayoutAttr, "layouts">:$in_layouts,
                       TypedArrayAttrBase<DMC_LayoutAttr, "layouts">:$out_layouts,
                       DMC_MeshAttr:$mesh);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `on` $mesh (`ins` `(` $inputs^ `:` type($inputs) `)`)? `in` $in_layouts `out` $out_layouts
    attr-dict-with-keyword (`->` `(` type($results)^ `)`)? $body
  }];
  let hasVerifier = 1;
}

#endif // DMC_DIALECT_DMC_COMPUTE_OPS_TD
