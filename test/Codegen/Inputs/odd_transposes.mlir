// Channels that move from first to last and back, with sides of which no line is a multiple of a sector.
func.func @main(%a: tensor<4x3x63x63xf32>, %b: tensor<4x63x63x3xf32>) -> (tensor<4x63x63x3xf32>, tensor<4x3x63x63xf32>) {
  %0 = stablehlo.transpose %a, dims = [0, 2, 3, 1] : (tensor<4x3x63x63xf32>) -> tensor<4x63x63x3xf32>
  %1 = stablehlo.transpose %b, dims = [0, 3, 1, 2] : (tensor<4x63x63x3xf32>) -> tensor<4x3x63x63xf32>
  return %0, %1 : tensor<4x63x63x3xf32>, tensor<4x3x63x63xf32>
}
