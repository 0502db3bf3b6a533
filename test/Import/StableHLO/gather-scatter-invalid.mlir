// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @gather_c2_unsorted(%x: tensor<10x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{expected offset_dims to be sorted, but got [2, 1]}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<3x1xi32>) -> tensor<3x1x4xf32>
  return
}

// -----

func.func @gather_c2_index_vector_dim(%x: tensor<10x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{expected index_vector_dim of 0 to 2, but got -1}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = -1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<10x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{expected a slice of at most 4 along dimension 1, but got 5}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<10x4xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @gather_c3_collapsed(%x: tensor<10x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{expected a slice of at most 1 along dimension 0, but got 2}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 4>}> : (tensor<10x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c4(%x: tensor<10x4xf32>, %i: tensor<3x2xi32>) {
  // expected-error @below {{expected start_index_map to have 2 entries, but got 1}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<3x2xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c5(%x: tensor<10x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{expected result of shape [3, 4], but got [4, 4]}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<3x1xi32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @gather_field(%x: tensor<10x4xf32>) {
  // expected-error @below {{unknown field 'offset'}}
  %0 = "stablehlo.gather"(%x, %x) <{dimension_numbers = #stablehlo.gather<offset = [1]>}> : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @scatter_c1(%x: tensor<10x4xi32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{expected as many updates as inputs, at least one, but got 2 operands with the indices}}
  %0 = "stablehlo.scatter"(%x, %i) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<10x4xi32>, tensor<3x1xi32>) -> tensor<10x4xi32>
  return
}

// -----

func.func @scatter_c4(%x: tensor<10x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  // expected-error @below {{expected updates of at most 4 along dimension 1, but got 5}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c5(%x: tensor<10x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{expected the update computation to take ('tensor<f32>', 'tensor<f32>'), but got ('tensor<f32>')}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @gather_batching_sizes(%x: tensor<3x4xf32>, %i: tensor<2x1xi32>) {
  // expected-error @below {{expected batching dimension 0 of the operand and 0 of the indices to have the same size, but got}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<operand_batching_dims = [0], start_indices_batching_dims = [0], offset_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @gather_c1(%x: tensor<10x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{expected operand and result to have the same element type, but got 'f32' and 'i32'}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  return
}

// -----

func.func @scatter_c2(%x: tensor<10x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{to be dimensions below 2, but got [2]}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c3(%x: tensor<10x4xf32>, %i: tensor<3x2xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{to have 2 entries, but got 1}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<3x2xi32>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}
