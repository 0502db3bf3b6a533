// RUN: dmc-opt %s --dmc-simplify-loops | FileCheck %s

// The weights are forwarded unchanged, and nobody uses the last result.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.+]]: tensor<4xf32>, %[[W:.+]]: tensor<4xf32>)
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: %[[R:.+]] = scf.for {{.*}} iter_args(%[[A:.+]] = %[[X]]) -> (tensor<4xf32>)
  // CHECK-NEXT: %[[S:.+]] = linalg.map { arith.addf } ins(%[[A]], %[[W]] :
  // CHECK-NEXT: scf.yield %[[S]] : tensor<4xf32>
  %r:3 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x, %b = %w, %c = %x) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %s = linalg.map { arith.addf } ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
    scf.yield %s, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: return %[[R]], %[[W]]
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
