"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xui64>, tensor<4xi16>, tensor<4xi32>, tensor<1x1xui8>, tensor<1x2x1xui64>, tensor<1x2x1xi16>, tensor<1x2x1xi32>) -> (tensor<4xui64>, tensor<4xi16>, tensor<4xi32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4xui64>, %arg1: tensor<4xi16>, %arg2: tensor<4xi32>, %arg3: tensor<1x1xui8>, %arg4: tensor<1x2x1xui64>, %arg5: tensor<1x2x1xi16>, %arg6: tensor<1x2x1xi32>):
    %0:3 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<ui64>, %arg8: tensor<i16>, %arg9: tensor<i32>, %arg10: tensor<ui64>, %arg11: tensor<i16>, %arg12: tensor<i32>):
      %1 = "stablehlo.or"(%arg7, %arg10) : (tensor<ui64>, tensor<ui64>) -> tensor<ui64>
      %2 = "stablehlo.maximum"(%arg8, %arg11) : (tensor<i16>, tensor<i16>) -> tensor<i16>
      %3 = "stablehlo.multiply"(%arg9, %arg12) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%1, %2, %3) : (tensor<ui64>, tensor<i16>, tensor<i32>) -> ()
    }) : (tensor<4xui64>, tensor<4xi16>, tensor<4xi32>, tensor<1x1xui8>, tensor<1x2x1xui64>, tensor<1x2x1xi16>, tensor<1x2x1xi32>) -> (tensor<4xui64>, tensor<4xi16>, tensor<4xi32>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<4xui64>, tensor<4xi16>, tensor<4xi32>) -> ()
  }) : () -> ()
}) : () -> ()

