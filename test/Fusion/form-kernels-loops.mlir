// RUN: dmc-opt %s --dmc-form-kernels --split-input-file | FileCheck %s

// A contraction in a loop starts from zeros of its own, not from those that were moved out of the loop.
// CHECK-LABEL: func.func public @zeros
// CHECK-NOT:   linalg.fill
// CHECK:       scf.for
// CHECK:         dmc.kernel
// CHECK-SAME:    kernel_kind = "contraction"
// CHECK:           linalg.fill
// CHECK:           linalg.matmul
func.func public @zeros(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %start = tensor.empty() : tensor<4x4xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %start) -> tensor<4x4xf32> {
    %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%zeros : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %product : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// What the loop starts from is memory, and stays outside; a splat constant is copied as a fill is.
// CHECK-LABEL: func.func public @carried
// CHECK:       linalg.fill
// CHECK:       scf.for
// CHECK:         dmc.kernel
// CHECK-SAME:    ins(%{{[^,]*}} : tensor<8xf32>)
// CHECK:           linalg.add
func.func public @carried(%n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %ones) -> tensor<8xf32> {
    %empty = tensor.empty() : tensor<8xf32>
    %next = linalg.add ins(%sum, %ones : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Each value that a loop carries starts from a fill of its own.
// CHECK-LABEL: func.func public @starts
// CHECK:       %[[A:.*]] = dmc.kernel
// CHECK:         linalg.fill
// CHECK:       %[[B:.*]] = dmc.kernel
// CHECK:         linalg.fill
// CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %[[A]], %{{.*}} = %[[B]])
func.func public @starts(%x: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros, %b = %zeros) -> (tensor<8xf32>, tensor<8xf32>) {
    %empty = tensor.empty() : tensor<8xf32>
    %c = linalg.add ins(%a, %x : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
    %d = linalg.mul ins(%b, %c : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %c, %d : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// What is added up over a loop is written over the sum so far, though the other operand is not read again either.
// CHECK-LABEL: func.func public @sum
// CHECK:       scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK:         %[[PRODUCT:.*]] = dmc.kernel
// CHECK:           linalg.matmul
// CHECK:         dmc.kernel ins(%[[PRODUCT]], %[[SUM]] : {{.*}} in_place = array<i64: 1>
func.func public @sum(%x: tensor<8x8xf32>, %zero: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<8x8xf32> {
    %empty = tensor.empty() : tensor<8x8xf32>
    %f = arith.constant 0.0 : f32
    %zeros = linalg.fill ins(%f : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
    %product = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zeros : tensor<8x8xf32>) -> tensor<8x8xf32>
    %next = linalg.add ins(%product, %sum : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %next : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// The same for a loop with a condition.
// CHECK-LABEL: func.func public @while
// CHECK:       scf.while
// CHECK:       } do {
// CHECK:       ^bb0(%{{.*}}: tensor<i32>, %[[CARRIED:.*]]: tensor<8x8xf32>)
// CHECK:         linalg.matmul
// CHECK:         dmc.kernel ins(%{{.*}}, %[[CARRIED]] : {{.*}} in_place = array<i64: 1>
func.func public @while(%x: tensor<8x8xf32>, %zero: tensor<8x8xf32>, %start: tensor<i32>) -> tensor<8x8xf32> {
  %r:2 = scf.while (%i = %start, %sum = %zero) : (tensor<i32>, tensor<8x8xf32>) -> (tensor<i32>, tensor<8x8xf32>) {
    %c9 = arith.constant 9 : i32
    %at = tensor.extract %i[] : tensor<i32>
    %more = arith.cmpi slt, %at, %c9 : i32
    scf.condition(%more) %i, %sum : tensor<i32>, tensor<8x8xf32>
  } do {
  ^bb0(%i: tensor<i32>, %sum: tensor<8x8xf32>):
    %empty = tensor.empty() : tensor<8x8xf32>
    %f = arith.constant 0.0 : f32
    %zeros = linalg.fill ins(%f : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
    %product = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zeros : tensor<8x8xf32>) -> tensor<8x8xf32>
    %next = linalg.add ins(%product, %sum : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %i, %next : tensor<i32>, tensor<8x8xf32>
  }
  return %r#1 : tensor<8x8xf32>
}
