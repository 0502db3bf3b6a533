// RUN: dmc-opt %s | dmc-opt | FileCheck %s
// RUN: dmc-opt %s -mlir-print-op-generic | dmc-opt | FileCheck %s

// The forms that StableHLO's own printer writes.
// CHECK-LABEL: func.func @transforms
func.func @transforms(%a: tensor<4x4xf32>, %c: tensor<4x4xcomplex<f32>>, %r: tensor<4x3xcomplex<f32>>) {
  // CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<4x4xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
  // CHECK: stablehlo.cholesky %{{.*}} : tensor<4x4xcomplex<f32>>
  %1 = stablehlo.cholesky %c : tensor<4x4xcomplex<f32>>
  // CHECK: "stablehlo.triangular_solve"(%{{.*}}, %{{.*}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}>
  %2 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [4] : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  %3 = stablehlo.fft %c, type = FFT, length = [4] : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  // CHECK: stablehlo.fft %{{.*}}, type = IRFFT, length = [4, 4] : (tensor<4x3xcomplex<f32>>) -> tensor<4x4xf32>
  %4 = stablehlo.fft %r, type = IRFFT, length = [4, 4] : (tensor<4x3xcomplex<f32>>) -> tensor<4x4xf32>
  // CHECK: stablehlo.abs %{{.*}} : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
  %5 = stablehlo.abs %c : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
  // CHECK: stablehlo.abs %{{.*}} : tensor<4x4xf32>
  %6 = stablehlo.abs %a : tensor<4x4xf32>
  // CHECK: stablehlo.real %{{.*}} : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
  %7 = stablehlo.real %c : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
  // CHECK: stablehlo.imag %{{.*}} : tensor<4x4xf32>
  %8 = stablehlo.imag %a : tensor<4x4xf32>
  // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<4x4xcomplex<f32>>
  %9 = stablehlo.complex %a, %a : tensor<4x4xcomplex<f32>>
  // CHECK: stablehlo.compare EQ, %{{.*}}, %{{.*}}, FLOAT : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xi1>
  %10 = stablehlo.compare EQ, %c, %c, FLOAT : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xi1>
  return
}
