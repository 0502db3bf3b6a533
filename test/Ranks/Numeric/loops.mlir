// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Moves in the body of a loop.
//
// IN a f4 [1.0, -2.0, 3.5, 4.0, -0.25]
// NUMPY r0 = a * 2**3
// OUT r0 f4 [8.0, -16.0, 28.0, 32.0, -2.0]
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
module attributes {dmc.program = #dmc.program<parallel "loops" on #mesh,
    arguments ["a" : tensor<5xf32, #x>],
    results ["r0" : tensor<5xf32, #x>]>} {
  func.func @main(%a: tensor<5xf32, #x>)
      -> (tensor<5xf32, #x>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> (tensor<5xf32, #x>) {
      %all = dmc.combine %x along {"x"} in 0 : tensor<5xf32, #x> to tensor<5xf32, #r>
      %e = tensor.empty() : tensor<5xf32, #r>
      %b = linalg.map { arith.addf } ins(%all, %all : tensor<5xf32, #r>, tensor<5xf32, #r>) outs(%e : tensor<5xf32, #r>)
      %y = dmc.partition %b along {"x"} in 0 : tensor<5xf32, #r> to tensor<5xf32, #x>
      scf.yield %y : tensor<5xf32, #x>
    }
    return %0
        : tensor<5xf32, #x>
  }
}
