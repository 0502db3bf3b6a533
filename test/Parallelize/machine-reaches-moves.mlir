// The latency of the machine reaches the choice of moves: one all-reduce in place of its parts,
// which send fewer bytes in more messages. (The plan itself would gather the operand.)
// RUN: dmc-opt %s --pass-pipeline='builtin.module(dmc-propagate-layouts{machine=latency=1 improve=false},dmc-materialize-moves{machine=latency=1},dmc-expand-reshards{machine=latency=1})' | FileCheck %s

// CHECK: linalg.reduce
// CHECK-NEXT: %[[Y:.*]] = dmc.reduce %{{.*}} over {"z"}
// CHECK-NEXT: return %[[Y]]
#mesh = #dmc.mesh<"x" = 2, "z" = 3>
#z = #dmc.layout<#mesh, [{"z"}, {}, {}]>
#r = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<3x1200x60xf32, #z>], results ["y" : tensor<1200x60xf32, #r>]>} {
  func.func @main(%x: tensor<3x1200x60xf32>) -> tensor<1200x60xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1200x60xf32>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1200x60xf32>) -> tensor<1200x60xf32>
    %y = linalg.reduce { arith.addf } ins(%x : tensor<3x1200x60xf32>) outs(%i : tensor<1200x60xf32>) dimensions = [0]
    return %y : tensor<1200x60xf32>
  }
}
