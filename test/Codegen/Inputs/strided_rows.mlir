// The order of a sum of which each element depends on the last is kept: a thread has a row.
func.func @main(%x: tensor<256x64xf32>) -> tensor<256xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<256x64xf32>, tensor<f32>) -> tensor<256xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = stablehlo.add %a, %b : tensor<f32>
      %2 = stablehlo.multiply %1, %1 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
  return %0 : tensor<256xf32>
}
