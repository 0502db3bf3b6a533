"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x4xf32>) -> tensor<2x6xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x4xf32>):
    %0 = "stablehlo.constant"() <{value = dense<[2, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %1 = "stablehlo.dynamic_reshape"(%arg0, %0) : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x6xf32>
    "func.return"(%1) : (tensor<2x6xf32>) -> ()
  }) : () -> ()
}) : () -> ()

