// Maxima and minima of rows with NaN, with infinities and with zeros of either sign, which a quotient
// tells apart; each row's other elements are below (above) zero. Rows of two dimensions as well.
func.func public @main(%x: tensor<10x80xf32>) -> (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<f32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<10xf32>
  %c1 = stablehlo.constant dense<[0, 79, 5, 5, 33, 5, 5, 5, 5, 5]> : tensor<10xi32>
  %v1 = stablehlo.constant dense<[0x7FC00000, 0xFFC00000, 0.0, -0.0, -0.0, 0x7F800000, 0x7F800000, 0xFF800000, 0.0, 7.5]> : tensor<10xf32>
  %c2 = stablehlo.constant dense<[1, 1, 70, 70, 34, 70, 70, 70, 70, 6]> : tensor<10xi32>
  %v2 = stablehlo.constant dense<[-1.0, 3.0, -0.0, 0.0, -0.0, 0x7FC00000, 0.0, -2.0, 1.0e-45, -0.0]> : tensor<10xf32>
  %column = stablehlo.iota dim = 1 : tensor<10x80xi32>
  %abs = stablehlo.abs %x : tensor<10x80xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<10x80xf32>
  %above = stablehlo.add %abs, %ones : tensor<10x80xf32>
  %below = stablehlo.negate %above : tensor<10x80xf32>
  %b1 = stablehlo.broadcast_in_dim %c1, dims = [0] : (tensor<10xi32>) -> tensor<10x80xi32>
  %w1 = stablehlo.broadcast_in_dim %v1, dims = [0] : (tensor<10xf32>) -> tensor<10x80xf32>
  %h1 = stablehlo.compare EQ, %column, %b1, SIGNED : (tensor<10x80xi32>, tensor<10x80xi32>) -> tensor<10x80xi1>
  %b2 = stablehlo.broadcast_in_dim %c2, dims = [0] : (tensor<10xi32>) -> tensor<10x80xi32>
  %w2 = stablehlo.broadcast_in_dim %v2, dims = [0] : (tensor<10xf32>) -> tensor<10x80xf32>
  %h2 = stablehlo.compare EQ, %column, %b2, SIGNED : (tensor<10x80xi32>, tensor<10x80xi32>) -> tensor<10x80xi1>
  %max2 = stablehlo.select %h2, %w2, %below : tensor<10x80xi1>, tensor<10x80xf32>
  %max1 = stablehlo.select %h1, %w1, %max2 : tensor<10x80xi1>, tensor<10x80xf32>
  %max = stablehlo.reduce(%max1 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<10x80xf32>, tensor<f32>) -> tensor<10xf32>
  %qmax = stablehlo.divide %one, %max : tensor<10xf32>
  %min2 = stablehlo.select %h2, %w2, %above : tensor<10x80xi1>, tensor<10x80xf32>
  %min1 = stablehlo.select %h1, %w1, %min2 : tensor<10x80xi1>, tensor<10x80xf32>
  %min = stablehlo.reduce(%min1 init: %high) applies stablehlo.minimum across dimensions = [1] : (tensor<10x80xf32>, tensor<f32>) -> tensor<10xf32>
  %qmin = stablehlo.divide %one, %min : tensor<10xf32>
  %three = stablehlo.reshape %max1 : (tensor<10x80xf32>) -> tensor<10x4x20xf32>
  %m3 = stablehlo.reduce(%three init: %low) applies stablehlo.maximum across dimensions = [1, 2] : (tensor<10x4x20xf32>, tensor<f32>) -> tensor<10xf32>
  %q3 = stablehlo.divide %one, %m3 : tensor<10xf32>
  %all = stablehlo.reduce(%below init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<10x80xf32>, tensor<f32>) -> tensor<f32>
  return %max, %qmax, %min, %qmin, %q3, %all : tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<f32>
}
