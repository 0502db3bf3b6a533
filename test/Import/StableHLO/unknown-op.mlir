// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @pretty(%x: tensor<f32>) {
  // expected-error @below {{custom op 'stablehlo.frobnicate' is unknown}}
  %0 = stablehlo.frobnicate %x : tensor<f32>
  return
}

// -----

func.func @generic(%x: tensor<f32>) {
  // expected-error @below {{unregistered operation 'stablehlo.frobnicate' found in dialect ('stablehlo') that does not allow unknown operations}}
  %0 = "stablehlo.frobnicate"(%x) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reducer(%x: tensor<2xf32>, %i: tensor<f32>) {
  // expected-error @below {{unknown operation 'stablehlo.frobnicate'}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.frobnicate across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @attribute_of_an_unknown_kind(%x: tensor<8xf32>) {
  // expected-error @below {{unregistered operation 'stablehlo.fft' found in dialect ('stablehlo') that does not allow unknown operations}}
  %0 = "stablehlo.fft"(%x) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @attribute_of_another_kind(%x: tensor<8xf32>) {
  // expected-error @below {{Invalid attribute `comparison_direction` in property conversion: #stablehlo<direction LT>}}
  %0 = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<direction LT>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return
}
