// RUN: dmc-opt %s --dmc-lower-kernels="last-cache=4096" --canonicalize --split-input-file | FileCheck %s

// Halves of a row are computed in a loop each, without a choice for each element, and contiguously.
// A result of 8 KB is larger than a cache of 4 KB and is written past it; its inputs are not.
// CHECK-LABEL: func.func private @halves_nest
// CHECK-SAME: %{{.*}}: memref<16x128xf32>, %{{.*}}: memref<16x64xf32>, %[[OUT:.*]]: memref<16x128xf32> {dmc.stream}
// CHECK-SAME: loops [<serial 16 [<serial 64>, <serial 64>]>] accesses [<read 0 : 8192 contiguous>, <read 1 : 4096 contiguous>, <stream 2 : 8192 contiguous>]>
// CHECK-NOT: scf.if
// CHECK: scf.for %[[I:.*]] = %c0 to %c16
// CHECK:   scf.for %[[J:.*]] = %c0 to %c64
// CHECK:     memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK:     memref.store %{{.*}}, %[[OUT]][%[[I]], %[[J]]]
// CHECK:   scf.for %[[K:.*]] = %c0 to %c64
// CHECK:     memref.load %{{.*}}[%[[I]], %[[K]]]
// CHECK:     %[[L:.*]] = arith.addi %[[K]], %c64
// CHECK:     memref.store %{{.*}}, %[[OUT]][%[[I]], %[[L]]]
func.func private @halves(%x: memref<16x128xf32>, %y: memref<16x64xf32>, %out: memref<16x128xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<16x128xf32> to tensor<16x128xf32>
  %1 = bufferization.to_tensor %y restrict : memref<16x64xf32> to tensor<16x64xf32>
  %a = tensor.extract_slice %0[0, 0] [16, 64] [1, 1] : tensor<16x128xf32> to tensor<16x64xf32>
  %b = tensor.extract_slice %0[0, 64] [16, 64] [1, 1] : tensor<16x128xf32> to tensor<16x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %s = linalg.map { arith.mulf } ins(%a, %1 : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>)
  %t = linalg.map { arith.addf } ins(%b, %1 : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>)
  %c = tensor.concat dim(1) %t, %s : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x128xf32>
  bufferization.materialize_in_destination %c in restrict writable %out : (tensor<16x128xf32>, memref<16x128xf32>) -> ()
  return
}

// -----

// One dimension is cut into chunks, and each of them where the operands meet.
// CHECK-LABEL: func.func private @long_nest
// CHECK-NOT: scf.if
// CHECK: scf.for %[[P:.*]] = %{{.*}} to
// CHECK-DAG: %[[END:.*]] = arith.minsi %{{.*}}, %c10000
// CHECK:   scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK:   %[[BEGIN:.*]] = arith.maxsi %{{.*}}, %c10000
// CHECK:   scf.for %{{.*}} = %[[BEGIN]] to
func.func private @long(%x: memref<10000xf32>, %y: memref<10000xf32>, %out: memref<20000xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<10000xf32> to tensor<10000xf32>
  %1 = bufferization.to_tensor %y restrict : memref<10000xf32> to tensor<10000xf32>
  %c = tensor.concat dim(0) %0, %1 : (tensor<10000xf32>, tensor<10000xf32>) -> tensor<20000xf32>
  bufferization.materialize_in_destination %c in restrict writable %out : (tensor<20000xf32>, memref<20000xf32>) -> ()
  return
}

// -----

// In the place of an input, or in rows that do not begin at lines, results are written as usual.
// CHECK-LABEL: func.func private @in_place_nest
// CHECK-NOT: dmc.stream
func.func private @in_place(%x: memref<64x128xf32> {dmc.shares = 2 : i64}, %y: memref<64x100xf32>, %out: memref<64x128xf32>, %odd: memref<64x100xf32>, %bias: memref<100xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<64x128xf32> to tensor<64x128xf32>
  %1 = bufferization.to_tensor %y restrict : memref<64x100xf32> to tensor<64x100xf32>
  %2 = bufferization.to_tensor %bias restrict : memref<100xf32> to tensor<100xf32>
  %e = tensor.empty() : tensor<64x128xf32>
  %f = tensor.empty() : tensor<64x100xf32>
  %a = linalg.map { math.absf } ins(%0 : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>)
  %c = linalg.broadcast ins(%2 : tensor<100xf32>) outs(%f : tensor<64x100xf32>) dimensions = [0]
  %b = linalg.map { arith.addf } ins(%1, %c : tensor<64x100xf32>, tensor<64x100xf32>) outs(%f : tensor<64x100xf32>)
  bufferization.materialize_in_destination %a in restrict writable %out : (tensor<64x128xf32>, memref<64x128xf32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %odd : (tensor<64x100xf32>, memref<64x100xf32>) -> ()
  return
}
