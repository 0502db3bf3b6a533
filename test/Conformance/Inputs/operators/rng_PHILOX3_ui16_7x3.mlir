"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3xui64>) -> (tensor<3xui64>, tensor<7x3xui16>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3xui64>):
    %0:2 = "stablehlo.rng_bit_generator"(%arg0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7x3xui16>)
    "func.return"(%0#0, %0#1) : (tensor<3xui64>, tensor<7x3xui16>) -> ()
  }) : () -> ()
}) : () -> ()

