// Data parallel; each rank keeps a part of the parameters and of the optimizer state. Parameters
// are gathered once for forward and backward pass, after they are converted to a narrower type
// if that is how they are used; gradients are reduce-scattered.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @fsdp(
      %program: !transform.any_op {transform.readonly},
      %axis: !transform.any_param {transform.readonly, dmc.parameter = "axis", dmc.default = "data"},
      %batch: !transform.any_param {transform.readonly, dmc.parameter = "batch", dmc.default = ""},
      %parameters: !transform.any_param {transform.readonly, dmc.parameter = "parameters", dmc.default = ""},
      %state: !transform.any_param {transform.readonly, dmc.parameter = "state", dmc.default = ""}) {
    %x = transform.dmc.arguments of batch named %batch in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.shard %x dim 0 along %axis : (!transform.any_value, !transform.any_param) -> ()
    %w = transform.dmc.arguments of parameter named %parameters in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.shard %w along %axis : (!transform.any_value, !transform.any_param) -> ()
    %whole = transform.dmc.reshard %w replicated %axis narrowed : (!transform.any_value, !transform.any_param) -> !transform.any_value
    %s = transform.dmc.arguments of state named %state in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.shard %s if_present along %axis : (!transform.any_value, !transform.any_param) -> ()
    transform.yield
  }
}
