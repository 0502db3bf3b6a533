"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3xbf16>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2xui64>):
    %0:2 = "stablehlo.rng_bit_generator"(%arg0) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3xbf16>)
    "func.return"(%0#0, %0#1) : (tensor<2xui64>, tensor<7x3xbf16>) -> ()
  }) : () -> ()
}) : () -> ()

