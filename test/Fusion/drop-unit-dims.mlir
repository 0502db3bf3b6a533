// RUN: dmc-opt %s --dmc-drop-unit-dims | FileCheck %s

// What stands between two reshapes is computed without the dimension of size 1; fills follow.
// CHECK-LABEL: func.func @between
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
// CHECK-NOT: shape
// CHECK: %[[F:.*]] = linalg.fill {{.*}} -> tensor<8xf32>
// CHECK: %[[A:.*]] = linalg.map { arith.addf } ins(%[[X]], %[[F]] : tensor<8xf32>, tensor<8xf32>)
// CHECK: %[[R:.*]] = linalg.map { math.rsqrt } ins(%[[A]] : tensor<8xf32>)
// CHECK-NEXT: return %[[R]]
func.func @between(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x1xf32>
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<8x1xf32>) -> tensor<8x1xf32>
  %1 = linalg.map { arith.addf } ins(%0, %f : tensor<8x1xf32>, tensor<8x1xf32>) outs(%e : tensor<8x1xf32>)
  %2 = linalg.map { math.rsqrt } ins(%1 : tensor<8x1xf32>) outs(%e : tensor<8x1xf32>)
  %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  return %3 : tensor<8xf32>
}

// The reshape stays behind where the larger form is used; another operand is reshaped.
// CHECK-LABEL: func.func @behind
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<1x4x1x8xf32>)
// CHECK: %[[S:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0, 1, 2], [3]] : tensor<1x4x1x8xf32> into tensor<4x8xf32>
// CHECK: %[[M:.*]] = linalg.map { arith.mulf } ins(%[[X]], %[[S]] : tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK: %[[R:.*]] = tensor.expand_shape %[[M]] {{\[\[}}0, 1, 2], [3]]
// CHECK: return %[[R]]
func.func @behind(%x: tensor<4x8xf32>, %y: tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32> {
  %e = tensor.empty() : tensor<1x4x1x8xf32>
  %0 = tensor.expand_shape %x [[0, 1, 2], [3]] output_shape [1, 4, 1, 8] : tensor<4x8xf32> into tensor<1x4x1x8xf32>
  %1 = linalg.map { arith.mulf } ins(%0, %y : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>) outs(%e : tensor<1x4x1x8xf32>)
  return %1 : tensor<1x4x1x8xf32>
}

// A reduction of one element combines it with the initial value, in the combiner's order.
// CHECK-LABEL: func.func @one_element
// CHECK-SAME: (%[[X:.*]]: tensor<8x1xf32>, %[[I:.*]]: tensor<8xf32>)
// CHECK: %[[S:.*]] = tensor.collapse_shape %[[X]]
// CHECK: linalg.map ins(%[[S]], %[[I]] : tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: (%[[A:[a-z0-9_]+]]: f32, %[[B:[a-z0-9_]+]]: f32{{.*}}) {
// CHECK-NEXT: arith.subf %[[B]], %[[A]]
// CHECK-NOT: linalg.reduce
func.func @one_element(%x: tensor<8x1xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.reduce ins(%x : tensor<8x1xf32>) outs(%i : tensor<8xf32>) dimensions = [1] (%a: f32, %b: f32) {
    %s = arith.subf %b, %a : f32
    linalg.yield %s : f32
  }
  return %0 : tensor<8xf32>
}

// Scalars: nothing is left but the element.
// CHECK-LABEL: func.func @scalar
// CHECK: linalg.map {{.*}} ins(%arg0 : tensor<f32>)
func.func @scalar(%x: tensor<f32>) -> tensor<1x1xf32> {
  %e = tensor.empty() : tensor<1x1xf32>
  %0 = tensor.expand_shape %x [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %1 = linalg.map { math.exp } ins(%0 : tensor<1x1xf32>) outs(%e : tensor<1x1xf32>)
  return %1 : tensor<1x1xf32>
}

// A reduction of more, and a reshape that splits a dimension, stay.
// CHECK-LABEL: func.func @stays
// CHECK: tensor.expand_shape
// CHECK: linalg.map {{.*}}tensor<2x4xf32>
// CHECK: linalg.reduce
func.func @stays(%x: tensor<8xf32>, %i: tensor<2xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %1 = linalg.map { math.exp } ins(%0 : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>)
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<2x4xf32>) outs(%i : tensor<2xf32>) dimensions = [1]
  return %2 : tensor<2xf32>
}

// Adding a sum to zero changes nothing, since such a sum is never -0; a maximum starts from the least
// value. Another initial value, and what may be -0, are combined.
// CHECK-LABEL: func.func @neutral
// CHECK: %[[S:.*]] = linalg.reduce { arith.addf }
// CHECK: %[[M:.*]] = tensor.collapse_shape %{{.*}} : tensor<1x8xf32> into tensor<8xf32>
// CHECK: %[[A:.*]] = linalg.map ins(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT: linalg.map
// CHECK: return %[[S]], %[[M]], %[[A]]
func.func @neutral(%x: tensor<16x8xf32>, %y: tensor<1x8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<16x8xf32>) outs(%z : tensor<8xf32>) dimensions = [0]
  %large = tensor.expand_shape %s [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %t = linalg.reduce { arith.addf } ins(%large : tensor<1x8xf32>) outs(%z : tensor<8xf32>) dimensions = [0]
  %m = linalg.reduce { arith.maximumf } ins(%y : tensor<1x8xf32>) outs(%l : tensor<8xf32>) dimensions = [0]
  %u = linalg.reduce { arith.addf } ins(%y : tensor<1x8xf32>) outs(%z : tensor<8xf32>) dimensions = [0]
  return %t, %m, %u : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Indices of one component have no vector, and what nobody reads of size 1 is not gathered. A batch
// of one is a collapsed dimension.
// CHECK-LABEL: func.func @gather
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32>, %[[I:.*]]: tensor<8xi32>, %[[Y:.*]]: tensor<1x8x16xf32>)
// CHECK: dmc.gather ins(%[[X]], %[[I]] : tensor<8x16xf32>, tensor<8xi32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK-SAME: collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, operand_batching_dims = array<i64: 0>
// CHECK: dmc.gather ins(%[[Y]], %[[I]] : tensor<1x8x16xf32>, tensor<8xi32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK-SAME: collapsed_slice_dims = array<i64: 0, 2>, index_vector_dim = 1 : i64, operand_batching_dims = array<i64: 1>
// CHECK-SAME: start_index_map = array<i64: 2>, start_indices_batching_dims = array<i64: 0>
// CHECK-NOT: shape
// CHECK: return
func.func @gather(%x: tensor<8x16xf32>, %i: tensor<8xi32>, %y: tensor<1x8x16xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.expand_shape %i [[0, 1]] output_shape [8, 1] : tensor<8xi32> into tensor<8x1xi32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [8, 1, 1] : tensor<8x1xi32> into tensor<8x1x1xi32>
  %e = tensor.empty() : tensor<8x1xf32>
  %2 = dmc.gather ins(%x, %1 : tensor<8x16xf32>, tensor<8x1x1xi32>) outs(%e : tensor<8x1xf32>) {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 2 : i64, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>, start_indices_batching_dims = array<i64: 0>} -> tensor<8x1xf32>
  %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %4 = tensor.expand_shape %i [[0, 1, 2]] output_shape [1, 8, 1] : tensor<8xi32> into tensor<1x8x1xi32>
  %f = tensor.empty() : tensor<1x8xf32>
  %5 = dmc.gather ins(%y, %4 : tensor<1x8x16xf32>, tensor<1x8x1xi32>) outs(%f : tensor<1x8xf32>) {collapsed_slice_dims = array<i64: 2>, index_vector_dim = 2 : i64, operand_batching_dims = array<i64: 0, 1>, slice_sizes = array<i64: 1, 1, 1>, start_index_map = array<i64: 2>, start_indices_batching_dims = array<i64: 0, 1>} -> tensor<1x8xf32>
  %6 = tensor.collapse_shape %5 [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  return %3, %6 : tensor<8xf32>, tensor<8xf32>
}

// A window of one element in a dimension, and an index vector of two components.
// CHECK-LABEL: func.func @gather_windows
// CHECK-SAME: (%[[X:.*]]: tensor<4x8x16xf32>, %[[I:.*]]: tensor<8x2xi32>)
// CHECK: dmc.gather ins(%[[X]], %[[I]] : tensor<4x8x16xf32>, tensor<8x2xi32>) outs(%{{.*}} : tensor<8x3xf32>)
// CHECK-SAME: {collapsed_slice_dims = array<i64: 0, 1>, index_vector_dim = 1 : i64, offset_dims = array<i64: 1>, slice_sizes = array<i64: 1, 1, 3>, start_index_map = array<i64: 0, 2>}
// CHECK-NEXT: return
func.func @gather_windows(%x: tensor<4x8x16xf32>, %i: tensor<8x2xi32>) -> tensor<8x3xf32> {
  %0 = tensor.expand_shape %i [[0, 1], [2]] output_shape [8, 1, 2] : tensor<8x2xi32> into tensor<8x1x2xi32>
  %e = tensor.empty() : tensor<8x1x1x3xf32>
  %1 = dmc.gather ins(%x, %0 : tensor<4x8x16xf32>, tensor<8x1x2xi32>) outs(%e : tensor<8x1x1x3xf32>) {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, offset_dims = array<i64: 2, 3>, slice_sizes = array<i64: 1, 1, 3>, start_index_map = array<i64: 0, 2>} -> tensor<8x1x1x3xf32>
  %2 = tensor.collapse_shape %1 [[0, 1, 2], [3]] : tensor<8x1x1x3xf32> into tensor<8x3xf32>
  return %2 : tensor<8x3xf32>
}

// Positions, and a sum over what is of size 1 as well.
// CHECK-LABEL: func.func @positions
// CHECK: %[[P:.*]] = linalg.generic {{.*}}iterator_types = ["parallel"]} outs(%{{.*}} : tensor<8xi32>)
// CHECK: linalg.index 0
// CHECK: linalg.reduce { arith.addi {{.*}}} ins(%[[P]] : tensor<8xi32>) outs(%{{.*}} : tensor<i32>) dimensions = [0]
// CHECK-NOT: shape
// CHECK: return
func.func @positions(%init: tensor<i32>) -> (tensor<8xi32>, tensor<i32>) {
  %e = tensor.empty() : tensor<1x8x1xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<1x8x1xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    %c = arith.index_cast %s : index to i32
    linalg.yield %c : i32
  } -> tensor<1x8x1xi32>
  %1 = tensor.collapse_shape %0 [[0, 1, 2]] : tensor<1x8x1xi32> into tensor<8xi32>
  %2 = linalg.reduce { arith.addi } ins(%0 : tensor<1x8x1xi32>) outs(%init : tensor<i32>) dimensions = [0, 1, 2]
  return %1, %2 : tensor<8xi32>, tensor<i32>
}
