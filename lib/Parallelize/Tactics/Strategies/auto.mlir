// All layouts that nothing else requests, chosen as one problem for the least predicted time.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @auto(%program: !transform.any_op {transform.readonly})
      attributes {dmc.improved} {
    transform.dmc.solve %program : (!transform.any_op) -> ()
    transform.yield
  }
}
