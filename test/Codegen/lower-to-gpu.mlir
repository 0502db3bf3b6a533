// RUN: dmc-opt %s --dmc-set-target=target=cuda:sm_90a --dmc-lower-kernels --dmc-lower-to-gpu | FileCheck %s
// RUN: dmc-opt %s --dmc-set-target=target=cuda:sm_90a --dmc-lower-kernels | FileCheck %s --check-prefix=NEST
// RUN: dmc-opt %s --dmc-set-target=cpu=host --dmc-lower-kernels --dmc-lower-to-gpu | FileCheck %s --check-prefix=HOST
// Programs for processors stay as they are.
// HOST-NOT: dmc_device

// Neighbouring elements a thread, and no loop: a row of 10 is vectors of two.
// NEST-LABEL: func.func private @elementwise_nest
// NEST-SAME: %[[BEGIN:[^:]*]]: index, %{{[^:]*}}: index) attributes {dmc.narrow_indices, dmc.nest = #dmc.nest<elements iterations 500 flops 1000 loops [<grid 2 [<thread 256 least 244 [<lanes 2>]>]>]
// NEST-SAME: accesses [<read 0 : 4000 contiguous vector 2>, <read 1 : 400 uniform>, <write 2 : 4000 contiguous vector 2>]>}
// NEST-NOT: scf.for
// NEST-DAG: arith.divui %[[BEGIN]], %c5
// NEST-DAG: arith.remui %[[BEGIN]], %c5
// NEST: vector.store %{{.*}} {alignment = 8 : i64} : memref<1000xf32>, vector<2xf32>

// 500 threads are two blocks, the last of which is not full.
// CHECK-LABEL: func.func private @elementwise_nest
// CHECK-SAME: attributes {dmc.device_nest = {block = array<i64: 256, 1, 1>, entry = "elementwise_nest", grid = array<i64: 2, 1, 1>, shared = 0 : i64}, dmc.nest =
// CHECK-LABEL: func.func private @elementwise(
// CHECK: call @elementwise_nest(%{{.*}}, %{{.*}}, %{{.*}}, %c0, %c500)
func.func private @elementwise(%x: memref<100x10xf32> {llvm.noalias}, %y: memref<100xf32> {llvm.noalias}, %out: memref<100x10xf32> {llvm.noalias}) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<100x10xf32> to tensor<100x10xf32>
  %1 = bufferization.to_tensor %y restrict : memref<100xf32> to tensor<100xf32>
  %e = tensor.empty() : tensor<100x10xf32>
  %3 = linalg.broadcast ins(%1 : tensor<100xf32>) outs(%e : tensor<100x10xf32>) dimensions = [1]
  %4 = linalg.map { arith.addf } ins(%0, %3 : tensor<100x10xf32>, tensor<100x10xf32>) outs(%e : tensor<100x10xf32>)
  bufferization.materialize_in_destination %4 in restrict writable %out : (tensor<100x10xf32>, memref<100x10xf32>) -> ()
  return
}

// Of few columns a team has those of a sector, and its threads have the rows.
// NEST-LABEL: func.func private @columns_nest
// NEST-SAME: iterations 4 flops {{[0-9]+}} loops [<grid 1 [<thread 4 [<team 32>]>]>] accesses [<read 0 : 2048 contiguous vector 4>
// CHECK-LABEL: func.func private @columns_nest
// CHECK-SAME: dmc.device_nest = {block = array<i64: 128, 1, 1>, entry = "columns_nest", grid = array<i64: 1, 1, 1>
func.func private @columns(%x: memref<16x32xf32>, %out: memref<32xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<16x32xf32> to tensor<16x32xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %r = linalg.reduce { arith.addf } ins(%0 : tensor<16x32xf32>) outs(%f : tensor<32xf32>) dimensions = [0]
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<32xf32>, memref<32xf32>) -> ()
  return
}

// Of many columns a team has as few threads as give all of a device something to do.
// NEST-LABEL: func.func private @many_columns_nest
// NEST-SAME: iterations 37500 flops 8400000 loops [<grid 1172 [<thread 32 least 28 [<team 8 [<unrolled 4>]>]>]>] accesses [<read 0 : 19200000 contiguous vector 4>
// NEST: gpu.shuffle
// NEST: vector.store
func.func private @many_columns(%x: memref<16x300000xf32>, %out: memref<300000xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<16x300000xf32> to tensor<16x300000xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<300000xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<300000xf32>) -> tensor<300000xf32>
  %r = linalg.reduce { arith.addf } ins(%0 : tensor<16x300000xf32>) outs(%f : tensor<300000xf32>) dimensions = [0]
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<300000xf32>, memref<300000xf32>) -> ()
  return
}

// Indices that the program computes itself are of 64 bits.
// NEST-LABEL: func.func private @wide_nest
// NEST-NOT: dmc.narrow_indices
// NEST-SAME: dmc.nest
// CHECK-LABEL: func.func private @wide_nest
func.func private @wide(%out: memref<16xi64>) attributes {dmc.kernel_function} {
  %e = tensor.empty() : tensor<16xi64>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<16xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %s = arith.muli %i, %i : index
    %c = arith.index_cast %s : index to i64
    linalg.yield %c : i64
  } -> tensor<16xi64>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<16xi64>, memref<16xi64>) -> ()
  return
}

// Constants that only nests read are the device's.
// CHECK-NOT: memref.global
// CHECK-LABEL: func.func private @constants_nest
func.func private @constants(%x: memref<3xf32>, %out: memref<3xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<3xf32> to tensor<3xf32>
  %c = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %1 = linalg.map { arith.mulf } ins(%0, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<3xf32>, memref<3xf32>) -> ()
  return
}

// CHECK-LABEL: module @dmc_device
// CHECK: llvm.mlir.global private constant @dmc_constant_0(dense<[1.000000e+00, 2.000000e+00, 4.000000e+00]>
// CHECK-LABEL: llvm.func @elementwise_nest
// CHECK-SAME: %arg0: !llvm.ptr {llvm.align = 32 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: %arg2: !llvm.ptr {llvm.align = 32 : i64, llvm.noalias}) attributes {nvvm.kernel, nvvm.maxnreg = 64 : i32, nvvm.reqntid = array<i32: 256, 1, 1>}
// CHECK-DAG: %[[COUNT:.*]] = llvm.mlir.constant(500 : index) : i32
// CHECK-DAG: nvvm.read.ptx.sreg.tid.x
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x
// CHECK: llvm.icmp "ult" %{{.*}}, %[[COUNT]] : i32
// CHECK: llvm.cond_br
// 128 threads are one block: no thread has nothing to do.
// CHECK-LABEL: llvm.func @columns_nest
// CHECK-NOT: ctaid
// CHECK-LABEL: llvm.func @many_columns_nest
// CHECK-LABEL: llvm.func @wide_nest
// CHECK: llvm.mul %{{.*}}, %{{.*}} : i64
