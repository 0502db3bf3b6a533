// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Six elements over 2 x 2 x 2: halves of three are cut unevenly, parts of two evenly again.
//
// IN a f4 [[1.0, -2.0], [3.0, 4.0], [-5.0, 6.0], [7.0, 8.0], [-9.0, 10.0], [11.0, -12.0]]
// IN b f4 [[2.0, -3.0, 5.0, 1.0, -4.0, 6.0], [-1.0, 7.0, 8.0, 9.0, -2.0, 3.0]]
// NUMPY r1 = b @ a
// OUT a
// OUT r1 f4 [[77.0, -90.0], [94.0, 94.0]]
#mesh = #dmc.mesh<"x" = 2, "y" = 2, "z" = 2>
#rows = #dmc.layout<#mesh, [{"x", "y", "z"}, {}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}, {}]>
#k = #dmc.layout<#mesh, [{}, {"x", "y"}]>
#sum = #dmc.layout<#mesh, [{}, {}], sum {"x", "y"}>
#r = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<parallel "uneven-inside" on #mesh,
    arguments ["a" : tensor<6x2xf32, #rows>, "b" : tensor<2x6xf32, #k>],
    results ["r0" : tensor<6x2xf32, #r>, "r1" : tensor<2x2xf32, #r>]>} {
  func.func @main(%a: tensor<6x2xf32, #rows>, %b: tensor<2x6xf32, #k>)
      -> (tensor<6x2xf32, #r>, tensor<2x2xf32, #r>) {
    %0 = dmc.combine %a along {"x", "y", "z"} in 0 : tensor<6x2xf32, #rows> to tensor<6x2xf32, #r>
    // Blocks of the summed dimension have room for two: one of them holds one element, one none.
    %zero = arith.constant 0.0 : f32
    %xy = dmc.partition %0 along {"x", "y"} in 0 : tensor<6x2xf32, #r> to tensor<6x2xf32, #xy>
    %e = tensor.empty() : tensor<2x2xf32, #sum>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32, #sum>) -> tensor<2x2xf32, #sum>
    %p = linalg.matmul ins(%b, %xy : tensor<2x6xf32, #k>, tensor<6x2xf32, #xy>) outs(%f : tensor<2x2xf32, #sum>) -> tensor<2x2xf32, #sum>
    %1 = dmc.reduce %p over {"x", "y"} : tensor<2x2xf32, #sum> to tensor<2x2xf32, #r>
    return %0, %1 : tensor<6x2xf32, #r>, tensor<2x2xf32, #r>
  }
}
