// Each rank has some of the experts, and a part of the batch: tokens go to their experts and
// come back (all-to-all) where that is faster than gathering the experts: where they travel is
// decided by predicted time. Gradients of all other parameters are summed up.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @expert_parallel(
      %program: !transform.any_op {transform.readonly},
      %axis: !transform.any_param {transform.readonly, dmc.parameter = "axis", dmc.default = "expert"},
      %batch: !transform.any_param {transform.readonly, dmc.parameter = "batch", dmc.default = ""},
      %parameters: !transform.any_param {transform.readonly, dmc.parameter = "parameters", dmc.default = ""}) attributes {dmc.improved} {
    %x = transform.dmc.arguments of batch named %batch in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.shard %x dim 0 along %axis : (!transform.any_value, !transform.any_param) -> ()
    %w = transform.dmc.arguments of parameter named %parameters in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.shard_weights experts %w along %axis in %program
        : (!transform.any_value, !transform.any_param, !transform.any_op) -> ()
    transform.yield
  }
}
