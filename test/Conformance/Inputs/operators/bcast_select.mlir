"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x1xi1>, tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x1xi1>, %arg1: tensor<2x3x4xf32>, %arg2: tensor<3x4xf32>):
    %0 = "chlo.broadcast_select"(%arg0, %arg1, %arg2) : (tensor<3x1xi1>, tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
    "func.return"(%0) : (tensor<2x3x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()

