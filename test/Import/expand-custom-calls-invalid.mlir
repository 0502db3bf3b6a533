// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo -verify-diagnostics

func.func @function_of_integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @below {{unsupported: 'stablehlo.custom_call' of the target 'mhlo.erf' on ('tensor<4xi32>') -> ('tensor<4xi32>'); expected floats, and a result of the operand's type}}
  %0 = stablehlo.custom_call @mhlo.erf(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @top_of_unknown_count(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error @below {{of the target 'mhlo.topk' on ('tensor<4xf32>') -> ('tensor<2xf32>', 'tensor<2xi32>'); expected an integer 'k', numbers, and their values and indices as results}}
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0 : tensor<2xf32>
}

// -----

func.func @unknown_function(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'stablehlo.custom_call' of the target 'mhlo.frobnicate'; expected operations whose meaning is in the program}}
  %0 = stablehlo.custom_call @mhlo.frobnicate(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @another_type(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{of the target 'lapack_dpotrf_ffi' on ('tensor<4x4xf32>') -> ('tensor<4x4xf32>', 'tensor<i32>'); expected operands of 'f64' and results ('tensor<4x4xf32>', 'tensor<i32>')}}
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  return %0#0 : tensor<4x4xf32>
}

// -----

func.func @vector(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of the target 'lapack_spotrf_ffi' on ('tensor<4xf32>') -> ('tensor<4xf32>', 'tensor<i32>'); expected matrices of floats or complex numbers}}
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
  return %0#0 : tensor<4xf32>
}

// -----

func.func @not_square(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @below {{; expected square matrices}}
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<i32>)
  return %0#0 : tensor<4x3xf32>
}

// -----

func.func @triangle(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{unsupported: 'stablehlo.custom_call' of the target 'lapack_spotrf_ffi' with 'uplo' 77 : ui8; expected the code of one of the letters LU}}
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 77 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  return %0#0 : tensor<4x4xf32>
}

// -----

func.func @sizes(%a: tensor<3x3xf32>, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // expected-error @below {{; expected square matrices of size 4 in the batches of the other operand}}
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @reflections(%a: tensor<3x4xf32>, %t: tensor<3xf32>) -> tensor<3x4xf32> {
  // expected-error @below {{; expected a factor for each reflection, no more reflections than columns, and no more columns than rows}}
  %0 = stablehlo.custom_call @lapack_sorgqr_ffi(%a, %t) : (tensor<3x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @half(%x: tensor<4x4xf16>) -> tensor<4x4xf16> {
  // expected-error @below {{unsupported: 'stablehlo.cholesky' on 'tensor<4x4xf16>'; expected f32, f64 or complex numbers}}
  %0 = stablehlo.cholesky %x, lower = true : tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}
