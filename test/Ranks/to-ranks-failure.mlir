// RUN: not dmc-opt %s -verify-levels=false --dmc-to-ranks --mlir-print-ir-after-failure -o /dev/null 2>&1 | FileCheck %s

// What fails leaves the parallel program alone behind.
// CHECK: error: {{.*}}expects dmc-expand-reshards to have run before dmc-to-ranks
// CHECK: IR Dump After {{.*}} Failed
// CHECK: func.func @main
// CHECK-NOT: func.func
#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<4xf32, #x>], results ["y" : tensor<4xf32, #r>]>} {
  func.func @main(%a: tensor<4xf32, #x>) -> tensor<4xf32, #r> {
    %y = dmc.reshard %a : tensor<4xf32, #x> to tensor<4xf32, #r>
    return %y : tensor<4xf32, #r>
  }
}
