//===- TransformOps.td - Tactics as transform operations ---*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an expert says about a plan: requests, decisions and contracts on a program
// at level 0.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_TACTICS_TRANSFORM_OPS_TD
#define DMC_PARALLELIZE_TACTICS_TRANSFORM_OPS_TD

include "dmc/Dialect/DMC/DMCAttrs.td"
include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class DMC_Tactic<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "dmc." # mnemonic, !listconcat(traits, [
          DeclareOpInterfaceMethods<TransformOpInterface>,
          DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let cppNamespace = "::dmc::tactics";
}

/// Handles of values, or numbers of the program's results.
def DMC_Targets : Type<Or<[TransformParamTypeInterface.predicate, TransformValueHandleTypeInterface.predicate]>,
                       "values, or numbers of results">;

def DMC_ArgumentsOp : DMC_Tactic<"arguments"> {
  let summary = "Matches arguments of the program by role or name";
  let description = [{
    By role: `parameter` (donated, and what is not donated to, as the loss, depends on
    it), `state` (donated, the others with a dimension: moments, statistics),
    `batch` (not donated, with a dimension), `image` (of these, with four), or `any`. By
    name: as in `dmc.program`, or as a path (`params/w` for `params['w']`); `*` stands for
    any text, several are divided by commas. A name takes the role's place
    where both are given, an empty one does not: so a strategy has a default. A name
    without an argument is an error, and so is a role without, of `batch` and `image`. These
    two are known only in a program that trains: one that returns a scalar, the loss.

    ```mlir
    %x = transform.dmc.arguments of batch in %program : (!transform.any_op) -> !transform.any_value
    %w = transform.dmc.arguments named "params/*/w" in %program : (!transform.any_op) -> !transform.any_value
    %b = transform.dmc.arguments of batch named %names in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$role, OptionalAttr<StrAttr>:$name,
                       Optional<TransformParamTypeInterface>:$name_param,
                       TransformHandleTypeInterface:$program);
  let results = (outs TransformValueHandleTypeInterface:$values);
  let assemblyFormat = [{
    (`of` custom<Role>($role)^)? (`named` custom<Text>($name, $name_param)^)? `in` $program attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DMC_ResultsOp : DMC_Tactic<"results"> {
  let summary = "Matches results of the program by name";
  let description = [{
    Names as for `transform.dmc.arguments`. A result's layout is that in which the
    value is returned, whatever it is within the program.

    ```mlir
    %r = transform.dmc.results named "logits" in %program : (!transform.any_op) -> !transform.any_param
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name,
                       Optional<TransformParamTypeInterface>:$name_param,
                       TransformHandleTypeInterface:$program);
  let results = (outs TransformParamTypeInterface:$numbers);
  let assemblyFormat = [{
    `named` custom<Text>($name, $name_param) `in` $program attr-dict
    `:` functional-type(operands, results)
  }];
}

def DMC_ValuesOp : DMC_Tactic<"values"> {
  let summary = "Matches the results of operations by name or location";
  let description = [{
    Matches by the operation's name, by the name in its location (`*` stands for any text; in
    a JAX program `jit(step)/.../attn/dot_general`), or both.

    ```mlir
    %h = transform.dmc.values by "linalg.matmul" at "*/ffn/*" in %program : (!transform.any_op) -> !transform.any_value
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$op_name, OptionalAttr<StrAttr>:$place,
                       TransformHandleTypeInterface:$program);
  let results = (outs TransformValueHandleTypeInterface:$values);
  let assemblyFormat = [{
    (`by` $op_name^)? (`at` $place^)? `in` $program attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DMC_ShardOp : DMC_Tactic<"shard"> {
  let summary = "Shards a dimension along mesh axes";
  let description = [{
    The tactic appends the axes at the minor end of those that shard the dimension already.
    Without `dim`, it chooses the first dimension of each tensor that is not sharded yet and that
    the axes divide evenly, or else the one whose blocks need the least padding; where every
    dimension is sharded, it shards one of them further. A tensor without a dimension of enough
    elements on a rank is unchanged, as is one without dimension `dim` under `if_present`, and a
    remark reports it. If the tactic shards nothing at all, that is an error, except without
    `dim` and with `if_present`. Propagation may shard the value further; `transform.dmc.pin`
    forbids it. A request for a donated argument also applies to the result that aliases it.

    ```mlir
    transform.dmc.shard %x dim 0 along {"data"} : (!transform.any_value) -> ()
    transform.dmc.shard %w along %axis : (!transform.any_value, !transform.any_param) -> ()
    ```
  }];
  let arguments = (ins DMC_Targets:$target, OptionalAttr<I64Attr>:$dim, UnitAttr:$if_present,
                       OptionalAttr<DMC_AxesAttr>:$axes,
                       Optional<TransformParamTypeInterface>:$axes_param);
  let assemblyFormat = [{
    $target (`dim` $dim^)? (`if_present` $if_present^)? `along` custom<AxesOrParam>($axes, $axes_param)
    attr-dict `:` functional-type(operands, results)
  }];
}

def DMC_ReplicateOp : DMC_Tactic<"replicate"> {
  let summary = "Forbids mesh axes to shard a value";
  let description = [{
    Without axes, no axis may shard it.

    ```mlir
    transform.dmc.replicate %w along {"data"} : (!transform.any_value) -> ()
    ```
  }];
  let arguments = (ins DMC_Targets:$target, OptionalAttr<DMC_AxesAttr>:$axes,
                       Optional<TransformParamTypeInterface>:$axes_param);
  let assemblyFormat = [{
    $target (`along` custom<AxesOrParam>($axes, $axes_param)^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def DMC_PinOp : DMC_Tactic<"pin"> {
  let summary = "Fixes the layout of a value";
  let description = [{
    Propagation may not shard the value further. Without a layout, the tactic fixes the layout
    requested so far.

    ```mlir
    transform.dmc.pin %w : (!transform.any_value) -> () to #dmc.layout<#mesh, [{"model"}, {} ]>
    ```
  }];
  let arguments = (ins DMC_Targets:$target, OptionalAttr<DMC_LayoutAttr>:$layout);
  let assemblyFormat = [{
    $target attr-dict `:` functional-type(operands, results) (`to` $layout^)?
  }];
}

def DMC_ReshardOp : DMC_Tactic<"reshard"> {
  let summary = "Gives the uses of a value another layout";
  let description = [{
    The tactic inserts a `dmc.constrain` between the value and its uses: in the layout, or not
    sharded along `replicated` axes. The value itself is not constrained. The tactic returns
    the constrained value.

    With `narrowed`, a value whose uses convert it to narrower types, or compute with it element
    by element (as its update does), is not resharded itself: the results of these conversions
    are, and the tactic returns them. They take fewer bytes.

    ```mlir
    %whole = transform.dmc.reshard %w replicated %axis narrowed
        : (!transform.any_value, !transform.any_param) -> !transform.any_value
    %rows = transform.dmc.reshard %h : (!transform.any_value) -> !transform.any_value
        to #dmc.layout<#mesh, [{"model"}, {} ]>
    ```
  }];
  let arguments = (ins TransformValueHandleTypeInterface:$target,
                       OptionalAttr<DMC_LayoutAttr>:$layout,
                       OptionalAttr<DMC_AxesAttr>:$axes,
                       Optional<TransformParamTypeInterface>:$axes_param,
                       UnitAttr:$narrowed);
  let results = (outs TransformValueHandleTypeInterface:$moved);
  let assemblyFormat = [{
    $target (`replicated` custom<AxesOrParam>($axes, $axes_param)^)? (`narrowed` $narrowed^)? attr-dict
    `:` functional-type(operands, results) (`to` $layout^)?
  }];
  let hasVerifier = 1;
}

def DMC_ShardWeightsOp : DMC_Tactic<"shard_weights"> {
  let summary = "Shards the weights of contractions along an axis, by structure";
  let description = [{
    `alternately` (Megatron): the tactic shards a weight by columns (the dimensions that its
    contraction keeps) where propagation through the operations between them shards the rows
    (the contracted dimensions) of another weight; it shards both, and the parameters between
    them. Other weights are unchanged. So a transformer's query, key and value are sharded by
    heads, its output projection by rows; then the next pair.
    `experts`: the tactic shards the dimension that a weight shares with its other operand
    (a batch dimension of the contraction).

    ```mlir
    transform.dmc.shard_weights alternately %params along {"model"} in %program
        : (!transform.any_value, !transform.any_op) -> ()
    ```
  }];
  let arguments = (ins StrAttr:$how, TransformValueHandleTypeInterface:$target,
                       OptionalAttr<DMC_AxesAttr>:$axes,
                       Optional<TransformParamTypeInterface>:$axes_param,
                       TransformHandleTypeInterface:$program);
  let assemblyFormat = [{
    custom<Role>($how) $target `along` custom<AxesOrParam>($axes, $axes_param) `in` $program attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DMC_ShardSpatialOp : DMC_Tactic<"shard_spatial"> {
  let summary = "Shards the rows of images along mesh axes";
  let description = [{
    The rows of an argument are the first dimension over which the windows of convolutions
    or pooling slide and that has at least one element for each shard. The tactic finds it by
    following the argument through the program: dimension 1 where channels are the last
    dimension, 2 where they are the second. It leaves an argument over which no window slides
    as it is, and is an error where it shards nothing.

    ```mlir
    transform.dmc.shard_spatial %images along {"space"} in %program
        : (!transform.any_value, !transform.any_op) -> ()
    ```
  }];
  let arguments = (ins TransformValueHandleTypeInterface:$target,
                       OptionalAttr<DMC_AxesAttr>:$axes,
                       Optional<TransformParamTypeInterface>:$axes_param,
                       TransformHandleTypeInterface:$program);
  let assemblyFormat = [{
    $target `along` custom<AxesOrParam>($axes, $axes_param) `in` $program attr-dict
    `:` functional-type(operands, results)
  }];
}

def DMC_PropagateOp : DMC_Tactic<"propagate"> {
  let summary = "Decides all layouts now";
  let description = [{
    Runs `dmc-propagate-layouts`. Later requests are decided on top of the result: decided
    shardings stay. By default decisions follow from the requests alone, and
    every reduction is one collective; where the values of an operation disagree, propagation
    takes the choice that sends the fewest bytes, or, with `in_order`, the one requested
    first (constraints, then the batch, then donated arguments). With `improve`, propagation
    changes decisions where the predicted time decreases. Without this operation, the pipeline
    decides, with improvement, after all tactics.

    ```mlir
    transform.dmc.propagate %program : (!transform.any_op) -> ()
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$program, UnitAttr:$improve,
                       UnitAttr:$in_order);
  let assemblyFormat = [{
    (`improve` $improve^)? (`in_order` $in_order^)? $program attr-dict `:` functional-type(operands, results)
  }];
}

def DMC_SolveOp : DMC_Tactic<"solve"> {
  let summary = "Has all layouts that are not requested chosen as one problem";
  let description = [{
    After all tactics, `dmc-propagate-layouts{solve}` chooses the layouts of arguments, results and
    everything between them for the least predicted time on the machine. Layouts that the program
    or other tactics request are kept.

    ```mlir
    transform.dmc.solve %program : (!transform.any_op) -> ()
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$program);
  let assemblyFormat = "$program attr-dict `:` functional-type(operands, results)";
}

def DMC_ExpectOp : DMC_Tactic<"expect"> {
  let summary = "States a contract on communication volume and memory";
  let description = [{
    `dmc-check-contracts` checks the contract (`dmc.contracts` in the module): in one step a
    rank sends at most `wire_bytes`, needs at most `peak_bytes`, executes `only` these
    collectives, and each of `counts` exactly that often (those in loops multiplied by the
    trip count). Kinds: `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all`,
    `permute`, `broadcast`. A broken contract is an error at the tactic.

    ```mlir
    transform.dmc.expect %program {wire_bytes = 4096, only = ["all_reduce"], counts = {all_reduce = 2} }
        : (!transform.any_op) -> ()
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$program, OptionalAttr<I64Attr>:$wire_bytes,
                       OptionalAttr<I64Attr>:$peak_bytes, OptionalAttr<StrArrayAttr>:$only,
                       OptionalAttr<DictionaryAttr>:$counts);
  let assemblyFormat = "$program attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def DMC_ExpectSplitOp : DMC_Tactic<"expect_split"> {
  let summary = "States a contract that a value is sharded along axes";
  let description = [{
    The contract is checked at once, on the decisions of `transform.dmc.propagate`.

    ```mlir
    transform.dmc.expect_split %h dim 1 along {"model"} : (!transform.any_value) -> ()
    ```
  }];
  let arguments = (ins DMC_Targets:$target, OptionalAttr<I64Attr>:$dim,
                       OptionalAttr<DMC_AxesAttr>:$axes,
                       Optional<TransformParamTypeInterface>:$axes_param);
  let assemblyFormat = [{
    $target (`dim` $dim^)? `along` custom<AxesOrParam>($axes, $axes_param) attr-dict
    `:` functional-type(operands, results)
  }];
}

def DMC_PlanOp : DMC_Tactic<"plan"> {
  let summary = "A saved plan: the layouts of all values of a program";
  let description = [{
    `dmc-compile --save-plan` writes this op: for the program of this fingerprint on
    this mesh the layout of every argument and result, constraints that were added, and
    of each operation (numbered in program order, by name) those of its operands and
    results. One line is one decision, so that plans can be compared.

    ```mlir
    transform.dmc.plan %program of "0d57e2a41c6f9b38" on #mesh plain {
      argument "x" #layout_data_r
      result "y" #layout_r_r
      7 "linalg.matmul" (#layout_data_r, #layout_r_r, #layout_data_r) -> (#layout_data_r)
    } : (!transform.any_op) -> ()
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$program, StrAttr:$fingerprint,
                       DMC_MeshAttr:$mesh, UnitAttr:$plain, ArrayAttr:$decisions);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $program `of` $fingerprint `on` $mesh (`plain` $plain^)? custom<Decisions>($decisions) attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DMC_PARALLELIZE_TACTICS_TRANSFORM_OPS_TD
