// RUN: dmc-opt %s --dmc-to-ranks --dmc-verify-ranks | FileCheck %s

// The body takes the place of the operation.
#mesh = #dmc.mesh<"x" = 2>
#split = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
// CHECK: func.func @main(%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce sum ins(%[[X]] : tensor<4xf32>) outs(%[[E]] : tensor<4xf32>) over {"x"}
// CHECK-NEXT: return %[[Y]]
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #split>], results ["b" : tensor<4xf32, #r>]>} {
  func.func @main(%x: tensor<8xf32, #split>) -> tensor<4xf32, #r> {
    %y = dmc.manual on #mesh ins(%x : tensor<8xf32, #split>) in [#split] out [#r] -> (tensor<4xf32, #r>) {
    ^bb0(%part: tensor<4xf32>):
      %e = tensor.empty() : tensor<4xf32>
      %sum = comm.all_reduce sum ins(%part : tensor<4xf32>) outs(%e : tensor<4xf32>) over {"x"} on #mesh -> tensor<4xf32>
      dmc.yield %sum : tensor<4xf32>
    }
    return %y : tensor<4xf32, #r>
  }
}
