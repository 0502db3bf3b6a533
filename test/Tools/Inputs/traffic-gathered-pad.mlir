// A convolution and its weights' gradient take all of an image that is split along its height: if the pad is split, it is what is
// gathered, and it has its windows of neighbours.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%image: tensor<8x32x32x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %a: tensor<7x7x3x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>},
                  %g: tensor<8x16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>})
      -> (tensor<8x16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>}, tensor<7x7x3x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>}) {
    %0 = stablehlo.convolution(%image, %a) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[2, 3], [2, 3]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x3xf32>, tensor<7x7x3x16xf32>) -> tensor<8x16x16x16xf32>
    %1 = stablehlo.convolution(%image, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[2, 3], [2, 3]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x3xf32>, tensor<8x16x16x16xf32>) -> tensor<7x7x3x16xf32>
    return %0, %1 : tensor<8x16x16x16xf32>, tensor<7x7x3x16xf32>
  }
}
