// RUN: dmc-opt %s --dmc-expand-one-hot | FileCheck %s

// CHECK-LABEL: func.func @one_a_row
// CHECK-SAME: %[[X:.*]]: tensor<4x100xf32>, %[[I:.*]]: tensor<4x1x1xi32>, %[[U:.*]]: tensor<4x1xf32>
// CHECK-NOT: dmc.scatter
// CHECK-DAG: %[[IROW:.*]] = tensor.collapse_shape %[[I]] {{\[\[}}0, 1, 2]] : tensor<4x1x1xi32> into tensor<4xi32>
// CHECK-DAG: %[[UROW:.*]] = tensor.collapse_shape %[[U]] {{\[\[}}0, 1]] : tensor<4x1xf32> into tensor<4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[IROW]], %[[UROW]] :
// CHECK: ^bb0(%[[OLD:.*]]: f32, %[[AT:.*]]: i32, %[[NEW:.*]]: f32, %{{.*}}: f32):
// CHECK:   %[[J:.*]] = linalg.index 1
// CHECK:   %[[N:.*]] = arith.index_cast %[[J]] : index to i32
// CHECK:   %[[HIT:.*]] = arith.cmpi eq, %[[N]], %[[AT]]
// CHECK:   %[[SUM:.*]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK:   arith.select %[[HIT]], %[[SUM]], %[[OLD]]
func.func @one_a_row(%x: tensor<4x100xf32>, %i: tensor<4x1x1xi32>, %u: tensor<4x1xf32>) -> tensor<4x100xf32> {
  %r = dmc.scatter ins(%i, %u : tensor<4x1x1xi32>, tensor<4x1xf32>) outs(%x : tensor<4x100xf32>)
      {update_window_dims = array<i64>, inserted_window_dims = array<i64: 1>, input_batching_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 1>, index_vector_dim = 2 : i64}
      -> tensor<4x100xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    dmc.yield %s : f32
  }
  return %r : tensor<4x100xf32>
}

// Two updates may hit one element; rows of 200 have positions that no i8 is.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: dmc.scatter
// CHECK-NOT: linalg.generic
func.func @others(%x: tensor<4x200xf32>, %i: tensor<4x2x1xi32>, %u: tensor<4x2xf32>, %k: tensor<4x1x1xi8>, %v: tensor<4x1xf32>) -> tensor<4x200xf32> {
  %r = dmc.scatter ins(%i, %u : tensor<4x2x1xi32>, tensor<4x2xf32>) outs(%x : tensor<4x200xf32>)
      {update_window_dims = array<i64>, inserted_window_dims = array<i64: 1>, input_batching_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 1>, index_vector_dim = 2 : i64}
      -> tensor<4x200xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    dmc.yield %s : f32
  }
  %t = dmc.scatter ins(%k, %v : tensor<4x1x1xi8>, tensor<4x1xf32>) outs(%r : tensor<4x200xf32>)
      {update_window_dims = array<i64>, inserted_window_dims = array<i64: 1>, input_batching_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 1>, index_vector_dim = 2 : i64}
      -> tensor<4x200xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    dmc.yield %s : f32
  }
  return %t : tensor<4x200xf32>
}
