// RUN: dmc-opt %s '-dmc-inline-functions=entry=second' | FileCheck %s
// RUN: not dmc-opt %s '-dmc-inline-functions=entry=helper' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dmc-opt %s -dmc-inline-functions 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: dmc-opt %s --pass-pipeline='builtin.module(dmc-import{entry=third})' | FileCheck %s --check-prefix=IMPORT

// The function of the name is the program; another one may be called by it.
// CHECK-NOT:   @first
// CHECK:       func.func @second
// CHECK-NEXT:    stablehlo.add
// CHECK-NEXT:    stablehlo.multiply
// CHECK-NOT:   func.func
// IMPORT:      func.func @third
// UNKNOWN: error: expected a public function of the name 'helper', which is given as the entry; found @first, @second and @third
// SEVERAL: error: unsupported: several public functions, @first, @second and @third; expected one, or the name of the entry (--entry=NAME)
func.func @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @first(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @helper(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @third(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
