// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo -verify-diagnostics

func.func @custom_call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.custom_call' of the target 'f'; expected operations whose meaning is in the program}}
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

// Operations of the specification that are not supported are refused by name, and what
// is not an operation either.
func.func @fourier(%x: tensor<4xf32>) -> tensor<3xcomplex<f32>> {
  // expected-error @+1 {{unsupported: 'stablehlo.fft' of complex numbers; expected real and imaginary parts as tensors of their own}}
  %0 = "stablehlo.fft"(%x) {fft_length = array<i64: 4>, fft_type = #stablehlo<fft_type RFFT>} : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}

// -----

func.func @decomposition(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.cholesky' decomposes matrices; expected a program of elementwise operations, products and loops}}
  %0 = stablehlo.cholesky %x, lower = true : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @token(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.create_token' orders effects by tokens; expected all inputs and outputs as arguments and results}}
  %t = "stablehlo.create_token"() : () -> !stablehlo.token
  return %x : tensor<4xf32>
}

// -----

func.func @quantize(%x: tensor<4xf32>) -> tensor<4xi8> {
  // expected-error @+1 {{unsupported: 'stablehlo.uniform_quantize' of quantized numbers; expected integers with scales as tensors of their own}}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @shape_value(%x: tensor<4xf32>, %l: tensor<1xi32>, %c: tensor<f32>) -> tensor<6xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.dynamic_pad' with a padding that is not known at compile time; expected constants}}
  %0 = stablehlo.dynamic_pad %x, %c, %l, %l, %l : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

func.func @diagonal(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.unary_einsum' of the equation "ii->i"; expected a distinct letter for each dimension}}
  %0 = "stablehlo.unary_einsum"(%x) {einsum_config = "ii->i"} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @whole_tuple(%x: tensor<4xf32>) -> tuple<tensor<4xf32>> {
  // expected-error @+1 {{unsupported: 'stablehlo.tuple' whose value is used as a whole}}
  %0 = stablehlo.tuple %x : tuple<tensor<4xf32>>
  return %0 : tuple<tensor<4xf32>>
}

// -----

func.func @selected_shape(%x: tensor<3x4xf32>, %i: tensor<3x2xi32>) -> tensor<3x2xf32> {
  // expected-error @+1 {{'stablehlo.torch_index_select' expects the result 'tensor<3x3x2xf32>', found 'tensor<3x2xf32>'}}
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<3x4xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
