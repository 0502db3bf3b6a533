// RUN: dmc-opt %s | dmc-opt | FileCheck %s
// RUN: dmc-opt %s -mlir-print-op-generic | dmc-opt | FileCheck %s

// CHECK-LABEL: func.func @functions
func.func @functions(%x: tensor<2x8xf32>) {
  // CHECK: chlo.erf %{{.*}} : tensor<2x8xf32> -> tensor<2x8xf32>
  %0 = chlo.erf %x : tensor<2x8xf32> -> tensor<2x8xf32>
  // CHECK: chlo.square %{{.*}} : tensor<2x8xf32> -> tensor<2x8xf32>
  %1 = chlo.square %x : tensor<2x8xf32> -> tensor<2x8xf32>
  // CHECK: chlo.next_after %{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %2 = chlo.next_after %x, %x : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  // CHECK: chlo.is_inf %{{.*}} : tensor<2x8xf32> -> tensor<2x8xi1>
  %3 = chlo.is_inf %x : tensor<2x8xf32> -> tensor<2x8xi1>
  // CHECK: chlo.top_k(%{{.*}}, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %4:2 = chlo.top_k(%x, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}
