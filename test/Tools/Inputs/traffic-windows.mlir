// Two convolutions of one image whose pads differ along its width: along its height, which is split, they read the same windows, and what
// these have of neighbours is sent once.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%image: tensor<4x8x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %a: tensor<3x3x2x4xf32>, %b: tensor<3x3x2x4xf32>)
      -> (tensor<4x8x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, tensor<4x8x6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) {
    %0 = stablehlo.convolution(%image, %a) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<4x8x8x4xf32>
    %1 = stablehlo.convolution(%image, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<4x8x6x4xf32>
    return %0, %1 : tensor<4x8x8x4xf32>, tensor<4x8x6x4xf32>
  }
}
