// Parts of a concatenation: each rank along y has all columns of the operand, and so its windows, but not its rows, which move whole.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x34xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<16x66xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<16x32xf32>, tensor<16x34xf32>) -> tensor<16x66xf32>
    return %0 : tensor<16x66xf32>
  }
}
