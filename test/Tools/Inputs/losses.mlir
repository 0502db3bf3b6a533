// Cross entropy with its gradient in place of the logits; scores that overwrite the row of which they
// gather one; cross entropy of batches without a gradient; the root of a mean of squares.
func.func public @main(%x: tensor<96x160xf32> {tf.aliasing_output = 1 : i32}, %t: tensor<96xi32>,
                       %y: tensor<4x24x160xf32>, %z: tensor<96x160xf32> {tf.aliasing_output = 3 : i32})
    -> (tensor<f32>, tensor<96x160xf32>, tensor<f32>, tensor<96x160xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<96.0> : tensor<f32>
  %all = stablehlo.constant dense<15360.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<96x160xf32>, tensor<f32>) -> tensor<96xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<96xf32>) -> tensor<96x160xf32>
  %d = stablehlo.subtract %x, %mb : tensor<96x160xf32>
  %e = stablehlo.exponential %d : tensor<96x160xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x160xf32>, tensor<f32>) -> tensor<96xf32>
  %l = stablehlo.log %s : tensor<96xf32>
  %i = stablehlo.reshape %t : (tensor<96xi32>) -> tensor<96x1x1xi32>
  %g = "stablehlo.gather"(%d, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x160xf32>, tensor<96x1x1xi32>) -> tensor<96x1xf32>
  %h = stablehlo.reshape %g : (tensor<96x1xf32>) -> tensor<96xf32>
  %loss = stablehlo.subtract %l, %h : tensor<96xf32>
  %sum = stablehlo.reduce(%loss init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<96xf32>, tensor<f32>) -> tensor<f32>
  %mean = stablehlo.divide %sum, %n : tensor<f32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<96xf32>) -> tensor<96x160xf32>
  %grad = stablehlo.divide %e, %sb : tensor<96x160xf32>
  // Margins.
  %zs = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x160xf32>, tensor<f32>) -> tensor<96xf32>
  %zg = "stablehlo.gather"(%z, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x160xf32>, tensor<96x1x1xi32>) -> tensor<96x1xf32>
  %zh = stablehlo.reshape %zg : (tensor<96x1xf32>) -> tensor<96xf32>
  %zd = stablehlo.subtract %zh, %zs : tensor<96xf32>
  %zb = stablehlo.broadcast_in_dim %zd, dims = [0] : (tensor<96xf32>) -> tensor<96x160xf32>
  %scores = stablehlo.add %z, %zb : tensor<96x160xf32>
  // Batches.
  %ym = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x24x160xf32>, tensor<f32>) -> tensor<4x24xf32>
  %ymb = stablehlo.broadcast_in_dim %ym, dims = [0, 1] : (tensor<4x24xf32>) -> tensor<4x24x160xf32>
  %yd = stablehlo.subtract %y, %ymb : tensor<4x24x160xf32>
  %ye = stablehlo.exponential %yd : tensor<4x24x160xf32>
  %ys = stablehlo.reduce(%ye init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x24x160xf32>, tensor<f32>) -> tensor<4x24xf32>
  %yl = stablehlo.log %ys : tensor<4x24xf32>
  %yi = stablehlo.reshape %t : (tensor<96xi32>) -> tensor<4x24x1x1xi32>
  %yg = "stablehlo.gather"(%yd, %yi) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x24x160xf32>, tensor<4x24x1x1xi32>) -> tensor<4x24x1xf32>
  %yh = stablehlo.reshape %yg : (tensor<4x24x1xf32>) -> tensor<4x24xf32>
  %yloss = stablehlo.subtract %yl, %yh : tensor<4x24xf32>
  %ysum = stablehlo.reduce(%yloss init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x24xf32>, tensor<f32>) -> tensor<f32>
  // A sum in several blocks, and what follows from it.
  %q = stablehlo.multiply %y, %y : tensor<4x24x160xf32>
  %qs = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x24x160xf32>, tensor<f32>) -> tensor<f32>
  %qm = stablehlo.divide %qs, %all : tensor<f32>
  %norm = stablehlo.sqrt %qm : tensor<f32>
  return %mean, %grad, %ysum, %scores, %norm : tensor<f32>, tensor<96x160xf32>, tensor<f32>, tensor<96x160xf32>, tensor<f32>
}
