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

// A part that is put where a launch says, if it is selected: neighbours are in the part together, and are loaded together.
// CHECK-LABEL: func.func private @placed_nest
// CHECK-SAME: accesses [<read 0 : 4096 contiguous vector 4>, <write 4 : 4096 contiguous vector 4>]
// CHECK-COUNT-1: vector.load
// CHECK-NOT: {{vector|memref}}.load
// CHECK: return
func.func private @placed(%x: memref<16x64xf32>, %at: index, %to: index, %isOne: index, %out: memref<16x64xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<16x64xf32> to tensor<16x64xf32>
  %1 = bufferization.to_tensor %out restrict writable : memref<16x64xf32> to tensor<16x64xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %2 = linalg.fill ins(%zero : f32) outs(%1 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %3 = tensor.extract_slice %0[%c0, %at] [16, 32] [1, 1] : tensor<16x64xf32> to tensor<16x32xf32>
  %4 = tensor.extract_slice %2[%c0, %to] [16, 32] [1, 1] : tensor<16x64xf32> to tensor<16x32xf32>
  %5 = tensor.empty() : tensor<16x32xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%5 : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %isChosen = arith.cmpi ne, %isOne, %c0 : index
    %chosen = arith.select %isChosen, %a, %b : f32
    linalg.yield %chosen : f32
  } -> tensor<16x32xf32>
  %7 = tensor.insert_slice %6 into %2[%c0, %to] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<16x64xf32>
  bufferization.materialize_in_destination %7 in restrict writable %out : (tensor<16x64xf32>, memref<16x64xf32>) -> ()
  return
}

func.func @main(%x: memref<16x64xf32>, %rank: index, %out: memref<16x32xf32>, %whole: memref<16x64xf32>) {
  %c32 = arith.constant 32 : index
  %c3 = arith.constant 3 : index
  %begin = arith.muli %rank, %c32 : index
  %odd = arith.muli %rank, %c3 : index
  dmc.launch @part ins(%x, %begin : memref<16x64xf32>, index) outs(%out : memref<16x32xf32>)
  dmc.launch @placed ins(%x, %begin, %begin, %rank : memref<16x64xf32>, index, index, index) outs(%whole : memref<16x64xf32>)
  dmc.launch @anywhere ins(%x, %begin : memref<16x64xf32>, index) outs(%out : memref<16x32xf32>)
  dmc.launch @anywhere ins(%x, %odd : memref<16x64xf32>, index) outs(%out : memref<16x32xf32>)
  return
}
