"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3xi16>, tensor<3xi8>, tensor<3xui64>, tensor<2x1xui64>, tensor<2x1x1xi16>, tensor<2x1x1xi8>, tensor<2x1x1xui64>) -> (tensor<3xi16>, tensor<3xi8>, tensor<3xui64>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3xi16>, %arg1: tensor<3xi8>, %arg2: tensor<3xui64>, %arg3: tensor<2x1xui64>, %arg4: tensor<2x1x1xi16>, %arg5: tensor<2x1x1xi8>, %arg6: tensor<2x1x1xui64>):
    %0:3 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<i16>, %arg8: tensor<i8>, %arg9: tensor<ui64>, %arg10: tensor<i16>, %arg11: tensor<i8>, %arg12: tensor<ui64>):
      %1 = "stablehlo.or"(%arg7, %arg10) : (tensor<i16>, tensor<i16>) -> tensor<i16>
      %2 = "stablehlo.add"(%arg8, %arg11) : (tensor<i8>, tensor<i8>) -> tensor<i8>
      %3 = "stablehlo.add"(%arg9, %arg12) : (tensor<ui64>, tensor<ui64>) -> tensor<ui64>
      "stablehlo.return"(%1, %2, %3) : (tensor<i16>, tensor<i8>, tensor<ui64>) -> ()
    }) : (tensor<3xi16>, tensor<3xi8>, tensor<3xui64>, tensor<2x1xui64>, tensor<2x1x1xi16>, tensor<2x1x1xi8>, tensor<2x1x1xui64>) -> (tensor<3xi16>, tensor<3xi8>, tensor<3xui64>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<3xi16>, tensor<3xi8>, tensor<3xui64>) -> ()
  }) : () -> ()
}) : () -> ()

