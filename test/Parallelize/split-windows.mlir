// RUN: dmc-opt %s -split-input-file --dmc-split-windows | FileCheck %s

// A padded stencil: pads are part of the halo. Eight rows on two positions.
#m = #dmc.mesh<"a" = 2>
#x = #dmc.layout<#m, [{"a"}]>
#r = #dmc.layout<#m, [{}]>
#in = affine_map<(i, w) -> (i + w)>
#win = affine_map<(i, w) -> (w)>
#out = affine_map<(i, w) -> (i)>
// CHECK-DAG: #[[$IN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 + d2)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-NOT: tensor.pad
// CHECK: %[[H:.*]] = dmc.halo %[[X]] in 0 step 4 offset -1 padding 0.000000e+00 : f32 {dmc.layouts = {{.*}}} : tensor<8xf32> to tensor<2x6xf32>
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[$IN]], #{{.*}}, #[[$OUT]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[H]], %{{.*}} : tensor<2x6xf32>, tensor<3xf32>) outs(%{{.*}} : tensor<2x4xf32>)
// CHECK: %[[J:.*]] = tensor.collapse_shape %[[Y]] {{\[}}[0, 1]] {dmc.layouts = {{.*}}} : tensor<2x4xf32> into tensor<8xf32>
// CHECK: return %[[J]]
module attributes {dmc.program = #dmc.program<tensor "stencil" on #m,
    arguments ["x" : tensor<8xf32, #x>, "k" : tensor<3xf32, #r>], results ["y" : tensor<8xf32, #x>]>} {
  func.func @main(%x: tensor<8xf32>, %k: tensor<3xf32>) -> tensor<8xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[1] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } {dmc.layouts = #dmc.op_layouts<operands = [#x], results = [#x]>} : tensor<8xf32> to tensor<10xf32>
    %e = tensor.empty() : tensor<8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [#in, #win, #out], iterator_types = ["parallel", "reduction"]}
        ins(%p, %k : tensor<10xf32>, tensor<3xf32>) outs(%z : tensor<8xf32>)
        attrs = {dmc.layouts = #dmc.op_layouts<operands = [#x, #r, #x], results = [#x]>} {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
}

// -----

// The filter's gradient: the rows are summed over, unevenly (7 on 2), so addends beyond the
// end are neutral. Stride 2.
#m = #dmc.mesh<"a" = 2>
#x = #dmc.layout<#m, [{"a"}]>
#r = #dmc.layout<#m, [{}]>
#p = #dmc.layout<#m, [{}], sum {"a"}>
#in = affine_map<(w, i) -> (w + i * 2)>
#dy = affine_map<(w, i) -> (i)>
#dw = affine_map<(w, i) -> (w)>
// CHECK-LABEL: func.func @main
// CHECK: %[[H:.*]] = dmc.halo %{{.*}} in 0 step 8 offset 0 padding {{.*}} : tensor<15xf32> to tensor<2x9xf32>
// CHECK: %[[B:.*]] = dmc.halo %{{.*}} in 0 step 4 offset 0 padding {{.*}} : tensor<7xf32> to tensor<2x4xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "reduction"]} ins(%[[H]], %[[B]] : tensor<2x9xf32>, tensor<2x4xf32>)
// CHECK: %[[V:.*]] = arith.cmpi slt, %{{.*}}, %c7 : index
// CHECK: %[[T:.*]] = arith.mulf
// CHECK: %[[S:.*]] = arith.select %[[V]], %[[T]], %{{.*}} : f32
// CHECK: arith.addf %{{.*}}, %[[S]]
module attributes {dmc.program = #dmc.program<tensor "gradient" on #m,
    arguments ["x" : tensor<15xf32, #x>, "dy" : tensor<7xf32, #x>], results ["dw" : tensor<3xf32, #r>]>} {
  func.func @main(%x: tensor<15xf32>, %g: tensor<7xf32>) -> tensor<3xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<3xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    %y = linalg.generic {indexing_maps = [#in, #dy, #dw], iterator_types = ["parallel", "reduction"]}
        ins(%x, %g : tensor<15xf32>, tensor<7xf32>) outs(%z : tensor<3xf32>)
        attrs = {dmc.layouts = #dmc.op_layouts<operands = [#x, #x, #p], results = [#p]>} {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}

// -----

// A dilation is part of the halo too; what is not split is padded behind it, so that no
// padding is sent. A slice from the beginning stays where it is.
#m = #dmc.mesh<"a" = 2>
#x = #dmc.layout<#m, [{"a"}, {}]>
// CHECK-LABEL: func.func @main
// CHECK: %[[H:.*]] = dmc.halo %{{.*}} in 0 step 5 offset -2 dilation 2 padding {{.*}} : tensor<4x3xf32> to tensor<2x5x3xf32>
// CHECK: %[[P:.*]] = tensor.pad %[[H]] low[0, 0, 1] high[0, 0, 1]
// CHECK: tensor.collapse_shape %[[P]] {{\[}}[0, 1], [2]]
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [9, 5] [1, 1]
module attributes {dmc.program = #dmc.program<tensor "dilation" on #m,
    arguments ["x" : tensor<4x3xf32, #x>], results ["y" : tensor<9x5xf32, #x>]>} {
  func.func @main(%x: tensor<4x3xf32>) -> tensor<9x5xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x3xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
    %d = tensor.insert_slice %x into %f[1, 0] [4, 3] [2, 1] {dmc.layouts = #dmc.op_layouts<operands = [#x, #x], results = [#x]>}
        : tensor<4x3xf32> into tensor<8x3xf32>
    %p = tensor.pad %d low[1, 1] high[0, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } {dmc.layouts = #dmc.op_layouts<operands = [#x], results = [#x]>} : tensor<8x3xf32> to tensor<9x5xf32>
    return %p : tensor<9x5xf32>
  }
}

// -----

// Strided slices and concatenations take blocks of what they make.
#m = #dmc.mesh<"a" = 2>
#x = #dmc.layout<#m, [{"a"}]>
// CHECK-LABEL: func.func @main
// CHECK-DAG: dmc.halo %{{.*}} in 0 step 5 offset 0 padding {{.*}} : tensor<6xf32> to tensor<2x5xf32>
// CHECK-DAG: dmc.halo %{{.*}} in 0 step 5 offset -6 padding {{.*}} : tensor<4xf32> to tensor<2x5xf32>
// CHECK: arith.select
// CHECK: %[[C:.*]] = tensor.collapse_shape %{{.*}} : tensor<2x5xf32> into tensor<10xf32>
// CHECK: %[[H:.*]] = dmc.halo %[[C]] in 0 step 6 offset 1 padding {{.*}} : tensor<10xf32> to tensor<2x4xf32>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[H]][0, 0] [2, 2] [1, 3]
// CHECK: %[[J:.*]] = tensor.collapse_shape %[[S]] {{.*}} : tensor<2x2xf32> into tensor<4xf32>
// CHECK: tensor.extract_slice %[[J]][0] [3] [1]
module attributes {dmc.program = #dmc.program<tensor "joined" on #m,
    arguments ["x" : tensor<6xf32, #x>, "y" : tensor<4xf32, #x>], results ["z" : tensor<3xf32, #x>]>} {
  func.func @main(%x: tensor<6xf32>, %y: tensor<4xf32>) -> tensor<3xf32> {
    %c = tensor.concat dim(0) %x, %y {dmc.layouts = #dmc.op_layouts<operands = [#x, #x], results = [#x]>}
        : (tensor<6xf32>, tensor<4xf32>) -> tensor<10xf32>
    %s = tensor.extract_slice %c[1] [3] [3] {dmc.layouts = #dmc.op_layouts<operands = [#x], results = [#x]>}
        : tensor<10xf32> to tensor<3xf32>
    return %s : tensor<3xf32>
  }
}

// -----

// What every position has moves nothing: windows of the whole.
#m = #dmc.mesh<"a" = 2>
#x = #dmc.layout<#m, [{"a"}]>
#r = #dmc.layout<#m, [{}]>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<5xf32>
// CHECK: dmc.halo %[[X]] in 0 step 4 offset -2 padding {{.*}} {dmc.layouts = #dmc.op_layouts<operands = [#layout_r], results = [#layout_a_r]>}
module attributes {dmc.program = #dmc.program<tensor "whole" on #m,
    arguments ["x" : tensor<5xf32, #r>], results ["y" : tensor<8xf32, #x>]>} {
  func.func @main(%x: tensor<5xf32>) -> tensor<8xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[2] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } {dmc.layouts = #dmc.op_layouts<operands = [#x], results = [#x]>} : tensor<5xf32> to tensor<8xf32>
    return %p : tensor<8xf32>
  }
}

// -----

// Nothing of what is padded is left: windows of the padding itself.
#m = #dmc.mesh<"a" = 2>
#x = #dmc.layout<#m, [{"a"}, {}]>
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = tensor.pad
// CHECK: dmc.halo %[[P]] in 0 step 2 offset 0
module attributes {dmc.program = #dmc.program<tensor "nothing" on #m,
    arguments ["x" : tensor<4x1xf32, #x>], results ["y" : tensor<4x2xf32, #x>]>} {
  func.func @main(%x: tensor<4x1xf32>) -> tensor<4x2xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[0, -1] high[1, 2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } {dmc.layouts = #dmc.op_layouts<operands = [#x], results = [#x]>} : tensor<4x1xf32> to tensor<5x2xf32>
    %w = tensor.empty() : tensor<2xf32>
    %e = tensor.empty() {dmc.layouts = #dmc.op_layouts<operands = [], results = [#x]>} : tensor<4x2xf32>
    %i = linalg.fill {dmc.layouts = #dmc.op_layouts<operands = [#x], results = [#x]>} ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0 + d2, d1)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%p, %w : tensor<5x2xf32>, tensor<2xf32>) outs(%i : tensor<4x2xf32>)
        attrs = {dmc.layouts = #dmc.op_layouts<operands = [#x, #dmc.layout<#m, [{}]>, #x], results = [#x]>} {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
    } -> tensor<4x2xf32>
    return %y : tensor<4x2xf32>
  }
}
