// Tensor parallel: pairs of weights are split by columns, then by rows, so that one all-reduce
// follows each pair, and one precedes it in the backward pass.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @megatron(
      %program: !transform.any_op {transform.readonly},
      %axis: !transform.any_param {transform.readonly, dmc.parameter = "axis", dmc.default = "model"},
      %parameters: !transform.any_param {transform.readonly, dmc.parameter = "parameters", dmc.default = ""}) attributes {dmc.splits_weights} {
    %w = transform.dmc.arguments of parameter named %parameters in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.shard_weights alternately %w along %axis in %program
        : (!transform.any_value, !transform.any_param, !transform.any_op) -> ()
    transform.yield
  }
}
