"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x4xui8>, tensor<1x4xi8>, tensor<4x4xui8>) -> tensor<4x4xui8>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x4xui8>, %arg1: tensor<1x4xi8>, %arg2: tensor<4x4xui8>):
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], input_batching_dims = [1], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>):
      %1 = "stablehlo.xor"(%arg3, %arg4) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
      "stablehlo.return"(%1) : (tensor<ui8>) -> ()
    }) : (tensor<4x4xui8>, tensor<1x4xi8>, tensor<4x4xui8>) -> tensor<4x4xui8>
    "func.return"(%0) : (tensor<4x4xui8>) -> ()
  }) : () -> ()
}) : () -> ()

