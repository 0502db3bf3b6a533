// Reductions within a manual computation that add no products: a pooling, and the position of a maximum.
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%a: tensor<9x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<9x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, tensor<9x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}, {}]>] out_shardings=[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<3x8x8xf32>) {
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %w = "stablehlo.reduce_window"(%p, %low) <{padding = dense<[[0,0],[1,1],[1,1]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 3, 3>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %m = stablehlo.maximum %x, %y : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }) : (tensor<3x8x8xf32>, tensor<f32>) -> tensor<3x8x8xf32>
      %i = stablehlo.iota dim = 2 : tensor<3x8x8xi32>
      %r:2 = stablehlo.reduce(%w init: %low), (%i init: %z) across dimensions = [2] : (tensor<3x8x8xf32>, tensor<3x8x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<3x8xf32>, tensor<3x8xi32>)
        reducer(%x: tensor<f32>, %x2: tensor<f32>) (%y: tensor<i32>, %y2: tensor<i32>) {
        %c = stablehlo.compare GE, %x, %x2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %s = stablehlo.select %c, %x, %x2 : tensor<i1>, tensor<f32>
        %t = stablehlo.select %c, %y, %y2 : tensor<i1>, tensor<i32>
        stablehlo.return %s, %t : tensor<f32>, tensor<i32>
      }
      sdy.return %w, %r#1 : tensor<3x8x8xf32>, tensor<3x8xi32>
    } : (tensor<9x8x8xf32>) -> (tensor<9x8x8xf32>, tensor<9x8xi32>)
    return %0#0, %0#1 : tensor<9x8x8xf32>, tensor<9x8xi32>
  }
}
