// RUN: dmc-opt %s | dmc-opt | FileCheck %s
// RUN: dmc-opt %s -mlir-print-op-generic | dmc-opt | FileCheck %s

// CHECK-LABEL: func.func @while
func.func @while(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.while(%[[I:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}}) : tensor<i32>, tensor<4xf32>
  // CHECK: cond {
  // CHECK: stablehlo.compare LT, %[[I]], %{{.*}}, SIGNED
  // CHECK: } do {
  // CHECK: stablehlo.add %[[X]], %[[X]] : tensor<4xf32>
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %y, %y : tensor<4xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @branches
func.func @branches(%p: tensor<i1>, %n: tensor<i32>, %x: tensor<4xf32>) {
  // CHECK: "stablehlo.if"(%{{.*}}) ({
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %2 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK: "stablehlo.case"(%{{.*}}) ({
  %1 = "stablehlo.case"(%n) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %0 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @calls
func.func @calls(%x: tensor<4xf32>) {
  // CHECK: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
  %0:2 = stablehlo.optimization_barrier %x, %x : tensor<4xf32>, tensor<4xf32>
  // CHECK: stablehlo.composite "my.twice" %{{.*}} {composite_attributes = {n = 2 : i32}, decomposition = @twice, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "my.twice" %x {composite_attributes = {n = 2 : i32}, decomposition = @twice, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.custom_call @target(%{{.*}}) {api_version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @target(%x) {api_version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
  %3 = stablehlo.custom_call @in_place(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @random
func.func @random(%s: tensor<2xui64>, %a: tensor<f32>, %shape: tensor<2xi64>) {
  // CHECK: stablehlo.rng_bit_generator %{{.*}}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  // CHECK: stablehlo.rng %{{.*}}, %{{.*}}, %{{.*}}, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  %1 = stablehlo.rng %a, %a, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  return
}
