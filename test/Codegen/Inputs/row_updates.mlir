// Rows of caches, which are 16 bytes or several sectors, at a position that is not known before; and one of a part of its row.
func.func @main(%a: tensor<8x4x32x64xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<8x8x32x4xf32> {tf.aliasing_output = 1 : i32}, %c: tensor<64x50xbf16> {tf.aliasing_output = 2 : i32},
    %d: tensor<40x8xf32> {tf.aliasing_output = 3 : i32}, %ua: tensor<8x4x1x64xf32>, %ub: tensor<8x8x1x4xf32>, %uc: tensor<64x20xbf16>, %ud: tensor<3x8xf32>, %at: tensor<i32>)
    -> (tensor<8x4x32x64xf32>, tensor<8x8x32x4xf32>, tensor<64x50xbf16>, tensor<40x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %ua, %zero, %zero, %at, %zero : (tensor<8x4x32x64xf32>, tensor<8x4x1x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x4x32x64xf32>
  %1 = stablehlo.dynamic_update_slice %b, %ub, %zero, %zero, %at, %zero : (tensor<8x8x32x4xf32>, tensor<8x8x1x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x8x32x4xf32>
  %2 = stablehlo.dynamic_update_slice %c, %uc, %zero, %at : (tensor<64x50xbf16>, tensor<64x20xbf16>, tensor<i32>, tensor<i32>) -> tensor<64x50xbf16>
  %3 = stablehlo.dynamic_update_slice %d, %ud, %at, %zero : (tensor<40x8xf32>, tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<40x8xf32>
  return %0, %1, %2, %3 : tensor<8x4x32x64xf32>, tensor<8x8x32x4xf32>, tensor<64x50xbf16>, tensor<40x8xf32>
}
