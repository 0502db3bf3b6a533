// Columns of a matrix, which an index names: what one index names lies apart, and neighbouring columns together.
func.func @main(%at: tensor<250x1xi32>, %g: tensor<1024x250xf32>, %into: tensor<1024x300xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1024x300xf32> {
  %0 = "stablehlo.scatter"(%into, %at, %g) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1024x300xf32>, tensor<250x1xi32>, tensor<1024x250xf32>) -> tensor<1024x300xf32>
  return %0 : tensor<1024x300xf32>
}
