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
  let summary = "the program's arguments of a role or a name";
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
  let summary = "the program's results of a name";
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
  let summary = "the tensors that operations of a name or place make";
  let description = [{
    By the operation's name, by the name in its location (`*` stands for any text; in
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
  let summary = "splits a dimension along mesh axes";
  let description = [{
    The axes are appended at the minor end of those that split the dimension already.
    Without `dim`, of each tensor the first dimension that is not split yet and that
    the axes divide evenly, or else that of which the blocks need the least padding; where
    none is left, a dimension that is split already. A tensor
    without a dimension of so many elements on a rank stays as it is, as one without the
    dimension does with `dim` and `if_present`, and a remark says so. Where nothing is
    split at all, that is an error, except without `dim` and with `if_present`. Propagation may split
    the value further; `transform.dmc.pin` forbids it. What is asked of a donated
    argument is asked of the result that takes over its buffer too.

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
  let summary = "keeps mesh axes from splitting a value";
  let description = [{
    Without axes: none splits it.

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
  let summary = "says the whole layout of a value";
  let description = [{
    Nothing may split the value further. Without a layout: that which was asked for
    so far.

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
  let summary = "lets the uses of a value see it in another layout";
  let description = [{
    A `dmc.constrain` between the value and its uses: in the layout, or not split by
    `replicated` axes. The value itself is free. Returned is what the uses see.

    ```mlir
    %whole = transform.dmc.reshard %w replicated %axis
        : (!transform.any_value, !transform.any_param) -> !transform.any_value
    %rows = transform.dmc.reshard %h : (!transform.any_value) -> !transform.any_value
        to #dmc.layout<#mesh, [{"model"}, {} ]>
    ```
  }];
  let arguments = (ins TransformValueHandleTypeInterface:$target,
                       OptionalAttr<DMC_LayoutAttr>:$layout,
                       OptionalAttr<DMC_AxesAttr>:$axes,
                       Optional<TransformParamTypeInterface>:$axes_param);
  let results = (outs TransformValueHandleTypeInterface:$moved);
  let assemblyFormat = [{
    $target (`replicated` custom<AxesOrParam>($axes, $axes_param)^)? attr-dict
    `:` functional-type(operands, results) (`to` $layout^)?
  }];
  let hasVerifier = 1;
}

def DMC_ShardWeightsOp : DMC_Tactic<"shard_weights"> {
  let summary = "splits the weights of contractions along an axis, by structure";
  let description = [{
    `alternately`: a weight is split by its columns (what its contraction keeps) where that
    split reaches, by operations that carry it on, the rows (what is contracted) of
    another weight; both, and the parameters between them, are split. What is reached
    by none stays. So a transformer's query, key and value are split by heads, its output
    by rows; then the next pair.
    `experts`: along the dimension that a weight shares with what it is multiplied with
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

def DMC_PropagateOp : DMC_Tactic<"propagate"> {
  let summary = "decides all layouts now";
  let description = [{
    Runs `dmc-propagate-layouts`. What is asked for later is decided on top of it: a
    split that was decided stays. Plain, decisions follow from the requests alone, and
    every reduction is one collective; where the values of an operation disagree, the
    choice that sends the fewest bytes is taken, or, `in_order`, that which was asked for
    first (constraints, then the batch, then what is donated). With `improve`, decisions are
    changed where that is faster by prediction. Without this operation, the pipeline decides, with
    improvement, after all tactics.

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

def DMC_ExpectOp : DMC_Tactic<"expect"> {
  let summary = "a contract about what the program sends and needs";
  let description = [{
    Kept in the module (`dmc.contracts`) and checked by `dmc-check-contracts`: of one
    rank and one step, `wire_bytes` at most leave it, it needs at most `peak_bytes`,
    `only` these collectives are executed, and each of `counts` so often (loops by their
    trip count). Kinds: `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all`,
    `permute`, `broadcast`. What is broken is an error at the tactic.

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
  let summary = "a contract that a value is split along axes";
  let description = [{
    Checked at once, on what `transform.dmc.propagate` has decided.

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
  let summary = "a saved plan: the layouts of a whole program";
  let description = [{
    What `dmc-compile --save-plan` writes: for the program of this fingerprint on
    this mesh the layout of every argument and result, constraints that were added, and
    of each operation (numbered in order of the text, by name) those of its operands and
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
