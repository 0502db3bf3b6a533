// RUN: dmc-opt %s -split-input-file --pass-pipeline='builtin.module(dmc-parallelize)' | FileCheck %s

// A body may read any element of a tensor that is not an operand: it is
// replicated, and so is a constant.
// CHECK-DAG: #[[R:.+]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
#mesh = #dmc.mesh<"x" = 2>
#s = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<5xf32, #s>, "at" : tensor<3xi32, #r>], results ["r" : tensor<3xf32, #r>]>} {
  // CHECK: func.func @main(%[[A:.+]]: tensor<5xf32, #[[X]]>
  func.func @main(%a: tensor<5xf32>, %at: tensor<3xi32>) -> tensor<3xf32> {
    // CHECK-DAG: %[[C:.+]] = arith.constant dense<{{.*}}> : tensor<5xf32, #[[R]]>
    // CHECK-DAG: %[[WHOLE:.+]] = dmc.combine %[[A]] along {"x"} in 0 : tensor<5xf32, #[[X]]> to tensor<5xf32, #[[R]]>
    %c = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0]> : tensor<5xf32>
    %e = tensor.empty() : tensor<3xf32>
    // CHECK: linalg.map
    %r = linalg.map ins(%at : tensor<3xi32>) outs(%e : tensor<3xf32>) (%i: i32, %o: f32) {
      %n = arith.index_cast %i : i32 to index
      // CHECK: tensor.extract %[[WHOLE]]
      %x = tensor.extract %a[%n] : tensor<5xf32>
      // CHECK: tensor.extract %[[C]]
      %y = tensor.extract %c[%n] : tensor<5xf32>
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
    return %r : tensor<3xf32>
  }
}
