// RUN: dmc-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(dmc-import)'

// A feature that is not supported is refused with that word, the operation and what is expected
// instead, whether the parser, a verifier or import notices it first.

func.func @dynamic_argument(
    // expected-error @+1 {{unsupported: argument 0 of type 'tensor<?x4xf32>'; expected a static shape}}
    %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

func.func @dynamic_elementwise(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.add' of type 'tensor<?x4xf32>'; expected a static shape}}
  %0 = stablehlo.add %x, %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @dynamic_result(%x: tensor<4xf32>, %s: tensor<2xi64>) {
  // expected-error @+1 {{unsupported: 'stablehlo.dynamic_reshape' of type 'tensor<?x?xf32>'; expected a static shape}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_iota(%s: tensor<1xi64>) {
  // expected-error @+1 {{unsupported: 'stablehlo.dynamic_iota' of type 'tensor<?xf32>'; expected a static shape}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_reduction(%x: tensor<?x4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{unsupported: 'stablehlo.reduce' of type 'tensor<?x4xf32>'; expected a static shape}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_loop(%x: tensor<?xf32>) {
  // expected-error @+1 {{unsupported: 'stablehlo.while' of type 'tensor<?xf32>'; expected a static shape}}
  %0 = stablehlo.while(%i = %x) : tensor<?xf32>
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    stablehlo.return %i : tensor<?xf32>
  }
  return
}

// -----

func.func @bounded_dimension(%x: tensor<?xf32, #stablehlo.bounds<4>>) {
  // expected-error @+1 {{unsupported: 'stablehlo.abs' of type 'tensor<?xf32, #stablehlo.bounds<4>>'; expected a static shape}}
  %0 = "stablehlo.abs"(%x) : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{unsupported: 'stablehlo.abs' of type 'tensor<*xf32>'; expected a ranked tensor of static shape}}
  %0 = "stablehlo.abs"(%x) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @size_of_a_dimension(%x: tensor<4xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{unsupported: 'stablehlo.set_dimension_size' makes a size a value; expected static shapes}}
  %0 = "stablehlo.set_dimension_size"(%x, %n) <{dimension = 0 : i64}> : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

func.func @shape_from_an_argument(%x: tensor<2x3xf32>, %p: tensor<f32>, %s: tensor<2xi64>) -> tensor<2x3xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.dynamic_pad'}}
  %0 = stablehlo.dynamic_pad %x, %p, %s, %s, %s : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @complex_argument(
    // expected-error @+1 {{unsupported: argument 0 of type 'tensor<2xcomplex<f16>>'; expected complex<f32> or complex<f64>}}
    %x: tensor<2xcomplex<f16>>) {
  return
}

// -----

func.func @complex_function(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{unsupported: 'chlo.lgamma' of type 'tensor<2xcomplex<f32>>'; expected real and imaginary parts as tensors of their own}}
  %0 = "chlo.lgamma"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @quantized(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.uniform_quantize' of quantized numbers; expected integers with scales as tensors of their own}}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  return %x : tensor<2xf32>
}

// -----

func.func @quantized_elementwise(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error @+1 {{unsupported: 'stablehlo.add' of type 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>'; expected integers with scales}}
  %0 = stablehlo.add %x, %x : tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @quantized_by_channel(
    // expected-error @+1 {{expected integers with scales as tensors of their own}}
    %x: tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) {
  return
}

// -----

func.func @token(
    // expected-error @+1 {{unsupported: argument 0 of type '!stablehlo.token'; expected all inputs and outputs as arguments and results, no tokens}}
    %t: !stablehlo.token) {
  return
}

// -----

func.func @token_in_a_loop(%t: !stablehlo.token) {
  // expected-error @+1 {{unsupported: 'stablehlo.optimization_barrier' of type '!stablehlo.token'; expected all inputs}}
  %0 = "stablehlo.optimization_barrier"(%t) : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @infeed() {
  // expected-error @+1 {{unsupported: 'stablehlo.create_token' orders effects by tokens}}
  %t = "stablehlo.create_token"() : () -> !stablehlo.token
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  return
}

// -----

func.func @tuple_argument(
    // expected-error @+1 {{unsupported: argument 0 of type 'tuple<tensor<2xf32>>'; expected several values instead of a tuple}}
    %t: tuple<tensor<2xf32>>) {
  return
}

// -----

func.func @tuple_in_a_loop(%x: tensor<i1>) {
  %t = stablehlo.tuple %x : tuple<tensor<i1>>
  // expected-error @+1 {{unsupported: 'stablehlo.while' of type 'tuple<tensor<i1>>'; expected several values instead of a tuple}}
  %0 = stablehlo.while(%i = %t) : tuple<tensor<i1>>
  cond {
    %p = stablehlo.get_tuple_element %i[0] : (tuple<tensor<i1>>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i : tuple<tensor<i1>>
  }
  return
}

// -----

func.func @float_of_8_bits(%x: tensor<4xf8E4M3FN>) {
  // expected-error @+1 {{unsupported: 'stablehlo.convert' of type 'tensor<4xf8E4M3FN>'; expected elements of i1, i8 to i64, ui8 to ui64, f16, bf16, f32 or f64}}
  %0 = stablehlo.convert %x : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
  return
}

// -----

func.func @integer_of_4_bits(%x: tensor<4xi4>) {
  // expected-error @+1 {{unsupported: 'stablehlo.negate' of type 'tensor<4xi4>'; expected elements of i1, i8 to i64}}
  %0 = stablehlo.negate %x : tensor<4xi4>
  return
}

// -----

func.func @unsigned_of_2_bits(
    // expected-error @+1 {{unsupported: argument 0 of type 'tensor<4xui2>'; expected elements of}}
    %x: tensor<4xui2>) {
  return
}

// -----

func.func @signed(%x: tensor<4xsi32>) {
  // expected-error @+1 {{unsupported: 'stablehlo.negate' of type 'tensor<4xsi32>'; expected elements of}}
  %0 = stablehlo.negate %x : tensor<4xsi32>
  return
}

// -----

func.func @encoding(%x: tensor<4xf32, "column_major">) {
  // expected-error @+1 {{unsupported: 'stablehlo.negate' of type 'tensor<4xf32, "column_major">'; expected a tensor without encoding}}
  %0 = stablehlo.negate %x : tensor<4xf32, "column_major">
  return
}

// -----

func.func @bits_of_booleans(%x: tensor<8xi1>) {
  // expected-error @+1 {{unsupported: 'stablehlo.bitcast_convert' from 'i1' to 'i8'; expected both element types to be i1, or neither}}
  %0 = stablehlo.bitcast_convert %x : (tensor<8xi1>) -> tensor<i8>
  return
}

// -----

func.func @bits_as_booleans(%x: tensor<i8>) {
  // expected-error @+1 {{unsupported: 'stablehlo.bitcast_convert' from 'i8' to 'i1'; expected both element types to be i1, or neither}}
  %0 = stablehlo.bitcast_convert %x : (tensor<i8>) -> tensor<8xi1>
  return
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { // expected-note {{the first one is here}}
  return %x : tensor<2xf32>
}
// expected-error @+1 {{unsupported: several public functions, @main and @other; expected one, or the name of the entry (--entry=NAME)}}
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{unsupported: the entry @blocks has 2 blocks; expected a body of one}}
func.func @blocks(%x: tensor<2xf32>) -> tensor<2xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<2xf32>
}

// -----

func.func private @elsewhere(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{unsupported: 'func.call' of @elsewhere; expected a function with a body in this module}}
  %0 = call @elsewhere(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @custom_call(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.custom_call' of the target 'lapack_sgetrf', a function of LAPACK; expected potrf, trsm, getrf, geqrf, orgqr, ormqr, syevd, gesdd, gesvd or gtsv}}
  %0 = stablehlo.custom_call @lapack_sgetrf(%x) {api_version = 4 : i32, backend_config = {}} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @custom_call_of_a_dynamic_shape(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.custom_call' of the target 'stablehlo.dynamic_reduce_window'}}
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x) : (tensor<2xf32>) -> tensor<?xf32>
  return %x : tensor<2xf32>
}

// -----

func.func @unknown_in_a_reduction(%x: tensor<2xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{unsupported: 'stablehlo.frobnicate' is not known; expected an operation of StableHLO on static shapes}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.frobnicate across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @asin_acos_kernel(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{unsupported: 'chlo._asin_acos_kernel' of complex numbers; expected the functions of StableHLO and chlo on them}}
  %0 = "chlo._asin_acos_kernel"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @ragged_dot(%x: tensor<4x2xf32>, %y: tensor<1x2x3xf32>, %g: tensor<1xi64>) -> tensor<4x3xf32> {
  // expected-error @+1 {{unsupported: 'chlo.ragged_dot' of groups whose sizes are values; expected its decomposition}}
  %0 = "chlo.ragged_dot"(%x, %y, %g) : (tensor<4x2xf32>, tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @random_numbers(%a: tensor<f32>, %b: tensor<f32>) -> tensor<2xf32> {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  // expected-error @+1 {{unsupported: 'stablehlo.rng'}}
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
