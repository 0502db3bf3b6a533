// RUN: dmc-interpret %s --seed 1 --print > %t.parallel
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks

// Of a split dimension with one element, a slice with a stride is all of it.
#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}, {}]>
module attributes {dmc.program = #dmc.program<parallel "slices" on #mesh,
    arguments ["a" : tensor<1x4xf32, #x>], results ["r" : tensor<1x2xf32, #x>]>} {
  func.func @main(%a: tensor<1x4xf32, #x>) -> tensor<1x2xf32, #x> {
    %0 = tensor.extract_slice %a[0, 1] [1, 2] [2, 2] : tensor<1x4xf32, #x> to tensor<1x2xf32, #x>
    return %0 : tensor<1x2xf32, #x>
  }
}
