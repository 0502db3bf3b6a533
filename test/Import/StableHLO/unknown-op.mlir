// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @pretty(%x: tensor<f32>) {
  // expected-error @below {{unsupported: 'stablehlo.frobnicate' is not known; expected an operation of StableHLO on static shapes}}
  %0 = stablehlo.frobnicate %x : tensor<f32>
  return
}

// -----

func.func @reducer(%x: tensor<2xf32>, %i: tensor<f32>) {
  // expected-error @below {{unsupported: 'stablehlo.frobnicate' is not known}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.frobnicate across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @attribute(%x: tensor<8xf32>) {
  // expected-error @below {{unsupported: attribute '#chlo<precision>'; expected a comparison's direction or type}}
  %0 = "chlo.ragged_dot"(%x, %x) <{precision_config = [#chlo<precision DEFAULT>]}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @attribute_of_another_kind(%x: tensor<8xf32>) {
  // expected-error @below {{Invalid attribute `comparison_direction` in property conversion: #stablehlo<direction LT>}}
  %0 = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<direction LT>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return
}
