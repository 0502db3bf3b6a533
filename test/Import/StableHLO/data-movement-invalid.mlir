// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @constant_c1() {
  // expected-error @below {{expected a value of the result's type 'tensor<3xf32>', but got 'tensor<2xf32>'}}
  %0 = "stablehlo.constant"() <{value = dense<0.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

func.func @iota_c1() {
  // expected-error @below {{expected iota_dimension to be dimensions below 1, but got [1]}}
  %0 = stablehlo.iota dim = 1 : tensor<3xi32>
  return
}

// -----

func.func @broadcast_in_dim_c2_out_of_range(%x: tensor<3xf32>) {
  // expected-error @below {{expected broadcast_dimensions to be dimensions below 2, but got [9223372036854775807]}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [9223372036854775807] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c2_repeated(%x: tensor<3x3xf32>) {
  // expected-error @below {{expected broadcast_dimensions to be distinct, but got [1, 1]}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 1] : (tensor<3x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c3(%x: tensor<3xf32>) {
  // expected-error @below {{expected dimension 0 of the operand to have size 1 or 4, but got 3}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<3xf32>) {
  // expected-error @below {{expected a result of 3 elements, but got 4}}
  %0 = stablehlo.reshape %x : (tensor<3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_c2(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected permutation to be distinct, but got [0, 0]}}
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_c3(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected result of shape [3, 2], but got [2, 3]}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concatenate_c3(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected result of shape [4, 3], but got [5, 3]}}
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<8xf32>) {
  // expected-error @below {{expected 0 <= start <= limit <= 8 along dimension 0, but got start 2 and limit 9}}
  %0 = stablehlo.slice %x [2:9] : (tensor<8xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @slice_c3_stride(%x: tensor<8xf32>) {
  // expected-error @below {{expected positive strides, but got [0]}}
  %0 = stablehlo.slice %x [2:8:0] : (tensor<8xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @slice_c4_huge_stride(%x: tensor<8xf32>) {
  // expected-error @below {{expected result of shape [1], but got [6]}}
  %0 = stablehlo.slice %x [2:8:9223372036854775807] : (tensor<8xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<8xf32>, %s: tensor<f32>) {
  // expected-error @below {{expected result of shape [more than 9223372036854775807], but got [8]}}
  %0 = stablehlo.pad %x, %s, low = [9223372036854775807], high = [9223372036854775807], interior = [9223372036854775807] : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @pad_c3_negative(%x: tensor<8xf32>, %s: tensor<f32>) {
  // expected-error @below {{padding leaves less than nothing of dimension 0}}
  %0 = stablehlo.pad %x, %s, low = [-9], high = [0], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

func.func @dynamic_slice_c1(%x: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected start_indices to have 1 entry, but got 2}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [4] : (tensor<8xf32>, tensor<i32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_slice_c2(%x: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected a window of at most 8 along dimension 0, but got 9}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [9] : (tensor<8xf32>, tensor<i32>) -> tensor<9xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2(%x: tensor<8xf32>, %u: tensor<9xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected a window of at most 8 along dimension 0, but got 9}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<9xf32>, tensor<i32>) -> tensor<8xf32>
  return
}

// -----

func.func @bitcast_convert_c1(%x: tensor<3xi8>) {
  // expected-error @below {{expected an operand whose last dimension is 4, but got 'tensor<3xi8>'}}
  %0 = stablehlo.bitcast_convert %x : (tensor<3xi8>) -> tensor<f32>
  return
}

// -----

func.func @bitcast_convert_c2_boolean(%x: tensor<8xi1>) {
  // expected-error @below {{unsupported: 'stablehlo.bitcast_convert' from 'i1' to 'i8'; expected both element types to be i1, or neither}}
  %0 = stablehlo.bitcast_convert %x : (tensor<8xi1>) -> tensor<8xi8>
  return
}

// -----

func.func @pad_c3_interior(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @below {{expected interior_padding not to be negative, but got [-1]}}
  %0 = stablehlo.pad %x, %z, low = [0], high = [0], interior = [-1] : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @dynamic_slice_c1_types(%x: tensor<4x4xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error @below {{expected start indices of one type, but got 'tensor<i32>', 'tensor<i64>'}}
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [1, 1] : (tensor<4x4xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2_rank(%x: tensor<4x4xf32>, %u: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected an update of rank 2, but got 'tensor<4xf32>'}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @constant_value() {
  // expected-error @below {{expected the value as a dense<...> or dense_resource<...> attribute}}
  %0 = "stablehlo.constant"() <{value = sparse<[[0]], [1.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
  return
}

// -----

func.func @broadcast_in_dim_c1(%x: tensor<3xf32>) {
  // expected-error @below {{expected operand and result to have the same element type, but got 'f32' and 'i32'}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @concatenate_c1() {
  // expected-error @below {{expected at least one input}}
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<0xf32>
  return
}

// -----

func.func @concatenate_c2(%x: tensor<3xf32>) {
  // expected-error @below {{expected dimension to be dimensions below 1, but got [1]}}
  %0 = stablehlo.concatenate %x, dim = 1 : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @dynamic_slice_c3(%x: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected operand and result to have the same element type, but got 'f32' and 'i32'}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<8xf32>, tensor<i32>) -> tensor<2xi32>
  return
}

// -----

func.func @dynamic_update_slice_c1(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected start_indices to have 2 entries, but got 1}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<8xf32>, %s: tensor<i32>) {
  // expected-error @below {{expected operand and padding value to have the same element type, but got 'f32' and 'i32'}}
  %0 = stablehlo.pad %x, %s, low = [0], high = [0], interior = [0] : (tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<8xf32>, %s: tensor<f32>) {
  // expected-error @below {{expected edge_padding_low to have 1 entry, but got 2}}
  %0 = stablehlo.pad %x, %s, low = [0, 0], high = [0], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected operand and result to have the same element type, but got 'f32' and 'i32'}}
  %0 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @reverse_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected dimensions to be dimensions below 1, but got [1]}}
  %0 = stablehlo.reverse %x, dims = [1] : tensor<4xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected operand and result to have the same element type, but got 'f32' and 'i32'}}
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected limit_indices to have 1 entry, but got 2}}
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2, 2>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected operand and result to have the same element type, but got 'f32' and 'i32'}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xi32>
  return
}
