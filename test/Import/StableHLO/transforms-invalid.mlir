// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @fft_c1(%x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{expected lengths of 1 to 3 dimensions of 'tensor<4xcomplex<f32>>', but got [4, 4]}}
  %0 = stablehlo.fft %x, type = FFT, length = [4, 4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @fft_c2(%x: tensor<3x4xcomplex<f32>>) {
  // expected-error @below {{expected operand of shape [3, 5], but got [3, 4]}}
  %0 = stablehlo.fft %x, type = IFFT, length = [5] : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  return
}

// -----

func.func @fft_c2_inverse_of_real(%x: tensor<3x3xcomplex<f32>>) {
  // expected-error @below {{expected result of shape [3, 5], but got [3, 4]}}
  %0 = stablehlo.fft %x, type = IRFFT, length = [5] : (tensor<3x3xcomplex<f32>>) -> tensor<3x4xf32>
  return
}

// -----

func.func @fft_c3(%x: tensor<3x4xf32>) {
  // expected-error @below {{expected result of shape [3, 3], but got [3, 4]}}
  %0 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>
  return
}

// -----

func.func @fft_c3_inverse(%x: tensor<3x4xcomplex<f32>>) {
  // expected-error @below {{expected operand of shape [3, 3], but got [3, 4]}}
  %0 = stablehlo.fft %x, type = IRFFT, length = [4] : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
  return
}

// -----

func.func @fft_c4(%x: tensor<4xf32>) {
  // expected-error @below {{expected complex numbers, and real ones as operand of RFFT and result of IRFFT, but got 'tensor<4xf32>' and 'tensor<4xcomplex<f32>>'}}
  %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @fft_c4_of_complex(%x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{expected complex numbers, and real ones as operand of RFFT and result of IRFFT}}
  %0 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @cholesky_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected square matrices, but got 'tensor<2x3xf32>'}}
  %0 = stablehlo.cholesky %x, lower = true : tensor<2x3xf32>
  return
}

// -----

func.func @triangular_solve_c1(%a: tensor<2x2xf32>, %b: tensor<2x2xf64>) {
  // expected-error @below {{expected a and b to have the same element type, but got 'f32' and 'f64'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return
}

// -----

func.func @triangular_solve_c1_result(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{expected a result of b's type 'tensor<2x3xf32>', but got 'tensor<2x2xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @triangular_solve_c2(%a: tensor<5x2x2xf32>, %b: tensor<4x2x2xf32>) {
  // expected-error @below {{expected matrices with the same batch dimensions, but got 'tensor<5x2x2xf32>' and 'tensor<4x2x2xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<5x2x2xf32>, tensor<4x2x2xf32>) -> tensor<4x2x2xf32>
  return
}

// -----

func.func @triangular_solve_c3(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{expected square matrices of size 3, but got 'tensor<2x2xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @triangular_solve_c4(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{expected transpose_a to be NO_TRANSPOSE, TRANSPOSE or ADJOINT}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @product_of_complex_numbers(%x: tensor<2x2xcomplex<f32>>) {
  // expected-error @below {{expected a result that products of 'complex<f32>' can be summed in, but got 'i32'}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> tensor<2x2xi32>
  return
}
