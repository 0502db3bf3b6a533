"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x5x2x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2x5x2x3xf32>) -> (tensor<2x5x2x3xf32>, tensor<5xf32>, tensor<5xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x5x2x3xf32>, %arg1: tensor<5xf32>, %arg2: tensor<5xf32>, %arg3: tensor<5xf32>, %arg4: tensor<2x5x2x3xf32>):
    %0:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x5x2x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2x5x2x3xf32>) -> (tensor<2x5x2x3xf32>, tensor<5xf32>, tensor<5xf32>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<2x5x2x3xf32>, tensor<5xf32>, tensor<5xf32>) -> ()
  }) : () -> ()
}) : () -> ()

