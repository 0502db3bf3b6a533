// RUN: dmc-opt %s --dmc-propagate-layouts | FileCheck %s
// RUN: dmc-opt %s --dmc-parallelize | FileCheck %s --check-prefix=MOVES

// Rows are given split, but the halos of two wide convolutions would send more than one exchange
// of rows for images: the images are split instead.
#m = #dmc.mesh<"a" = 4>
#x = #dmc.layout<#m, [{}, {"a"}, {}]>
#v = #dmc.layout<#m, [{}]>
#r = #dmc.layout<#m, [{}, {}, {}]>
#in = affine_map<(n, i, f, w, c) -> (n, i + w, c)>
#win = affine_map<(n, i, f, w, c) -> (w, c, f)>
#out = affine_map<(n, i, f, w, c) -> (n, i, f)>
// CHECK-DAG: #[[$IMAGES:.*]] = #dmc.layout<{{.*}}, [{"a"}, {}, {}]>
// CHECK-LABEL: func.func @main
// CHECK: linalg.generic
// CHECK-SAME: results = [#[[$IMAGES]]]
// CHECK: linalg.generic
// CHECK-SAME: results = [#[[$IMAGES]]]
// MOVES-LABEL: func.func @main
// MOVES-NOT: dmc.halo
// MOVES: dmc.exchange {{.*}}tensor<8x32x16xf32
// MOVES-NOT: dmc.halo
module attributes {dmc.program = #dmc.program<tensor "images" on #m,
    arguments ["x" : tensor<8x32x16xf32, #x>, "k" : tensor<9x16x16xf32, #r>],
    results ["s" : tensor<16xf32, #v>]>} {
  func.func @main(%x: tensor<8x32x16xf32>, %k: tensor<9x16x16xf32>) -> tensor<16xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[0, 4, 0] high[0, 4, 0] {
    ^bb0(%h: index, %i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<8x32x16xf32> to tensor<8x40x16xf32>
    %e = tensor.empty() : tensor<8x32x16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %y = linalg.generic {indexing_maps = [#in, #win, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %k : tensor<8x40x16xf32>, tensor<9x16x16xf32>) outs(%z : tensor<8x32x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<8x32x16xf32>
    %p2 = tensor.pad %y low[0, 4, 0] high[0, 4, 0] {
    ^bb0(%h: index, %i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<8x32x16xf32> to tensor<8x40x16xf32>
    %y2 = linalg.generic {indexing_maps = [#in, #win, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p2, %k : tensor<8x40x16xf32>, tensor<9x16x16xf32>) outs(%z : tensor<8x32x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<8x32x16xf32>
    %es = tensor.empty() : tensor<16xf32>
    %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<16xf32>) -> tensor<16xf32>
    %s = linalg.reduce { arith.addf } ins(%y2 : tensor<8x32x16xf32>) outs(%zs : tensor<16xf32>) dimensions = [0, 1]
    return %s : tensor<16xf32>
  }
}
