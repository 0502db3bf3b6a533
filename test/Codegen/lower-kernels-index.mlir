// RUN: dmc-opt %s --dmc-lower-kernels | FileCheck %s

// A line is sorted by merging runs between the two results; the last of three passes
// writes the order.
// CHECK-LABEL: func.func private @sort
// CHECK-SAME: (%[[X:.*]]: memref<2x5xf32>, %[[ORDER:.*]]: memref<2x5xi32>, %[[PLACE:.*]]: memref<2x5xi32>, %{{.*}}: index, %{{.*}}: index)
// CHECK: scf.for %[[LINE:.*]] = %c0 to %c2
// CHECK:   scf.for %[[I:.*]] = %c0 to %c5
// CHECK:     memref.store %{{.*}}, %[[PLACE]][%[[LINE]], %[[I]]]
// CHECK:   scf.for {{.*}} = %c0 to %c3 step %c1 iter_args(%[[FROM:.*]] = %[[PLACE]], %[[TO:.*]] = %[[ORDER]], %[[WIDTH:.*]] = %c1)
// CHECK:     %[[TWICE:.*]] = arith.addi %[[WIDTH]], %[[WIDTH]]
// CHECK:     scf.for %[[BEGIN:.*]] = %c0 to %c5 step %[[TWICE]]
// CHECK:       scf.for %[[K:.*]] = %[[BEGIN]] to %{{.*}} iter_args
// CHECK:         %[[L:.*]] = memref.load %[[FROM]]
// CHECK:         %[[R:.*]] = memref.load %[[FROM]]
// CHECK-DAG:     %[[XR:.*]] = memref.load %[[X]][%[[LINE]], %{{.*}}]
// CHECK-DAG:     %[[XL:.*]] = memref.load %[[X]][%[[LINE]], %{{.*}}]
// CHECK:         arith.cmpf olt
// CHECK:         memref.store %{{.*}}, %[[TO]][%[[LINE]], %[[K]]]
// CHECK:     scf.yield %[[TO]], %[[FROM]], %[[TWICE]]
// CHECK:   scf.for %[[J:.*]] = %c0 to %c5
// CHECK:     %[[P:.*]] = memref.load %[[ORDER]][%[[LINE]], %[[J]]]
// CHECK:     memref.store %{{.*}}, %[[PLACE]][%[[LINE]], %{{.*}}]
func.func private @sort(%x: memref<2x5xf32>, %order: memref<2x5xi32>, %place: memref<2x5xi32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<2x5xf32> to tensor<2x5xf32>
  %e = tensor.empty() : tensor<2x5xi32>
  %o, %p = dmc.sort ins(%0 : tensor<2x5xf32>) outs(%e, %e : tensor<2x5xi32>, tensor<2x5xi32>) along 1 -> tensor<2x5xi32>, tensor<2x5xi32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.cmpf olt, %a, %b : f32
    dmc.yield %q : i1
  }
  bufferization.materialize_in_destination %o in restrict writable %order : (tensor<2x5xi32>, memref<2x5xi32>) -> ()
  bufferization.materialize_in_destination %p in restrict writable %place : (tensor<2x5xi32>, memref<2x5xi32>) -> ()
  return
}

// Several operands are combined together, in a nest that follows the copies of what they start from.
// CHECK-LABEL: func.func private @scatter_pairs_nest(
// CHECK: memref.store
// CHECK: memref.store
// CHECK-LABEL: func.func private @scatter_pairs_nest_
// CHECK-SAME: (%[[I:.*]]: memref<4xi32>, %[[U:.*]]: memref<4xf32>, %[[W:.*]]: memref<4xi8>, %[[S:.*]]: memref<9xf32>, %[[T:.*]]: memref<9xi8>, %[[X:.*]]: memref<9xf32>, %[[Y:.*]]: memref<9xi8>, %{{.*}}: index, %{{.*}}: index)
// CHECK: scf.for
// CHECK:   scf.if
// CHECK:     %[[OX:.*]] = memref.load %[[X]]
// CHECK:     %[[OY:.*]] = memref.load %[[Y]]
// CHECK-DAG: %[[NX:.*]] = memref.load %[[U]]
// CHECK-DAG: %[[NY:.*]] = memref.load %[[W]]
// CHECK:     %[[P:.*]] = arith.cmpf olt, %[[OX]], %[[NX]]
// CHECK:     memref.store %{{.*}}, %[[X]]
// CHECK:     memref.store %{{.*}}, %[[Y]]
func.func private @scatter_pairs(%i: memref<4xi32>, %u: memref<4xf32>, %w: memref<4xi8>, %s: memref<9xf32>, %t: memref<9xi8>,
    %x: memref<9xf32>, %y: memref<9xi8>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %i restrict : memref<4xi32> to tensor<4xi32>
  %1 = bufferization.to_tensor %u restrict : memref<4xf32> to tensor<4xf32>
  %2 = bufferization.to_tensor %w restrict : memref<4xi8> to tensor<4xi8>
  %3 = bufferization.to_tensor %s restrict : memref<9xf32> to tensor<9xf32>
  %4 = bufferization.to_tensor %t restrict : memref<9xi8> to tensor<9xi8>
  %r:2 = dmc.scatter ins(%0, %1, %2 : tensor<4xi32>, tensor<4xf32>, tensor<4xi8>) outs(%3, %4 : tensor<9xf32>, tensor<9xi8>)
      {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      -> tensor<9xf32>, tensor<9xi8> {
  ^bb0(%a: f32, %b: i8, %c: f32, %d: i8):
    %p = arith.cmpf olt, %a, %c : f32
    %q = arith.select %p, %c, %a : f32
    %v = arith.select %p, %d, %b : i8
    dmc.yield %q, %v : f32, i8
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %x : (tensor<9xf32>, memref<9xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %y : (tensor<9xi8>, memref<9xi8>) -> ()
  return
}
