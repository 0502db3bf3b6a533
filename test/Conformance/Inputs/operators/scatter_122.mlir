"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x4x2xi64>, tensor<2x4x2xui16>, tensor<2x4x2xui64>, tensor<3x1xi8>, tensor<2x3x1x3x2xi64>, tensor<2x3x1x3x2xui16>, tensor<2x3x1x3x2xui64>) -> (tensor<2x4x2xi64>, tensor<2x4x2xui16>, tensor<2x4x2xui64>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x4x2xi64>, %arg1: tensor<2x4x2xui16>, %arg2: tensor<2x4x2xui64>, %arg3: tensor<3x1xi8>, %arg4: tensor<2x3x1x3x2xi64>, %arg5: tensor<2x3x1x3x2xui16>, %arg6: tensor<2x3x1x3x2xui64>):
    %0:3 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 3, 4], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<i64>, %arg8: tensor<ui16>, %arg9: tensor<ui64>, %arg10: tensor<i64>, %arg11: tensor<ui16>, %arg12: tensor<ui64>):
      %1 = "stablehlo.add"(%arg7, %arg10) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %2 = "stablehlo.or"(%arg8, %arg11) : (tensor<ui16>, tensor<ui16>) -> tensor<ui16>
      %3 = "stablehlo.or"(%arg9, %arg12) : (tensor<ui64>, tensor<ui64>) -> tensor<ui64>
      "stablehlo.return"(%1, %2, %3) : (tensor<i64>, tensor<ui16>, tensor<ui64>) -> ()
    }) : (tensor<2x4x2xi64>, tensor<2x4x2xui16>, tensor<2x4x2xui64>, tensor<3x1xi8>, tensor<2x3x1x3x2xi64>, tensor<2x3x1x3x2xui16>, tensor<2x3x1x3x2xui64>) -> (tensor<2x4x2xi64>, tensor<2x4x2xui16>, tensor<2x4x2xui64>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<2x4x2xi64>, tensor<2x4x2xui16>, tensor<2x4x2xui64>) -> ()
  }) : () -> ()
}) : () -> ()

