// RUN: dmc-interpret %s --seed 1 --print > %t.parallel
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks

// The padding of the constant is zero, by which nothing may be divided.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
module attributes {dmc.program = #dmc.program<parallel "divisors" on #mesh,
    arguments ["a" : tensor<5xi32, #xy>],
    results ["r0" : tensor<5xi32, #xy>]>} {
  func.func @main(%a: tensor<5xi32, #xy>)
      -> (tensor<5xi32, #xy>) {
    %d = arith.constant dense<[3, -2, 5, 7, 1]> : tensor<5xi32, #xy>
    %e = tensor.empty() : tensor<5xi32, #xy>
    %0 = linalg.map { arith.divsi } ins(%a, %d : tensor<5xi32, #xy>, tensor<5xi32, #xy>)
                                    outs(%e : tensor<5xi32, #xy>)
    return %0
        : tensor<5xi32, #xy>
  }
}
