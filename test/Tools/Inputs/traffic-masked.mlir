// The gradient of a filter is a sum over rows, of which three ranks have 3, 3 and 2: products beyond the last row are masked, but computed.
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%image: tensor<4x8x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %g: tensor<4x8x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) -> tensor<3x3x2x4xf32> {
    %0 = stablehlo.convolution(%image, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<4x8x8x4xf32>) -> tensor<3x3x2x4xf32>
    return %0 : tensor<3x3x2x4xf32>
  }
}
