// The gradient of an embedding: rows are added to those of a table.
func.func @main(%rows: tensor<1024x256xf32>, %ids: tensor<1024xi32>) -> tensor<4096x256xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<4096x256xf32>
  %sums = "stablehlo.scatter"(%zeros, %ids, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<4096x256xf32>, tensor<1024xi32>, tensor<1024x256xf32>) -> tensor<4096x256xf32>
  return %sums : tensor<4096x256xf32>
}
