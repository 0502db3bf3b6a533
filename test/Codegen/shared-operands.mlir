// RUN: dmc-opt %s --dmc-lower-kernels="last-cache=65536" | FileCheck %s

// The time of compilation is proportional to the ops, not to the paths that lead to them: 2^40 here.
// CHECK-LABEL: func.func private @doubled(
func.func private @doubled(%t: memref<1000x32xf32>, %ids: memref<64x1xi32>, %out: memref<64x32xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %t restrict : memref<1000x32xf32> to tensor<1000x32xf32>
  %1 = bufferization.to_tensor %ids restrict : memref<64x1xi32> to tensor<64x1xi32>
  %e = tensor.empty() : tensor<64x32xf32>
  %d0 = dmc.gather ins(%0, %1 : tensor<1000x32xf32>, tensor<64x1xi32>) outs(%e : tensor<64x32xf32>)
    {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
     index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 32>} -> tensor<64x32xf32>
  %d1 = linalg.map { arith.addf } ins(%d0, %d0 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d2 = linalg.map { arith.addf } ins(%d1, %d1 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d3 = linalg.map { arith.addf } ins(%d2, %d2 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d4 = linalg.map { arith.addf } ins(%d3, %d3 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d5 = linalg.map { arith.addf } ins(%d4, %d4 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d6 = linalg.map { arith.addf } ins(%d5, %d5 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d7 = linalg.map { arith.addf } ins(%d6, %d6 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d8 = linalg.map { arith.addf } ins(%d7, %d7 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d9 = linalg.map { arith.addf } ins(%d8, %d8 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d10 = linalg.map { arith.addf } ins(%d9, %d9 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d11 = linalg.map { arith.addf } ins(%d10, %d10 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d12 = linalg.map { arith.addf } ins(%d11, %d11 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d13 = linalg.map { arith.addf } ins(%d12, %d12 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d14 = linalg.map { arith.addf } ins(%d13, %d13 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d15 = linalg.map { arith.addf } ins(%d14, %d14 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d16 = linalg.map { arith.addf } ins(%d15, %d15 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d17 = linalg.map { arith.addf } ins(%d16, %d16 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d18 = linalg.map { arith.addf } ins(%d17, %d17 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d19 = linalg.map { arith.addf } ins(%d18, %d18 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d20 = linalg.map { arith.addf } ins(%d19, %d19 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d21 = linalg.map { arith.addf } ins(%d20, %d20 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d22 = linalg.map { arith.addf } ins(%d21, %d21 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d23 = linalg.map { arith.addf } ins(%d22, %d22 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d24 = linalg.map { arith.addf } ins(%d23, %d23 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d25 = linalg.map { arith.addf } ins(%d24, %d24 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d26 = linalg.map { arith.addf } ins(%d25, %d25 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d27 = linalg.map { arith.addf } ins(%d26, %d26 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d28 = linalg.map { arith.addf } ins(%d27, %d27 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d29 = linalg.map { arith.addf } ins(%d28, %d28 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d30 = linalg.map { arith.addf } ins(%d29, %d29 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d31 = linalg.map { arith.addf } ins(%d30, %d30 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d32 = linalg.map { arith.addf } ins(%d31, %d31 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d33 = linalg.map { arith.addf } ins(%d32, %d32 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d34 = linalg.map { arith.addf } ins(%d33, %d33 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d35 = linalg.map { arith.addf } ins(%d34, %d34 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d36 = linalg.map { arith.addf } ins(%d35, %d35 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d37 = linalg.map { arith.addf } ins(%d36, %d36 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d38 = linalg.map { arith.addf } ins(%d37, %d37 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d39 = linalg.map { arith.addf } ins(%d38, %d38 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  %d40 = linalg.map { arith.addf } ins(%d39, %d39 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
  bufferization.materialize_in_destination %d40 in restrict writable %out : (tensor<64x32xf32>, memref<64x32xf32>) -> ()
  return
}
