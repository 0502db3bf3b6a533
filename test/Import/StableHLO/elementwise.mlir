// RUN: dmc-opt %s | dmc-opt | FileCheck %s
// RUN: dmc-opt %s -mlir-print-op-generic | dmc-opt | FileCheck %s

// CHECK-LABEL: func.func @one_type_for_all
func.func @one_type_for_all(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %0 = stablehlo.add %x, %y : tensor<2x3xf32>
  // CHECK: stablehlo.tanh %{{.*}} : tensor<2x3xf32>
  %1 = stablehlo.tanh %0 : tensor<2x3xf32>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %2 = stablehlo.maximum %0, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @result_accuracy
func.func @result_accuracy(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: stablehlo.exponential %{{.*}} {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
  %0 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @element_types
func.func @element_types(%a: tensor<i1>, %b: tensor<ui8>, %c: tensor<i64>, %d: tensor<bf16>) {
  // CHECK: stablehlo.not %{{.*}} : tensor<i1>
  %0 = stablehlo.not %a : tensor<i1>
  // CHECK: stablehlo.shift_right_logical %{{.*}}, %{{.*}} : tensor<ui8>
  %1 = stablehlo.shift_right_logical %b, %b : tensor<ui8>
  // CHECK: stablehlo.popcnt %{{.*}} : tensor<i64>
  %2 = stablehlo.popcnt %c : tensor<i64>
  // CHECK: stablehlo.convert %{{.*}} : (tensor<bf16>) -> tensor<f32>
  %3 = stablehlo.convert %d : (tensor<bf16>) -> tensor<f32>
  // CHECK: stablehlo.convert %{{.*}} : tensor<f32>
  %4 = stablehlo.convert %3 : tensor<f32>
  // CHECK: stablehlo.is_finite %{{.*}} : (tensor<f32>) -> tensor<i1>
  %5 = stablehlo.is_finite %4 : (tensor<f32>) -> tensor<i1>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<f32>
  %6 = stablehlo.reduce_precision %4, format = e5m10 : tensor<f32>
  return
}

// CHECK-LABEL: func.func @compare
func.func @compare(%x: tensor<4xf32>, %n: tensor<4xi32>) {
  // CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}}, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %0 = stablehlo.compare GT, %x, %x, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare EQ, %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %1 = stablehlo.compare EQ, %n, %n : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @scalar_or_elementwise
func.func @scalar_or_elementwise(%p: tensor<i1>, %q: tensor<4xi1>, %s: tensor<f32>, %x: tensor<4xf32>) {
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<4xf32>
  %0 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<4xf32>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %1 = stablehlo.select %q, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %3 = stablehlo.clamp %x, %x, %x : tensor<4xf32>
  return
}
