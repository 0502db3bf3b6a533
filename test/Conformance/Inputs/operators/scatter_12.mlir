"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x4x2xi8>, tensor<3x4x2xi16>, tensor<3x4x2xi8>, tensor<3x1x2xui32>, tensor<3x2x4xi8>, tensor<3x2x4xi16>, tensor<3x2x4xi8>) -> (tensor<3x4x2xi8>, tensor<3x4x2xi16>, tensor<3x4x2xi8>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x4x2xi8>, %arg1: tensor<3x4x2xi16>, %arg2: tensor<3x4x2xi8>, %arg3: tensor<3x1x2xui32>, %arg4: tensor<3x2x4xi8>, %arg5: tensor<3x2x4xi16>, %arg6: tensor<3x2x4xi8>):
    %0:3 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], input_batching_dims = [0, 2], scatter_indices_batching_dims = [0, 2], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<i8>, %arg8: tensor<i16>, %arg9: tensor<i8>, %arg10: tensor<i8>, %arg11: tensor<i16>, %arg12: tensor<i8>):
      %1 = "stablehlo.compare"(%arg7, %arg10) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %2 = "stablehlo.select"(%1, %arg10, %arg7) : (tensor<i1>, tensor<i8>, tensor<i8>) -> tensor<i8>
      %3 = "stablehlo.select"(%1, %arg11, %arg8) : (tensor<i1>, tensor<i16>, tensor<i16>) -> tensor<i16>
      %4 = "stablehlo.select"(%1, %arg12, %arg9) : (tensor<i1>, tensor<i8>, tensor<i8>) -> tensor<i8>
      "stablehlo.return"(%2, %3, %4) : (tensor<i8>, tensor<i16>, tensor<i8>) -> ()
    }) : (tensor<3x4x2xi8>, tensor<3x4x2xi16>, tensor<3x4x2xi8>, tensor<3x1x2xui32>, tensor<3x2x4xi8>, tensor<3x2x4xi16>, tensor<3x2x4xi8>) -> (tensor<3x4x2xi8>, tensor<3x4x2xi16>, tensor<3x4x2xi8>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<3x4x2xi8>, tensor<3x4x2xi16>, tensor<3x4x2xi8>) -> ()
  }) : () -> ()
}) : () -> ()

