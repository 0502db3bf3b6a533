// The positions of a sequence (dimension 1 of the batch) are split; every rank has all parameters.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @sequence_parallel(
      %program: !transform.any_op {transform.readonly},
      %axis: !transform.any_param {transform.readonly, dmc.parameter = "axis", dmc.default = "sequence"},
      %batch: !transform.any_param {transform.readonly, dmc.parameter = "batch", dmc.default = ""},
      %parameters: !transform.any_param {transform.readonly, dmc.parameter = "parameters", dmc.default = ""},
      %state: !transform.any_param {transform.readonly, dmc.parameter = "state", dmc.default = ""}) {
    %x = transform.dmc.arguments of batch named %batch in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.shard %x dim 1 if_present along %axis : (!transform.any_value, !transform.any_param) -> ()
    %w = transform.dmc.arguments of parameter named %parameters in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.replicate %w along %axis : (!transform.any_value, !transform.any_param) -> ()
    %s = transform.dmc.arguments of state named %state in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.replicate %s along %axis : (!transform.any_value, !transform.any_param) -> ()
    transform.yield
  }
}
