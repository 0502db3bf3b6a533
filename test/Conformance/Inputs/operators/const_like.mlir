"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x3x4xf32>):
    %0 = "chlo.constant_like"(%arg0) <{value = 3.500000e+00 : f32}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    "func.return"(%0) : (tensor<2x3x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()

