// RUN: dmc-opt %s -split-input-file -verify-diagnostics
// What the parsers of the pretty forms and of attributes refuse.

func.func @select_types(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{expected a function type of 3 operands and one result, but got}}
  %0 = stablehlo.select %p, %x, %x : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_precision_format(%x: tensor<4xf32>) {
  // expected-error @below {{expected a format such as 'e5m10', but got 'e5'}}
  %0 = stablehlo.reduce_precision %x, format = e5 : tensor<4xf32>
  return
}

// -----

func.func @dot_general_precision(%x: tensor<2xf32>) {
  // expected-error @below {{expected DEFAULT, HIGH or HIGHEST, but got 'LOW'}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], precision = [LOW, LOW] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @dot_precision(%x: tensor<2xf32>) {
  // expected-error @below {{expected DEFAULT, HIGH or HIGHEST, but got 'LOW'}}
  %0 = stablehlo.dot %x, %x, precision = [LOW, LOW] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @dot_general_part(%x: tensor<2xf32>) {
  // expected-error @below {{expected batching_dims, contracting_dims, precision or algorithm, each at most once, but got 'dims'}}
  %0 = stablehlo.dot_general %x, %x, dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @window_end(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected a window attribute}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], } {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @window_part(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected stride, pad, lhs_dilate, rhs_dilate or reverse, each at most once, but got 'dilate'}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @conv_role(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected 'b', 'f' or a number, but got 'n'}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [n, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @conv_role_twice(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{dimension 'b' given twice}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, b, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @conv_role_missing(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected dimensions 'b' and 'f'}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @field_unknown(%x: tensor<4xf32>) {
  // expected-error @below {{unknown field 'handel'}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handel = 1, type = 1>}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @field_twice(%x: tensor<4xf32>) {
  // expected-error @below {{field 'handle' given twice}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, handle = 1>}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @field_missing(%x: tensor<4xf32>) {
  // expected-error @below {{field 'type' is missing}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1>}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @constant_kind() {
  // expected-error @below {{expected the elements of a tensor, but got 1 : i64}}
  %0 = stablehlo.constant 1 : i64
  return
}

// -----

func.func @tuple_type(%x: tensor<4xf32>) {
  // expected-error @below {{expected a tuple's type, but got 'tensor<4xf32>'}}
  %0 = stablehlo.tuple %x : tensor<4xf32>
  return
}

// -----

func.func @generic_form(%x: tensor<4xf32>) {
  // expected-error @below {{expected the generic form of 'stablehlo.select_and_scatter'}}
  %0 = stablehlo.select_and_scatter %x : tensor<4xf32>
  return
}

// -----

func.func @given_twice(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @below {{attribute 'dimensions' given twice}}
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error @below {{expected a part of an axis as (size before it, at least 1) and its size, at least 2, but got (1)1}}
func.func @sub_axis(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)1}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error @below {{expected a priority such as p1}}
func.func @priority(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}q1]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error @below {{expected 'replicated' or 'unreduced', each at most once, but got 'reduced'}}
func.func @other_axes(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], reduced={"x"}>}) {
  return
}
