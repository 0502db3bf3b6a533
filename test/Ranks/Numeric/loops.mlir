// RUN: dmc-interpret %s --seed 1 --print > %t.parallel
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks

// Moves in the body of a loop.
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
