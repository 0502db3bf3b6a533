"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x6x5x3xi32>, tensor<3x3x3x4xi32>) -> tensor<2x4x3x4xi8>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x6x5x3xi32>, %arg1: tensor<3x3x3x4xi32>):
    %0 = "stablehlo.convolution"(%arg0, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<0> : tensor<2x2xi64>, window_strides = array<i64: 1, 1>}> : (tensor<2x6x5x3xi32>, tensor<3x3x3x4xi32>) -> tensor<2x4x3x4xi8>
    "func.return"(%0) : (tensor<2x4x3x4xi8>) -> ()
  }) : () -> ()
}) : () -> ()

