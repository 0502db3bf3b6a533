// RUN: dmc-opt %s --cse --dmc-verify-tensor --split-input-file --verify-diagnostics | dmc-opt --split-input-file | FileCheck %s
// RUN: dmc-opt %s --dmc-remove-barriers --cse --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=REMOVED

// What is computed again behind a barrier is not merged with what it repeats.
// CHECK-LABEL: func.func @main
// CHECK:         linalg.map { math.exp } ins(%arg0 :
// CHECK:         %[[X:.*]] = dmc.optimization_barrier %arg0 : tensor<8x8xf32>
// CHECK:         linalg.map { math.exp } ins(%[[X]] :
// REMOVED-LABEL: func.func @main
// REMOVED:         linalg.map { math.exp }
// REMOVED-NOT:     dmc.optimization_barrier
// REMOVED-NOT:     linalg.map { math.exp }
#mesh = #dmc.mesh<"data" = 2>
#rows = #dmc.layout<#mesh, [{"data"}, {}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["x" : tensor<8x8xf32, #rows>], results ["y" : tensor<8x8xf32, #rows>]>} {
  func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %e = tensor.empty() : tensor<8x8xf32>
    %a = linalg.map { math.exp } ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>)
    %later = dmc.optimization_barrier %x : tensor<8x8xf32>
    %c = linalg.map { math.exp } ins(%later : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>)
    %y = linalg.map { arith.addf } ins(%a, %c : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>)
    return %y : tensor<8x8xf32>
  }
}

// -----

// Operand and result have one layout, as all types are the same.
#mesh = #dmc.mesh<"data" = 2>
#rows = #dmc.layout<#mesh, [{"data"}, {}]>
#all = #dmc.layout<#mesh, [{}, {}]>
module {
  func.func @types(%x: tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #all> {
    // expected-error @+1 {{'dmc.optimization_barrier' op requires the same encoding for all operands and results}}
    %y = "dmc.optimization_barrier"(%x) : (tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #all>
    return %y : tensor<8x8xf32, #all>
  }
}
