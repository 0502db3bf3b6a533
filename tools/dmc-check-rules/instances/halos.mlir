// Windows of a dimension of 5, one for each position: of neighbours, of owners further away, backwards, dilated.
func.func @pairs(%x: tensor<5x2xf32>) -> tensor<2x5x2xf32> {
  %r = dmc.halo %x in 0 step 3 offset -1 padding 0.0 : f32 : tensor<5x2xf32> to tensor<2x5x2xf32>
  return %r : tensor<2x5x2xf32>
}
func.func @far(%x: tensor<5x2xf32>) -> tensor<4x7x2xf32> {
  %r = dmc.halo %x in 0 step 2 offset -3 padding 0.0 : f32 : tensor<5x2xf32> to tensor<4x7x2xf32>
  return %r : tensor<4x7x2xf32>
}
func.func @backwards(%x: tensor<2x5xi32>) -> tensor<2x3x2xi32> {
  %r = dmc.halo %x in 1 step -2 offset 3 padding 1 : i32 : tensor<2x5xi32> to tensor<2x3x2xi32>
  return %r : tensor<2x3x2xi32>
}
func.func @dilated(%x: tensor<3x2xf32>) -> tensor<4x3x2xf32> {
  %r = dmc.halo %x in 0 step 3 offset -2 dilation 2 padding 0.0 : f32 : tensor<3x2xf32> to tensor<4x3x2xf32>
  return %r : tensor<4x3x2xf32>
}
