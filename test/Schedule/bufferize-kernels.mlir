// RUN: dmc-opt %s -dmc-bufferize-kernels -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %[[S:.*]]: index, %[[D:.*]]: memref<8xf32>) attributes {dmc.kernel_function}
func.func private @kernel_0(%x: tensor<8xf32>, %s: index, %d: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
  // CHECK: %[[T:.*]] = bufferization.to_tensor %[[X]] restrict : memref<8xf32>
  // CHECK: %[[O:.*]] = bufferization.to_tensor %[[D]] restrict writable : memref<8xf32>
  // CHECK: %[[R:.*]] = linalg.map { math.exp } ins(%[[T]] : tensor<8xf32>) outs(%[[O]] : tensor<8xf32>)
  // CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[D]]
  // CHECK: return{{$}}
  %0 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>)
  return %0 : tensor<8xf32>
}

// Other functions stay.
// CHECK: func.func private @no_kernel(%{{.*}}: tensor<8xf32>) -> tensor<8xf32>
func.func private @no_kernel(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// A result's attributes go with it.
// CHECK: func.func private @attribute(%{{.*}}: memref<8xf32>) attributes {dmc.kernel_function}
func.func private @attribute(%d: tensor<8xf32>) -> (tensor<8xf32> {dmc.parameter = "y"}) attributes {dmc.kernel_function} {
  return %d : tensor<8xf32>
}

// Kernel functions that are on memory already stay, wherever they are defined.
// CHECK: func.func private @on_memory(%{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32>) attributes {dmc.kernel_function}
// CHECK-NEXT: memref.copy
// CHECK: func.func private @elsewhere(memref<8xf32>, memref<8xf32>) attributes {dmc.kernel_function}
func.func private @on_memory(%x: memref<8xf32>, %d: memref<8xf32>) attributes {dmc.kernel_function} {
  memref.copy %x, %d : memref<8xf32> to memref<8xf32>
  return
}
func.func private @elsewhere(memref<8xf32>, memref<8xf32>) attributes {dmc.kernel_function}

// -----

// expected-error @+1 {{expected a kernel function's last arguments to be its results' destinations}}
func.func private @no_destination(%x: tensor<8xf32>, %d: tensor<4xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{expected a kernel function with one block}}
func.func private @blocks(%x: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
  cf.br ^next
^next:
  return %x : tensor<8xf32>
}
