// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Communication between processes.
#ifndef DMC_IMPORT_STABLEHLO_COLLECTIVEOPS_TD
#define DMC_IMPORT_STABLEHLO_COLLECTIVEOPS_TD

include "dmc/Import/StableHLO/Attributes.td"

// No memory effect, so that equal ones merge, yet not speculatable: all processes must take part.
class StableHLO_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, !listconcat([NoMemoryEffect], traits)>;

def StableHLO_AllGatherOp : StableHLO_CollectiveOp<"all_gather"> {
  let summary = "Concatenates the operands of all processes of a group";
  let description = [{
    Constraints:
    - (C1) the groups are a matrix of all processes from 0, each once;
    - (C2) `use_global_device_ids` goes with a channel above 0;
    - (C3) `all_gather_dim` is a dimension, along which results are a multiple of the operands;
    - (C4) all other sizes and the element types are equal.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands, I64Attr:$all_gather_dim,
                       I64ElementsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
}

def StableHLO_AllReduceOp : StableHLO_CollectiveOp<"all_reduce"> {
  let summary = "Combines the operands of all processes of a group elementwise";
  let description = [{
    Constraints:
    - (C1) the groups are a matrix of all processes from 0, each once, -1 filling short groups;
    - (C2) `use_global_device_ids` goes with a channel above 0;
    - (C3) the results have the operands' shapes;
    - (C4) the computation combines two scalars into one.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands, I64ElementsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_AllToAllOp : StableHLO_CollectiveOp<"all_to_all"> {
  let summary = "Splits each operand, sends the parts to the group and concatenates what comes";
  let description = [{
    Constraints:
    - (C1) the groups are a matrix of all processes from 0, of `split_count` columns;
    - (C2) split and concatenation dimension are dimensions, and `split_count` divides the former;
    - (C3) the results' shapes follow from them.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands, I64Attr:$split_dimension,
                       I64Attr:$concat_dimension, I64Attr:$split_count,
                       I64ElementsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
}

def StableHLO_CollectiveBroadcastOp
    : StableHLO_CollectiveOp<"collective_broadcast", [SameOperandsAndResultType]> {
  let summary = "Gives all processes of a group the operand of the first";
  let description = [{
    Constraints:
    - (C1) the groups are a matrix of distinct processes.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, I64ElementsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_CollectivePermuteOp
    : StableHLO_CollectiveOp<"collective_permute", [SameOperandsAndResultType]> {
  let summary = "Sends the operand from sources to targets, zeros where no source names a process";
  let description = [{
    Constraints:
    - (C1) the pairs are a matrix of two columns, sources distinct and targets distinct.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, I64ElementsAttr:$source_target_pairs,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_ReduceScatterOp : StableHLO_CollectiveOp<"reduce_scatter"> {
  let summary = "Combines the operands of a group and gives each process a part";
  let description = [{
    Constraints:
    - (C1) the groups are a matrix of all processes from 0, each once;
    - (C2) `use_global_device_ids` goes with a channel above 0;
    - (C3) `scatter_dimension` is a dimension, along which the operand is a multiple of the result;
    - (C4) all other sizes are equal;
    - (C5) the computation combines two scalars into one.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, I64Attr:$scatter_dimension,
                       I64ElementsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

class StableHLO_IdOp<string mnemonic, string text> : StableHLO_PureOp<mnemonic> {
  let summary = text;
  let results = (outs StableHLO_ScalarOf<"::dmc::stablehlo::kUnsigned", "ui32">:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def StableHLO_PartitionIdOp : StableHLO_IdOp<"partition_id", "The partition of this process">;
def StableHLO_ReplicaIdOp : StableHLO_IdOp<"replica_id", "The replica of this process">;

#endif
