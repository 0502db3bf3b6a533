// RUN: dmc-opt %s --dmc-set-target=target=cuda:sm_90a --dmc-lower-kernels | FileCheck %s
// RUN: dmc-opt %s --dmc-set-target=cpu=x86-64-v3 --dmc-lower-kernels | FileCheck %s --check-prefix=CPU
// Where a rank's part of a tensor begins is a multiple of the part's length in all launches of a kernel: threads of a device access it by vectors.

// CHECK-LABEL: func.func private @part_nest
// CHECK-SAME: %[[AT:[^:]*]]: index
// CHECK-SAME: accesses [<read 0 : 2048 contiguous vector 4>, <write 2 : 2048 contiguous vector 4>]
// CHECK: arith.divui
// CHECK: vector.load
// CHECK-NOT: memref.load
// CHECK: return
// CPU-LABEL: func.func private @part_nest
// CPU-NOT: arith.divui %arg1
func.func private @part(%x: memref<16x64xf32>, %at: index, %out: memref<16x32xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<16x64xf32> to tensor<16x64xf32>
  %1 = tensor.extract_slice %0[0, %at] [16, 32] [1, 1] : tensor<16x64xf32> to tensor<16x32xf32>
  %2 = tensor.empty() : tensor<16x32xf32>
  %3 = linalg.map { arith.mulf } ins(%1, %1 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%2 : tensor<16x32xf32>)
  bufferization.materialize_in_destination %3 in restrict writable %out : (tensor<16x32xf32>, memref<16x32xf32>) -> ()
  return
}

// One launch begins at an odd index: nothing is known.
// CHECK-LABEL: func.func private @anywhere_nest
// CHECK-SAME: accesses [<read 0 : 2048 strided{{.*}}>, <write 2 : 2048 contiguous vector 4>]
// CHECK: memref.load
// CHECK-NOT: vector.load
// CHECK: return
func.func private @anywhere(%x: memref<16x64xf32>, %at: index, %out: memref<16x32xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<16x64xf32> to tensor<16x64xf32>
  %1 = tensor.extract_slice %0[0, %at] [16, 32] [1, 1] : tensor<16x64xf32> to tensor<16x32xf32>
  %2 = tensor.empty() : tensor<16x32xf32>
  %3 = linalg.map { arith.mulf } ins(%1, %1 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%2 : tensor<16x32xf32>)
  bufferization.materialize_in_destination %3 in restrict writable %out : (tensor<16x32xf32>, memref<16x32xf32>) -> ()
  return
}

func.func @main(%x: memref<16x64xf32>, %rank: index, %out: memref<16x32xf32>) {
  %c32 = arith.constant 32 : index
  %c3 = arith.constant 3 : index
  %begin = arith.muli %rank, %c32 : index
  %odd = arith.muli %rank, %c3 : index
  dmc.launch @part ins(%x, %begin : memref<16x64xf32>, index) outs(%out : memref<16x32xf32>)
  dmc.launch @anywhere ins(%x, %begin : memref<16x64xf32>, index) outs(%out : memref<16x32xf32>)
  dmc.launch @anywhere ins(%x, %odd : memref<16x64xf32>, index) outs(%out : memref<16x32xf32>)
  return
}
