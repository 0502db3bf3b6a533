// Loops without iterations: what reduces gives its initial value, what is empty stays empty.
// RUN: dmc-opt %s --dmc-fold-empty-tensors | FileCheck %s
// RUN: dmc-compile %s -o %t.so

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<0x5xf32>, %[[Y:.*]]: tensor<3x5xf32>)
// CHECK-NOT: linalg.map
// CHECK: %[[INIT:.*]] = linalg.fill
// CHECK: %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[Y]]
// CHECK: return %[[INIT]], %[[SUM]]
func.func @main(%x: tensor<0x5xf32>, %y: tensor<3x5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x5xf32>
  %q = linalg.map { arith.mulf } ins(%x, %x : tensor<0x5xf32>, tensor<0x5xf32>) outs(%e : tensor<0x5xf32>)
  %d = tensor.empty() : tensor<5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%d : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.reduce { arith.addf } ins(%q : tensor<0x5xf32>) outs(%init : tensor<5xf32>) dimensions = [0]
  %s = linalg.reduce { arith.addf } ins(%y : tensor<3x5xf32>) outs(%init : tensor<5xf32>) dimensions = [0]
  return %r, %s : tensor<5xf32>, tensor<5xf32>
}
