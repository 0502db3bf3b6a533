// Paddings and updates of other dimensions than the last: neighbours are inside together.
func.func @main(%x: tensor<4x14x14x64xf32>, %c: tensor<2x64x96xf32>, %u: tensor<2x1x96xf32>, %i: tensor<i32>) -> (tensor<4x16x17x64xf32>, tensor<2x64x96xf32>) {
  %z = stablehlo.constant dense<-1.0> : tensor<f32>
  %n = stablehlo.negate %x : tensor<4x14x14x64xf32>
  %0 = stablehlo.pad %n, %z, low = [0, 1, 2, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<4x14x14x64xf32>, tensor<f32>) -> tensor<4x16x17x64xf32>
  %k = stablehlo.constant dense<0> : tensor<i32>
  %t = stablehlo.add %c, %c : tensor<2x64x96xf32>
  %1 = stablehlo.dynamic_update_slice %t, %u, %k, %i, %k : (tensor<2x64x96xf32>, tensor<2x1x96xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x64x96xf32>
  return %0, %1 : tensor<4x16x17x64xf32>, tensor<2x64x96xf32>
}
