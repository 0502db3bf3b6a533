// RUN: rm -rf %t && mkdir %t
// RUN: dmc-interpret %s --seed 7 --output-dir %t/expected
// RUN: dmc-run %s --seed 7 --threads=1 --expect-dir %t/expected --output-dir %t/one
// REQUIRES: two-processors
// RUN: dmc-run %s --seed 7 --threads=2 --expect-dir %t/one --rtol=0 --atol=0

// Grouped convolutions and their gradients, in loops over vectors: groups of 4 and 8 channels, channels of their own, a stride, a
// dilation, sizes that nothing divides, and more channels out than in. One thread and two give the same bits.
func.func public @main(%x: tensor<2x11x13x32xf32>, %dy: tensor<2x11x13x32xf32>, %four: tensor<3x3x4x32xf32>, %eight: tensor<3x3x8x32xf32>,
                       %own: tensor<3x3x1x32xf32>, %more: tensor<3x3x4x64xf32>, %dilated: tensor<3x3x4x32xf32>)
    -> (tensor<2x11x13x32xf32>, tensor<2x6x7x32xf32>, tensor<2x11x13x32xf32>, tensor<2x11x13x64xf32>, tensor<2x11x13x32xf32>,
        tensor<3x3x4x32xf32>, tensor<3x3x1x32xf32>) {
  %0 = stablehlo.convolution(%x, %four) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<2x11x13x32xf32>, tensor<3x3x4x32xf32>) -> tensor<2x11x13x32xf32>
  %1 = stablehlo.convolution(%x, %eight) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x11x13x32xf32>, tensor<3x3x8x32xf32>) -> tensor<2x6x7x32xf32>
  %2 = stablehlo.convolution(%x, %own) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 32 : i64} : (tensor<2x11x13x32xf32>, tensor<3x3x1x32xf32>) -> tensor<2x11x13x32xf32>
  %3 = stablehlo.convolution(%x, %more) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<2x11x13x32xf32>, tensor<3x3x4x64xf32>) -> tensor<2x11x13x64xf32>
  %4 = stablehlo.convolution(%x, %dilated) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [2, 2]], rhs_dilate = [2, 2]}
      {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<2x11x13x32xf32>, tensor<3x3x4x32xf32>) -> tensor<2x11x13x32xf32>
  %5 = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 8 : i64, feature_group_count = 1 : i64} : (tensor<2x11x13x32xf32>, tensor<2x11x13x32xf32>) -> tensor<3x3x4x32xf32>
  %6 = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 32 : i64, feature_group_count = 1 : i64} : (tensor<2x11x13x32xf32>, tensor<2x11x13x32xf32>) -> tensor<3x3x1x32xf32>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<2x11x13x32xf32>, tensor<2x6x7x32xf32>, tensor<2x11x13x32xf32>, tensor<2x11x13x64xf32>, tensor<2x11x13x32xf32>,
        tensor<3x3x4x32xf32>, tensor<3x3x1x32xf32>
}
