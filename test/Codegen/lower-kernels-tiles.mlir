// RUN: dmc-opt %s --dmc-lower-kernels --canonicalize --split-input-file | FileCheck %s

// What is read along one dimension and written along the other is transposed into a tile, in squares
// of eight vectors of eight elements, and computed from there: 32 x 128 elements of f32 are half of a
// first cache, of which two cache lines are along the columns, as %y is read along the rows. The last
// tile of 1000 rows is cut off: it is read where it is. As much is read along either dimension, so
// the next tile is the one beside: 128 rows of %x further on. Neither branch is taken for all tiles.
// CHECK-LABEL: func.func private @transpose_nest
// CHECK-SAME: loops [<divided 128 [<serial 16 least 0 [<serial 4 [<unrolled 8 [<lanes 8>]>]>]>, <serial 32 least 0 [<serial 128>]>, <serial 32 least 0 [<serial 128>]>]>]
// CHECK: %[[TILE:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32x128xf32>
// CHECK: scf.for
// CHECK:   scf.if
// CHECK:     scf.for %[[C:.*]] = %c0 to %c16
// CHECK:       scf.for %[[R:.*]] = %c0 to %c4
// CHECK:         %[[NEXT:.*]] = arith.addi %[[AT:.*]], %c128000
// CHECK:         %[[BOUNDED:.*]] = arith.minsi %[[NEXT]], %c511999
// CHECK:         memref.prefetch %{{.*}}[%[[BOUNDED]]], read, locality<2>
// CHECK-COUNT-8: vector.load %{{.*}} : memref<512000xf32>, vector<8xf32>
// CHECK:         vector.shuffle %[[A:.*]], %[[B:.*]] [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
// CHECK:         vector.shuffle %[[A]], %[[B]] [4, 5, 6, 7, 12, 13, 14, 15] : vector<8xf32>, vector<8xf32>
// CHECK-COUNT-8: vector.store %{{.*}}, %[[TILE]]
// CHECK:     scf.for %[[I:.*]] = %c0 to %c32
// CHECK:       scf.for %[[J:.*]] = %c0 to %c128
// CHECK:         memref.load %[[TILE]][%[[I]], %[[J]]]
// CHECK:         memref.store
// CHECK:   } else {
// CHECK-NOT: %[[TILE]]
// CHECK:     memref.load %{{.*}} : memref<512x1000xf32>
// CHECK:     memref.store
func.func private @transpose(%x: memref<512x1000xf32>, %y: memref<1000x512xf32>, %out: memref<1000x512xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<512x1000xf32> to tensor<512x1000xf32>
  %1 = bufferization.to_tensor %y restrict : memref<1000x512xf32> to tensor<1000x512xf32>
  %e = tensor.empty() : tensor<1000x512xf32>
  %t = linalg.transpose ins(%0 : tensor<512x1000xf32>) outs(%e : tensor<1000x512xf32>) permutation = [1, 0]
  %2 = linalg.map { arith.addf } ins(%t, %1 : tensor<1000x512xf32>, tensor<1000x512xf32>) outs(%e : tensor<1000x512xf32>)
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<1000x512xf32>, memref<1000x512xf32>) -> ()
  return
}

// -----

// The transposed read is found behind operations of any dialect, and behind an operand that is not used.
// All tiles are whole. No other read is as large, so the next tile is the one that goes on in the
// rows of %x, eight of them to a row.
// CHECK-LABEL: func.func private @transpose_behind_nest
// CHECK-NOT: scf.if
// CHECK: %[[BESIDE:.*]] = arith.divui %{{.*}}, %c8
// CHECK: %[[BELOW:.*]] = arith.remui %{{.*}}, %c8
// CHECK: arith.muli %[[BESIDE]], %c32768
// CHECK: arith.muli %[[BELOW]], %c64
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c64 :
// CHECK: memref.prefetch %{{.*}}[%[[NEXT]]], read, locality<2>
// CHECK: vector.shuffle
// CHECK: memref.load %alloca
// CHECK-NOT: memref<512x512xf32>, vector
// CHECK: return
func.func private @transpose_behind(%x: memref<512x512xf32>, %v: memref<512xf32>, %out: memref<512x512xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<512x512xf32> to tensor<512x512xf32>
  %1 = bufferization.to_tensor %v restrict : memref<512xf32> to tensor<512xf32>
  %e = tensor.empty() : tensor<512x512xf32>
  %t = linalg.transpose ins(%0 : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) permutation = [1, 0]
  %n = arith.negf %t : tensor<512x512xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%1, %n : tensor<512xf32>, tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = math.absf %b : f32
    linalg.yield %r : f32
  } -> tensor<512x512xf32>
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<512x512xf32>, memref<512x512xf32>) -> ()
  return
}

// -----

// Two transposed reads share the tile's memory. Squares of bf16 are of sixteen vectors.
// CHECK-LABEL: func.func private @two_nest
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<64x64xbf16>
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<64x64xbf16>
// CHECK-COUNT-16: vector.load %{{.*}} vector<16xbf16>
func.func private @two(%x: memref<256x256xbf16>, %y: memref<256x256xbf16>, %out: memref<256x256xbf16>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<256x256xbf16> to tensor<256x256xbf16>
  %1 = bufferization.to_tensor %y restrict : memref<256x256xbf16> to tensor<256x256xbf16>
  %e = tensor.empty() : tensor<256x256xbf16>
  %t = linalg.transpose ins(%0 : tensor<256x256xbf16>) outs(%e : tensor<256x256xbf16>) permutation = [1, 0]
  %u = linalg.transpose ins(%1 : tensor<256x256xbf16>) outs(%e : tensor<256x256xbf16>) permutation = [1, 0]
  %2 = linalg.map { arith.addf } ins(%t, %u : tensor<256x256xbf16>, tensor<256x256xbf16>) outs(%e : tensor<256x256xbf16>)
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<256x256xbf16>, memref<256x256xbf16>) -> ()
  return
}
