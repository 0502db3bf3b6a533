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
