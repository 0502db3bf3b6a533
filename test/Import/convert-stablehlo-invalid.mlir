// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo -verify-diagnostics

func.func @custom_call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.custom_call' cannot be converted to a tensor program; expected elementwise, shape, product, reduction, window and indexing operations}}
  %0 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @outside_value(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @+1 {{unsupported: 'stablehlo.add' in a computation uses a value from outside of it; expected arguments and constants}}
    %1 = stablehlo.add %a, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @scatter_of_two(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.scatter' of 2 inputs; expected one}}
  %0:2 = "stablehlo.scatter"(%x, %x, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %c, %d : tensor<f32>, tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0 : tensor<4xf32>
}

// -----

func.func @narrow_product(%x: tensor<4xi32>) -> tensor<i8> {
  // expected-error @+1 {{unsupported: 'stablehlo.dot_general' with operands of element type 'i32', wider than the result's 'i8'}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<4xi32>, tensor<4xi32>) -> tensor<i8>
  return %0 : tensor<i8>
}
