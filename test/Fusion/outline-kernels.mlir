// RUN: dmc-opt %s -dmc-outline-kernels | FileCheck %s

// Equal but for locations and in_place: one function. Another constant,
// another kind: functions of their own.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  // CHECK: %[[A:.*]] = dmc.launch @kernel_0_mulf ins(%{{.*}} : tensor<8xf32>) outs(%[[E:.*]] : tensor<8xf32>) -> tensor<8xf32>
  %a = dmc.kernel ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {dmc.kernel_kind = "loop"} -> (tensor<8xf32>) {
  ^bb0(%i: tensor<8xf32>, %d: tensor<8xf32>):
    %c = arith.constant dense<2.0> : tensor<8xf32>
    %0 = linalg.map { arith.mulf } ins(%i, %c : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>) loc("a":1:1)
    dmc.yield %0 : tensor<8xf32>
  }
  // CHECK: dmc.launch @kernel_0_mulf ins(%[[A]] : tensor<8xf32>) outs(%[[E]] : tensor<8xf32>) {in_place = array<i64: 0>}
  %b = dmc.kernel ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {dmc.kernel_kind = "loop", in_place = array<i64: 0>} -> (tensor<8xf32>) {
  ^bb0(%i: tensor<8xf32>, %d: tensor<8xf32>):
    %c = arith.constant dense<2.0> : tensor<8xf32>
    %0 = linalg.map { arith.mulf } ins(%i, %c : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>) loc("b":2:2)
    dmc.yield %0 : tensor<8xf32>
  }
  // CHECK: dmc.launch @kernel_1_mulf
  %c = dmc.kernel ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {dmc.kernel_kind = "loop"} -> (tensor<8xf32>) {
  ^bb0(%i: tensor<8xf32>, %d: tensor<8xf32>):
    %c = arith.constant dense<3.0> : tensor<8xf32>
    %0 = linalg.map { arith.mulf } ins(%i, %c : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>)
    dmc.yield %0 : tensor<8xf32>
  }
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Which operand is which counts.
// CHECK-LABEL: func.func private @other
func.func private @other(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  // CHECK: dmc.launch @kernel_2_subf
  %a = dmc.kernel ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>) {
  ^bb0(%i: tensor<8xf32>, %j: tensor<8xf32>, %d: tensor<8xf32>):
    %0 = linalg.map { arith.subf } ins(%i, %j : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>)
    dmc.yield %0 : tensor<8xf32>
  }
  // CHECK: dmc.launch @kernel_3_subf
  %b = dmc.kernel ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>) {
  ^bb0(%i: tensor<8xf32>, %j: tensor<8xf32>, %d: tensor<8xf32>):
    %0 = linalg.map { arith.subf } ins(%j, %i : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>)
    dmc.yield %0 : tensor<8xf32>
  }
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Each function has the body of its kernels, with their own constant and operand order.
// CHECK:      func.func private @kernel_0_mulf(%[[I:.*]]: tensor<8xf32>, %[[D:.*]]: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function, dmc.kernel_kind = "loop"} {
// CHECK-NEXT:   %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<8xf32>
// CHECK-NEXT:   %[[R:.*]] = linalg.map { arith.mulf } ins(%[[I]], %[[C]] : tensor<8xf32>, tensor<8xf32>) outs(%[[D]] : tensor<8xf32>)
// CHECK-NEXT:   return %[[R]] : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @kernel_1_mulf(%[[I1:.*]]: tensor<8xf32>, %[[D1:.*]]: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function, dmc.kernel_kind = "loop"} {
// CHECK-NEXT:   %[[C1:.*]] = arith.constant dense<3.000000e+00> : tensor<8xf32>
// CHECK-NEXT:   %[[R1:.*]] = linalg.map { arith.mulf } ins(%[[I1]], %[[C1]] : tensor<8xf32>, tensor<8xf32>) outs(%[[D1]] : tensor<8xf32>)
// CHECK-NEXT:   return %[[R1]] : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @kernel_2_subf(%[[I2:.*]]: tensor<8xf32>, %[[J2:.*]]: tensor<8xf32>, %[[D2:.*]]: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
// CHECK-NEXT:   %[[R2:.*]] = linalg.map { arith.subf } ins(%[[I2]], %[[J2]] : tensor<8xf32>, tensor<8xf32>) outs(%[[D2]] : tensor<8xf32>)
// CHECK-NEXT:   return %[[R2]] : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @kernel_3_subf(%[[I3:.*]]: tensor<8xf32>, %[[J3:.*]]: tensor<8xf32>, %[[D3:.*]]: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
// CHECK-NEXT:   %[[R3:.*]] = linalg.map { arith.subf } ins(%[[J3]], %[[I3]] : tensor<8xf32>, tensor<8xf32>) outs(%[[D3]] : tensor<8xf32>)
// CHECK-NEXT:   return %[[R3]] : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NOT:  func.func
