// The rows of images, as convolutions read them, are split; every rank has all parameters.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @spatial(
      %program: !transform.any_op {transform.readonly},
      %axis: !transform.any_param {transform.readonly, dmc.parameter = "axis", dmc.default = "space"},
      %images: !transform.any_param {transform.readonly, dmc.parameter = "images", dmc.default = ""},
      %parameters: !transform.any_param {transform.readonly, dmc.parameter = "parameters", dmc.default = ""},
      %state: !transform.any_param {transform.readonly, dmc.parameter = "state", dmc.default = ""}) {
    %x = transform.dmc.arguments of image named %images in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.shard_spatial %x along %axis in %program
        : (!transform.any_value, !transform.any_param, !transform.any_op) -> ()
    %w = transform.dmc.arguments of parameter named %parameters in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.replicate %w along %axis : (!transform.any_value, !transform.any_param) -> ()
    %s = transform.dmc.arguments of state named %state in %program
        : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.dmc.replicate %s along %axis : (!transform.any_value, !transform.any_param) -> ()
    transform.yield
  }
}
