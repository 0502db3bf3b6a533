// RUN: dmc-opt %s --dmc-form-kernels --split-input-file | FileCheck %s

// A reshape of an empty tensor is an empty tensor, which the kernel makes itself.
// CHECK-LABEL: func.func @reshape
func.func @reshape(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // CHECK-NOT: tensor.expand_shape
  // CHECK: dmc.kernel ins(%{{.*}} : tensor<2x2xf32>) outs
  // CHECK: linalg.map { arith.addf }
  %e = tensor.empty() : tensor<4xf32>
  %w = tensor.expand_shape %e [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %d = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.map { arith.addf } ins(%x, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%d : tensor<2x2xf32>)
  return %0 : tensor<2x2xf32>
}

// -----

// What a collective sends has a value; what it overwrites needs none.
#mesh = #dmc.mesh<"x" = 2>
// CHECK-LABEL: func.func @collective
func.func @collective() -> tensor<4xf32> {
  // CHECK: %[[ZEROS:.*]] = dmc.kernel
  // CHECK: linalg.fill
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: comm.all_gather ins(%[[ZEROS]] : tensor<2xf32>) outs(%[[E]] : tensor<4xf32>)
  %e = tensor.empty() : tensor<2xf32>
  %f = tensor.empty() : tensor<4xf32>
  %0 = comm.all_gather ins(%e : tensor<2xf32>) outs(%f : tensor<4xf32>) dim 0 over {"x"} on #mesh -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A loop starts from zeros where its body reads what it starts from, not where it overwrites it.
// CHECK-LABEL: func.func @loop
func.func @loop(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<4xf32>
  // CHECK: %[[ZEROS:.*]] = dmc.kernel
  // CHECK: linalg.fill
  // CHECK: %[[F:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]], %{{.*}} = %[[F]])
  %0:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %e, %w = %f) -> (tensor<4xf32>, tensor<4xf32>) {
    %d = tensor.empty() : tensor<4xf32>
    %s = linalg.map { arith.addf } ins(%v, %x : tensor<4xf32>, tensor<4xf32>) outs(%d : tensor<4xf32>)
    %n = linalg.map { math.tanh } ins(%x : tensor<4xf32>) outs(%w : tensor<4xf32>)
    scf.yield %s, %n : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
