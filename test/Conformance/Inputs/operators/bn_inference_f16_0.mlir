"builtin.module"() ({
  "func.func"() <{function_type = (tensor<5x3x2x3xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>) -> tensor<5x3x2x3xf16>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<5x3x2x3xf16>, %arg1: tensor<5xf16>, %arg2: tensor<5xf16>, %arg3: tensor<5xf16>, %arg4: tensor<5xf16>):
    %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<5x3x2x3xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>) -> tensor<5x3x2x3xf16>
    "func.return"(%0) : (tensor<5x3x2x3xf16>) -> ()
  }) : () -> ()
}) : () -> ()

