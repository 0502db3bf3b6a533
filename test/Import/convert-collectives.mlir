// RUN: dmc-opt %s -split-input-file -dmc-import-program -dmc-convert-stablehlo -dmc-verify-ranks | FileCheck %s

// Groups that are mesh axes.
// CHECK: #[[MESH:.*]] = #dmc.mesh<"replica" = 2, "partition" = 2>
// CHECK: dmc.program = #dmc.program<ranks "axes" on #[[MESH]]
// CHECK: %[[X:.*]]: tensor<2xi32>
// CHECK: comm.all_reduce max ins(%[[X]] : {{.*}} over {"partition"} on #[[MESH]] {unsigned} -> tensor<2xi32>
// CHECK: comm.all_gather {{.*}} dim 0 over {"replica"} on #[[MESH]] -> tensor<4xi32>
// CHECK: comm.permute {{.*}} pairs [0, 2, 1, 3] over {"replica", "partition"}
// CHECK: comm.axis_index {"partition"}
module @axes attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<2xui32>) -> (tensor<4xui32>, tensor<ui32>) {
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
      %m = stablehlo.maximum %b, %a : tensor<ui32>
      stablehlo.return %m : tensor<ui32>
    }) : (tensor<2xui32>) -> tensor<2xui32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xui32>) -> tensor<4xui32>
    %2 = "stablehlo.collective_permute"(%1) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xui32>) -> tensor<4xui32>
    %3 = stablehlo.partition_id : tensor<ui32>
    return %2, %3 : tensor<4xui32>, tensor<ui32>
  }
}

// -----

// Groups that are not, of a module that does not say how many ranks it has; on i1 or is a maximum.
// CHECK: #[[MESH:.*]] = #dmc.mesh<"replica" = 4, "partition" = 1>
// CHECK: comm.all_reduce max {{.*}} over {} on #[[MESH]] {groups = dense<{{\[\[}}0, 2], [3, 1]]> : tensor<2x2xi64>}
// CHECK: comm.broadcast {{.*}} from 0 over {} on #[[MESH]] {groups = dense<{{\[\[}}2, 1]]> : tensor<1x2xi64>}
module {
  func.func @main(%x: tensor<3xi1>) -> tensor<3xi1> {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<i1>, %b: tensor<i1>):
      %m = stablehlo.or %a, %b : tensor<i1>
      stablehlo.return %m : tensor<i1>
    }) : (tensor<3xi1>) -> tensor<3xi1>
    %1 = "stablehlo.collective_broadcast"(%0) <{replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}> : (tensor<3xi1>) -> tensor<3xi1>
    return %1 : tensor<3xi1>
  }
}

// -----

// A computation that is not a combiner: all partial values to every rank, combined there in group order.
// CHECK-LABEL: module @general
// CHECK: comm.all_gather ins(%{{.*}} : tensor<1x4xi32>) outs(%{{.*}} : tensor<2x4xi32>) dim 0
// CHECK: %[[A:.*]] = tensor.extract_slice %{{.*}}[0, 0] [1, 4]
// CHECK: %[[B:.*]] = tensor.extract_slice %{{.*}}[1, 0] [1, 4]
// CHECK: linalg.map { arith.xori } ins(%[[A]], %[[B]]
// CHECK: comm.all_to_all {{.*}} split 0 concat 0
// CHECK: linalg.map { arith.xori }
module @general attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<4xui32>) -> tensor<2xui32> {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
      %m = stablehlo.xor %a, %b : tensor<ui32>
      stablehlo.return %m : tensor<ui32>
    }) : (tensor<4xui32>) -> tensor<4xui32>
    %1 = "stablehlo.reduce_scatter"(%0) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
      %m = stablehlo.xor %a, %b : tensor<ui32>
      stablehlo.return %m : tensor<ui32>
    }) : (tensor<4xui32>) -> tensor<2xui32>
    return %1 : tensor<2xui32>
  }
}

// -----

// Groups of several sizes: one collective for each size, then each rank its own.
// CHECK-LABEL: module @sizes
// CHECK:         %[[ONE:.*]] = comm.all_reduce sum {{.*}} {groups = dense<2> : tensor<1x1xi64>}
// CHECK:         %[[TWO:.*]] = comm.all_reduce sum {{.*}} {groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}
// CHECK:         %[[RANK:.*]] = comm.axis_index {"replica"}
// CHECK:         linalg.map ins(%[[TWO]], %[[ONE]]
// CHECK:           arith.cmpi eq, %[[RANK]], %c0
// CHECK:           arith.cmpi eq, %[[RANK]], %c1
module @sizes attributes {mhlo.num_replicas = 3 : i32} {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
