// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @dot_general_c1_out_of_range(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected lhs contracting dimensions to be dimensions below 2, but got [-1]}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [-1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dot_general_c1_batching_and_contracting(%x: tensor<2x3xf32>) {
  // expected-error @below {{dimension 1 is both in lhs batching dimensions [1] and in lhs contracting dimensions [1]}}
  %0 = stablehlo.dot_general %x, %x, batching_dims = [1] x [1], contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dot_general_c2(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected contracting dimension 1 of lhs and 0 of rhs to have the same size, but got 3 and 2}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dot_general_c2_counts(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected as many contracting dimensions of lhs as of rhs, but got [1] and []}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dot_general_c3(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected result of shape [2, 2], but got [2]}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dot_general_kinds(%x: tensor<2xf32>) {
  // expected-error @below {{expected a result that products of 'f32' can be summed in, but got 'i32'}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  return
}

// -----

func.func @dot_general_c4(%x: tensor<2xf32>) {
  // expected-error @below {{expected precision_config to have 2 entries, but got 1}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], precision = [DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @dot_general_given_twice(%x: tensor<2xf32>) {
  // expected-error @below {{each at most once, but got 'contracting_dims'}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @convolution_c1(%x: tensor<1x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  // expected-error @below {{expected lhs of rank 4, as its dimension numbers say, but got rank 3}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @convolution_c2(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected window_strides to be positive, but got [0]}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c2_padding(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected padding of shape [1, 2], but got [2, 2]}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c3(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected a kernel of 2 input features, but got 4}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c4(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected result of shape [1, 6, 6], but got [1, 8, 6]}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x8x6xf32>
  return
}

// -----

func.func @convolution_roles(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected spatial dimensions 0 to 0, each once}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 1, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_ranks(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected operands and result of the same rank, but got 3, 3 and 4}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x1x6xf32>
  return
}

// -----

func.func @convolution_c3_positive(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected positive group counts, but got 0 groups of features and 1 of batches}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c3_both(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected groups of features or of batches, but got both: 2 and 2}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c3_batch(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected batch_group_count to divide the batch 1, but got 2}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c3_features(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected feature_group_count to divide the 4 input features, but got 3}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c3_kernel(%x: tensor<1x8x4xf32>, %k: tensor<3x1x6xf32>) {
  // expected-error @below {{expected group counts that divide the kernel's 6 output features, but got 4}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<1x8x4xf32>, tensor<3x1x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c5(%x: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>) {
  // expected-error @below {{expected precision_config to have 2 entries, but got 1}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>]} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}
