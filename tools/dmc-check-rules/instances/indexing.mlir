// Operations with run-time positions.

func.func @gather_rows(%a: tensor<5x2xf32>, %at: tensor<3x1xi32>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %r = dmc.gather ins(%a, %at : tensor<5x2xf32>, tensor<3x1xi32>) outs(%e : tensor<3x2xf32>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 2>} -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @gather_without_vector(%a: tensor<5xi32>, %at: tensor<3xi32>) -> tensor<3xi32> {
  %e = tensor.empty() : tensor<3xi32>
  %r = dmc.gather ins(%a, %at : tensor<5xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>)
      {collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} -> tensor<3xi32>
  return %r : tensor<3xi32>
}

func.func @gather_flags(%a: tensor<5xi1>, %at: tensor<3xi32>) -> tensor<3xi1> {
  %e = tensor.empty() : tensor<3xi1>
  %r = dmc.gather ins(%a, %at : tensor<5xi1>, tensor<3xi32>) outs(%e : tensor<3xi1>)
      {collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} -> tensor<3xi1>
  return %r : tensor<3xi1>
}

func.func @gather_windows(%a: tensor<5x3xf32>, %at: tensor<2x2xi32>) -> tensor<2x2x3xf32> {
  %e = tensor.empty() : tensor<2x2x3xf32>
  %r = dmc.gather ins(%a, %at : tensor<5x3xf32>, tensor<2x2xi32>) outs(%e : tensor<2x2x3xf32>)
      {offset_dims = array<i64: 1, 2>, start_index_map = array<i64: 0, 1>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 2, 3>} -> tensor<2x2x3xf32>
  return %r : tensor<2x2x3xf32>
}

func.func @gather_by_batch(%a: tensor<3x5xf32>, %at: tensor<3x2x1xi32>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %r = dmc.gather ins(%a, %at : tensor<3x5xf32>, tensor<3x2x1xi32>) outs(%e : tensor<3x2xf32>)
      {collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>,
       start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>,
       index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 1>} -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @gather_two_components(%a: tensor<3x2xf32>, %at: tensor<4x2xi32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = dmc.gather ins(%a, %at : tensor<3x2xf32>, tensor<4x2xi32>) outs(%e : tensor<4xf32>)
      {collapsed_slice_dims = array<i64: 0, 1>, start_index_map = array<i64: 1, 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>} -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @gather_unsigned(%a: tensor<5xf32>, %at: tensor<3xi8>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %r = dmc.gather ins(%a, %at : tensor<5xf32>, tensor<3xi8>) outs(%e : tensor<3xf32>)
      {collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, indices_are_unsigned,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @gather_unaddressed(%a: tensor<1x3xf32>, %at: tensor<2x1xi32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  %r = dmc.gather ins(%a, %at : tensor<1x3xf32>, tensor<2x1xi32>) outs(%e : tensor<2x2xf32>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 1>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 2>} -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

func.func @gather_slices_of_one(%a: tensor<5x2xf32>, %at: tensor<3x1xi32>) -> tensor<3x1x2xf32> {
  %e = tensor.empty() : tensor<3x1x2xf32>
  %r = dmc.gather ins(%a, %at : tensor<5x2xf32>, tensor<3x1xi32>) outs(%e : tensor<3x1x2xf32>)
      {offset_dims = array<i64: 1, 2>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 2>} -> tensor<3x1x2xf32>
  return %r : tensor<3x1x2xf32>
}

// Without an index a slice of one element is at 0.
func.func @gather_at_zero(%a: tensor<3x5xf32>, %at: tensor<2x1xi32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  %r = dmc.gather ins(%a, %at : tensor<3x5xf32>, tensor<2x1xi32>) outs(%e : tensor<2x2xf32>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 1>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 2>} -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

func.func @gather_slices_at_zero(%a: tensor<3x5xf32>, %at: tensor<2x1xi32>) -> tensor<2x1x1xf32> {
  %e = tensor.empty() : tensor<2x1x1xf32>
  %r = dmc.gather ins(%a, %at : tensor<3x5xf32>, tensor<2x1xi32>) outs(%e : tensor<2x1x1xf32>)
      {offset_dims = array<i64: 1, 2>, start_index_map = array<i64: 1>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>} -> tensor<2x1x1xf32>
  return %r : tensor<2x1x1xf32>
}

func.func @scatter_add(%at: tensor<3x1xi32>, %u: tensor<3x2xf32>, %a: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %r = dmc.scatter ins(%at, %u : tensor<3x1xi32>, tensor<3x2xf32>) outs(%a : tensor<5x2xf32>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<5x2xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  return %r : tensor<5x2xf32>
}

func.func @scatter_max(%at: tensor<3xi32>, %u: tensor<3xi8>, %a: tensor<5xi8>) -> tensor<5xi8> {
  %r = dmc.scatter ins(%at, %u : tensor<3xi32>, tensor<3xi8>) outs(%a : tensor<5xi8>)
      {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>,
       index_vector_dim = 1 : i64} -> tensor<5xi8> {
  ^bb0(%old: i8, %new: i8):
    %s = arith.maxsi %old, %new : i8
    dmc.yield %s : i8
  }
  return %r : tensor<5xi8>
}

func.func @scatter_sub(%at: tensor<3xi32>, %u: tensor<3xf32>, %a: tensor<5xf32>) -> tensor<5xf32> {
  %r = dmc.scatter ins(%at, %u : tensor<3xi32>, tensor<3xf32>) outs(%a : tensor<5xf32>)
      {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>,
       index_vector_dim = 1 : i64} -> tensor<5xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.subf %old, %new : f32
    dmc.yield %s : f32
  }
  return %r : tensor<5xf32>
}

func.func @scatter_overwrites(%at: tensor<4xi32>, %u: tensor<4xf32>, %a: tensor<3xf32>) -> tensor<3xf32> {
  %r = dmc.scatter ins(%at, %u : tensor<4xi32>, tensor<4xf32>) outs(%a : tensor<3xf32>)
      {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>,
       index_vector_dim = 1 : i64} -> tensor<3xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %new : f32
  }
  return %r : tensor<3xf32>
}

func.func @scatter_windows(%at: tensor<2x1xi32>, %u: tensor<2x2x3xf32>, %a: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %r = dmc.scatter ins(%at, %u : tensor<2x1xi32>, tensor<2x2x3xf32>) outs(%a : tensor<5x3xf32>)
      {update_window_dims = array<i64: 1, 2>, scatter_dims_to_operand_dims = array<i64: 0>,
       index_vector_dim = 1 : i64} -> tensor<5x3xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  return %r : tensor<5x3xf32>
}

func.func @scatter_by_batch(%at: tensor<3x2x1xi32>, %u: tensor<3x2xf32>, %a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = dmc.scatter ins(%at, %u : tensor<3x2x1xi32>, tensor<3x2xf32>) outs(%a : tensor<3x5xf32>)
      {inserted_window_dims = array<i64: 1>, input_batching_dims = array<i64: 0>,
       scatter_indices_batching_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 1>,
       index_vector_dim = 2 : i64} -> tensor<3x5xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %new : f32
  }
  return %r : tensor<3x5xf32>
}

func.func @scatter_two_sums(%at: tensor<3xi32>, %u: tensor<3xf32>, %v: tensor<3xi32>, %a: tensor<5xf32>, %b: tensor<5xi32>)
    -> (tensor<5xf32>, tensor<5xi32>) {
  %r:2 = dmc.scatter ins(%at, %u, %v : tensor<3xi32>, tensor<3xf32>, tensor<3xi32>) outs(%a, %b : tensor<5xf32>, tensor<5xi32>)
      {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>,
       index_vector_dim = 1 : i64} -> tensor<5xf32>, tensor<5xi32> {
  ^bb0(%old: f32, %count: i32, %new: f32, %more: i32):
    %s = arith.addf %old, %new : f32
    %t = arith.addi %more, %count : i32
    dmc.yield %s, %t : f32, i32
  }
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xi32>
}

// A sum beside a maximum: each may be partial, but no factor is both.
func.func @scatter_sum_and_max(%at: tensor<3xi32>, %u: tensor<3xi32>, %v: tensor<3xi32>, %a: tensor<5xi32>, %b: tensor<5xi32>)
    -> (tensor<5xi32>, tensor<5xi32>) {
  %r:2 = dmc.scatter ins(%at, %u, %v : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) outs(%a, %b : tensor<5xi32>, tensor<5xi32>)
      {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>,
       index_vector_dim = 1 : i64} -> tensor<5xi32>, tensor<5xi32> {
  ^bb0(%old: i32, %most: i32, %new: i32, %other: i32):
    %s = arith.addi %old, %new : i32
    %t = arith.maxsi %most, %other : i32
    dmc.yield %s, %t : i32, i32
  }
  return %r#0, %r#1 : tensor<5xi32>, tensor<5xi32>
}

// No index addresses the inserted dimension 0: updates are at 0.
func.func @scatter_at_zero(%at: tensor<2x1xi32>, %u: tensor<2xf32>, %a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = dmc.scatter ins(%at, %u : tensor<2x1xi32>, tensor<2xf32>) outs(%a : tensor<3x5xf32>)
      {inserted_window_dims = array<i64: 0, 1>, scatter_dims_to_operand_dims = array<i64: 1>,
       index_vector_dim = 1 : i64} -> tensor<3x5xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %new : f32
  }
  return %r : tensor<3x5xf32>
}

func.func @dynamic_slice(%a: tensor<5x2xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  %r = dmc.dynamic_slice ins(%a : tensor<5x2xf32>) at(%i, %j : tensor<i32>, tensor<i32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

func.func @dynamic_slice_of_one(%a: tensor<5xf32>, %i: tensor<i32>) -> tensor<1xf32> {
  %e = tensor.empty() : tensor<1xf32>
  %r = dmc.dynamic_slice ins(%a : tensor<5xf32>) at(%i : tensor<i32>) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}

func.func @dynamic_update_slice(%u: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i32>, %a: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %r = dmc.dynamic_update_slice ins(%u : tensor<2x2xf32>) at(%i, %j : tensor<i32>, tensor<i32>) outs(%a : tensor<5x2xf32>) -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

func.func @dynamic_update_slice_unsigned(%u: tensor<2xf32>, %i: tensor<i8>, %a: tensor<5xf32>) -> tensor<5xf32> {
  %r = dmc.dynamic_update_slice ins(%u : tensor<2xf32>) at(%i : tensor<i8>) outs(%a : tensor<5xf32>) {starts_are_unsigned} -> tensor<5xf32>
  return %r : tensor<5xf32>
}
