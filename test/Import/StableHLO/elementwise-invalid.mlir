// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @different_types(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{requires the same type for all operands and results}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dynamic_shape(%x: tensor<?xf32>) {
  // expected-error @below {{unsupported: 'stablehlo.tanh' of type 'tensor<?xf32>'; expected a static shape}}
  %0 = "stablehlo.tanh"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @too_large(%x: tensor<9223372036854775807x9223372036854775807xf32>) {
  // expected-error @below {{expected a tensor of less than 2^56 bytes}}
  %0 = "stablehlo.tanh"(%x) : (tensor<9223372036854775807x9223372036854775807xf32>) -> tensor<9223372036854775807x9223372036854775807xf32>
  return
}

// -----

func.func @unsupported_element_type(%x: tensor<2xcomplex<f16>>) {
  // expected-error @below {{unsupported: 'stablehlo.add' of type 'tensor<2xcomplex<f16>>'; expected complex<f32> or complex<f64>}}
  %0 = "stablehlo.add"(%x, %x) : (tensor<2xcomplex<f16>>, tensor<2xcomplex<f16>>) -> tensor<2xcomplex<f16>>
  return
}

// -----

func.func @abs_c1(%x: tensor<2xcomplex<f32>>) {
  // expected-error @below {{expected a result of 'f32', but got 'tensor<2xcomplex<f32>>'}}
  %0 = stablehlo.abs %x : tensor<2xcomplex<f32>>
  return
}

// -----

func.func @real_c1(%x: tensor<2xcomplex<f32>>) {
  // expected-error @below {{expected a result of 'f32', but got 'tensor<2xf64>'}}
  %0 = stablehlo.real %x : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

func.func @imag_c1(%x: tensor<2xf32>) {
  // expected-error @below {{expected a result of 'f32', but got 'tensor<2xf64>'}}
  %0 = stablehlo.imag %x : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @complex_c1(%x: tensor<2xf32>) {
  // expected-error @below {{expected parts of 'f64', but got 'tensor<2xf32>'}}
  %0 = stablehlo.complex %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}

// -----

func.func @integer_function(%x: tensor<i32>) {
  // expected-error @below {{must be static tensor of f16, bf16, f32, f64 or complex numbers, but got 'tensor<i32>'}}
  %0 = stablehlo.sqrt %x : tensor<i32>
  return
}

// -----

func.func @compare_c1(%x: tensor<i32>) {
  // expected-error @below {{expected a comparison type for 'i32', but got FLOAT}}
  %0 = stablehlo.compare GT, %x, %x, FLOAT : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return
}

// -----

func.func @select_c1(%p: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error @below {{expected predicate of shape [4], but got [3]}}
  %0 = stablehlo.select %p, %x, %x : tensor<3xi1>, tensor<4xf32>
  return
}

// -----

func.func @clamp_c2(%s: tensor<3xf32>, %x: tensor<4xf32>) {
  // expected-error @below {{expected min of shape [4], but got [3]}}
  %0 = stablehlo.clamp %s, %x, %x : (tensor<3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_precision_c1(%x: tensor<f32>) {
  // expected-error @below {{expected at least 1 bit of exponent, but got 0}}
  %0 = stablehlo.reduce_precision %x, format = e0m10 : tensor<f32>
  return
}

// -----

func.func @function_type_of_wrong_size(%x: tensor<f32>) {
  // expected-error @below {{expected a function type of 2 operands and one result}}
  %0 = stablehlo.add %x, %x : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_precision_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected at least 0 bits of mantissa, but got -1}}
  %0 = "stablehlo.reduce_precision"(%x) <{exponent_bits = 5 : i32, mantissa_bits = -1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @clamp_c1(%s: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error @below {{to have the same element type, but got}}
  %0 = stablehlo.clamp %s, %x, %x : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
