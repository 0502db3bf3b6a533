// The batch is split over "data" and the weights of the first two layers over "model", by
// columns and by rows; the others follow, or stay whole.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %batch = transform.dmc.arguments named "batch/*" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %batch dim 0 along {"data"} : (!transform.any_value) -> ()
    transform.dmc.propagate %program : (!transform.any_op) -> ()

    %w0 = transform.dmc.arguments named "params/dense0/w" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %w0 dim 1 along {"model"} : (!transform.any_value) -> ()
    transform.dmc.propagate %program : (!transform.any_op) -> ()

    // The second layer's rows followed the first one's columns.
    %w1 = transform.dmc.arguments named "params/dense1/w" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.expect_split %w1 dim 0 along {"model"} : (!transform.any_value) -> ()
    transform.dmc.expect %program {only = ["all_reduce"], wire_bytes = 190000} : (!transform.any_op) -> ()
    transform.yield
  }
}
