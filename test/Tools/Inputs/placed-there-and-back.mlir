#mesh = #dmc.mesh<"x" = 3>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
#at = #dmc.layout<#mesh, [{}], placed {"x" = 2}>
module @placed attributes {dmc.program = #dmc.program<tensor "placed" on #mesh,
    arguments ["a" : tensor<32xf32, #at>], results ["y" : tensor<32xf32, #x>, "z" : tensor<32xf32, #r>]>} {
  func.func @main(%a: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
    %0 = dmc.constrain %a : tensor<32xf32> to #x
    %e = tensor.empty() : tensor<32xf32>
    %1 = linalg.map { math.tanh } ins(%0 : tensor<32xf32>) outs(%e : tensor<32xf32>)
    return %1, %0 : tensor<32xf32>, tensor<32xf32>
  }
}
