"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x1x3x4xi16>, tensor<3x4x1x3xi8>, tensor<1x3x3x4x3xi16>) -> tensor<3x1x3x4xi16>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x1x3x4xi16>, %arg1: tensor<3x4x1x3xi8>, %arg2: tensor<1x3x3x4x3xi16>):
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [1], input_batching_dims = [3], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i16>, %arg4: tensor<i16>):
      %1 = "stablehlo.subtract"(%arg3, %arg4) : (tensor<i16>, tensor<i16>) -> tensor<i16>
      "stablehlo.return"(%1) : (tensor<i16>) -> ()
    }) : (tensor<3x1x3x4xi16>, tensor<3x4x1x3xi8>, tensor<1x3x3x4x3xi16>) -> tensor<3x1x3x4xi16>
    "func.return"(%0) : (tensor<3x1x3x4xi16>) -> ()
  }) : () -> ()
}) : () -> ()

