// RUN: dmc-opt %s --dmc-print-sharding-rules -verify-diagnostics -o /dev/null

// Rows split: each rank contributes those that it has.
func.func @gather(%t: tensor<32x6xf32>, %b: tensor<32x6xi1>, %i: tensor<8x5x1xi32>, %e: tensor<8x5x6xf32>, %f: tensor<8x5x6xi1>) {
  // expected-remark@below {{([l, m], [i, j, k], [i, j, m]) -> ([i, j, m]) {i=8, j=5, k=1 whole, l=32 sum, m=6}}}
  %0 = dmc.gather ins(%t, %i : tensor<32x6xf32>, tensor<8x5x1xi32>) outs(%e : tensor<8x5x6xf32>)
      {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 6>} -> tensor<8x5x6xf32>
  // expected-remark@below {{([l, m], [i, j, k], [i, j, m]) -> ([i, j, m]) {i=8, j=5, k=1 whole, l=32 max, m=6}}}
  %1 = dmc.gather ins(%b, %i : tensor<32x6xi1>, tensor<8x5x1xi32>) outs(%f : tensor<8x5x6xi1>)
      {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 6>} -> tensor<8x5x6xi1>
  return
}

// A batching dimension is parallel; part of a dimension needs it whole.
func.func @gather_batching(%t: tensor<8x32x6xf32>, %i: tensor<8x1xi32>, %e: tensor<8x3xf32>) {
  // expected-remark@below {{([i, k, l], [i, j], [i, m]) -> ([i, m]) {i=8, j=1 whole, k=32 sum, l=6 whole, m=3 whole}}}
  %0 = dmc.gather ins(%t, %i : tensor<8x32x6xf32>, tensor<8x1xi32>) outs(%e : tensor<8x3xf32>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>,
       start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1, 3>} -> tensor<8x3xf32>
  return
}

// Updates split only where they commute.
func.func @scatter(%t: tensor<32x6xf32>, %i: tensor<8x1xi32>, %u: tensor<8x6xf32>) {
  // expected-remark@below {{([i, j], [i, l], [k, l]) -> ([k, l]) {i=8 sum, j=1 whole, k=32, l=6}}}
  %0 = dmc.scatter ins(%i, %u : tensor<8x1xi32>, tensor<8x6xf32>) outs(%t : tensor<32x6xf32>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<32x6xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  // expected-remark@below {{([i, j], [i, l], [k, l]) -> ([k, l]) {i=8 whole, j=1 whole, k=32, l=6}}}
  %1 = dmc.scatter ins(%i, %u : tensor<8x1xi32>, tensor<8x6xf32>) outs(%t : tensor<32x6xf32>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<32x6xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %new : f32
  }
  return
}

// All lines are sorted whole.
func.func @sort(%x: tensor<8x5xf32>, %e: tensor<8x5xi32>) {
  // expected-remark@below {{([i, j], [i, j], [i, j]) -> ([i, j], [i, j]) {i=8, j=5 whole}}}
  %o, %p = dmc.sort ins(%x : tensor<8x5xf32>) outs(%e, %e : tensor<8x5xi32>, tensor<8x5xi32>) along 1
      -> tensor<8x5xi32>, tensor<8x5xi32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.cmpf olt, %a, %b : f32
    dmc.yield %q : i1
  }
  return
}

// Without an index the first row is updated: which rank has it is not asked.
func.func @scatter_without_index(%t: tensor<4x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) {
  // expected-remark@below {{([i, j], [i], [k, l]) -> ([k, l]) {i=3 sum, j=1 whole, k=4 whole, l=6}}}
  %0 = dmc.scatter ins(%i, %u : tensor<3x1xi32>, tensor<3xf32>) outs(%t : tensor<4x6xf32>)
      {inserted_window_dims = array<i64: 0, 1>, scatter_dims_to_operand_dims = array<i64: 1>,
       index_vector_dim = 1 : i64} -> tensor<4x6xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  return
}

func.func @slices(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %i: tensor<i32>, %e: tensor<2x4xf32>) {
  // expected-remark@below {{([i, k], [], [], [j, k]) -> ([j, k]) {i=8 whole, j=2 whole, k=4}}}
  %0 = dmc.dynamic_slice ins(%x : tensor<8x4xf32>) at(%i, %i : tensor<i32>, tensor<i32>)
      outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  // A rank with a part of the rows writes those of the update that fall into it.
  // expected-remark@below {{([j, k], [], [], [i, k]) -> ([i, k]) {i=8, j=2 whole, k=4}}}
  %1 = dmc.dynamic_update_slice ins(%u : tensor<2x4xf32>) at(%i, %i : tensor<i32>, tensor<i32>)
      outs(%x : tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}
