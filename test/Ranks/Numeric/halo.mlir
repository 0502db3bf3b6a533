// RUN: dmc-interpret %s --seed 1 --print > %t.parallel
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks

// Windows of one neighbour, of owners two positions away, with strides that drift, backwards,
// dilated by whole steps and not, and of a whole dimension.
#m = #dmc.mesh<"a" = 4, "b" = 2>
#a = #dmc.layout<#m, [{"a"}, {"b"}]>
#aw = #dmc.layout<#m, [{"a"}, {}, {"b"}]>
#r = #dmc.layout<#m, [{}, {"b"}]>
#ab = #dmc.layout<#m, [{"a", "b"}, {}]>
#abw = #dmc.layout<#m, [{"a", "b"}, {}, {}]>
module attributes {dmc.program = #dmc.program<parallel "halo" on #m,
    arguments ["x" : tensor<8x2xf32, #a>, "y" : tensor<5x2xf32, #a>, "z" : tensor<9x2xf32, #r>, "w" : tensor<9x1xi32, #ab>],
    results ["0" : tensor<4x4x2xf32, #aw>, "1" : tensor<4x8x2xf32, #aw>, "2" : tensor<4x5x2xf32, #aw>, "3" : tensor<4x2x2xf32, #aw>,
             "4" : tensor<4x4x2xf32, #aw>, "5" : tensor<4x7x2xf32, #aw>, "6" : tensor<4x4x2xf32, #aw>, "7" : tensor<8x3x1xi32, #abw>]>} {
  // CHECK-LABEL: func.func @main
  // Pieces of neighbours, joined.
  // CHECK-COUNT-2: comm.permute
  // CHECK: tensor.concat
  // CHECK: return
  func.func @main(%x: tensor<8x2xf32, #a>, %y: tensor<5x2xf32, #a>, %z: tensor<9x2xf32, #r>, %w: tensor<9x1xi32, #ab>)
      -> (tensor<4x4x2xf32, #aw>, tensor<4x8x2xf32, #aw>, tensor<4x5x2xf32, #aw>, tensor<4x2x2xf32, #aw>,
          tensor<4x4x2xf32, #aw>, tensor<4x7x2xf32, #aw>, tensor<4x4x2xf32, #aw>, tensor<8x3x1xi32, #abw>) {
    %0 = dmc.halo %x in 0 step 2 offset -1 padding 0.0 : f32 : tensor<8x2xf32, #a> to tensor<4x4x2xf32, #aw>
    %1 = dmc.halo %y in 0 step 2 offset -3 padding 7.5 : f32 : tensor<5x2xf32, #a> to tensor<4x8x2xf32, #aw>
    %2 = dmc.halo %x in 0 step 1 offset 2 padding 0.0 : f32 : tensor<8x2xf32, #a> to tensor<4x5x2xf32, #aw>
    %3 = dmc.halo %x in 0 step -2 offset 6 padding 0.0 : f32 : tensor<8x2xf32, #a> to tensor<4x2x2xf32, #aw>
    %4 = dmc.halo %x in 0 step 4 offset 0 dilation 2 padding 0.0 : f32 : tensor<8x2xf32, #a> to tensor<4x4x2xf32, #aw>
    %5 = dmc.halo %y in 0 step 4 offset -2 dilation 3 padding 1.0 : f32 : tensor<5x2xf32, #a> to tensor<4x7x2xf32, #aw>
    %6 = dmc.halo %z in 0 step 3 offset -1 padding 0.0 : f32 : tensor<9x2xf32, #r> to tensor<4x4x2xf32, #aw>
    %7 = dmc.halo %w in 0 step 2 offset -1 padding 3 : i32 : tensor<9x1xi32, #ab> to tensor<8x3x1xi32, #abw>
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4x4x2xf32, #aw>, tensor<4x8x2xf32, #aw>, tensor<4x5x2xf32, #aw>, tensor<4x2x2xf32, #aw>,
        tensor<4x4x2xf32, #aw>, tensor<4x7x2xf32, #aw>, tensor<4x4x2xf32, #aw>, tensor<8x3x1xi32, #abw>
  }
}
