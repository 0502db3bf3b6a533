"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x4xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<3x2xi32>):
    %0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<3x4xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>
    "func.return"(%0) : (tensor<3x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()

