module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "missing" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.solve %program : (!transform.any_op) -> ()
    transform.yield
  }
}
