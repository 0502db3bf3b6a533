// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Of a split dimension with one element, a slice with a stride is all of it.
//
// IN a f4 [[-2.0, 3.0, 1.0, -4.0]]
// NUMPY r = a[:, 1::2]
// OUT r f4 [[3.0, -4.0]]
#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}, {}]>
module attributes {dmc.program = #dmc.program<parallel "slices" on #mesh,
    arguments ["a" : tensor<1x4xf32, #x>], results ["r" : tensor<1x2xf32, #x>]>} {
  func.func @main(%a: tensor<1x4xf32, #x>) -> tensor<1x2xf32, #x> {
    %0 = tensor.extract_slice %a[0, 1] [1, 2] [2, 2] : tensor<1x4xf32, #x> to tensor<1x2xf32, #x>
    return %0 : tensor<1x2xf32, #x>
  }
}
