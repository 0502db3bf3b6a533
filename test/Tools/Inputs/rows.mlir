// Softmax, layer normalization with its statistics as results, a difference to the mean of a column
// (no row), and a normalization of what a transpose reads; a softmax in place of a donated argument.
func.func public @main(%x: tensor<96x160xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<160x96xf32>)
    -> (tensor<96x160xf32>, tensor<96x160xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96x160xf32>, tensor<96x160xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<1.600000e+02> : tensor<96x1xf32>
  %eps = stablehlo.constant dense<9.99999974E-6> : tensor<96x1xf32>
  // Softmax.
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<96x160xf32>, tensor<f32>) -> tensor<96xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<96xf32>) -> tensor<96x160xf32>
  %d = stablehlo.subtract %x, %mb : tensor<96x160xf32>
  %e = stablehlo.exponential %d : tensor<96x160xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x160xf32>, tensor<f32>) -> tensor<96xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<96xf32>) -> tensor<96x160xf32>
  %softmax = stablehlo.divide %e, %sb : tensor<96x160xf32>
  // Layer normalization of the transposed argument.
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<160x96xf32>) -> tensor<96x160xf32>
  %ts = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x160xf32>, tensor<f32>) -> tensor<96xf32>
  %t1 = stablehlo.reshape %ts : (tensor<96xf32>) -> tensor<96x1xf32>
  %mean1 = stablehlo.divide %t1, %n : tensor<96x1xf32>
  %mean = stablehlo.reshape %mean1 : (tensor<96x1xf32>) -> tensor<96xf32>
  %meanb = stablehlo.broadcast_in_dim %mean1, dims = [0, 1] : (tensor<96x1xf32>) -> tensor<96x160xf32>
  %c = stablehlo.subtract %t, %meanb : tensor<96x160xf32>
  %cc = stablehlo.multiply %c, %c : tensor<96x160xf32>
  %vs = stablehlo.reduce(%cc init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x160xf32>, tensor<f32>) -> tensor<96xf32>
  %v1 = stablehlo.reshape %vs : (tensor<96xf32>) -> tensor<96x1xf32>
  %v = stablehlo.divide %v1, %n : tensor<96x1xf32>
  %ve = stablehlo.add %v, %eps : tensor<96x1xf32>
  %r1 = stablehlo.rsqrt %ve : tensor<96x1xf32>
  %r = stablehlo.reshape %r1 : (tensor<96x1xf32>) -> tensor<96xf32>
  %rb = stablehlo.broadcast_in_dim %r1, dims = [0, 1] : (tensor<96x1xf32>) -> tensor<96x160xf32>
  %norm = stablehlo.multiply %c, %rb : tensor<96x160xf32>
  // Less its columns' sums.
  %cs = stablehlo.reduce(%norm init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<96x160xf32>, tensor<f32>) -> tensor<160xf32>
  %csb = stablehlo.broadcast_in_dim %cs, dims = [1] : (tensor<160xf32>) -> tensor<96x160xf32>
  %columns = stablehlo.subtract %norm, %csb : tensor<96x160xf32>
  // Two reductions of one row that read different tensors, and a product of both.
  %p = stablehlo.multiply %norm, %softmax : tensor<96x160xf32>
  %ps = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x160xf32>, tensor<f32>) -> tensor<96xf32>
  %psb = stablehlo.broadcast_in_dim %ps, dims = [0] : (tensor<96xf32>) -> tensor<96x160xf32>
  %both = stablehlo.subtract %p, %psb : tensor<96x160xf32>
  return %softmax, %norm, %mean, %r, %columns, %both : tensor<96x160xf32>, tensor<96x160xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96x160xf32>, tensor<96x160xf32>
}
