"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x4xf32>) -> tensor<4x3xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x4xf32>):
    %0 = "stablehlo.unary_einsum"(%arg0) <{einsum_config = "ij->ji"}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
    "func.return"(%0) : (tensor<4x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()

