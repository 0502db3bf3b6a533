func.func @main(%a: tensor<333x111xf32>, %b: tensor<333x111xf32>) -> tensor<333x111xf32> {
  %0 = stablehlo.add %a, %b : tensor<333x111xf32>
  return %0 : tensor<333x111xf32>
}
