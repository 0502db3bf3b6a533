// RUN: dmc-opt %s | dmc-opt | FileCheck %s

#mesh_2x4 = #dmc.mesh<"data" = 2, "model" = 4>

// CHECK-LABEL: @on_tensors
func.func @on_tensors(%x: tensor<8x4xf32>, %w: tensor<16x4xf32>, %n: tensor<4x4xf32>, %t: tensor<4x8xf32>) -> index {
  // CHECK: comm.all_reduce sum ins(%{{.*}} : tensor<8x4xf32>) outs(%{{.*}} : tensor<8x4xf32>) over {"data", "model"} on #mesh_data2_model4 -> tensor<8x4xf32>
  %0 = comm.all_reduce sum ins(%x : tensor<8x4xf32>) outs(%x : tensor<8x4xf32>) over {"data", "model"} on #mesh_2x4 -> tensor<8x4xf32>
  // CHECK: comm.all_gather ins(%{{.*}}) outs(%{{.*}}) dim 0 over {"data"} on #mesh_data2_model4 -> tensor<16x4xf32>
  %1 = comm.all_gather ins(%0 : tensor<8x4xf32>) outs(%w : tensor<16x4xf32>) dim 0 over {"data"} on #mesh_2x4 -> tensor<16x4xf32>
  // CHECK: comm.reduce_scatter max ins(%{{.*}}) outs(%{{.*}}) dim 0 over {"model"} on #mesh_data2_model4 -> tensor<4x4xf32>
  %2 = comm.reduce_scatter max ins(%1 : tensor<16x4xf32>) outs(%n : tensor<4x4xf32>) dim 0 over {"model"} on #mesh_2x4 -> tensor<4x4xf32>
  // CHECK: comm.all_to_all ins(%{{.*}}) outs(%{{.*}}) split 0 concat 1 over {"data"} on #mesh_data2_model4 -> tensor<4x8xf32>
  %3 = comm.all_to_all ins(%0 : tensor<8x4xf32>) outs(%t : tensor<4x8xf32>) split 0 concat 1 over {"data"} on #mesh_2x4 -> tensor<4x8xf32>
  // CHECK: comm.permute ins(%{{.*}}) outs(%{{.*}}) pairs [0, 1, 1, 0] over {"data"} on #mesh_data2_model4 -> tensor<4x8xf32>
  %4 = comm.permute ins(%3 : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) pairs [0, 1, 1, 0] over {"data"} on #mesh_2x4 -> tensor<4x8xf32>
  // CHECK: comm.broadcast ins(%{{.*}}) outs(%{{.*}}) from 1 over {"model":(2)2} on #mesh_data2_model4 -> tensor<4x8xf32>
  %5 = comm.broadcast ins(%4 : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) from 1 over {"model":(2)2} on #mesh_2x4 -> tensor<4x8xf32>
  // CHECK: comm.axis_index {"data", "model"} on #mesh_data2_model4
  %i = comm.axis_index {"data", "model"} on #mesh_2x4
  return %i : index
}

// CHECK-LABEL: @on_memrefs
func.func @on_memrefs(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  // CHECK: comm.all_reduce sum ins(%{{.*}} : memref<8x4xf32>) outs(%{{.*}} : memref<8x4xf32>) over {"data"} on #mesh_data2_model4{{$}}
  comm.all_reduce sum ins(%x : memref<8x4xf32>) outs(%y : memref<8x4xf32>) over {"data"} on #mesh_2x4
  // CHECK: %[[T:.*]] = comm.all_reduce sum ins(%{{.*}}) outs(%{{.*}}) over {"data"} on #mesh_data2_model4 -> !comm.token
  %t = comm.all_reduce sum ins(%x : memref<8x4xf32>) outs(%y : memref<8x4xf32>) over {"data"} on #mesh_2x4 -> !comm.token
  // CHECK: comm.wait %[[T]]
  comm.wait %t
  return
}

// CHECK-LABEL: @on_streams
func.func @on_streams(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  // CHECK: memref.copy %{{.*}}, %{{.*}} {comm.stream = 2 : i64}
  memref.copy %x, %y {comm.stream = 2 : i64} : memref<8x4xf32> to memref<8x4xf32>
  // CHECK: %[[E:.*]] = comm.record on 2
  %e = comm.record on 2
  // CHECK: comm.await %[[E]] on 1
  comm.await %e on 1
  // CHECK: comm.all_reduce sum {{.*}} {comm.stream = 1 : i64}
  comm.all_reduce sum ins(%x : memref<8x4xf32>) outs(%y : memref<8x4xf32>) over {"data"} on #mesh_2x4 {comm.stream = 1 : i64}
  return
}
