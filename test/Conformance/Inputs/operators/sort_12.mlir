"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x7x3xf32>, tensor<3x7x3xui32>, tensor<3x7x3xi32>) -> (tensor<3x7x3xf32>, tensor<3x7x3xui32>, tensor<3x7x3xi32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x7x3xf32>, %arg1: tensor<3x7x3xui32>, %arg2: tensor<3x7x3xi32>):
    %0:3 = "stablehlo.sort"(%arg0, %arg1, %arg2) <{dimension = -2 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<ui32>, %arg6: tensor<ui32>, %arg7: tensor<i32>, %arg8: tensor<i32>):
      %1 = "stablehlo.compare"(%arg3, %arg4) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<3x7x3xf32>, tensor<3x7x3xui32>, tensor<3x7x3xi32>) -> (tensor<3x7x3xf32>, tensor<3x7x3xui32>, tensor<3x7x3xi32>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<3x7x3xf32>, tensor<3x7x3xui32>, tensor<3x7x3xi32>) -> ()
  }) : () -> ()
}) : () -> ()

