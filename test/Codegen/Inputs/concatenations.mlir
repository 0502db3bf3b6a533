// Concatenations along other dimensions than the last: of neighbours under one condition each.
func.func @main(%a: tensor<512x3x64xf32>, %b: tensor<512x1x64xf32>, %c: tensor<512x4x64xf32>, %d: tensor<37x20xbf16>, %e: tensor<12x20xbf16>,
                %f: tensor<3x5x7xi8>, %g: tensor<3x2x7xi8>) -> (tensor<512x8x64xf32>, tensor<61x20xbf16>, tensor<3x9x7xi8>) {
  %0 = stablehlo.concatenate %a, %b, %c, dim = 1 : (tensor<512x3x64xf32>, tensor<512x1x64xf32>, tensor<512x4x64xf32>) -> tensor<512x8x64xf32>
  %n = stablehlo.negate %0 : tensor<512x8x64xf32>
  %1 = stablehlo.concatenate %e, %d, %e, dim = 0 : (tensor<12x20xbf16>, tensor<37x20xbf16>, tensor<12x20xbf16>) -> tensor<61x20xbf16>
  %2 = stablehlo.concatenate %g, %f, %g, dim = 1 : (tensor<3x2x7xi8>, tensor<3x5x7xi8>, tensor<3x2x7xi8>) -> tensor<3x9x7xi8>
  return %n, %1, %2 : tensor<512x8x64xf32>, tensor<61x20xbf16>, tensor<3x9x7xi8>
}
