//===- CommOps.td - Collectives ----------------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank sends and receives: destination-style collectives over mesh axes,
// on tensors (level 2) and on memrefs (level 3).
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_COMM_OPS_TD
#define DMC_DIALECT_COMM_OPS_TD

include "dmc/Dialect/DMC/DMCAttrs.td"
include "dmc/Dialect/Comm/CollectiveInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Comm_Dialect : Dialect {
  let name = "comm";
  let cppNamespace = "::dmc::comm";
  let summary = "Collectives between the ranks of a mesh";
  let description = [{
    The dialect holds the communication of the rank program. A collective names the mesh axes
    that it runs over; ranks that differ only along these axes form a group,
    ordered row-major over the axes as listed. Every rank of a group executes the
    same collectives in the same order.

    Collectives of imported programs may have groups that no axes describe. They
    are then listed, `over {} ... {groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>}`,
    a row for each group, in group order; a rank in no group gets zeros.

    On tensors a collective yields its destination's new value. On memrefs it has
    no result, or, as the start of a split collective, a `!comm.token` that
    `comm.wait` consumes.

    Programs for devices have *streams* instead of tokens, numbered from 0. What is on one stream
    runs in the order of the program; across streams only events order: `comm.record` makes one,
    and `comm.await` lets a stream wait for it. `dmc.launch` has a `stream`; a collective on
    memrefs, or a `memref.copy`, has the attribute `comm.stream`. Everything else runs on stream 0,
    and so does what names no stream.

    Constraints:
    - (C1) `comm.stream` is a non-negative 64-bit integer, on a collective on memrefs without
      a token or on a `memref.copy`.
  }];
  let dependentDialects = ["::dmc::DMCDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

def Comm_TokenType : TypeDef<Comm_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "A collective in flight";
}

def Comm_EventType : TypeDef<Comm_Dialect, "Event"> {
  let mnemonic = "event";
  let summary = "A point in the order of a stream";
}

class Comm_Op<string mnemonic, list<Trait> traits = []> : Op<Comm_Dialect, mnemonic, traits>;

class Comm_CollectiveOp<string mnemonic> : Comm_Op<mnemonic, [
    DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getKind"]>]> {
  let results = (outs Optional<AnyTypeOf<[AnyRankedTensor, Comm_TokenType]>>:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
}

defvar shapedOperand = AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;

def Comm_AllReduceOp : Comm_CollectiveOp<"all_reduce"> {
  let summary = "All-reduce: combines the tensors of a group on every rank";
  let description = [{
    Element by element, in group order.

    ```mlir
    %y = comm.all_reduce sum ins(%x : tensor<8xf32>) outs(%i : tensor<8xf32>) over {"data"} on #mesh -> tensor<8xf32>
    ```

    Constraints:
    - (C1) operand and destination are both tensors or both memrefs, static, of one element type;
    - (C2) the axes are axes of the mesh, none twice; with listed groups there are none,
      and the groups are a matrix of ranks of the mesh, none twice;
    - (C3) on tensors the result has the destination's type; on memrefs it is absent or a token;
    - (C4) the destination has the operand's shape.
  }];
  let arguments = (ins DMC_CombinerKind:$combiner, shapedOperand:$operand, shapedOperand:$init,
                       DMC_AxesAttr:$axes, DMC_MeshAttr:$mesh,
                       OptionalAttr<I64ElementsAttr>:$groups);
  let assemblyFormat = [{
    $combiner `ins` `(` $operand `:` type($operand) `)` `outs` `(` $init `:` type($init) `)`
    `over` custom<Axes>($axes) `on` $mesh attr-dict (`->` type($result)^)?
  }];
}

def Comm_AllGatherOp : Comm_CollectiveOp<"all_gather"> {
  let summary = "All-gather: concatenates the tensors of a group on every rank";
  let description = [{
    Blocks stand in group order along the dimension.

    ```mlir
    %y = comm.all_gather ins(%x : tensor<2x4xf32>) outs(%i : tensor<8x4xf32>) dim 0 over {"data"} on #mesh -> tensor<8x4xf32>
    ```

    Constraints:
    - (C1) operand and destination are both tensors or both memrefs, static, of one element type;
    - (C2) the axes are axes of the mesh, none twice; with listed groups there are none,
      and the groups are a matrix of ranks of the mesh, none twice;
    - (C3) on tensors the result has the destination's type; on memrefs it is absent or a token;
    - (C4) the destination's dimension is the group's size times the operand's, the others are equal.
  }];
  let arguments = (ins shapedOperand:$operand, shapedOperand:$init, I64Attr:$dim,
                       DMC_AxesAttr:$axes, DMC_MeshAttr:$mesh,
                       OptionalAttr<I64ElementsAttr>:$groups);
  let assemblyFormat = [{
    `ins` `(` $operand `:` type($operand) `)` `outs` `(` $init `:` type($init) `)` `dim` $dim
    `over` custom<Axes>($axes) `on` $mesh attr-dict (`->` type($result)^)?
  }];
}

def Comm_ReduceScatterOp : Comm_CollectiveOp<"reduce_scatter"> {
  let summary = "Reduce-scatter: combines the tensors of a group and leaves each rank one block";
  let description = [{
    Group position i gets block i of the dimension.

    ```mlir
    %y = comm.reduce_scatter sum ins(%x : tensor<8x4xf32>) outs(%i : tensor<2x4xf32>) dim 0 over {"data"} on #mesh -> tensor<2x4xf32>
    ```

    Constraints:
    - (C1) operand and destination are both tensors or both memrefs, static, of one element type;
    - (C2) the axes are axes of the mesh, none twice; with listed groups there are none,
      and the groups are a matrix of ranks of the mesh, none twice;
    - (C3) on tensors the result has the destination's type; on memrefs it is absent or a token;
    - (C4) the operand's dimension is the group's size times the destination's, the others are equal.
  }];
  let arguments = (ins DMC_CombinerKind:$combiner, shapedOperand:$operand, shapedOperand:$init, I64Attr:$dim,
                       DMC_AxesAttr:$axes, DMC_MeshAttr:$mesh,
                       OptionalAttr<I64ElementsAttr>:$groups);
  let assemblyFormat = [{
    $combiner `ins` `(` $operand `:` type($operand) `)` `outs` `(` $init `:` type($init) `)` `dim` $dim
    `over` custom<Axes>($axes) `on` $mesh attr-dict (`->` type($result)^)?
  }];
}

def Comm_AllToAllOp : Comm_CollectiveOp<"all_to_all"> {
  let summary = "All-to-all: sends block i of a dimension to group position i";
  let description = [{
    Received blocks stand in group order along `concat`.

    ```mlir
    %y = comm.all_to_all ins(%x : tensor<8x2xf32>) outs(%i : tensor<2x8xf32>) split 0 concat 1 over {"data"} on #mesh -> tensor<2x8xf32>
    ```

    Constraints:
    - (C1) operand and destination are both tensors or both memrefs, static, of one element type;
    - (C2) the axes are axes of the mesh, none twice; with listed groups there are none,
      and the groups are a matrix of ranks of the mesh, none twice;
    - (C3) on tensors the result has the destination's type; on memrefs it is absent or a token;
    - (C4) the group's size divides the operand's split dimension, and the
      destination's shape is the one described.
  }];
  let arguments = (ins shapedOperand:$operand, shapedOperand:$init, I64Attr:$split_dim, I64Attr:$concat_dim,
                       DMC_AxesAttr:$axes, DMC_MeshAttr:$mesh,
                       OptionalAttr<I64ElementsAttr>:$groups);
  let assemblyFormat = [{
    `ins` `(` $operand `:` type($operand) `)` `outs` `(` $init `:` type($init) `)`
    `split` $split_dim `concat` $concat_dim
    `over` custom<Axes>($axes) `on` $mesh attr-dict (`->` type($result)^)?
  }];
}

def Comm_PermuteOp : Comm_CollectiveOp<"permute"> {
  let summary = "Collective-permute: sends tensors between pairs of group positions";
  let description = [{
    `pairs` lists group positions, source then target; a rank that receives nothing gets zeros.

    ```mlir
    %y = comm.permute ins(%x : tensor<8xf32>) outs(%i : tensor<8xf32>) pairs [0, 1, 1, 0] over {"data"} on #mesh -> tensor<8xf32>
    ```

    Constraints:
    - (C1) operand and destination are both tensors or both memrefs, static, of one element type;
    - (C2) the axes are axes of the mesh, none twice; with listed groups there are none,
      and the groups are a matrix of ranks of the mesh, none twice;
    - (C3) on tensors the result has the destination's type; on memrefs it is absent or a token;
    - (C4) the destination has the operand's shape;
    - (C5) positions lie in the group, no source and no target twice.
  }];
  let arguments = (ins shapedOperand:$operand, shapedOperand:$init, DenseI64ArrayAttr:$pairs,
                       DMC_AxesAttr:$axes, DMC_MeshAttr:$mesh,
                       OptionalAttr<I64ElementsAttr>:$groups);
  let assemblyFormat = [{
    `ins` `(` $operand `:` type($operand) `)` `outs` `(` $init `:` type($init) `)` `pairs` $pairs
    `over` custom<Axes>($axes) `on` $mesh attr-dict (`->` type($result)^)?
  }];
}

def Comm_BroadcastOp : Comm_CollectiveOp<"broadcast"> {
  let summary = "Broadcast: sends one rank's tensor to every rank of its group";
  let description = [{
    ```mlir
    %y = comm.broadcast ins(%x : tensor<8xf32>) outs(%i : tensor<8xf32>) from 0 over {"stage"} on #mesh -> tensor<8xf32>
    ```

    Constraints:
    - (C1) operand and destination are both tensors or both memrefs, static, of one element type;
    - (C2) the axes are axes of the mesh, none twice; with listed groups there are none,
      and the groups are a matrix of ranks of the mesh, none twice;
    - (C3) on tensors the result has the destination's type; on memrefs it is absent or a token;
    - (C4) the destination has the operand's shape;
    - (C5) the root is a position of the group.
  }];
  let arguments = (ins shapedOperand:$operand, shapedOperand:$init, I64Attr:$root,
                       DMC_AxesAttr:$axes, DMC_MeshAttr:$mesh,
                       OptionalAttr<I64ElementsAttr>:$groups);
  let assemblyFormat = [{
    `ins` `(` $operand `:` type($operand) `)` `outs` `(` $init `:` type($init) `)` `from` $root
    `over` custom<Axes>($axes) `on` $mesh attr-dict (`->` type($result)^)?
  }];
}

def Comm_AxisIndexOp : Comm_Op<"axis_index", [Pure]> {
  let summary = "This rank's position over mesh axes";
  let description = [{
    Row-major over the axes as listed.

    ```mlir
    %i = comm.axis_index {"data", "model"} on #mesh
    ```

    Constraints:
    - (C1) the axes are axes of the mesh, none twice.
  }];
  let arguments = (ins DMC_AxesAttr:$axes, DMC_MeshAttr:$mesh);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<Axes>($axes) `on` $mesh attr-dict";
  let hasVerifier = 1;
}

def Comm_WaitOp : Comm_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for a collective that was started";
  let description = [{
    After it the destination is written and the operand may be reused.

    ```mlir
    comm.wait %t
    ```
  }];
  let arguments = (ins Comm_TokenType:$token);
  let assemblyFormat = "$token attr-dict";
}

def Comm_RecordOp : Comm_Op<"record", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Records an event on a stream";
  let description = [{
    The event has happened when everything before it on the stream has ended. Executed
    again, as in a loop, it is a new event.

    ```mlir
    %e = comm.record on 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$stream);
  let results = (outs Comm_EventType:$event);
  let assemblyFormat = "`on` $stream attr-dict";
}

def Comm_AwaitOp : Comm_Op<"await", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Lets a stream wait for an event";
  let description = [{
    What follows on the stream starts after the event has happened. The host does not wait.

    ```mlir
    comm.await %e on 1
    ```
  }];
  let arguments = (ins Comm_EventType:$event, ConfinedAttr<I64Attr, [IntNonNegative]>:$stream);
  let assemblyFormat = "$event `on` $stream attr-dict";
}

#endif // DMC_DIALECT_COMM_OPS_TD
