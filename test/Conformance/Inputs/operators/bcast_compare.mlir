"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xi1>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x3x4xf32>, %arg1: tensor<3x4xf32>):
    %0 = "chlo.broadcast_compare"(%arg0, %arg1) <{comparison_direction = #chlo<comparison_direction GE>}> : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xi1>
    "func.return"(%0) : (tensor<2x3x4xi1>) -> ()
  }) : () -> ()
}) : () -> ()

