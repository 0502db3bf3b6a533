"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xui32>, tensor<4xi64>, tensor<4xui32>, tensor<2x1xui32>, tensor<4x2xui32>, tensor<4x2xi64>, tensor<4x2xui32>) -> (tensor<4xui32>, tensor<4xi64>, tensor<4xui32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4xui32>, %arg1: tensor<4xi64>, %arg2: tensor<4xui32>, %arg3: tensor<2x1xui32>, %arg4: tensor<4x2xui32>, %arg5: tensor<4x2xi64>, %arg6: tensor<4x2xui32>):
    %0:3 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<ui32>, %arg8: tensor<i64>, %arg9: tensor<ui32>, %arg10: tensor<ui32>, %arg11: tensor<i64>, %arg12: tensor<ui32>):
      %1 = "stablehlo.or"(%arg7, %arg10) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      %2 = "stablehlo.xor"(%arg8, %arg11) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %3 = "stablehlo.xor"(%arg9, %arg12) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      "stablehlo.return"(%1, %2, %3) : (tensor<ui32>, tensor<i64>, tensor<ui32>) -> ()
    }) : (tensor<4xui32>, tensor<4xi64>, tensor<4xui32>, tensor<2x1xui32>, tensor<4x2xui32>, tensor<4x2xi64>, tensor<4x2xui32>) -> (tensor<4xui32>, tensor<4xi64>, tensor<4xui32>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<4xui32>, tensor<4xi64>, tensor<4xui32>) -> ()
  }) : () -> ()
}) : () -> ()

