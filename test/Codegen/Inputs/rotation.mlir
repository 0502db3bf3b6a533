func.func @main(%x: tensor<256x8x128xf32>, %c: tensor<256x1x64xf32>, %s: tensor<256x1x64xf32>) -> tensor<256x8x128xf32> {
  %low = stablehlo.slice %x [0:256, 0:8, 0:64] : (tensor<256x8x128xf32>) -> tensor<256x8x64xf32>
  %high = stablehlo.slice %x [0:256, 0:8, 64:128] : (tensor<256x8x128xf32>) -> tensor<256x8x64xf32>
  %cos = stablehlo.broadcast_in_dim %c, dims = [0, 1, 2] : (tensor<256x1x64xf32>) -> tensor<256x8x64xf32>
  %sin = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<256x1x64xf32>) -> tensor<256x8x64xf32>
  %0 = stablehlo.multiply %low, %cos : tensor<256x8x64xf32>
  %1 = stablehlo.multiply %high, %sin : tensor<256x8x64xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<256x8x64xf32>
  %3 = stablehlo.multiply %high, %cos : tensor<256x8x64xf32>
  %4 = stablehlo.multiply %low, %sin : tensor<256x8x64xf32>
  %5 = stablehlo.add %3, %4 : tensor<256x8x64xf32>
  %6 = stablehlo.concatenate %2, %5, dim = 2 : (tensor<256x8x64xf32>, tensor<256x8x64xf32>) -> tensor<256x8x128xf32>
  return %6 : tensor<256x8x128xf32>
}
