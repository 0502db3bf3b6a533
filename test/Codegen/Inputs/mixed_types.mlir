// An update of parameters in float32 by gradients in bfloat16, in place, which also gives them in bfloat16; conversions of
// other pairs of types; and one of which the last warp has a part.
func.func @main(%p: tensor<256x128xf32> {tf.aliasing_output = 0 : i32}, %m: tensor<256x128xf32> {tf.aliasing_output = 1 : i32}, %g: tensor<256x128xbf16>,
                %d: tensor<64x96xf64>, %h: tensor<64x512xf16>, %r: tensor<40x24xf32>)
    -> (tensor<256x128xf32>, tensor<256x128xf32>, tensor<256x128xbf16>, tensor<64x96xf32>, tensor<64x512xi8>, tensor<40x24xbf16>) {
  %c = stablehlo.constant dense<0.9> : tensor<256x128xf32>
  %gf = stablehlo.convert %g : (tensor<256x128xbf16>) -> tensor<256x128xf32>
  %a = stablehlo.multiply %m, %c : tensor<256x128xf32>
  %m2 = stablehlo.add %a, %gf : tensor<256x128xf32>
  %p2 = stablehlo.subtract %p, %m2 : tensor<256x128xf32>
  %pb = stablehlo.convert %p2 : (tensor<256x128xf32>) -> tensor<256x128xbf16>
  %df = stablehlo.convert %d : (tensor<64x96xf64>) -> tensor<64x96xf32>
  %hi = stablehlo.convert %h : (tensor<64x512xf16>) -> tensor<64x512xi8>
  %rb = stablehlo.convert %r : (tensor<40x24xf32>) -> tensor<40x24xbf16>
  return %p2, %m2, %pb, %df, %hi, %rb : tensor<256x128xf32>, tensor<256x128xf32>, tensor<256x128xbf16>, tensor<64x96xf32>, tensor<64x512xi8>, tensor<40x24xbf16>
}
