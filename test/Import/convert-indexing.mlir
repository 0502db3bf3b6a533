// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo | FileCheck %s

// CHECK-LABEL: func.func @gather
// CHECK-SAME:    (%[[T:.*]]: tensor<128x32xf32>, %[[I:.*]]: tensor<8x1xi32>)
// CHECK:         dmc.gather ins(%[[T]], %[[I]] : tensor<128x32xf32>, tensor<8x1xi32>) outs(%{{.*}} : tensor<8x32xf32>)
// CHECK-SAME:      collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, indices_are_unsigned, offset_dims = array<i64: 1>,
// CHECK-SAME:      slice_sizes = array<i64: 1, 32>, start_index_map = array<i64: 0>
func.func @gather(%t: tensor<128x32xf32>, %i: tensor<8x1xui32>) -> tensor<8x32xf32> {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>}> : (tensor<128x32xf32>, tensor<8x1xui32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

// A missing index vector becomes a dimension of size 1.
// CHECK-LABEL: func.func @implicit_index_vector
// CHECK:         %[[I:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [8, 1] : tensor<8xi32> into tensor<8x1xi32>
// CHECK:         dmc.gather ins(%{{.*}}, %[[I]] : tensor<128x32xf32>, tensor<8x1xi32>)
func.func @implicit_index_vector(%t: tensor<128x32xf32>, %i: tensor<8xi32>) -> tensor<8x32xf32> {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>}> : (tensor<128x32xf32>, tensor<8xi32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

// CHECK-LABEL: func.func @scatter_add
// CHECK-SAME:    (%[[T:.*]]: tensor<128x32xf32>, %[[I:.*]]: tensor<8x1xi32>, %[[U:.*]]: tensor<8x32xf32>)
// CHECK:         dmc.scatter ins(%[[I]], %[[U]] : tensor<8x1xi32>, tensor<8x32xf32>) outs(%[[T]] : tensor<128x32xf32>)
// CHECK:         ^bb0(%[[OLD:.*]]: f32, %[[NEW:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[OLD]], %[[NEW]] : f32
// CHECK-NEXT:      dmc.yield %[[S]] : f32
func.func @scatter_add(%t: tensor<128x32xf32>, %i: tensor<8x1xi32>, %u: tensor<8x32xf32>) -> tensor<128x32xf32> {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<128x32xf32>, tensor<8x1xi32>, tensor<8x32xf32>) -> tensor<128x32xf32>
  return %0 : tensor<128x32xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic_slices
// CHECK-SAME:    (%[[X:.*]]: tensor<8x4xf32>, %[[I:.*]]: tensor<i32>)
// CHECK:         %[[S:.*]] = dmc.dynamic_slice ins(%[[X]] : tensor<8x4xf32>) at(%[[I]], %[[I]] : tensor<i32>, tensor<i32>) outs(%{{.*}} : tensor<2x4xf32>)
// CHECK:         dmc.dynamic_update_slice ins(%[[S]] : tensor<2x4xf32>) at(%[[I]], %[[I]] : tensor<i32>, tensor<i32>) outs(%[[X]] : tensor<8x4xf32>)
func.func @dynamic_slices(%x: tensor<8x4xf32>, %i: tensor<i32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %i, %i : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// Random bits: every element computes its block of the cipher from its position.
// CHECK-LABEL: func.func @random
// CHECK-SAME:    (%[[S:.*]]: tensor<2xi64>)
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}], iterator_types = ["parallel"]}
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<i64>, tensor<i64>) outs(%{{.*}} : tensor<6xi32>)
// CHECK:           linalg.index 0
// CHECK:         %[[NEXT:.*]] = tensor.concat dim(0)
func.func @random(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui32>) {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<6xui32>
}

// -----

// Components that are known to be 0 where the window is the whole dimension say nothing: rows
// of a batch are updated at positions of their own. A component that is not known stays.
// CHECK-LABEL: func.func @batched_update
// CHECK:         %[[AT:.*]] = tensor.extract_slice %{{.*}}[0, 0] [4, 1] [1, 1] : tensor<4x3xi32> to tensor<4x1xi32>
// CHECK:         dmc.scatter ins(%[[AT]], %{{.*}} : tensor<4x1xi32>, tensor<4x1x2x6xf32>)
// CHECK-SAME:      scatter_dims_to_operand_dims = array<i64: 1>
// CHECK:         dmc.scatter ins(%{{.*}}, %{{.*}} : tensor<4x3xi32>, tensor<4x1x2x6xf32>)
// CHECK-SAME:      scatter_dims_to_operand_dims = array<i64: 1, 2, 3>
func.func @batched_update(%x: tensor<4x9x2x6xf32>, %at: tensor<4x1xi32>, %u: tensor<4x1x2x6xf32>, %any: tensor<4x3xi32>) -> (tensor<4x9x2x6xf32>, tensor<4x9x2x6xf32>) {
  %low = stablehlo.constant dense<0> : tensor<4x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<4x1xi32>
  %last = stablehlo.constant dense<[8, 0, 0]> : tensor<3xi32>
  %most = stablehlo.constant dense<2147483647> : tensor<3xi32>
  %least = stablehlo.minimum %last, %most : tensor<3xi32>
  %high = "stablehlo.broadcast_in_dim"(%least) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xi32>) -> tensor<4x3xi32>
  %start = "stablehlo.concatenate"(%at, %zero, %zero) <{dimension = 1 : i64}> : (tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x3xi32>
  %i = stablehlo.clamp %low, %start, %high : tensor<4x3xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, unique_indices = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x9x2x6xf32>, tensor<4x3xi32>, tensor<4x1x2x6xf32>) -> tensor<4x9x2x6xf32>
  %1 = "stablehlo.scatter"(%x, %any, %u) <{indices_are_sorted = false, unique_indices = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x9x2x6xf32>, tensor<4x3xi32>, tensor<4x1x2x6xf32>) -> tensor<4x9x2x6xf32>
  return %0, %1 : tensor<4x9x2x6xf32>, tensor<4x9x2x6xf32>
}

// -----

// A slice of the whole dimension begins at 0 whatever its start.
// CHECK-LABEL: func.func @batched_slice
// CHECK:         dmc.gather ins(%{{.*}}, %{{.*}} : tensor<4x9x2xf32>, tensor<4x1xi32>)
// CHECK-SAME:      start_index_map = array<i64: 1>
func.func @batched_slice(%x: tensor<4x9x2xf32>, %at: tensor<4x2xi32>) -> tensor<4x3x2xf32> {
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 2>}> : (tensor<4x9x2xf32>, tensor<4x2xi32>) -> tensor<4x3x2xf32>
  return %0 : tensor<4x3x2xf32>
}
