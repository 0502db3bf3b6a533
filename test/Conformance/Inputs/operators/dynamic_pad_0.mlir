"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x4xf32>, tensor<f32>) -> tensor<8x4xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>):
    %0 = "stablehlo.constant"() <{value = dense<[1, -1]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %1 = "stablehlo.constant"() <{value = dense<[2, 1]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %2 = "stablehlo.constant"() <{value = dense<[1, 0]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %3 = "stablehlo.dynamic_pad"(%arg0, %arg1, %0, %1, %2) : (tensor<3x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<8x4xf32>
    "func.return"(%3) : (tensor<8x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()

