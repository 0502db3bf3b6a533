"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3x2x5xbf16>, tensor<5xbf16>, tensor<5xbf16>) -> (tensor<2x3x2x5xbf16>, tensor<5xbf16>, tensor<5xbf16>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x3x2x5xbf16>, %arg1: tensor<5xbf16>, %arg2: tensor<5xbf16>):
    %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e-03 : f32, feature_index = 3 : i64}> : (tensor<2x3x2x5xbf16>, tensor<5xbf16>, tensor<5xbf16>) -> (tensor<2x3x2x5xbf16>, tensor<5xbf16>, tensor<5xbf16>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<2x3x2x5xbf16>, tensor<5xbf16>, tensor<5xbf16>) -> ()
  }) : () -> ()
}) : () -> ()

