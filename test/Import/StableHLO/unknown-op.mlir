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
