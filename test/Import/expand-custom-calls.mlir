// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo | FileCheck %s

// Operations of mhlo that frameworks write as calls.
// CHECK-LABEL: func.func public @functions
// CHECK:         math.erf
// CHECK:         math.sinh
// CHECK-NOT:     custom_call
func.func public @functions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @mhlo.sinh(%0) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func public @largest
// CHECK-NOT:     arith.negf
// CHECK:         dmc.sort
func.func public @largest(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 3 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}

// -----

// The smallest are the largest in the reverse order.
// CHECK-LABEL: func.func public @smallest
// CHECK:         arith.negf
// CHECK:         dmc.sort
// CHECK:         arith.negf
func.func public @smallest(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 3 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}

// -----

// A small matrix is factored column by column.
// CHECK-LABEL: func.func public @potrf
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK-NOT:     scf.for
// CHECK:         return %{{.*}}, %{{.*}} : tensor<2x4x4xf32>, tensor<2xi32>
func.func public @potrf(%x: tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x4x4xf32>, tensor<2xi32>
}

// -----

// A larger one by halves, which contractions put together.
// CHECK-LABEL: func.func public @solve
// CHECK:         scf.for
// CHECK:         linalg.matmul
// CHECK:         scf.for
func.func public @solve(%a: tensor<48x48xf32>, %b: tensor<48x3xf32>) -> tensor<48x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<48x48xf32>, tensor<48x3xf32>) -> tensor<48x3xf32>
  return %0 : tensor<48x3xf32>
}

// -----

// Rotations of all pairs of rows in a loop, within one that ends when nothing is left to rotate.
// CHECK-LABEL: func.func public @eigenvalues
// CHECK:         scf.while
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK-NOT:     scf.for
// CHECK:         dmc.sort
// CHECK-NOT:     custom_call
func.func public @eigenvalues(%x: tensor<2x5x5xf32>) -> (tensor<2x5x5xf32>, tensor<2x5xf32>, tensor<2xi32>) {
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<2x5x5xf32>) -> (tensor<2x5x5xf32>, tensor<2x5xf32>, tensor<2xi32>)
  return %0#0, %0#1, %0#2 : tensor<2x5x5xf32>, tensor<2x5xf32>, tensor<2xi32>
}

// -----

// Without vectors nothing is decomposed behind the rotations.
// CHECK-LABEL: func.func public @singular_values
// CHECK:         scf.while
// CHECK:         dmc.sort
// CHECK-NOT:     scf.for
func.func public @singular_values(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<i32>) {
  %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%x) {mhlo.backend_config = {mode = 78 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>)
  return %0#1, %0#4 : tensor<4xf32>, tensor<i32>
}

// -----

// QR as JAX writes it for platforms without LAPACK.
// CHECK-LABEL: func.func public @qr
// CHECK-NOT:     custom_call
// CHECK:         scf.for
func.func public @qr(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0:2 = stablehlo.custom_call @Qr(%x) : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

// The product of reflections is transposed, and applied from the right.
// CHECK-LABEL: func.func public @ormqr
// CHECK-NOT:     custom_call
// CHECK:         linalg.matmul
func.func public @ormqr(%a: tensor<4x3xf32>, %t: tensor<3xf32>, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.custom_call @lapack_sormqr_ffi(%a, %t, %c) {mhlo.backend_config = {left = false, transpose = true}} : (tensor<4x3xf32>, tensor<3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
