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

// -----

func.func @factors_as_tuple(%a: tensor<3x3xf32>, %t: tensor<3xf32>) -> tensor<3x3xf32> {
  %0 = stablehlo.tuple %t : tuple<tensor<3xf32>>
  // expected-error @below {{; expected operands of 'f32' and results ('tensor<3x3xf32>')}}
  %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%a, %0) : (tensor<3x3xf32>, tuple<tensor<3xf32>>) -> tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}

// -----

func.func @more_than_there_are(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @below {{expected an operand with at least k = 5 elements along its last dimension, but got 'tensor<4xf32>'}}
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 5 : i64, largest = true}} : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi32>)
  return %0#0 : tensor<5xf32>
}

// -----

func.func @eigenvalues_of_rows(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @below {{of the target 'lapack_ssyevd_ffi' on ('tensor<4x3xf32>') -> ('tensor<4x3xf32>', 'tensor<3xf32>', 'tensor<i32>'); expected square matrices}}
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<i32>)
  return %0#0 : tensor<4x3xf32>
}

// -----

func.func @unknown_mode(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of the target 'lapack_sgesdd_ffi' with 'mode' 79 : ui8; expected the code of one of the letters ASN}}
  %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%x) {mhlo.backend_config = {mode = 79 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>)
  return %0#1 : tensor<4xf32>
}

// -----

func.func @vectors_of_another_size(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  // expected-error @below {{expected operands of 'f32' and results ('tensor<4x3xf32>', 'tensor<3xf32>', 'tensor<4x4xf32>', 'tensor<3x3xf32>', 'tensor<i32>')}}
  %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%x) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<i32>)
  return %0#1 : tensor<3xf32>
}

// -----

func.func @singular_values_as_tuple(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  // expected-error @below {{expected operands of 'f32' and results}}
  %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%x) {mhlo.backend_config = {mode = 78 : ui8}} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tuple<tensor<f32>>, tensor<3x3xf32>, tensor<i32>)
  return %0#1 : tensor<3xf32>
}

// -----

func.func @qr_of_half(%x: tensor<4x4xf16>) -> tensor<4x4xf16> {
  // expected-error @below {{of the target 'Qr' on ('tensor<4x4xf16>') -> ('tensor<4x4xf16>', 'tensor<4xf16>'); expected f32, f64 or complex numbers}}
  %0:2 = stablehlo.custom_call @Qr(%x) : (tensor<4x4xf16>) -> (tensor<4x4xf16>, tensor<4xf16>)
  return %0#0 : tensor<4x4xf16>
}

// -----

func.func @no_matrix(%a: tensor<4x3xf32>, %t: tensor<3xf32>) -> tensor<4x3xf32> {
  // expected-error @below {{; expected reflections, their factors and a matrix}}
  %0 = stablehlo.custom_call @lapack_sormqr_ffi(%a, %t) {mhlo.backend_config = {left = true, transpose = true}} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @side_is_missing(%a: tensor<4x3xf32>, %t: tensor<3xf32>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // expected-error @below {{; expected the attributes 'left' and 'transpose'}}
  %0 = stablehlo.custom_call @lapack_sormqr_ffi(%a, %t, %c) {mhlo.backend_config = {transpose = true}} : (tensor<4x3xf32>, tensor<3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @another_number_of_rows(%a: tensor<4x3xf32>, %t: tensor<3xf32>, %c: tensor<5x2xf32>) -> tensor<5x2xf32> {
  // expected-error @below {{; expected reflections of 5 elements, no more than these, and a factor for each}}
  %0 = stablehlo.custom_call @lapack_sormqr_ffi(%a, %t, %c) {mhlo.backend_config = {left = true, transpose = false}} : (tensor<4x3xf32>, tensor<3xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// -----

func.func @tridiagonal(%d: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{; expected three diagonals and a matrix}}
  %0:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%d, %d, %d, %b) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>)
  return %0#3 : tensor<4xf32>
}

// -----

func.func @diagonals(%d: tensor<3xf32>, %f: tensor<4xf32>, %b: tensor<4x1xf32>) -> tensor<4x1xf32> {
  // expected-error @below {{; expected diagonals of 4 elements}}
  %0:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%d, %f, %f, %b) : (tensor<3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x1xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x1xf32>, tensor<i32>)
  return %0#3 : tensor<4x1xf32>
}

// -----

func.func @factor(%f: tensor<4xf32>, %b: tensor<4x1xf32>) -> tensor<4xf32> {
  // expected-error @below {{with the use of a factor; expected that of the solution}}
  %0:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%f, %f, %f, %b) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x1xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x1xf32>, tensor<i32>)
  return %0#0 : tensor<4xf32>
}
