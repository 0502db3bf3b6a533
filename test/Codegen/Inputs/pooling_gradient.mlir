// The gradient of a pooling of 3x3 pixels, two apart: of what a window gives, the pixels on which it may fall at one distance read the same.
func.func @main(%x: tensor<4x16x16x24xf32>, %g: tensor<4x8x8x24xf32>) -> tensor<4x16x16x24xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x16x16x24xf32>, tensor<4x8x8x24xf32>, tensor<f32>) -> tensor<4x16x16x24xf32>
  return %0 : tensor<4x16x16x24xf32>
}
