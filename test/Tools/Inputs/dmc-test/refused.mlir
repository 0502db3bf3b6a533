func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.no_such_operation"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
