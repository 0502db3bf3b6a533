"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x4x4x3xi1>, tensor<2x2x1x4xui64>, tensor<3x3x1x2x1x4xi1>) -> tensor<4x4x4x3xi1>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x4x4x3xi1>, %arg1: tensor<2x2x1x4xui64>, %arg2: tensor<3x3x1x2x1x4xi1>):
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1, 2], input_batching_dims = [1], scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [3, 2], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i1>, %arg4: tensor<i1>):
      %1 = "stablehlo.minimum"(%arg3, %arg4) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<4x4x4x3xi1>, tensor<2x2x1x4xui64>, tensor<3x3x1x2x1x4xi1>) -> tensor<4x4x4x3xi1>
    "func.return"(%0) : (tensor<4x4x4x3xi1>) -> ()
  }) : () -> ()
}) : () -> ()

