"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3xi32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x4xi32>, %arg1: tensor<4xi32>):
    %0 = "stablehlo.dot"(%arg0, %arg1) : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }) : () -> ()
}) : () -> ()

