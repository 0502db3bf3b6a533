// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// The padding of the constant is zero, by which nothing may be divided.
//
// IN a i4 [7, -9, 20, 3, -8]
// NUMPY r0 = np.trunc(a / np.array([3, -2, 5, 7, 1]))
// OUT r0 i4 [2, 4, 4, 0, -8]
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
