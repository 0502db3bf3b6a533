// What a manual computation computes and sends is part of what a plan says, in a loop as often as it is done.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<32x32xf32>) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = sdy.manual_computation(%a, %w) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<2x32xf32>, %q: tensor<32x32xf32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %v = %p) : tensor<i32>, tensor<2x32xf32>
        cond {
          %n = stablehlo.constant dense<5> : tensor<i32>
          %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          %d = stablehlo.dot_general %v, %q, contracting_dims = [1] x [0] : (tensor<2x32xf32>, tensor<32x32xf32>) -> tensor<2x32xf32>
          %m = "stablehlo.collective_permute"(%d) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2x32xf32>) -> tensor<2x32xf32>
          stablehlo.return %j, %m : tensor<i32>, tensor<2x32xf32>
        }
      sdy.return %r#1 : tensor<2x32xf32>
    } : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    return %0 : tensor<8x32xf32>
  }
}
