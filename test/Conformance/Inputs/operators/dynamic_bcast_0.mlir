"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x4xf32>) -> tensor<2x3x4xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x4xf32>):
    %0 = "stablehlo.constant"() <{value = dense<[2, 3, 4]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %1 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %0) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<3xi32>) -> tensor<2x3x4xf32>
    "func.return"(%1) : (tensor<2x3x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()

