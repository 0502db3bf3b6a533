// RUN: dmc-opt %s --dmc-lower-kernels="last-cache=65536" --canonicalize | FileCheck %s --check-prefixes=CHECK,AHEAD
// RUN: dmc-opt %s --dmc-lower-kernels="last-cache=524288" --canonicalize | FileCheck %s --check-prefixes=CHECK,PLAIN

// Before each 256 elements of a row are copied, 16 lines, the same elements of the next row are
// fetched. The result is written past the caches, though the gather has its buffer as destination.
// Nothing of that where the table fits into the last cache.
// AHEAD-LABEL: func.func private @rows_nest(
// AHEAD-SAME: memref<64x608xf32> {dmc.stream}
// AHEAD: scf.for %[[I:[a-z0-9]*]] = %c0 to %c8
// AHEAD: %[[ROW:.*]] = arith.addi %{{.*}}, %[[I]]
// AHEAD: %[[NEXT:.*]] = arith.addi %[[ROW]], %c1
// AHEAD: %[[LAST:.*]] = arith.minsi %[[NEXT]], %c63
// AHEAD: memref.load %{{.*}}[%[[LAST]], %c0] : memref<64x1xi32>
// AHEAD: %[[LATER:.*]] = arith.minsi
// AHEAD: memref.load %{{.*}}[%[[ROW]], %c0] : memref<64x1xi32>
// AHEAD: scf.for %[[PART:[a-z0-9]*]] = %c0 to %c2
// AHEAD: %[[BEGIN:.*]] = arith.muli %[[PART]], %c256
// AHEAD: memref.prefetch %{{.*}}[%[[LATER]], %[[BEGIN]]], read, locality<2>, data : memref<80x608xf32>
// AHEAD-COUNT-15: memref.prefetch
// AHEAD-NOT: memref.prefetch
// AHEAD: scf.for %{{.*}} = %c0 to %c256
// AHEAD: scf.for %{{.*}} = %c0 to %c96
// PLAIN-NOT: memref.prefetch
// PLAIN-NOT: dmc.stream
// CHECK-LABEL: func.func private @rows(
func.func private @rows(%t: memref<80x608xf32>, %ids: memref<64x1xi32>, %out: memref<64x608xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %t restrict : memref<80x608xf32> to tensor<80x608xf32>
  %1 = bufferization.to_tensor %ids restrict : memref<64x1xi32> to tensor<64x1xi32>
  %e = bufferization.to_tensor %out restrict writable : memref<64x608xf32> to tensor<64x608xf32>
  %2 = dmc.gather ins(%0, %1 : tensor<80x608xf32>, tensor<64x1xi32>) outs(%e : tensor<64x608xf32>)
    {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
     index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 608>} -> tensor<64x608xf32>
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<64x608xf32>, memref<64x608xf32>) -> ()
  return
}

// Rows of two lines, of which something is computed: the row eight rows later is fetched.
// AHEAD-LABEL: func.func private @short_nest(
// AHEAD: arith.addi %{{.*}}, %c8
// AHEAD: arith.minsi %{{.*}}, %c15
// AHEAD-COUNT-2: memref.prefetch %{{.*}} : memref<1000x32xf32>
// AHEAD-NOT: memref.prefetch
// CHECK-LABEL: func.func private @short(
func.func private @short(%t: memref<1000x32xf32>, %p: memref<4x4x32xf32>, %ids: memref<4x4xi32>, %out: memref<4x4x32xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %t restrict : memref<1000x32xf32> to tensor<1000x32xf32>
  %1 = bufferization.to_tensor %ids restrict : memref<4x4xi32> to tensor<4x4xi32>
  %2 = bufferization.to_tensor %p restrict : memref<4x4x32xf32> to tensor<4x4x32xf32>
  %e = tensor.empty() : tensor<4x4x32xf32>
  %3 = dmc.gather ins(%0, %1 : tensor<1000x32xf32>, tensor<4x4xi32>) outs(%e : tensor<4x4x32xf32>)
    {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
     index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 32>} -> tensor<4x4x32xf32>
  %4 = linalg.map { arith.addf } ins(%3, %2 : tensor<4x4x32xf32>, tensor<4x4x32xf32>) outs(%e : tensor<4x4x32xf32>)
  bufferization.materialize_in_destination %4 in restrict writable %out : (tensor<4x4x32xf32>, memref<4x4x32xf32>) -> ()
  return
}

// Neighbours of the result lie in different rows: nothing is fetched.
// CHECK-LABEL: func.func private @columns_nest(
// CHECK-NOT: memref.prefetch
// CHECK-LABEL: func.func private @columns(
func.func private @columns(%t: memref<1000x32xf32>, %ids: memref<64x1xi32>, %out: memref<32x64xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %t restrict : memref<1000x32xf32> to tensor<1000x32xf32>
  %1 = bufferization.to_tensor %ids restrict : memref<64x1xi32> to tensor<64x1xi32>
  %e = tensor.empty() : tensor<32x64xf32>
  %2 = dmc.gather ins(%0, %1 : tensor<1000x32xf32>, tensor<64x1xi32>) outs(%e : tensor<32x64xf32>)
    {offset_dims = array<i64: 0>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
     index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 32>} -> tensor<32x64xf32>
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<32x64xf32>, memref<32x64xf32>) -> ()
  return
}
