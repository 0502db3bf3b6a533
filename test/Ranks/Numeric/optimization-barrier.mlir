// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-simplify-moves --dmc-merge-moves --dmc-to-ranks --cse --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0
// RUN: FileCheck %s < %t/ranks.mlir
// RUN: dmc-opt %t/ranks.mlir --dmc-schedule | FileCheck %s --check-prefix=SCHEDULED
// RUN: dmc-compile %s --emit=stablehlo | FileCheck %s --check-prefix=STABLEHLO

// What was gathered in front of a barrier is gathered again behind it, and neither copy is kept meanwhile. XLA does not merge them, either.
// CHECK:         comm.all_gather
// CHECK:         dmc.optimization_barrier %{{.*}} : tensor<4xi32>
// CHECK:         comm.all_gather
// SCHEDULED-NOT: optimization_barrier
// SCHEDULED-COUNT-2: comm.all_gather
// STABLEHLO:     stablehlo.all_gather
// STABLEHLO:     stablehlo.optimization_barrier
// STABLEHLO:     stablehlo.all_gather
//
// IN a i4 [1, 2, 3, 4, 5, 6, 7, 8]
// NUMPY r0 = a * a * a
// OUT r0 i4 [1, 8, 27, 64, 125, 216, 343, 512]
#mesh = #dmc.mesh<"x" = 2>
#split = #dmc.layout<#mesh, [{"x"}]>
#all = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<parallel "again" on #mesh,
    arguments ["a" : tensor<8xi32, #split>],
    results ["r0" : tensor<8xi32, #all>]>} {
  func.func @main(%a: tensor<8xi32, #split>) -> tensor<8xi32, #all> {
    %e = tensor.empty() : tensor<8xi32, #all>
    %0 = dmc.combine %a along {"x"} in 0 : tensor<8xi32, #split> to tensor<8xi32, #all>
    %1 = linalg.map { arith.muli } ins(%0, %0 : tensor<8xi32, #all>, tensor<8xi32, #all>) outs(%e : tensor<8xi32, #all>)
    %b = dmc.optimization_barrier %a : tensor<8xi32, #split>
    %2 = dmc.combine %b along {"x"} in 0 : tensor<8xi32, #split> to tensor<8xi32, #all>
    %3 = linalg.map { arith.muli } ins(%1, %2 : tensor<8xi32, #all>, tensor<8xi32, #all>) outs(%e : tensor<8xi32, #all>)
    return %3 : tensor<8xi32, #all>
  }
}
