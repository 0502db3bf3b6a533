// A convolution, both of its gradients, pooling and its gradient, a stencil's pads and slices, a
// reversal and a concatenation, with rows split unevenly over three positions and over two
// axes: the same values at every level, and no rows are gathered.
// RUN: rm -rf %t && mkdir %t
// RUN: dmc-opt %s --dmc-convert-stablehlo --cse -o %t.0.mlir
// RUN: dmc-interpret %t.0.mlir --seed=7 --output-dir=%t
// RUN: dmc-opt %t.0.mlir --dmc-propagate-layouts=improve=false --dmc-split-windows -o %t.s.mlir
// RUN: dmc-interpret %t.s.mlir --seed=7 --expect-dir=%t
// RUN: dmc-opt %t.s.mlir --dmc-materialize-moves --dmc-expand-reshards --dmc-simplify-moves -o %t.1.mlir
// RUN: FileCheck %s < %t.1.mlir
// RUN: dmc-interpret %t.1.mlir --seed=7 --expect-dir=%t
// RUN: dmc-opt %t.1.mlir --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.2.mlir
// RUN: dmc-interpret %t.2.mlir --seed=7 --expect-dir=%t

// CHECK-LABEL: func.func @main
// CHECK-NOT: dmc.combine
// CHECK-NOT: dmc.redistribute
#m = #dmc.mesh<"a" = 3, "b" = 2>
#x = #dmc.layout<#m, [{"b"}, {"a"}, {}]>
#k = #dmc.layout<#m, [{}, {}, {}]>
#l = #dmc.layout<#m, [{}, {"a", "b"}]>
module attributes {dmc.program = #dmc.program<tensor "step" on #m,
    arguments ["x" : tensor<2x11x2xf32, #x>, "k" : tensor<4x2x3xf32, #k>, "dy" : tensor<2x5x3xf32, #x>, "r" : tensor<2x12xf32, #l>],
    results ["y" : tensor<2x5x3xf32, #x>, "dx" : tensor<2x11x2xf32, #x>, "dk" : tensor<4x2x3xf32, #k>, "p" : tensor<2x6x2xf32, #x>,
             "dp" : tensor<2x11x2xf32, #x>, "s" : tensor<2x18xf32, #l>]>} {
  func.func @main(%x: tensor<2x11x2xf32>, %k: tensor<4x2x3xf32>, %dy: tensor<2x5x3xf32>, %r: tensor<2x12xf32>)
      -> (tensor<2x5x3xf32>, tensor<2x11x2xf32>, tensor<4x2x3xf32>, tensor<2x6x2xf32>, tensor<2x11x2xf32>, tensor<2x18xf32>) {
    // Stride 2, one row of padding before and after: row 11 of the padded input is not read.
    %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x11x2xf32>, tensor<4x2x3xf32>) -> tensor<2x5x3xf32>
    %dx = stablehlo.convolution(%dy, %k) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f],
        window = {pad = [[2, 3]], lhs_dilate = [2], reverse = [true]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x3xf32>, tensor<4x2x3xf32>) -> tensor<2x11x2xf32>
    %dk = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {pad = [[1, 0]], rhs_dilate = [2]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x11x2xf32>, tensor<2x5x3xf32>) -> tensor<4x2x3xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %p = "stablehlo.reduce_window"(%x, %low) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) {window_dimensions = array<i64: 1, 3, 1>, window_strides = array<i64: 1, 2, 1>,
        padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>} : (tensor<2x11x2xf32>, tensor<f32>) -> tensor<2x6x2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %dp = "stablehlo.select_and_scatter"(%x, %p, %zero) <{window_dimensions = array<i64: 1, 3, 1>, window_strides = array<i64: 1, 2, 1>,
        padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) : (tensor<2x11x2xf32>, tensor<2x6x2xf32>, tensor<f32>) -> tensor<2x11x2xf32>
    // Differences of neighbours, the ends repeated; then the same backwards.
    %s0 = stablehlo.slice %r [0:2, 1:12] : (tensor<2x12xf32>) -> tensor<2x11xf32>
    %s1 = stablehlo.slice %r [0:2, 0:11] : (tensor<2x12xf32>) -> tensor<2x11xf32>
    %d = stablehlo.subtract %s0, %s1 : tensor<2x11xf32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %q = stablehlo.pad %d, %one, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<2x11xf32>, tensor<f32>) -> tensor<2x12xf32>
    %v = stablehlo.reverse %q, dims = [1] : tensor<2x12xf32>
    %w = stablehlo.slice %r [0:2, 0:12:2] : (tensor<2x12xf32>) -> tensor<2x6xf32>
    %s = stablehlo.concatenate %v, %w, dim = 1 : (tensor<2x12xf32>, tensor<2x6xf32>) -> tensor<2x18xf32>
    return %y, %dx, %dk, %p, %dp, %s : tensor<2x5x3xf32>, tensor<2x11x2xf32>, tensor<4x2x3xf32>, tensor<2x6x2xf32>, tensor<2x11x2xf32>, tensor<2x18xf32>
  }
}
