// RUN: dmc-opt %s --dmc-propagate-layouts | FileCheck %s
// RUN: dmc-opt %s --dmc-parallelize | FileCheck %s --check-prefix=MOVES

// Rows stay split through a padded convolution and a strided one behind it: what is sent is one
// row on either side, where gathering would send the input and compute everything everywhere.
#m = #dmc.mesh<"a" = 4>
#x = #dmc.layout<#m, [{"a"}, {}]>
#r = #dmc.layout<#m, [{}, {}, {}]>
#in = affine_map<(i, f, w, c) -> (i + w, c)>
#in2 = affine_map<(i, f, w, c) -> (i * 2 + w, c)>
#win = affine_map<(i, f, w, c) -> (w, c, f)>
#out = affine_map<(i, f, w, c) -> (i, f)>
// CHECK-LABEL: func.func @main
// CHECK: tensor.pad
// CHECK: dmc.layouts = #dmc.op_layouts<operands = [#layout_a_r], results = [#layout_a_r]>
// CHECK: linalg.generic
// CHECK-SAME: dmc.layouts = #dmc.op_layouts<operands = [#layout_a_r, #{{.*}}, #layout_a_r], results = [#layout_a_r]>
// CHECK: linalg.generic
// CHECK-SAME: dmc.layouts = #dmc.op_layouts<operands = [#layout_a_r, #{{.*}}, #layout_a_r], results = [#layout_a_r]>
// MOVES-LABEL: func.func @main
// MOVES-NOT: dmc.combine
// MOVES: dmc.halo %{{.*}} in 0 step 8 offset -1 padding 0.000000e+00 : f32 : tensor<32x16xf32, #layout_a_r> to tensor<4x10x16xf32, #layout_a_r_r>
// MOVES-NOT: dmc.combine
// MOVES: dmc.halo %{{.*}} in 0 step 8 offset 0 padding 0.000000e+00 : f32 : tensor<32x16xf32, #layout_a_r> to tensor<4x8x16xf32, #layout_a_r_r>
// MOVES-NOT: dmc.combine
module attributes {dmc.program = #dmc.program<tensor "rows" on #m,
    arguments ["x" : tensor<32x16xf32, #x>, "k" : tensor<3x16x16xf32, #r>, "l" : tensor<2x16x16xf32, #r>],
    results ["y" : tensor<16x16xf32, #x>]>} {
  func.func @main(%x: tensor<32x16xf32>, %k: tensor<3x16x16xf32>, %l: tensor<2x16x16xf32>) -> tensor<16x16xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[1, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<32x16xf32> to tensor<34x16xf32>
    %e = tensor.empty() : tensor<32x16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
    %y = linalg.generic {indexing_maps = [#in, #win, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %k : tensor<34x16xf32>, tensor<3x16x16xf32>) outs(%z : tensor<32x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<32x16xf32>
    %e2 = tensor.empty() : tensor<16x16xf32>
    %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %y2 = linalg.generic {indexing_maps = [#in2, #win, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%y, %l : tensor<32x16xf32>, tensor<2x16x16xf32>) outs(%z2 : tensor<16x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<16x16xf32>
    return %y2 : tensor<16x16xf32>
  }
}
