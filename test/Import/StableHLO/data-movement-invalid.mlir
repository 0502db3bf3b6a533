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
