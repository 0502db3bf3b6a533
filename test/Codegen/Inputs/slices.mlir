// Slices whose rows begin at multiples of two elements, which threads access by two; a slice in float32 beside bfloat16, of which neighbouring
// threads exchange halves; and rows that are joined of pieces of unequal widths, which the threads of a warp store together.
func.func @main(%a: tensor<256x162xf32>, %x: tensor<256x32xf32>, %b: tensor<64x256xf32>, %h: tensor<64x128xbf16>, %p: tensor<512x10xf32>,
                %q: tensor<512x32xf32>) -> (tensor<256x32xf32>, tensor<64x128xbf16>, tensor<512x42xf32>) {
  %s = stablehlo.slice %a [0:256, 10:42] : (tensor<256x162xf32>) -> tensor<256x32xf32>
  %0 = stablehlo.multiply %s, %x : tensor<256x32xf32>
  %t = stablehlo.slice %b [0:64, 128:256] : (tensor<64x256xf32>) -> tensor<64x128xf32>
  %hf = stablehlo.convert %h : (tensor<64x128xbf16>) -> tensor<64x128xf32>
  %u = stablehlo.add %t, %hf : tensor<64x128xf32>
  %1 = stablehlo.convert %u : (tensor<64x128xf32>) -> tensor<64x128xbf16>
  %2 = stablehlo.concatenate %p, %q, dim = 1 : (tensor<512x10xf32>, tensor<512x32xf32>) -> tensor<512x42xf32>
  return %0, %1, %2 : tensor<256x32xf32>, tensor<64x128xbf16>, tensor<512x42xf32>
}
