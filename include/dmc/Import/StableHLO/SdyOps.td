// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the sdy dialect.
#ifndef DMC_IMPORT_STABLEHLO_SDYOPS_TD
#define DMC_IMPORT_STABLEHLO_SDYOPS_TD

include "dmc/Import/StableHLO/SdyAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol]> {
  let summary = "A named mesh of devices";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

/// The operand, with a sharding of its own.
class Sdy_ReshardingOp<string mnemonic, string sharding, dag parameters, string format>
    : Sdy_Op<mnemonic, [Pure, SameOperandsAndResultType,
                        DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = !con((ins AnyRankedTensor:$input), parameters);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = format # " attr-dict `:` type($result)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &) {
      return ::dmc::sdy::verifySharding(*this, get}] # sharding # [{(), getType(), "sharding");
    }
  }];
}

def Sdy_ShardingConstraintOp : Sdy_ReshardingOp<"sharding_constraint", "Sharding",
    (ins Sdy_TensorShardingAttr:$sharding), "$input $sharding"> {
  let summary = "The operand, which is to have a sharding";
  let description = [{
    Without uses it constrains its operand, with uses those.
  }];
}

def Sdy_ReshardOp : Sdy_ReshardingOp<"reshard", "Sharding",
    (ins Sdy_TensorShardingAttr:$sharding), "$input $sharding"> {
  let summary = "The operand, moved to a sharding";
}

class Sdy_CollectiveOp<string mnemonic, dag parameters, string format>
    : Sdy_ReshardingOp<mnemonic, "OutSharding",
                       !con(parameters, (ins Sdy_TensorShardingAttr:$out_sharding)),
                       format # " $input ` ` `out_sharding` `` `=` `` $out_sharding">;

def Sdy_AllGatherOp : Sdy_CollectiveOp<"all_gather",
    (ins Sdy_ListOfAxisRefListsAttr:$gathering_axes), "$gathering_axes"> {
  let summary = "The operand, its dimensions no longer split by axes";
}

def Sdy_AllSliceOp : Sdy_CollectiveOp<"all_slice",
    (ins Sdy_ListOfAxisRefListsAttr:$slicing_axes), "$slicing_axes"> {
  let summary = "The operand, its dimensions split by further axes";
}

def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all",
    (ins Sdy_AllToAllParamListAttr:$params), "$params"> {
  let summary = "The operand, axes moved from dimensions to others";
}

def Sdy_CollectivePermuteOp : Sdy_CollectiveOp<"collective_permute", (ins), ""> {
  let summary = "The operand, split as much by other axes";
}

def Sdy_AllReduceOp : Sdy_CollectiveOp<"all_reduce",
    (ins Sdy_AxisRefListAttr:$reduction_axes,
         DefaultValuedAttr<Sdy_ReductionOp, "::dmc::sdy::ReductionOp::SUM">:$reduction_op),
    "($reduction_op^)? $reduction_axes"> {
  let summary = "The operand, its partial values along axes combined";
}

def Sdy_ReduceScatterOp : Sdy_CollectiveOp<"reduce_scatter",
    (ins Sdy_ListOfAxisRefListsAttr:$reduce_scatter_axes,
         DefaultValuedAttr<Sdy_ReductionOp, "::dmc::sdy::ReductionOp::SUM">:$reduction_op),
    "($reduction_op^)? $reduce_scatter_axes"> {
  let summary = "The operand, its partial values along axes combined and split by them";
}

def Sdy_ShardedToUnreducedOp : Sdy_CollectiveOp<"sharded_to_unreduced",
    (ins Sdy_ListOfAxisRefListsAttr:$axes), "$axes"> {
  let summary = "The operand, partial along axes that split it";
}

def Sdy_ReplicatedToUnreducedOp : Sdy_CollectiveOp<"replicated_to_unreduced",
    (ins Sdy_AxisRefListAttr:$axes), "$axes"> {
  let summary = "The operand, partial along axes on which it was replicated";
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "The operand is to lie as the others of its group do";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def Sdy_ConstantOp : Sdy_Op<"constant", [Pure, AllTypesMatch<["value", "output"]>]> {
  let summary = "A tensor of given elements, apart from equal ones";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let assemblyFormat = "attr-dict $value";
}

def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge", [SameOperandsAndResultType]> {
  let summary = "A value that control flow forwards";
  let arguments = (ins AnyRankedTensor:$input, OptionalAttr<Sdy_TensorShardingAttr>:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)";
}

def Sdy_FuncDataFlowEdgeOp : Sdy_Op<"func_data_flow_edge", [SameOperandsAndResultType]> {
  let summary = "A value that a call forwards";
  let arguments = (ins AnyRankedTensor:$operand);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier", [Pure, SameOperandsAndResultType]> {
  let summary = "The operand, through which shardings pass one way or not at all";
  let arguments = (ins AnyRankedTensor:$input, Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($input)";
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation", [
    RecursiveMemoryEffects, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Operations under a name";
  let description = [{
    Constraints:
    - (C1) the body's arguments have the types of the operands, and what it returns those of the
      results;
    - (C2) shardings, where given, are one for each operand or result.
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$inputs,
                       OptionalAttr<Sdy_TensorShardingPerValueAttr>:$in_shardings,
                       OptionalAttr<Sdy_TensorShardingPerValueAttr>:$out_shardings);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = [{
    `<` $name `>` `` `(` $inputs `)` (`in_shardings` `` `=` `` custom<Shardings>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<Shardings>($out_shardings)^)? custom<Body>($body) attr-dict
    `:` functional-type($inputs, results)
  }];
  let hasRegionVerifier = 1;
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [
    RecursiveMemoryEffects, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A computation that each device does on its parts of the operands";
  let description = [{
    Constraints:
    - (C1) there is a sharding for each operand and each result, all over one mesh, which has the
      manual axes;
    - (C2) a body argument has the operand's shape divided by the manual axes that split it, and a
      returned value the result's.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$tensors,
                       Sdy_TensorShardingPerValueAttr:$in_shardings,
                       Sdy_TensorShardingPerValueAttr:$out_shardings,
                       Sdy_ManualAxesAttr:$manual_axes);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyRankedTensor>);
  let assemblyFormat = [{
    `(` $tensors `)` `in_shardings` `` `=` `` custom<Shardings>($in_shardings)
    `out_shardings` `` `=` `` custom<Shardings>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes custom<Body>($body) attr-dict
    `:` functional-type($tensors, results)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator, ReturnLike]> {
  let summary = "Ends a region of the dialect with its results";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

#endif
